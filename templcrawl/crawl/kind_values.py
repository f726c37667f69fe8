"""Read the settings of page kinds: spider methods, required confidence, and wanted kinds.

Each raises InvalidOption for a value that is not accepted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any

from templcrawl.algorithms.page_kinds.kind_chances import KINDS
from templcrawl.crawl.setting_values import PREFIX
from templcrawl.errors import InvalidOption, suggestion


def callbacks(value: object) -> dict[str, str]:
    """Parse a dict of kinds of pages to names of methods of the spider."""
    given: Any = json.loads(value) if isinstance(value, str) and value.startswith("{") else value or {}
    return _check_kinds(
        "", given, lambda name: isinstance(name, str) and name, "names of methods of the spider"
    )


def confidences(value: object) -> dict[str, float]:
    """Check the ``least_confidence`` of a spider: a dict of kinds of pages to numbers from 0 to 1."""
    return _check_kinds(
        "least_confidence",
        value,
        lambda least: isinstance(least, int | float) and 0 <= least <= 1,
        "numbers from 0 to 1",
    )


def _check_kinds(name: str, value: Any, is_accepted: Callable[[Any], object], what: str) -> dict[str, Any]:
    is_dict = isinstance(value, Mapping) and {*KINDS}.issuperset(value)
    if not is_dict or not all(map(is_accepted, value.values())):
        near = suggestion(value, KINDS) if isinstance(value, Mapping) else ""
        raise InvalidOption(name, value, f"a dict of kinds of pages ({', '.join(KINDS)}) to {what}{near}")
    return dict(value)


def accepted_targets(names: Collection[str]) -> str:
    """Return the accepted values if a wanted kind is unknown, "" if all are known."""
    if {*KINDS}.issuperset(names):
        return ""
    types = f"names of page types with {PREFIX}PAGE_TYPE_EXAMPLES"
    return f"addresses (http://...), kinds ({', '.join(KINDS)}), or {types}{suggestion(names, KINDS)}"

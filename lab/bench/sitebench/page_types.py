"""Page types from a site's own markup: the class that its system writes on ``<body>``, or the like.

``page_types.tsv`` lists the rules of each system in their order: where to look (an XPath, or "path" for the
path of the page), a regular expression, and the page type, in which ``\\1`` is a group.  The first rule that
matches decides.  Cost: one parse a page, one search a rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import lxml.etree
import lxml.html

from lab.bench.sitebench.site_table import read_rows

RULES = Path(__file__).parent / "page_types.tsv"
_PATH = "path"

TypeOf = Callable[[str, bytes], str | None]
"""Path and HTML of a page -> its page type, None where no rule matches."""


class Rule(NamedTuple):
    """A row of the table, see the top of the module."""

    where: str
    pattern: re.Pattern[str]
    label: str


@cache
def read_rules(file: Path = RULES) -> dict[str, tuple[Rule, ...]]:
    """Return system -> its rules; raises TableError."""
    rules: dict[str, tuple[Rule, ...]] = {}
    for _, row in read_rows(file, ("system", "where", "pattern", "label")):
        rule = Rule(row["where"], re.compile(row["pattern"]), row["label"])
        rules[row["system"]] = (*rules.get(row["system"], ()), rule)
    return rules


def type_rules(system: str) -> TypeOf:
    """Return what tells the page type of a page of a system; of "" there are none.

    Raises KeyError for a system without rules.

    >>> type_rules("mediawiki")("Tea", b"<body class='ltr ns-14 page-Tea'>")
    'ns-14'
    >>> type_rules("shopify")("products/pot.html", b"")
    'product'
    """
    rules = read_rules()[system] if system else ()

    def type_of(path: str, html: bytes) -> str | None:
        for rule in rules:
            text = path if rule.where == _PATH else _text_at(rule.where, html)
            if match := rule.pattern.search(text):
                return match.expand(rule.label)
        return None

    return type_of


def _text_at(where: str, html: bytes) -> str:
    try:
        found = lxml.html.document_fromstring(html).xpath(where)
    except (lxml.etree.LxmlError, ValueError):
        return ""
    return " ".join(" ".join(str(value).split()) for value in found)

"""The items of a crawl as JSON lines, and the labels in them: read, resolved, written.

Every value that looks like a label is one.  An item's page type is what its ``leaf_id`` stands for in the
end, or else its ``template_id``, or the first label in it.  Written again, it has the final label of its page
type in place of every label but ``leaf_id``, and the name of the page type as ``page_type_name``.

A name is the pattern of the addresses of a type's items, unless a file of names has one for the label or for
the pattern (:mod:`templcrawl.algorithms.page_types.readable_names`).  Items of a type that is named like a
kind of pages are of this kind: their ``page_kind`` becomes it, but that of an error.

Cost: O(length of the file), read once to count and once to write.  Memory: some labels, and ``MOST_PAGES``
addresses of each page type.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from templcrawl.algorithms.page_kinds.kinds import ERROR, KINDS
from templcrawl.algorithms.page_types.readable_names import MOST_PAGES, readable_names
from templcrawl.errors import InvalidOption
from templcrawl.files import whole_file

_is_label = re.compile(r"[^#/\s]+#[0-9a-f]{12}").fullmatch
LEAF, TEMPLATE, NAME = "leaf_id", "template_id", "page_type_name"
KIND, CONFIDENCE = "page_kind", "page_kind_confidence"


class LabelledItems:
    """The items of a file, and what is in them.

    labels   label -> items that have it
    damaged  lines that are no JSON object
    """

    def __init__(self, path: str) -> None:
        """Read the items; raises InvalidOption if none has a label, OSError."""
        self._path = path
        self.labels: Counter[str] = Counter()
        self.damaged = 0
        self._addresses: defaultdict[str, list[str]] = defaultdict(list)
        for item in self._items():
            if item is None:
                self.damaged += 1
                continue
            labels = list(_labels_of(item))
            self.labels.update(labels)
            address, deciding = item.get("url"), _deciding_label(item, labels)
            if deciding is not None and isinstance(address, str):
                seen = self._addresses[deciding]
                if len(seen) < MOST_PAGES:
                    seen.append(address)
        if not self.labels:
            raise InvalidOption("ITEMS", path, "items as JSON lines, with template_id or leaf_id in them")

    def names(self, final: Mapping[str, str | None], assigned: Mapping[str, str]) -> dict[str, str]:
        """Return final label of each page type -> its name.

        final     label -> final label
        assigned  names that a user has assigned, by label or by pattern
        """
        of_site: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for label, addresses in self._addresses.items():
            page_type = final.get(label)
            if page_type is None:
                continue
            of_site[page_type.partition("#")[0]][page_type] += addresses
        names: dict[str, str] = {}
        for addresses_of in of_site.values():
            names |= readable_names(addresses_of)
        return {label: assigned.get(label, assigned.get(name, name)) for label, name in names.items()}

    def write(self, target: str, final: Mapping[str, str | None], names: Mapping[str, str]) -> None:
        """Write the items with the final label of their page type, and its name; raises OSError."""
        with whole_file(Path(target)) as file:
            for item in self._items():
                if item is not None and item:
                    resolved = _resolved(item, final, names)
                    file.write(
                        json.dumps(resolved, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
                    )

    def _items(self) -> Iterator[dict[str, Any] | None]:
        """Yield each line of JSON, {} for an empty line, None for what is no JSON object."""
        with Path(self._path).open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                try:
                    item = json.loads(line) if line.strip() else {}
                except (ValueError, RecursionError):
                    item = None
                yield item if isinstance(item, dict) else None


def read_strings(option: str, path: str, wanted: str) -> dict[str, str]:
    """Return a JSON object of strings, the file of an option; raises InvalidOption, OSError.

    wanted  what the file is expected to be, for the error
    """
    try:
        strings = json.loads(Path(path).read_text(encoding="utf-8", errors="replace"))
    except (ValueError, RecursionError):
        strings = None
    if not isinstance(strings, dict) or not all(isinstance(value, str) for value in strings.values()):
        raise InvalidOption(option, path, wanted)
    return strings


def _labels_of(item: Mapping[str, Any]) -> Iterator[str]:
    yield from (value for value in item.values() if isinstance(value, str) and _is_label(value))


def _deciding_label(item: Mapping[str, Any], labels: list[str]) -> str | None:
    """Return the label that says most about the page type of an item."""
    named = (item.get(name) for name in (LEAF, TEMPLATE))
    return next((label for label in named if label in labels), labels[0] if labels else None)


def _resolved(
    item: Mapping[str, Any], final: Mapping[str, str | None], names: Mapping[str, str]
) -> dict[str, Any]:
    labels = list(_labels_of(item))
    deciding = _deciding_label(item, labels)
    page_type = (final.get(deciding) or deciding) if deciding is not None else None
    resolved = {
        name: page_type if name != LEAF and isinstance(value, str) and _is_label(value) else value
        for name, value in item.items()
    }
    name = names.get(page_type or "")
    if name is None:
        return resolved
    resolved[NAME] = name
    if name in KINDS and item.get(KIND) != KINDS[ERROR]:
        resolved |= {field: value for field, value in ((KIND, name), (CONFIDENCE, 1.0)) if field in item}
    return resolved

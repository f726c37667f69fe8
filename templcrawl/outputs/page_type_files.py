"""The table of page types as a JSON file: one object, an entry a line, which items join by their ``leaf_id``.

::

    {
    "example.org#86c5d7033e63": {"page_type": "/product/*", "pages": 12, "kind": "product"}
    }

If a leaf has two entries, the later one holds, as in readers of JSON.  Cost: O(entries), one at a time.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path

from templcrawl.files import whole_file
from templcrawl.memory.page_types import TypedLeaf
from templcrawl.outputs.item_values import unescaped_json


def write_page_types(path: Path | None, leaves: Iterable[TypedLeaf]) -> int:
    """Write a file aside, then in the place of an earlier one; return how many entries it has.

    path  None: they go to stdout
    Raises OSError.
    """
    count = 0
    with whole_file(path) if path is not None else nullcontext(sys.stdout.buffer) as file:
        for leaf in leaves:
            file.write((",\n" if count else "{\n").encode() + entry_of(leaf).encode())
            count += 1
        file.write(b"\n}\n" if count else b"{}\n")
        file.flush()
    return count


def read_page_types(lines: Iterable[str]) -> Iterator[TypedLeaf]:
    """Yield the rows of the lines of a file; lines that are not entries are passed over."""
    for line in lines:
        try:
            ((leaf_id, values),) = json.loads(f"{{{line.strip().rstrip(',')}}}").items()
            yield TypedLeaf(leaf_id, **values)
        except (ValueError, TypeError):
            continue


def entry_of(leaf: TypedLeaf) -> str:
    """Return the entry of a leaf.

    >>> entry_of(TypedLeaf("a.example#86c5d7033e63", "/p/*", 3))
    '"a.example#86c5d7033e63": {"page_type": "/p/*", "pages": 3, "kind": null}'
    """
    leaf_id, *values = leaf
    return f"{unescaped_json(leaf_id)}: {unescaped_json(dict(zip(TypedLeaf._fields[1:], values)))}"

"""The table of page types as a JSON file: one object, an entry a line, which items join by their ``leaf_id``.

::

    {
    "example.org#86c5d7033e63": {"page_type": "/product/*", "pages": 12, "kind": "product"}
    }

If a leaf has two entries, the later one holds, as in readers of JSON.  Cost: O(entries), one at a time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from templcrawl.files import whole_file
from templcrawl.memory.page_types import TypedLeaf


def write_page_types(path: Path, leaves: Iterable[TypedLeaf]) -> int:
    """Write a file aside, then in the place of an earlier one; return how many entries it has.

    Raises OSError.
    """
    count = 0
    with whole_file(path) as file:
        for leaf in leaves:
            file.write((",\n" if count else "{\n").encode() + entry_of(leaf).encode())
            count += 1
        file.write(b"\n}\n" if count else b"{}\n")
    return count


def read_page_types(lines: Iterable[str]) -> Iterator[TypedLeaf]:
    """Yield the rows of the lines of a file; lines that are no entries are passed over."""
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
    return f"{json.dumps(leaf_id)}: {json.dumps(dict(zip(TypedLeaf._fields[1:], values)))}"

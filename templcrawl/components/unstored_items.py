"""Items that a database cannot take, in a file of JSON lines, ``<store>.unstored.jsonl``.

It is there only if there is anything to keep, and only ever appended to.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def unstored_path(store: str) -> Path:
    """Return where the items lie that a store could not take."""
    return Path(f"{store}.unstored.jsonl")


def keep_unstored(store: str, items: Sequence[str]) -> None:
    """Append items, each of them as JSON text without line ends; raises OSError, and none is kept then."""
    path = unstored_path(store)
    path.parent.mkdir(parents=True, exist_ok=True)
    left = memoryview("".join(f"{item}\n" for item in items).encode())
    with path.open("ab", buffering=0) as file:
        start = file.tell()
        try:
            while left:
                left = left[file.write(left) :]
        except OSError:
            file.truncate(start)
            raise

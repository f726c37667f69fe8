"""Wrong values in every column of a snapshot, one at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from templcrawl.memory.snapshots import Snapshot, StoredColumn

_PLACES = (0, 1, 2, -1)


def damaged(snapshot: Snapshot) -> Iterator[tuple[str, Snapshot]]:
    """Yield what is wrong, and the snapshot with that alone."""
    for name, column in snapshot.items():
        yield f"{name} is missing", Snapshot({key: snapshot[key] for key in snapshot if key != name})
        for what, wrong in _wrong(column):
            if wrong != column:
                yield f"{name} {what}", Snapshot({**snapshot, name: wrong})


def _wrong(column: StoredColumn) -> Iterator[tuple[str, StoredColumn]]:
    kind, data = column
    yield "is empty", StoredColumn(kind, b"")
    yield "is of another kind", StoredColumn("f8" if kind == "u8" else "u8", data[: len(data) // 8 * 8])
    values = np.frombuffer(data, f"<{kind}")
    first, last = values[:1], values[-1:]
    for what, other in {
        "lacks the first": values[1:],
        "lacks the last": values[:-1],
        "has the last twice": np.concatenate((values, last)),
        "has the first at the end, too": np.concatenate((values, first)),
        "is there twice": np.concatenate((values, values)),
        "goes backwards": values[::-1],
        "is all zero": np.zeros_like(values),
        "is all as the first": np.repeat(first, len(values)),
    }.items():
        yield what, StoredColumn(kind, other.tobytes())
    yield "is all ones", StoredColumn(kind, b"\xff" * len(data))
    for place in _PLACES[: len(values)]:
        value = values[place]
        for other_value in _other_values(kind, value):
            changed = values.copy()
            changed[place] = other_value
            yield f"has {other_value} at {place}", StoredColumn(kind, changed.tobytes())


def _other_values(kind: str, value: np.generic) -> list[float]:
    if kind.startswith("f"):
        return [0, -1, 0.5, float(value) + 1, float(value) * 2**70, 1e308, np.inf, -np.inf, np.nan]
    most = 2 ** (8 * int(kind[1:])) - 1
    number = int(value)
    others = {0, 1, number - 1, number + 1, 2 * number, number + 256, most // 2, most - 1, most, 2**53}
    return sorted(other for other in others if 0 <= other <= most)

"""A set of text blocks that may forget, but never says "seen" of what was not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.key_tables import SeenTexts
from templcrawl.memory.snapshots import Numbers, written
from tests.memory.invariants import check

keys = st.lists(st.lists(st.integers(1, 2**64 - 1) | st.integers(1, 20), max_size=40), max_size=8)


def array(values: list[int]) -> np.ndarray:
    return np.array(values, dtype=np.uint64)


def add(seen: SeenTexts, keys: np.ndarray) -> int:
    """Add keys of texts of one word each; return how many are new."""
    return seen.add(keys, np.ones(len(keys), dtype=np.intp))


@settings(max_examples=40)
@given(keys)
def test_what_is_called_seen_was_seen_and_little_is_forgotten(pages: list[list[int]]) -> None:
    seen, oracle = SeenTexts(limit=1 << 16), set[int]()
    for page in pages:
        words = {key: 1 << number for number, key in enumerate(dict.fromkeys(page))}
        found = seen.add(array(page), np.array([words[key] for key in page], dtype=np.intp))
        new = {key for key in words if words[key] & found}
        assert found == sum(words[key] for key in new), "a text that comes twice is new once"
        assert new >= set(page) - oracle
        oracle.update(page)
        check(seen)
    assert len(seen) <= len(oracle)


def test_small_keys_far_apart_are_all_remembered() -> None:
    seen = SeenTexts(limit=1 << 14)
    values = array(list(range(1, 5_000)))
    assert add(seen, values) == len(values)
    assert not add(seen, values)
    assert len(seen) == 4_999


def test_at_the_cap_the_later_key_takes_the_place() -> None:
    seen = SeenTexts(limit=8)
    assert add(seen, array([1, 9, 17])) == 3
    assert add(seen, array([17])) == 0
    assert add(seen, array([1])) == 1
    check(seen)
    assert len(seen) == 1


def test_it_survives_a_snapshot_and_refuses_a_wrong_one() -> None:
    seen = SeenTexts(limit=1 << 12)
    add(seen, array(list(range(1, 3_000, 3))))
    again = SeenTexts(limit=1 << 12)
    again.restore(seen.snapshot())
    assert again.snapshot() == seen.snapshot()
    assert not add(again, array([4]))
    for slots in (0, 1_000):
        with pytest.raises(InvalidSnapshot, match="power of two"):
            again.restore(written({**seen.columns(), "slots": Numbers([slots])}))
    small = SeenTexts(limit=8)
    small.restore(seen.snapshot())
    assert len(small) <= 8


@pytest.mark.parametrize(
    ("many", "slots"), [(512, 1_024), (513, 2_048), (1_024, 2_048), (1_025, 4_096), (9_000, 4_096)]
)
def test_the_table_doubles_while_it_is_more_than_half_full(many: int, slots: int) -> None:
    seen = SeenTexts(limit=4_096)
    add(seen, array(list(range(1, many + 1))))
    assert len(seen._slots) == slots
    check(seen)

"""The bounded mapping behind every table, against a plain model."""

from __future__ import annotations

from collections import OrderedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.memory import key_tables
from templcrawl.memory.key_tables import LruDict
from tests.memory.invariants import check

operations = st.lists(
    st.tuples(st.sampled_from(["set", "use", "get", "pop", "oldest"]), st.integers(0, 50), st.integers()),
    max_size=150,
)


@given(st.integers(1, 40), operations)
def test_it_behaves_as_an_ordered_dict_that_drops_its_first_entry(limit: int, steps: list) -> None:
    recent: LruDict[int, int] = LruDict(limit)
    model: OrderedDict[int, int] = OrderedDict()
    for verb, key, value in steps:
        if verb == "set":
            left = recent.set(key, value)
            model[key] = value
            model.move_to_end(key)
            expected = model.popitem(last=False)[0] if len(model) > limit else None
            assert left == expected
        elif verb == "use":
            assert recent.touch(key) == model.get(key)
            if key in model:
                model.move_to_end(key)
        elif verb == "get":
            assert recent.get(key) == model.get(key)
        elif verb == "oldest":
            assert not model or recent.least_recent() == next(iter(model))
        else:
            assert recent.pop(key) == model.pop(key, None)
        assert list(recent.items()) == list(model.items())
        check(recent)


def test_an_entry_is_listed_among_those_that_leave_once_a_use_at_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    listed = []
    monkeypatch.setattr(
        key_tables, "reversed", lambda old: listed.extend(old) or reversed(old), raising=False
    )
    recent, uses = LruDict[int, int](100), 0
    for key in range(1_000):
        recent.set(key, key)
        uses += 1 + (recent.touch(key - 50) is not None)
    assert 900 < len(listed) <= uses


def test_entries_of_a_snapshot_are_taken_up_in_order_and_none_twice() -> None:
    recent: LruDict[int, str] = LruDict(2)
    recent.fill([1, 2, 3], "abc")
    assert list(recent.items()) == [(2, "b"), (3, "c")]
    for keys, values in (([1, 1], "ab"), ([1, 2], "a"), ([1], "ab")):
        with pytest.raises(ValueError, match=r"twice|shorter|longer"):
            LruDict(5).fill(keys, values)

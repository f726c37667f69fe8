"""The bounded mapping behind every table, against a plain model."""

from __future__ import annotations

from collections import OrderedDict

from hypothesis import given
from hypothesis import strategies as st

from templcrawl.memory.recent import Recent

operations = st.lists(
    st.tuples(st.sampled_from(["set", "use", "get", "pop"]), st.integers(0, 6), st.integers()), max_size=60
)


@given(st.integers(1, 5), operations)
def test_it_behaves_as_an_ordered_dict_that_drops_its_first_entry(limit: int, steps: list) -> None:
    recent: Recent[int, int] = Recent(limit)
    model: OrderedDict[int, int] = OrderedDict()
    for verb, key, value in steps:
        if verb == "set":
            left = recent.set(key, value)
            model[key] = value
            model.move_to_end(key)
            expected = model.popitem(last=False)[0] if len(model) > limit else None
            assert left == expected
        elif verb == "use":
            assert recent.use(key) == model.get(key)
            if key in model:
                model.move_to_end(key)
        elif verb == "get":
            assert recent.get(key) == model.get(key)
        else:
            assert recent.pop(key) == model.pop(key, None)
        assert list(recent.items()) == list(model.items())
        recent.check()

"""Some pages of a leaf."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from templcrawl.memory.leaf_sample import LeafSample

keys = st.lists(st.integers(0, 40), max_size=30)


def sample_of(pages: list[int], most: int) -> LeafSample[str]:
    sample = LeafSample[str](most)
    for key in pages:
        before = [*sample]
        is_drawn = sample.takes(key)
        if is_drawn:
            sample.store(key, str(key))
        assert is_drawn == ([*sample] != before)
    return sample


@given(keys, st.integers(1, 8), st.randoms())
def test_it_has_the_pages_with_the_smallest_keys_whatever_their_order(pages, most, chance) -> None:
    again = pages + pages[: len(pages) // 2]
    chance.shuffle(again)
    expected = list(map(str, sorted(set(pages))[:most]))
    assert [*sample_of(again, most)] == expected
    assert len(sample_of(pages, most)) == len(expected)


@given(keys, keys, st.integers(1, 8))
def test_a_joined_sample_is_that_of_all_pages(first, second, most) -> None:
    joined = sample_of(first, most).joined(sample_of(second, most), most)
    assert [*joined] == [*sample_of(first + second, most)]

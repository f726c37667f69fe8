"""Which pages are kept, that they come back as they were, and that their number is bounded."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from templcrawl.outputs.report import kept_pages
from templcrawl.outputs.report.kept_pages import (
    _MOST_COUNTED,
    MOST_BYTES,
    MOST_CHARACTERS,
    MOST_OF_LEAF,
    MOST_PAGES,
    SampledPages,
)
from tests.outputs.report.sites import separated
from tests.strategies import soups


def assert_bounded(sample: SampledPages, most_bytes: int = MOST_BYTES) -> None:
    """Assert that no more is kept than may be."""
    pages = list(sample)
    assert sum(page.size for page in pages) <= most_bytes
    assert len(pages) <= MOST_PAGES
    assert max(Counter(page.leaf_id for page in pages).values(), default=0) <= MOST_OF_LEAF
    assert all(sample._sampled.values())
    assert len(sample._seen) <= _MOST_COUNTED


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 30)), max_size=60))
def test_of_a_leaf_the_pages_with_the_smallest_keys_are_kept(pages: list[tuple[str, int]]) -> None:
    sample, keys = SampledPages(), {}
    for leaf, number in pages:
        page = separated("x", f"http://a/{leaf}/{number}", leaf_id=leaf)
        sample.update(page)
        keys[page.page.key] = leaf
    assert_bounded(sample)
    for leaf in "abc":
        expected = sorted(key for key, its in keys.items() if its == leaf)[:MOST_OF_LEAF]
        assert [page.key for page in sample if page.leaf_id == leaf] == expected


def test_the_smallest_leaves_go_first() -> None:
    sample = SampledPages()
    for number in range(3 * MOST_PAGES):
        sample.update(separated("x", f"http://a/{number}", leaf_id=str(number)))
        sample.update(separated("x", f"http://a/large/{number}", leaf_id="large"))
        assert_bounded(sample)
    assert Counter(page.leaf_id for page in sample)["large"] == MOST_OF_LEAF


def test_how_many_leaves_are_counted_is_bounded_and_large_ones_stay_counted() -> None:
    sample = SampledPages()
    for number in range(3 * _MOST_COUNTED):
        for leaf in (str(number), "large"):
            sample.update(separated("x", f"http://a/{leaf}/{number}", leaf_id=leaf))
        assert len(sample._seen) <= _MOST_COUNTED
    assert sample._seen["large"] == 3 * _MOST_COUNTED


@given(soups, st.booleans())
def test_a_page_comes_back_as_it_was(html: str, is_content: bool) -> None:
    before = separated(f"[{html}" if is_content else html, "http://a/\ud800", leaf_id="l")
    sample = SampledPages()
    sample.update(before)
    ((after,),) = [[page.observation() for page in sample]]
    assert after.page.text == before.page.text
    assert after.content_mask == before.content_mask
    assert after.leaf_id == "l"


def test_half_a_surrogate_survives() -> None:
    sample = SampledPages()
    sample.update(separated("a\ud800b", "http://a/"))
    assert [page.observation().page.text for page in sample] == ["a\ud800b"]


def test_very_large_pages_are_not_kept(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    sample = SampledPages()
    sample.update(separated("x" * (MOST_CHARACTERS + 1), "http://a/"))
    monkeypatch.setattr(kept_pages, "MOST_OF_PAGE", 10)
    sample.update(separated("one two three", "http://a/"))
    assert not list(sample)


def test_the_bytes_are_bounded(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(kept_pages, "MOST_BYTES", 300)
    sample = SampledPages()
    for number in range(40):
        sample.update(separated(f"page {number} " * 3, f"http://a/{number}", leaf_id=str(number % 9)))
        assert_bounded(sample, most_bytes=300)
    assert list(sample)

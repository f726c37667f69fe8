"""While a spider runs, garbage is collected less often; then all is as it was."""

from __future__ import annotations

import gc
import weakref
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from templcrawl.crawl.gc_threshold import GcThreshold
from tests.crawl.crawls import ADDON
from tests.crawl.small_crawls import Follow, crawl, in_new_process, in_this_process
from tests.parts import exhaustive_but


@pytest.fixture(autouse=True)
def threshold() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    gc.unfreeze()  # what the tests have frozen, for speed
    yield
    gc.freeze()
    gc.set_threshold(*before)


CHOSEN = [
    ((700, 10, 10), (2000, 5, 10)),
    ((2000, 3, 0), (2000, 3, 0)),
    ((0, 10, 10), None),
    ((2001, 10, 10), None),
    ((90_000, 3, 2), None),
]
"""A threshold, and what it rises to."""


@pytest.mark.parametrize(("chosen", "risen"), exhaustive_but([CHOSEN[0], *CHOSEN[2:]], CHOSEN))
def test_it_is_raised_and_restored_unless_collection_is_disabled_or_rarer(
    chosen: tuple[int, int, int], risen: tuple[int, int, int] | None
) -> None:
    gc.set_threshold(*chosen)
    subject = GcThreshold()
    subject.rise(is_run=True)
    assert gc.get_threshold() == (risen or chosen)
    assert (gc.get_freeze_count() > 0) == (risen is not None)
    subject.restore()
    assert gc.get_threshold() == chosen
    assert gc.get_freeze_count() == 0


def test_what_was_there_before_is_not_walked_through_until_the_end() -> None:
    old, subject = Cycle(), GcThreshold()
    garbage = weakref.ref(old)
    subject.rise(is_run=True)
    del old
    young = weakref.ref(Cycle())
    gc.collect()
    assert garbage() is not None
    assert young() is None
    subject.restore()
    gc.collect()
    assert garbage() is None


@pytest.mark.exhaustive
def test_what_another_has_frozen_stays_frozen() -> None:
    gc.freeze()
    frozen, subject = gc.get_freeze_count(), GcThreshold()
    subject.rise(is_run=True)
    subject.restore()
    assert gc.get_freeze_count() == frozen


def test_what_the_program_sets_meanwhile_stays() -> None:
    subject = GcThreshold()
    subject.rise(is_run=True)
    gc.set_threshold(900, 10, 10)
    subject.restore()
    assert gc.get_threshold() == (900, 10, 10)


@pytest.mark.parametrize("is_late", exhaustive_but([False], [False, True]))
def test_nothing_is_collected_while_collection_is_disabled(is_late: bool) -> None:
    subject = GcThreshold()
    try:
        if not is_late:
            gc.disable()
        subject.rise(is_run=True)
        gc.disable()
        assert gc.get_threshold()[0] == (2000 if is_late else 700)
        assert not is_collected_after(40, subject)
        subject.restore()
        assert gc.get_threshold() == (700, 10, 10)
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("before", "is_collected"), exhaustive_but([(700, True)], [(700, True), (90_000, False)])
)
def test_large_pages_are_collected_where_the_threshold_has_risen(before: int, is_collected: bool) -> None:
    gc.set_threshold(before, 10, 10)
    subject = GcThreshold()
    subject.rise(is_run=True)
    gc.collect()
    assert not is_collected_after(10, subject)
    assert is_collected_after(10, subject) == is_collected


def is_collected_after(pages: int, subject: GcThreshold) -> bool:
    """Say whether garbage is gone after so many pages of a megabyte."""
    garbage = weakref.ref(Cycle())
    for _ in range(pages):
        subject.count_page(1_000_000)
    return garbage() is None


class Cycle:
    """Something that refers to itself."""

    def __init__(self) -> None:
        self.itself = self


class Noting(Follow):
    """Notes the threshold while it runs."""

    threshold = 0

    async def start(self) -> AsyncIterator[Any]:
        Noting.threshold = gc.get_threshold()[0]
        async for request in super().start():
            yield request


def test_a_crawl_raises_it_while_its_spider_runs() -> None:
    before, during, after = in_new_process("crawl.test_gc_threshold")
    assert during > before == after


async def _crawls() -> list[object]:
    """Return the threshold before a crawl, in it and after it."""
    before = gc.get_threshold()[0]
    assert (await crawl(ADDON, Noting))["fetched"]
    return [before, Noting.threshold, gc.get_threshold()[0]]


if __name__ == "__main__":
    in_this_process(_crawls)

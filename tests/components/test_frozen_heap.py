"""While a spider runs, garbage collection leaves out what was there before; then all is as it was."""

from __future__ import annotations

import gc
import weakref
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from templcrawl.components.frozen_heap import FrozenHeap
from tests.components.crawls import ADDON
from tests.components.small_crawls import Follow, crawl, in_new_process, in_this_process


@pytest.fixture
def unfrozen() -> Iterator[None]:
    gc.unfreeze()
    yield
    gc.unfreeze()
    gc.enable()


class Node:
    """Something that refers to itself."""

    def __init__(self) -> None:
        self.itself = self


def is_walked_over(found: object) -> bool:
    return any(found is other for other in gc.get_objects())


@pytest.mark.usefixtures("unfrozen")
def test_what_is_there_is_frozen_but_no_garbage_is() -> None:
    heap, kept, garbage = FrozenHeap(), Node(), weakref.ref(Node())
    heap.freeze()
    assert garbage() is None
    assert not is_walked_over(kept)
    heap.unfreeze()
    assert is_walked_over(kept)
    assert gc.get_freeze_count() == 0


@pytest.mark.usefixtures("unfrozen")
def test_what_the_program_has_frozen_stays_so() -> None:
    gc.freeze()
    heap = FrozenHeap()
    heap.freeze()
    heap.unfreeze()
    assert gc.get_freeze_count() > 0


@pytest.mark.usefixtures("unfrozen")
def test_what_the_program_freezes_later_stays_so() -> None:
    heap = FrozenHeap()
    heap.freeze()
    later = [Node() for _ in range(1_000)]
    gc.freeze()
    heap.unfreeze()
    assert not is_walked_over(later[0])


@pytest.mark.usefixtures("unfrozen")
def test_where_collection_is_disabled_nothing_is_frozen() -> None:
    gc.disable()
    FrozenHeap().freeze()
    assert gc.get_freeze_count() == 0


class Counting(Follow):
    """Notes how many objects are frozen while it runs."""

    frozen = 0

    async def start(self) -> AsyncIterator[Any]:
        Counting.frozen = gc.get_freeze_count()
        async for request in super().start():
            yield request


def test_a_crawl_freezes_what_was_there_if_it_is_told_to() -> None:
    frozen, after, fetched, unasked = in_new_process("components.test_frozen_heap")
    assert frozen > 10_000
    assert after == unasked == 0
    assert fetched


async def _crawls() -> list[object]:
    """Return (objects frozen in a crawl, after it, what it fetched, objects frozen by default)."""
    fetched = (await crawl({**ADDON, "TEMPLCRAWL_FREEZE_GC": True}, Counting))["fetched"]
    frozen, after = Counting.frozen, gc.get_freeze_count()
    await crawl(ADDON, Counting)
    return [frozen, after, fetched, Counting.frozen]


if __name__ == "__main__":
    in_this_process(_crawls)

"""Our queues give what Scrapy's give, in our order, and lose nothing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request, Spider
from scrapy.pqueues import DownloaderAwarePriorityQueue
from scrapy.squeues import FifoMemoryQueue, PickleFifoDiskQueue
from scrapy.utils.misc import build_from_crawler
from scrapy.utils.test import get_crawler

from templcrawl.crawl.extension import TemplateMemory
from templcrawl.crawl.priority_queues import (
    TemplateBestFirstPriorityQueue,
    TemplateDownloaderAwarePriorityQueue,
)

OURS = (TemplateDownloaderAwarePriorityQueue, TemplateBestFirstPriorityQueue)


class Downloader:
    """Scrapy's downloader, as far as queues ask it."""

    def __init__(self) -> None:
        self.active: set[Request] = set()
        self.slots: dict[str, Any] = {}

    def get_slot_key(self, request: Request) -> str:
        return request.url.split("/")[2]

    def start(self, request: Request) -> None:
        self.active.add(request)
        slot = self.slots.setdefault(self.get_slot_key(request), SimpleNamespace(active=set()))
        slot.active.add(request)

    def finish(self, request: Request) -> None:
        self.active.discard(request)
        self.slots[self.get_slot_key(request)].active.discard(request)


def queue_of(
    queue_class: Any, key: str = "", state: Any = (), downstream: Any = FifoMemoryQueue, **settings: object
) -> Any:
    crawler = get_crawler(Spider, settings)
    crawler.spider = Spider("any")
    crawler.engine = SimpleNamespace(downloader=Downloader())
    memory = TemplateMemory.from_crawler(crawler)
    crawler.extensions = SimpleNamespace(middlewares=[memory])
    crawler.get_extension = lambda wanted: memory if wanted is TemplateMemory else None
    return build_from_crawler(queue_class, crawler, downstream, key, state)


def request(host: str, priority: int = 0, name: object = "") -> Request:
    return Request(f"http://{host}/{name}", priority=priority)


def names(requests: list[Request | None]) -> list[str]:
    return [taken.url.removeprefix("http://") for taken in requests if taken is not None]


def test_the_best_request_of_all_hosts_comes_first_and_hosts_take_turns() -> None:
    queue = queue_of(TemplateBestFirstPriorityQueue)
    for host, priority, name in (
        ("a", 0, 1),
        ("a", 0, 2),
        ("a", 5, 3),
        ("b", 0, 4),
        ("b", 9, 5),
        ("c", 0, 6),
        ("a", 5, 7),
    ):
        queue.push(request(host, priority, name))
    taken = names([queue.pop() for _ in range(8)])
    assert taken[:3] == ["b/5", "a/3", "a/7"]
    assert sorted(taken[3:6]) == ["a/1", "b/4", "c/6"]
    assert taken[6:] == ["a/2"]
    assert len(queue) == 0


def errors_of(queue: Any) -> list[str]:
    return [name for name in queue.crawler.stats.get_stats() if name.startswith("templcrawl/errors")]


STEPS = st.lists(st.one_of(st.none(), st.tuples(st.sampled_from("abc"), st.integers(-2, 2))), max_size=60)


@given(STEPS)
def test_a_request_of_the_highest_priority_is_taken_whatever_came_between(
    steps: list[tuple[str, int] | None],
) -> None:
    queue, waiting = queue_of(TemplateBestFirstPriorityQueue), []
    for number, step in enumerate(steps):
        if step is not None:
            waiting.append(request(*step, number))
            queue.push(waiting[-1])
        else:
            taken = queue.pop()
            assert (taken is None) == (not waiting)
            if taken is not None:
                assert taken.priority == max(other.priority for other in waiting)
                same = [r for r in waiting if (r.url.split("/")[2], r.priority) == host_and_priority(taken)]
                assert taken is same[0]
                waiting.remove(taken)
        assert len(queue) == len(waiting)
    assert not errors_of(queue)


def host_and_priority(taken: Request) -> tuple[str, int]:
    return taken.url.split("/")[2], taken.priority


@given(STEPS)
def test_the_fair_queue_gives_what_scrapys_gives(
    steps: list[tuple[str, int] | None],
) -> None:
    ours, scrapys = queue_of(TemplateDownloaderAwarePriorityQueue), queue_of(DownloaderAwarePriorityQueue)
    for number, step in enumerate(steps):
        if step is not None:
            ours.push(request(*step, number))
            scrapys.push(request(*step, number))
        else:
            assert names([ours.pop()]) == names([scrapys.pop()])
    assert not errors_of(ours)


@pytest.mark.parametrize("begun", [*OURS, DownloaderAwarePriorityQueue])
@pytest.mark.parametrize("resumed", [*OURS, DownloaderAwarePriorityQueue])
def test_each_goes_on_where_another_has_stopped(begun: Any, resumed: Any, tmp_path: Any) -> None:
    queue = queue_of(begun, str(tmp_path), (), PickleFifoDiskQueue)
    for number in range(6):
        queue.push(request("ab"[number % 2], number % 3, number))
    state = queue.close()
    again = queue_of(resumed, str(tmp_path), state, PickleFifoDiskQueue)
    assert len(again) == 6
    assert sorted(names([again.pop() for _ in range(7)])) == ["a/0", "a/2", "a/4", "b/1", "b/3", "b/5"]
    assert again.close() == {}
    if resumed in OURS:
        assert not list(tmp_path.glob("*/*"))


@pytest.mark.parametrize("queue_class", OURS)
def test_a_request_that_cannot_be_written_is_refused_as_scrapy_refuses_it(
    queue_class: Any, tmp_path: Any, caplog: pytest.LogCaptureFixture
) -> None:
    queue = queue_of(queue_class, str(tmp_path), (), PickleFifoDiskQueue)
    with pytest.raises(ValueError, match="pickle"):
        queue.push(request("a").replace(meta={"unserializable": lambda: None}))
    assert "templcrawl" not in caplog.text
    queue.push(request("a", 0, "fine"))
    assert names([queue.pop(), queue.pop()]) == ["a/fine"]
    assert queue.close() == {}

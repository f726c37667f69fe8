"""Our priority queue gives what Scrapy's gives, in our order, and loses nothing whatever fails."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pytest
import scrapy
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy import Request, Spider
from scrapy.exceptions import NotConfigured
from scrapy.pqueues import DownloaderAwarePriorityQueue
from scrapy.squeues import FifoMemoryQueue, PickleFifoDiskQueue
from scrapy.utils.misc import build_from_crawler
from scrapy.utils.test import get_crawler

from templcrawl.crawl import waiting
from templcrawl.crawl.extension import CrawlExtension
from templcrawl.crawl.frontier import slot_order
from templcrawl.crawl.frontier.priority_queue import TemplatePriorityQueue
from templcrawl.crawl.job import requests
from templcrawl.crawl.job.job_owner import is_ours
from templcrawl.crawl.mark import mark_link
from templcrawl.crawl.orders import FairTurns
from templcrawl.crawl.orders.focus_order import FEW, FIRST, BestTurns
from templcrawl.crawl.waiting import QUEUE_STATE
from templcrawl.memory.sections import WaitingLink

FOCUS = {"TEMPLCRAWL_ORDER": "focus", "TEMPLCRAWL_RELEVANCE": "tests.crawl.small_crawls.relevant"}


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
    queue_class: Any = TemplatePriorityQueue,
    key: str = "",
    downstream: Any = FifoMemoryQueue,
    **settings: object,
) -> Any:
    crawler = get_crawler(Spider, settings)
    crawler.spider = Spider("any")
    progress = SimpleNamespace(inprogress=set())
    crawler.engine = SimpleNamespace(downloader=Downloader(), _slot=progress)
    memory = CrawlExtension.from_crawler(crawler)
    crawler.extensions = SimpleNamespace(middlewares=[memory])
    crawler.get_extension = lambda wanted: memory if wanted is CrawlExtension else None
    return build_from_crawler(queue_class, crawler, downstream, key)


class Jobs:
    """The queues of the crawls that go on with a job, one after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._job: Any = None

    def open(self, *, in_memory: bool = False, **settings: object) -> Any:
        """Let a crawl begin, which ends the one before; return its queue on disk, or that in memory."""
        self.end()
        key = "" if in_memory else str(self.folder / "requests.queue")
        queue = queue_of(key=key, JOBDIR=str(self.folder), **settings)
        self._job = job_of(queue)
        return queue

    def end(self) -> None:
        if self._job is not None:
            self._job.close()
            self._job = None


def job_of(queue: Any) -> Any:
    return queue.crawler.get_extension(CrawlExtension).job


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[Jobs]:
    opened = Jobs(tmp_path)
    yield opened
    opened.end()


def request(host: str, priority: int = 0, name: object = "") -> Request:
    return Request(f"http://{host}/{name}", priority=priority)


def names(requests: list[Request | None]) -> list[str]:
    return [taken.url.removeprefix("http://") for taken in requests if taken is not None]


def taken(queue: Any, most: int = 1_000) -> list[str]:
    found: list[str] = []
    while len(found) < most and (request := queue.pop()) is not None:
        found += names([request])
    return found


def errors_of(queue: Any) -> dict[str, int]:
    stats = queue.crawler.stats.get_stats()
    return {name: count for name, count in stats.items() if name.startswith("templcrawl/errors")}


HOSTS = st.sampled_from(["a", "b", "b.c", "aa"])
PUSHES = st.tuples(HOSTS, st.integers(-2, 2))


@pytest.mark.skipif(scrapy.version_info < (2, 19), reason="slots took turns in another order")
@given(st.lists(st.one_of(st.sampled_from(["pop", "end"]), PUSHES), max_size=60))
def test_the_fair_queue_gives_what_scrapys_gives_whatever_is_in_flight(steps: list[Any]) -> None:
    ours, scrapys = queue_of(), queue_of(DownloaderAwarePriorityQueue)
    in_flight: list[tuple[Any, Request]] = []
    for number, step in enumerate(steps):
        if step == "pop":
            popped = [queue.pop() for queue in (ours, scrapys)]
            assert names(popped[:1]) == names(popped[1:])
            for queue, each in zip((ours, scrapys), popped):
                if each is not None:
                    queue.crawler.engine.downloader.start(each)
                    in_flight.append((queue, each))
        elif step == "end":
            for queue, each in in_flight[:2]:
                queue.crawler.engine.downloader.finish(each)
            del in_flight[:2]
        else:
            for queue in (ours, scrapys):
                queue.push(request(*step, number))
        assert len(ours) == len(scrapys)
    assert not errors_of(ours)


def test_in_a_focused_crawl_the_best_request_of_all_hosts_comes_first_and_hosts_take_turns() -> None:
    queue = queue_of(**FOCUS)
    for name, (host, priority) in enumerate(zip("aaabbca", (0, 0, 5, 0, 9, 0, 5)), 1):
        queue.push(request(host, priority, name))
    found = taken(queue)
    assert found[:3] == ["b/5", "a/3", "a/7"]
    assert sorted(found[3:6]) == ["a/1", "b/4", "c/6"]
    assert found[6:] == ["a/2"]
    assert len(queue) == 0


@given(st.lists(st.one_of(st.none(), PUSHES), max_size=60))
def test_in_a_focused_crawl_one_of_the_highest_priority_is_taken_whatever_came_between(
    steps: list[tuple[str, int] | None],
) -> None:
    queue, waiting = queue_of(**FOCUS), []
    for number, step in enumerate(steps):
        if step is not None:
            waiting.append(request(*step, number))
            queue.push(waiting[-1])
        else:
            popped = queue.pop()
            assert (popped is None) == (not waiting)
            if popped is not None:
                assert popped.priority == max(other.priority for other in waiting)
                same = [r for r in waiting if host_and_priority(r) == host_and_priority(popped)]
                assert popped is same[0]
                waiting.remove(popped)
        assert len(queue) == len(waiting)
    assert not errors_of(queue)


def host_and_priority(popped: Request) -> tuple[str, int]:
    return popped.url.split("/")[2], popped.priority


def test_the_first_requests_of_a_site_go_few_at_a_time_in_a_focused_crawl() -> None:
    queue = queue_of(**FOCUS)
    downloader = queue.crawler.engine.downloader
    for number in range(FIRST + 5):
        queue.push(request("new", 0, number))
    sent: list[Request] = []
    while len(sent) < FIRST:
        while (popped := queue.pop()) is not None and len(sent) < FIRST:
            downloader.start(popped)
            sent.append(popped)
            assert len(downloader.active) <= FEW or len(sent) == FIRST
        if len(sent) < FIRST:
            assert len(downloader.active) == FEW
            downloader.finish(next(iter(downloader.active)))
    assert len(taken(queue)) == 4, "from the thirtieth on nothing waits, and one was taken above"
    queue.push(request("new", 0, "a"))
    queue.push(request("other", 0, "b"))
    assert sorted(taken(queue)) == ["new/a", "other/b"]


def test_a_request_that_cannot_be_written_is_refused_as_scrapy_refuses_it(
    jobs: Jobs, caplog: pytest.LogCaptureFixture
) -> None:
    queue = jobs.open()
    with pytest.raises(ValueError, match=r"pickle|local object"):
        queue.push(request("a").replace(meta={"unserializable": lambda: None}))
    assert "templcrawl" not in caplog.text
    queue.push(request("a", 0, "fine"))
    assert (taken(queue), len(queue), queue.close()) == (["a/fine"], 0, QUEUE_STATE)
    assert not errors_of(queue)


def test_a_crawl_goes_on_with_what_waited_and_what_was_taken_and_is_not_done(jobs: Jobs) -> None:
    queue = jobs.open()
    for number in range(6):
        queue.push(request("ab"[number % 2], number % 3, number))
    under_way = [queue.pop() for _ in range(2)]
    queue.crawler.engine._slot.inprogress.update(under_way)
    assert names(under_way) == ["a/2", "b/5"]
    queue = jobs.open()
    assert (len(queue), is_ours(str(jobs.folder))) == (6, True)
    queue.push(request("a", 3, 6))
    assert taken(queue) == ["a/6", "b/5", "a/2", "b/1", "a/4", "b/3", "a/0"]
    assert queue.crawler.stats.get_value("templcrawl/links/waited") is None, "no link led to any"
    job = job_of(queue)
    job.taken.collect()
    job.commit()
    assert job.file.read("SELECT count(*) FROM requests") == [(0,)]
    assert taken(jobs.open()) == []


@given(st.lists(st.one_of(st.sampled_from(["pop", "done", "reopen"]), PUSHES), max_size=30))
@settings(max_examples=50)
def test_whatever_is_taken_done_and_reopened_nothing_is_lost_and_nothing_comes_twice(
    steps: list[Any],
) -> None:
    with TemporaryDirectory() as folder:
        jobs = Jobs(Path(folder))
        queue = jobs.open()
        waiting, under_way = set[str](), dict[str, Request]()
        for number, step in enumerate(steps):
            progress = queue.crawler.engine._slot.inprogress
            if step == "pop":
                popped = queue.pop()
                assert (popped is None) == (not waiting)
                if popped is not None:
                    waiting.remove(popped.url)
                    under_way[popped.url] = popped
                    progress.add(popped)
            elif step == "done":
                progress.clear()
                under_way.clear()
            elif step == "reopen":
                waiting |= under_way.keys()
                under_way.clear()
                queue = jobs.open()
            else:
                queue.push(request(*step, number))
                waiting.add(f"http://{step[0]}/{number}")
            assert len(queue) == len(waiting)
        assert sorted(f"http://{name}" for name in taken(queue)) == sorted(waiting)
        assert not errors_of(queue)
        jobs.end()


def test_a_job_of_ours_is_refused_by_the_queues_of_scrapy(jobs: Jobs) -> None:
    queue = jobs.open()
    queue.push(request("a"))
    state = json.loads(json.dumps(queue.close()))
    jobs.end()
    crawler, key = queue.crawler, str(jobs.folder / "requests.queue")
    for scrapys in (DownloaderAwarePriorityQueue, scrapy.pqueues.ScrapyPriorityQueue):
        with pytest.raises((ValueError, TypeError)):
            scrapys(crawler, PickleFifoDiskQueue, key, state)


def test_a_request_that_cannot_be_written_keeps_the_pages_that_are_in_progress(jobs: Jobs) -> None:
    """It waits in Scrapy's other queue, in memory: after a kill its page has to lead to it again."""
    on_disk = jobs.open()
    crawler = on_disk.crawler
    in_memory = build_from_crawler(TemplatePriorityQueue, crawler, FifoMemoryQueue, "")
    progress, job = crawler.engine._slot.inprogress, job_of(on_disk)

    def left() -> list[str]:
        job.commit()
        return [url for (url,) in job.file.read("SELECT url FROM requests ORDER BY number")]

    for name in ("page", "beside", "later"):
        on_disk.push(request("a", 0, name))
    page, beside = on_disk.pop(), on_disk.pop()
    progress |= {page, beside}
    in_memory.push(request("a", 0, "child"))
    progress -= {page, beside}
    assert left() == ["http://a/page", "http://a/beside", "http://a/later"]
    later = on_disk.pop()
    progress.add(later)
    child = in_memory.pop()
    progress.add(child)
    progress.discard(later)
    assert left() == ["http://a/page", "http://a/beside"]
    in_memory.push(child)  # it goes back to the queue
    progress.discard(child)
    assert left() == ["http://a/page", "http://a/beside"]
    assert in_memory.pop() is child
    assert left() == []


def test_without_the_memory_of_the_crawl_the_queue_is_scrapys() -> None:
    crawler: Any = get_crawler(Spider)
    crawler.engine = SimpleNamespace(downloader=Downloader())
    crawler.get_extension = lambda wanted: None
    with pytest.raises(NotConfigured):
        CrawlExtension.running_in(crawler)
    queue = build_from_crawler(TemplatePriorityQueue, crawler, FifoMemoryQueue, "")
    assert type(queue) is DownloaderAwarePriorityQueue


def test_links_that_are_held_once_they_are_valued_again_are_not_lost() -> None:
    """Their slot was dropped, but not their number: the crawl waited for them for ever."""
    queue, worth = queue_of(), [1.5]
    order = queue._memory.link_order
    order.waiting_link = lambda url, source, request=None: WaitingLink(url, "a", "a", 2, is_known=True)
    order.value, order.version = lambda link: worth[0], lambda source: len(worth)
    order.revision, order.order.held_below = lambda: len(worth), 1.0
    order._stopped.set("a", is_stopped=True)
    for name in range(3):
        queue.push(request("a", name=name))
    assert len(queue) == 3
    worth.insert(0, 0.5)
    assert (queue.pop(), len(queue), queue.held()) == (None, 0, 3)
    order._stopped.set("a", is_stopped=False)
    assert len([queue.pop() for _ in range(len(queue))]) == 3


FAILING = {
    waiting.RequestsInMemory: "push pop",
    requests.RequestRows: "push pop",
    slot_order.SlotOrder: "add_bucket note_left next bucket_of best_value",
    FairTurns: "slot_changed next must_wait sent",
    BestTurns: "slot_changed next sent",
}


@pytest.mark.parametrize(
    ("owner", "method"), [(owner, name) for owner, names in FAILING.items() for name in names.split()]
)
@pytest.mark.parametrize("way", ["memory", "rows", "focus"])
def test_where_the_queue_fails_midway_it_is_plain_and_loses_nothing(
    owner: Any, method: str, way: str, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the scheduler does, what the queue of the job refuses waits in memory."""
    more = FOCUS if way == "focus" else {}
    on_disk = jobs.open(**more) if way != "memory" else queue_of()
    in_memory = build_from_crawler(TemplatePriorityQueue, on_disk.crawler, FifoMemoryQueue, "")
    pushed, found = [], []
    for number in range(12):
        if number == 3:
            monkeypatch.setattr(owner, method, fail)
        pushed.append(request("abc"[number % 3], number % 2, number))
        if number % 2:
            mark_link(pushed[-1], "abc"[number % 3])
        try:
            on_disk.push(pushed[-1])
        except ValueError:
            in_memory.push(pushed[-1])
        if number % 4 == 3:
            found.append(in_memory.pop() or on_disk.pop())
    while len(in_memory) + len(on_disk) and len(found) < 50:
        found.append(in_memory.pop() or on_disk.pop())
    assert sorted(names(found)) == sorted(names(list(pushed)))


def fail(*_: object, **__: object) -> Any:
    raise ArithmeticError("ours")


def test_what_was_not_committed_leaves_first_when_the_file_is_lost(jobs: Jobs) -> None:
    queue = jobs.open()
    for number in range(3):
        queue.push(request("a", 0, number))
    job_of(queue).commit()
    for number in range(3, 6):
        queue.push(request("a", 9, number))
    assert taken(queue, 1) == ["a/3"]
    job_of(queue).file.path.unlink()
    assert len(queue) == 5
    job_of(queue).commit()
    assert len(queue) == 5
    with pytest.raises(ValueError, match="it cannot be written"):
        queue.push(request("b", 0, "later"))
    assert taken(queue) == ["a/4", "a/5", "a/0", "a/1", "a/2"]
    assert len(queue) == 0
    assert errors_of(queue) == {"templcrawl/errors/FileNotFoundError": 1}


@pytest.mark.parametrize("way", [{}, FOCUS])
def test_where_the_order_of_links_fails_order_is_lost_and_nothing_else(
    way: dict[str, Any], jobs: Jobs, caplog: pytest.LogCaptureFixture
) -> None:
    queue = jobs.open(**way)
    order = queue.crawler.get_extension(CrawlExtension).link_order
    order._memory = order.order.memory = None
    for number in range(6):
        marked = request("ab"[number % 2], 0, number)
        mark_link(marked, "a")
        queue.push(marked)
    link = order.waiting_link("http://a/", "a")
    assert (link.key, order.value(link), order.version("a"), order.revision()) == (None, 1.0, 0, -1)
    assert [name for name in taken(queue) if name[0] == "a"] == ["a/0", "a/2", "a/4"]
    assert len(queue) == 0
    assert "templcrawl failed while telling the class of a link" in caplog.text

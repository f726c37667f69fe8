"""Kill a crawl at any step of any schedule: no page is lost, and none that is done comes again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request
from scrapy.squeues import FifoMemoryQueue
from scrapy.utils.misc import build_from_crawler

from templcrawl.crawl.dupefilter import JobDupeFilter
from templcrawl.crawl.frontier.priority_queue import TemplatePriorityQueue
from templcrawl.crawl.job.requests import TakenRequests
from tests.crawl.test_priority_queue import Jobs, errors_of, job_of

OURS = {"SCHEDULER_PRIORITY_QUEUE": "templcrawl.crawl.frontier.priority_queue.TemplatePriorityQueue"}


class Crawl:
    """A crawl step by step, and what it has promised: too simple to be wrong.

    parents    URL -> that of its page, None for a start request
    waits_for  URL -> requests that cannot be written and came while its page was in progress
    """

    def __init__(self, queue: Any) -> None:
        crawler = queue.crawler
        self.job, self.on_disk = job_of(queue), queue
        self.in_memory = build_from_crawler(TemplatePriorityQueue, crawler, FifoMemoryQueue, "")
        self.filter = JobDupeFilter.from_crawler(crawler)
        self.fingerprint = crawler.request_fingerprinter.fingerprint
        self.in_progress: set[Request] = crawler.engine._slot.inprogress
        self.under_way: list[Request] = []
        self.parents: dict[str, str | None] = {}
        self.waits_for: dict[str, set[str]] = defaultdict(set)
        self.items: Counter[str] = Counter()
        self.kept: list[tuple[str, Sequence[int]]] = []
        self.ended: set[str] = set()
        self.done: set[str] = set()

    def push(self, number: int, chosen: int, *, is_written: bool) -> None:
        """Let the page that was chosen, or the start of the crawl, lead to a request."""
        page = self.under_way[chosen % len(self.under_way)] if self.under_way and chosen else None
        url = f"http://a.example/{number}"
        request = Request(url, meta={} if is_written else {"bad": lambda: None})
        self.parents[url] = page.url if page is not None else None
        assert not self.filter.request_seen(request)
        try:
            self.on_disk.push(request)
        except ValueError:
            self.in_memory.push(request)
            for other in self.under_way:
                self.waits_for[other.url].add(url)

    def step(self, number: int, what: str, chosen: int) -> None:
        """Do what a crawl does, and a commit where its time has come."""
        if what in ("push", "push unwritten"):
            self.push(number, chosen, is_written=what == "push")
        elif what == "take" and (request := self.in_memory.pop() or self.on_disk.pop()) is not None:
            self.under_way.append(request)
            self.in_progress.add(request)
        elif what == "end" and self.under_way:
            request = self.under_way.pop(chosen % len(self.under_way))
            self.in_progress.discard(request)
            self.ended.add(request.url)
        elif what == "item" and self.under_way:
            request = self.under_way[chosen % len(self.under_way)]
            self.kept.append((request.url, self.job.taken.keep(request)))
            self.items[request.url] += 1
        elif what == "item arrived" and self.kept:
            url, kept = self.kept.pop(chosen % len(self.kept))
            self.job.taken.release(kept)
            self.items[url] -= 1
        elif what == "commit":
            self.job.commit()
            self.done = {url for url in self.ended if self.is_done(url)}

    def is_done(self, url: str) -> bool:
        """Say whether all that a page has led to is safe."""
        return url in self.ended and not self.items[url] and all(map(self.is_done, self.waits_for[url]))

    def check(self) -> None:
        """Look at what a kill would leave."""
        with closing(self.job.file.reader()) as reader:
            left = [url for (url,) in reader.execute("SELECT url FROM requests")]
            seen = {fingerprint for (fingerprint,) in reader.execute("SELECT fingerprint FROM seen")}
        assert len(left) == len(set(left))
        known = {url for url in self.parents if self.fingerprint(Request(url)) in seen}

        def comes_again(url: str) -> bool:
            page = self.parents[url]
            return url in left or (url not in known and (page is None or comes_again(page)))

        assert not self.done & {*left}, "what is done never comes again"
        assert known >= self.done
        lost = [url for url in self.parents if not self.is_done(url) and not comes_again(url)]
        assert not lost


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["push", "push unwritten", "take", "end", "item", "item arrived", "commit"]),
        st.integers(0, 3),
    ),
    min_size=10,
    max_size=50,
)
BEGUN = 2 * [("push", 0), ("take", 0)]


@given(STEPS)
def test_a_kill_at_any_step_loses_nothing_and_repeats_nothing_that_is_done(
    steps: list[tuple[str, int]],
) -> None:
    with TemporaryDirectory() as folder:
        jobs = Jobs(Path(folder))
        crawl = Crawl(jobs.open(**OURS))
        for number, (what, chosen) in enumerate([*BEGUN, *steps]):
            crawl.step(number, what, chosen)
            crawl.check()
        for what in (*["item arrived"] * len(steps), *["take", "end"] * len(crawl.parents), "commit"):
            crawl.step(0, what, 0)
        crawl.check()
        assert crawl.done == crawl.parents.keys()
        assert crawl.job.file.read("SELECT count(*) FROM requests") == [(0,)]
        assert not errors_of(crawl.on_disk)
        jobs.end()


def crawl_with(in_progress: set[Request]) -> Any:
    """Return what knows the requests in progress, as a crawler does."""
    return SimpleNamespace(engine=SimpleNamespace(_slot=SimpleNamespace(inprogress=in_progress)), stats=None)


def test_a_page_is_done_once_all_that_keeps_it_has_let_it_go() -> None:
    page, other = Request("http://a.example/1"), Request("http://a.example/2")
    in_progress = {page, other}
    taken = TakenRequests(crawl_with(in_progress))
    taken.note_taken(page, 1)
    taken.note_taken(other, 2)
    kept = [taken.keep(page), taken.keep(page)]
    assert kept == [[1], [1]]
    in_progress.clear()
    taken.collect()
    assert taken.done == [2]
    taken.release(kept[0])
    taken.release(())
    assert taken.done == [2]
    taken.release(kept[1])
    assert (taken.done, taken.has(1), taken.has(3)) == ([2, 1], True, False)
    deleted: list[Any] = []
    taken.delete_done(SimpleNamespace(write=lambda *given: deleted.append(given[1:])))  # type: ignore[arg-type]
    assert (deleted[0], taken.done, taken.has(1)) == (((2,), (1,)), [], False)


def test_an_item_of_a_page_that_is_not_known_keeps_all_that_are_in_progress() -> None:
    pages = [Request(f"http://a.example/{number}") for number in (1, 2, 3)]
    in_progress = {*pages}
    taken = TakenRequests(crawl_with(in_progress))
    for number, page in enumerate(pages[:2], 1):
        taken.note_taken(page, number)
    kept = taken.keep(Request(pages[0].url))
    assert sorted(kept) == [1, 2]
    in_progress.clear()
    taken.collect()
    assert taken.done == []
    taken.release(kept)
    assert sorted(taken.done) == [1, 2]

"""The order of a slot: priorities first, then classes by value, then first in first out; nothing is lost.

The same requests in the same order, whether they wait in memory or as rows of a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from time import thread_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request, Spider
from scrapy.utils.test import get_crawler

from templcrawl.crawl.frontier import slot_order
from templcrawl.crawl.frontier.slot_order import MAX_VALUED, SlotOrder
from templcrawl.crawl.job.requests import TABLES, RequestRows, TakenRequests
from templcrawl.crawl.mark import mark_link
from templcrawl.crawl.waiting import (
    PLAIN,
    Bucket,
    RequestsInMemory,
    StoppedSites,
    WaitingRequests,
)
from templcrawl.memory.sections import WaitingLink
from templcrawl.state_file import StateFile

SLOT = "x.example"


class Values:
    """A link order whose classes and values are given: the class is the first letter of the path.

    values  class -> value, 1 if it is not given
    """

    def __init__(self, **values: float) -> None:
        self.stopped = StoppedSites()
        self.values = values
        self.versions: dict[str, int] = {}
        self.learned = 0
        self.valued: list[str] = []

    def set(self, **values: float) -> None:
        self.values.update(values)
        self.learned += 1
        for name in values:
            self.versions[name] = self.version(name) + 1

    @property
    def holding(self) -> int:
        return self.stopped.version if self.stopped.hosts else 0

    def holds(self, link: WaitingLink, value: float) -> bool:
        return link.host in self.stopped.hosts

    def revision(self) -> int:
        return self.learned

    def version(self, source: str) -> int:
        return self.versions.get(source, 0)

    def waiting_link(self, url: str, source: str) -> WaitingLink:
        if not source:
            return WaitingLink(url)
        return WaitingLink(url, source, url.split("/")[2], self.key(name_of(url)))

    def key(self, name: str) -> int:
        return 2**64 - ord(name[0])  # as high as keys may be

    def value(self, link: WaitingLink) -> float:
        self.valued.append(link.source)
        return self.values.get(link.source, 1.0)


class ClassEach(Values):
    """The same, but each link has a class that no other has."""

    def key(self, name: str) -> int:
        return 2**32 + int(name[1:])


class Slot:
    """The requests of one slot: where they wait, and which is next."""

    def __init__(self, waiting: WaitingRequests, order: Any = None) -> None:
        self.waiting, self.links = waiting, order or Values()
        self.order = SlotOrder(SLOT, self.links, waiting)
        for bucket in waiting.buckets:
            self.order.add_bucket(bucket)

    def push(self, *names: str, priority: int = 0, host: str = SLOT, is_start: bool = False) -> None:
        """Let requests wait; a letter and a number is a link of that class, a letter alone no link."""
        for name in names:
            request = Request(f"http://{host}/{name}")
            request.priority = priority
            if is_start:
                request.meta["is_start_request"] = True
            if name[1:]:
                mark_link(request, name[0])
            link = self.links.waiting_link(request.url, name[0] if name[1:] else "")
            bucket = self.order.bucket_of(request, link, starts_apart=True)
            self.waiting.push(bucket, request)
            self.order.add_bucket(bucket, link)

    def pop(self) -> Request | None:
        bucket = self.order.next()
        if bucket is None:
            return None
        arrival = bucket.first[0]
        request = self.waiting.pop(bucket)
        self.order.note_left(bucket, arrival)
        return request

    def taken(self, most: int = 10_000) -> list[str]:
        found: list[str] = []
        while len(found) < most and (request := self.pop()) is not None:
            found.append(name_of(request.url))
        return found


def name_of(url: str) -> str:
    return url.rpartition("/")[2]


def rows(file: StateFile) -> RequestRows:
    crawler = get_crawler(Spider)
    crawler.spider = Spider("any")
    file.make(*TABLES)
    lost: list[Request] = []
    return RequestRows(crawler, file, TakenRequests(crawler), lost.append)


@pytest.fixture(params=["memory", "rows"])
def waiting(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[WaitingRequests]:
    if request.param == "memory":
        yield RequestsInMemory(None)
        return
    file = StateFile(tmp_path / "state.sqlite")
    yield rows(file)
    file.close()


def test_the_best_value_is_that_of_the_request_that_leaves_next(waiting: WaitingRequests) -> None:
    order = Values(a=0.2, b=0.6)
    slot = Slot(waiting, order)
    assert slot.order.best_value() == 1.0
    slot.push("a1")
    assert slot.order.best_value() == 0.2
    slot.push("a2", "b3")
    assert slot.order.best_value() == 0.6
    order.set(a=0.9)
    assert (slot.order.best_value(), slot.taken(1)) == (0.9, ["a1"])
    order.set(a=0.1)
    assert [slot.order.best_value(), *slot.taken(1), slot.order.best_value()] == [0.6, "b3", 0.1]
    slot.push("s", priority=1, is_start=True)
    assert slot.order.best_value() == 1.0


def test_only_links_of_a_site_that_has_learned_are_valued_again(waiting: WaitingRequests) -> None:
    order = Values(a=2.0)
    slot = Slot(waiting, order)
    slot.push("a1", "b2", "c3", "a4", "a5")
    assert slot.taken(1) == ["a1"]
    order.valued.clear()
    order.set(b=0.5)
    assert slot.taken(1) == ["a4"]
    assert order.valued == ["b", "a"], "b, and the new first link of a"
    order.valued.clear()
    assert slot.taken() == ["a5", "c3", "b2"]
    assert order.valued == []


@pytest.mark.parametrize("priority", [2**62, -(2**63) + 1, 10**30, 0.5])
def test_in_memory_a_priority_may_be_any_number(priority: Any) -> None:
    slot = Slot(RequestsInMemory(None), Values(b=2.0))
    slot.push("a1", "b2")
    slot.push("s", priority=priority)
    assert slot.taken() == (["s", "b2", "a1"] if priority > 0 else ["b2", "a1", "s"])


def test_in_rows_a_priority_has_64_bits(tmp_path: Path) -> None:
    file = StateFile(tmp_path / "state.sqlite")
    slot = Slot(rows(file), Values(b=2.0))
    slot.push("a1", "b2")
    slot.push("s", priority=2**63)
    slot.push("t", priority=1 - 2**63)
    with pytest.raises(ValueError, match="Python int too large"):
        slot.push("u", priority=-(2**63))
    assert slot.taken() == ["s", "b2", "a1", "t"]
    file.close()


def test_requests_without_a_class_are_average_and_keep_their_order(waiting: WaitingRequests) -> None:
    slot = Slot(waiting, Values(a=2.0, b=0.5))
    slot.push("b1", "x", "a2", "y")
    assert slot.taken() == ["a2", "x", "y", "b1"]


def test_start_requests_come_behind_others_but_links_with_a_copy_of_their_meta_are_links(
    waiting: WaitingRequests,
) -> None:
    slot = Slot(waiting, Values(b=0.1))
    slot.push("s", "t", "b1", is_start=True)
    slot.push("x", "a3")
    slot.push("b4", priority=-1)
    assert slot.taken() == ["x", "a3", "b1", "s", "t", "b4"]
    start = Request("http://x.example/s", meta={"is_start_request": True})
    assert slot.order.bucket_of(start, WaitingLink(start.url), starts_apart=False).key == PLAIN


def test_of_a_site_that_is_stopped_only_what_nobody_has_put_forward_waits(waiting: WaitingRequests) -> None:
    slot = Slot(waiting, Values(a=2.0))
    stopped = slot.links.stopped
    slot.push("a1", "b2", "x", "b3")
    slot.push("b4", priority=1)
    slot.push("c5", priority=-1)
    slot.push("s", priority=-1, is_start=True)
    slot.push("c6", host="y.example")
    assert (slot.order.held(), slot.order.is_held()) == (0, False)
    stopped.set(SLOT, is_stopped=True)
    assert (slot.order.held(), slot.order.is_held(), slot.order.size()) == (4, False, 8)
    assert slot.taken() == ["b4", "x", "c6", "s"]
    assert (slot.order.held(), slot.order.is_held(), slot.order.size()) == (4, True, 4)
    slot.push("y", "a7")
    assert not slot.order.is_held()
    assert slot.taken() == ["y"]
    stopped.set(SLOT, is_stopped=False)
    assert (slot.order.held(), slot.order.is_held()) == (0, False)
    assert slot.taken() == ["a1", "a7", "b2", "b3", "c5"]


HOSTS = st.sampled_from([SLOT, "y.example"])
STOPS = st.lists(
    st.one_of(st.tuples(HOSTS, st.sampled_from("abc"), st.integers(-1, 1)), HOSTS, st.none()), max_size=40
)


@given(STOPS)
def test_whatever_is_stopped_and_when_nothing_is_lost_and_nothing_stopped_is_sent(moves: list[Any]) -> None:
    slot = Slot(RequestsInMemory(None), Values(b=2.0))
    stopped = slot.links.stopped
    waits: set[tuple[str, str, int]] = set()

    def may_be_sent(link: tuple[str, str, int]) -> bool:
        """A bucket is of one class, here of two hosts; its first link decides."""
        same = (each for each in waits if each[1][0] == link[1][0] and each[2] == link[2])
        first = min(same, key=lambda each: int(each[1][1:]))
        return first[2] > 0 or first[0] not in stopped.hosts

    for number, move in enumerate(moves, 1):
        if isinstance(move, str):
            stopped.set(move, is_stopped=move not in stopped.hosts)
        elif move is not None:
            host, letter, priority = move
            waits.add((host, f"{letter}{number}", priority))
            slot.push(f"{letter}{number}", priority=priority, host=host)
        else:
            sendable = {link for link in waits if may_be_sent(link)}
            assert slot.order.held() == len(waits) - len(sendable)
            assert slot.order.is_held() == (bool(stopped.hosts) and not sendable)
            request = slot.pop()
            assert (request is None) == (not sendable)
            if request is not None:
                link = (request.url.split("/")[2], name_of(request.url), request.priority)
                assert link in sendable
                assert link[2] == max(each[2] for each in sendable)
                waits.remove(link)
        assert slot.order.size() == len(waits)


MOVES = st.lists(
    st.one_of(
        st.tuples(st.sampled_from("abcd"), st.integers(-2, 2)),
        st.sampled_from(["take", "commit", "reopen"]),
        st.tuples(st.sampled_from("abcd"), st.sampled_from([0.0, 0.5, 1.0, 2.0]), st.just("value")),
    ),
    max_size=60,
)


def best_of(waits: list[tuple[str, int]], values: Mapping[str, float]) -> tuple[str, int]:
    """Return the best of all that wait: by priority, then by the value of its class, then by arrival."""
    return min(waits, key=lambda each: (-each[1], -values.get(each[0][0], 1.0), int(each[0][1:])))


@given(MOVES)
def test_the_request_taken_is_the_best_of_all_that_wait_in_memory_and_in_rows(moves: list[Any]) -> None:
    """Oracle: sort all that wait.  What was taken and is not deleted waits again when a file is reopened."""
    order = Values()
    waits: list[tuple[str, int]] = []
    with TemporaryDirectory() as folder:
        file = StateFile(Path(folder, "state.sqlite"))
        in_memory, in_rows = Slot(RequestsInMemory(None), order), Slot(rows(file), order)
        for number, move in enumerate(moves, 1):
            if move == "take":
                popped, row = in_memory.pop(), in_rows.pop()
                assert (popped is None) == (row is None) == (not waits)
                if popped is not None and row is not None:
                    best = best_of(waits, order.values)
                    assert (name_of(popped.url), popped.priority) == best
                    assert (name_of(row.url), row.priority) == best
                    waits.remove(best)
                    file.write("DELETE FROM requests WHERE url = ?", (row.url,))
            elif move == "commit":
                assert file.commit()
            elif move == "reopen":
                file.close()
                file = StateFile(Path(folder, "state.sqlite"))
                in_rows = Slot(rows(file), order)
            elif len(move) == 3:
                order.set(**{move[0]: move[1]})
            else:
                waits.append((f"{move[0]}{number}", move[1]))
                for slot in (in_memory, in_rows):
                    slot.push(waits[-1][0], priority=move[1])
            for slot in (in_memory, in_rows):
                assert slot.order.size() == slot.waiting.size == len(waits)
                assert slot.order.priority == min((-priority for _, priority in waits), default=None)
                assert len(slot.waiting.buckets) == len({(name[0], priority) for name, priority in waits})
        file.close()


def test_a_flood_of_classes_holds_up_no_link_of_a_better_value(waiting: WaitingRequests) -> None:
    slot = Slot(waiting, ClassEach(a=0.5, b=2.0, c=4.0, d=-1.0, e=1e9))
    slot.push(*(f"a{number}" for number in range(1, MAX_VALUED)))
    slot.push("d400", "b401", "c402", "b403", "e404")
    assert slot.taken(1) == ["e404"] or slot.taken(3) == ["e404", "c402", "b401"]
    rest = slot.taken()
    assert rest[-1] == "d400"


def test_more_classes_than_are_valued_at_a_time_are_valued_in_turn(waiting: WaitingRequests) -> None:
    """One that has risen is seen within as many choices as all of them take."""
    order = ClassEach(a=0.5, b=0.1)
    slot = Slot(waiting, order)
    links = [f"a{number}" for number in range(1, 3 * MAX_VALUED)]
    slot.push(*links, "b9000")
    slot.taken(5)
    order.set(b=7.0)
    assert "b9000" in slot.taken(5)
    assert slot.taken() == links[9:]


def test_there_are_no_more_buckets_than_allowed_and_the_rest_share_one(
    waiting: WaitingRequests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slot_order, "MAX_BUCKETS", 10)
    slot = Slot(waiting, ClassEach(b=3.0))
    slot.push(*(f"a{number}" for number in range(1, 40)), "b40")
    assert len(slot.waiting.buckets) == 11
    assert slot.taken() == [*(f"a{number}" for number in range(1, 40)), "b40"]
    slot.push("b41", *(f"a{number}" for number in range(42, 80)))
    assert slot.taken(1) == ["b41"]
    assert len(slot.taken()) == 38
    assert slot.waiting.buckets == {}


def test_the_value_of_a_shared_bucket_is_that_of_its_first_request(
    waiting: WaitingRequests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slot_order, "MAX_BUCKETS", 1)
    slot = Slot(waiting, ClassEach(a=0.5, b=3.0))
    slot.push("a1", "b2", "x", "a3")
    assert slot.taken() == ["b2", "x", "a1", "a3"]


def test_a_row_that_cannot_be_read_stops_no_other_and_stays(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = StateFile(tmp_path / "state.sqlite")
    slot = Slot(rows(file), Values(b=2.0))
    slot.push("a1", "b2", "b3", "c4")
    file.write("UPDATE requests SET body = ? WHERE url LIKE '%b2'", (b"no pickle",))
    assert (slot.pop(), slot.taken()) == (None, ["b3", "a1", "c4"])
    assert slot.waiting.size == slot.order.size() == 0
    assert "reading a request that waits" in caplog.text
    assert [name_of(url) for (url,) in file.read("SELECT url FROM requests")] == ["a1", "b2", "b3", "c4"]
    file.close()


def test_a_request_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    file = StateFile(tmp_path / "state.sqlite")
    waiting = rows(file)
    for bad in (lambda: None, (n for n in ()), nested(20_000)):
        with pytest.raises(ValueError, match=r"pickle|recursion|stack"):
            waiting.push(Bucket(SLOT, 0, PLAIN), Request("http://x.example/a", meta={"bad": bad}))
    assert (waiting.size, waiting.buckets, file.read("SELECT count(*) FROM requests")) == (0, {}, [(0,)])
    file.close()


def nested(depth: int) -> list[Any]:
    inner: list[Any] = []
    for _ in range(depth):
        inner = [inner]
    return inner


SMALL, TRIES = 2_000, 3


@pytest.mark.exhaustive
@pytest.mark.parametrize("order", [Values, ClassEach])
def test_requests_cost_linear_time(order: Any) -> None:
    """Four times as many requests take about four times as long, whatever their classes."""

    def seconds(number: int) -> float:
        slot = Slot(RequestsInMemory(None), order(a=0.5, b=2.0))
        began = thread_time()
        for first in range(0, number, 10):
            slot.push(*(f"{'abc'[n % 3]}{n}" for n in range(first, first + 10)))
            slot.taken(5)
        assert len(slot.taken()) == number - number // 10 * 5
        return thread_time() - began

    assert any(seconds(4 * SMALL) < 8 * seconds(SMALL) for _ in range(TRIES))


def test_rows_that_are_gone_are_counted_no_longer(tmp_path: Path) -> None:
    file = StateFile(tmp_path / "state.sqlite")
    slot = Slot(rows(file))
    slot.push("a1", "a2")
    file.write("DELETE FROM requests", ())
    assert slot.pop() is None
    assert (slot.waiting.size, slot.waiting.buckets, slot.order.priority) == (0, {}, None)
    file.close()

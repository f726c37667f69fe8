"""The queue of a slot: priorities first, then classes by value, then first in first out; nothing is lost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from pickle import UnpicklingError, loads
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from queuelib.queue import FifoDiskQueue
from scrapy import Request, Spider
from scrapy.pqueues import ScrapyPriorityQueue
from scrapy.squeues import FifoMemoryQueue, LifoMemoryQueue, PickleFifoDiskQueue, PickleLifoDiskQueue
from scrapy.utils.test import get_crawler

from templcrawl.crawl import bucket_room
from templcrawl.crawl.bucket_room import FEW_PAGES, FEW_SLOTS, MOST_BUCKETS, VALUE_BUCKETS, Room
from templcrawl.crawl.class_queues import ClassQueues
from templcrawl.crawl.jobs.job_queues import bucket_number, priority_of_queue
from templcrawl.crawl.jobs.killed_fifos import records_of
from templcrawl.crawl.link_order import WaitingLink
from templcrawl.crawl.site_log import StoppedSites
from templcrawl.memory.site_links import LinkClasses


class Values:
    """A link order whose classes and values are given: the class is the first letter of the path.

    values  class -> value
    """

    def __init__(self, **values: float) -> None:
        self.values = values
        self.versions: dict[str, int] = {}
        self.valued: list[str] = []
        self.waited: list[str] = []

    def set(self, **values: float) -> None:
        self.values.update(values)
        for name in values:
            self.versions[name] = self.version(name) + 1

    def version(self, source: str) -> int:
        return self.versions.get(source, 0)

    def waiting_link(self, request: Request) -> WaitingLink | None:
        name = request.url.rpartition("/")[2]
        classes = LinkClasses(ord(name[0]), 0, 0)
        host = request.url.split("/")[2]
        return WaitingLink(self.arrival(request), FEW_PAGES, name[0], classes, host) if name[1:] else None

    def arrival(self, request: Request) -> int:
        return int(request.url.rpartition("/")[2][1:] or 0)

    def value(self, link: WaitingLink) -> float:
        self.valued.append(link.source)
        return self.values.get(link.source, 1.0)

    def report_waited(self, request: Request) -> None:
        self.waited.append(request.url.rpartition("/")[2])


ROOMS: list[Room] = []


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    """Close what a test has left open."""
    yield
    while ROOMS:
        ROOMS.pop().close()


def room_of(*arguments: Any, **names: Any) -> Room:
    ROOMS.append(Room(*arguments, **names))
    return ROOMS[-1]


def queue_of(
    order: Any = None,
    key: str = "",
    state: Any = (),
    downstream: Any = FifoMemoryQueue,
    room: Room | None = None,
    stopped: StoppedSites | None = None,
) -> Any:
    crawler = get_crawler(Spider)
    crawler.spider = Spider("any")
    room = room or room_of(list, on_disk=bool(key))
    return ClassQueues(crawler, downstream, key, state, order=order, room=room, stopped=stopped)


def request(name: str, priority: int = 0) -> Request:
    """Return a request of a class, a letter, and an arrival, a number; a letter alone has no class."""
    return Request(f"http://x.example/{name}", priority=priority)


def test_the_best_value_is_that_of_the_request_that_leaves_next() -> None:
    order = Values(a=0.2, b=0.6)
    queue = queue_of(order)
    push(queue, "a1", "a2", "b3")
    assert queue.best_value() == 0.6
    order.set(a=0.9)
    assert (queue.best_value(), taken(queue, 1)) == (0.9, ["a1"])
    order.set(a=0.1)
    assert [queue.best_value(), *taken(queue, 1), queue.best_value()] == [0.6, "b3", 0.1]
    push(queue, "s", priority=1)
    assert queue.best_value() == 1.0


def push(queue: Any, *names: str, priority: int = 0) -> None:
    for name in names:
        queue.push(request(name, priority))


def taken(queue: Any, most: int = 1_000) -> list[str]:
    found: list[str] = []
    while len(found) < most and (popped := queue.pop()) is not None:
        found.append(popped.url.rpartition("/")[2])
    return found


def test_while_nothing_is_known_all_leave_first_in_first_out() -> None:
    queue = queue_of(Values())
    push(queue, "a1", "b2", "a3", "c4", "b5", "a6")
    assert taken(queue) == ["a1", "b2", "a3", "c4", "b5", "a6"]
    assert (len(queue), queue.pop(), queue.queues, queue.curprio) == (0, None, {}, None)


def test_only_links_of_a_site_that_has_learned_are_valued_again() -> None:
    order = Values(a=2.0)
    queue = queue_of(order)
    push(queue, "a1", "b2", "c3", "a4", "a5")
    assert taken(queue, 1) == ["a1"]
    order.valued.clear()
    order.set(b=0.5)
    assert taken(queue, 1) == ["a4"]
    assert order.valued == ["a", "b"], "the new first link of a, and b"
    order.valued.clear()
    assert taken(queue) == ["a5", "c3", "b2"]
    assert order.valued == ["a"]


def test_the_class_of_the_highest_value_goes_first_and_values_go_up_and_down() -> None:
    order = Values(a=2.0, b=0.5)
    queue = queue_of(order)
    push(queue, "b1", "a2", "c3", "b4", "a5", "c6")
    assert taken(queue, 2) == ["a2", "a5"]
    order.set(b=3.0)
    assert taken(queue, 1) == ["b1"]
    order.set(b=0.1)
    assert taken(queue) == ["c3", "c6", "b4"]
    assert order.waited == ["b1", "c3", "b4"]


def test_what_the_project_says_comes_before_every_value() -> None:
    queue = queue_of(Values(a=9.0))
    push(queue, "a1", priority=-1)
    push(queue, "b2")
    push(queue, "b3", priority=7)
    assert taken(queue) == ["b3", "b2", "a1"]


def test_requests_without_a_class_are_average_and_keep_their_order() -> None:
    queue = queue_of(Values(a=2.0, b=0.5))
    push(queue, "b1", "x", "a2", "y")
    assert taken(queue) == ["a2", "x", "y", "b1"]


def test_start_requests_wait_in_queues_of_their_own_but_not_links_with_a_copy_of_their_meta() -> None:
    crawler = get_crawler(Spider)
    queue: Any = ClassQueues(
        crawler,
        FifoMemoryQueue,
        "",
        start_queue_cls=FifoMemoryQueue,
        order=Values(),
        room=room_of(list, on_disk=False),
    )
    for name in ("s", "t", "b1"):
        queue.push(Request(f"http://x.example/{name}", meta={"is_start_request": True}))
    push(queue, "a3")
    push(queue, "b4", priority=-1)
    assert taken(queue) == ["b1", "a3", "s", "t", "b4"]


def test_of_a_site_that_is_stopped_only_what_nobody_has_put_forward_waits() -> None:
    stopped = StoppedSites()
    crawler = get_crawler(Spider)
    queue: Any = ClassQueues(
        crawler,
        FifoMemoryQueue,
        "",
        start_queue_cls=FifoMemoryQueue,
        order=Values(a=2.0),
        room=room_of(list, on_disk=False),
        stopped=stopped,
    )
    push(queue, "a1", "b2", "x", "b3")
    push(queue, "b4", priority=1)
    push(queue, "c5", priority=-1)
    queue.push(Request("http://x.example/s", priority=-1, meta={"is_start_request": True}))
    queue.push(Request("http://y.example/c6"))
    assert (queue.held(), queue.is_held()) == (0, False)
    stopped.set("x.example", is_stopped=True)
    assert (queue.held(), queue.is_held(), len(queue)) == (4, False, 8)
    assert queue.peek().url.endswith("b4")
    assert taken(queue) == ["b4", "x", "c6", "s"]
    assert (queue.held(), queue.is_held(), len(queue), queue.peek()) == (4, True, 4, None)
    push(queue, "y", "a7")
    assert not queue.is_held()
    assert taken(queue) == ["y"]
    stopped.set("x.example", is_stopped=False)
    assert (queue.held(), queue.is_held()) == (0, False)
    assert taken(queue) == ["a1", "a7", "b2", "b3", "c5"]


@given(
    st.lists(
        st.one_of(
            st.tuples(
                st.sampled_from(["x.example", "y.example"]), st.sampled_from("abc"), st.integers(-1, 1)
            ),
            st.sampled_from(["x.example", "y.example"]),
            st.none(),
        ),
        max_size=40,
    )
)
def test_whatever_is_stopped_and_when_nothing_is_lost_and_nothing_stopped_is_sent(moves: list[Any]) -> None:
    stopped = StoppedSites()
    queue = queue_of(Values(b=2.0), stopped=stopped)
    waiting: set[tuple[str, str, int]] = set()

    def may_be_sent(link: tuple[str, str, int]) -> bool:
        """A bucket is of one class, here of two hosts; its first link decides."""
        first = min(
            (each for each in waiting if each[1][0] == link[1][0] and each[2] == link[2]), key=arrival
        )
        return first[2] > 0 or first[0] not in stopped.hosts

    def arrival(link: tuple[str, str, int]) -> int:
        return int(link[1][1:])

    for number, move in enumerate(moves):
        if isinstance(move, str):
            stopped.set(move, is_stopped=move not in stopped.hosts)
        elif move is not None:
            host, letter, priority = move
            waiting.add((host, f"{letter}{number}", priority))
            queue.push(Request(f"http://{host}/{letter}{number}", priority=priority))
        else:
            sendable = {link for link in waiting if may_be_sent(link)}
            assert queue.held() == len(waiting) - len(sendable)
            assert queue.is_held() == (not sendable)
            popped = queue.pop()
            assert (popped is None) == (not sendable)
            if popped is not None:
                link = (popped.url.split("/")[2], popped.url.split("/")[3], popped.priority)
                assert link in sendable
                assert link[2] == max(each[2] for each in sendable)
                waiting.remove(link)
        assert len(queue) == len(waiting)


NAMES = st.tuples(st.sampled_from("abcd"), st.integers(-2, 2))
MOVES = st.lists(
    st.one_of(
        NAMES,
        st.none(),
        st.tuples(st.sampled_from("abcd"), st.sampled_from([0.0, 0.5, 1.0, 2.0]), st.just("value")),
    ),
    max_size=60,
)


@pytest.mark.parametrize("downstream", [FifoMemoryQueue, LifoMemoryQueue])
@given(MOVES)
def test_the_request_taken_is_the_best_of_all_that_wait(downstream: Any, moves: list[Any]) -> None:
    """Oracle: sort all that wait by priority, then by value, then by class order of arrival."""
    order = Values()
    queue = queue_of(order, downstream=downstream)
    waiting: list[tuple[str, int]] = []
    for number, move in enumerate(moves, 1):
        if move is None:
            popped = queue.pop()
            assert (popped is None) == (not waiting)
            if popped is None:
                continue
            name = popped.url.rpartition("/")[2]
            highest = max(priority for _, priority in waiting)
            level = [each for each, priority in waiting if priority == highest]
            is_stack = downstream is LifoMemoryQueue
            firsts = {each[0]: each for each in (level if is_stack else reversed(level))}
            best = max(firsts.values(), key=lambda each: (order.values.get(each[0], 1.0), -int(each[1:])))
            if is_stack:  # of stacks of equal value any may be next
                is_equal = order.values.get(name[0], 1.0) == order.values.get(best[0], 1.0)
                best = firsts[name[0]] if is_equal else best
            assert (name, popped.priority) == (best, highest)
            waiting.remove((name, popped.priority))
        elif len(move) == 3:
            order.set(**{move[0]: move[1]})
        else:
            waiting.append((f"{move[0]}{number}", move[1]))
            push(queue, waiting[-1][0], priority=move[1])
        assert len(queue) == len(waiting)
        assert queue.curprio == min((-priority for _, priority in waiting), default=None)


@pytest.mark.parametrize("downstream", [PickleFifoDiskQueue, PickleLifoDiskQueue])
@pytest.mark.parametrize("resumed", ["by class", "as they came", "Scrapy's"])
def test_what_waits_on_disk_is_found_again(downstream: Any, resumed: str, tmp_path: Path) -> None:
    queue = queue_of(Values(b=3.0), str(tmp_path), (), downstream)
    push(queue, "a1", "b2", "x", "a3", "b4")
    push(queue, "c5", priority=2)
    push(queue, "c6", priority=-1)
    assert taken(queue, 1) == ["c5"]
    state = json.loads(json.dumps(queue.close()))
    ROOMS.pop().close()
    if resumed == "Scrapy's":
        again: Any = ScrapyPriorityQueue(queue.crawler, downstream, str(tmp_path), state)
        push(again, "n7")
        found = taken(again)
        assert found[-1] == "c6"
        assert sorted(found) == sorted(["a1", "b2", "x", "a3", "b4", "c6", "n7"])
        return
    order = Values(b=3.0) if resumed == "by class" else None
    again = queue_of(order, str(tmp_path), state, downstream)
    push(again, "b7")
    push(again, "a8", priority=1)
    found = taken(again)
    assert (found[0], found[-1]) == ("a8", "c6")
    assert sorted(found) == sorted(["a1", "b2", "x", "a3", "b4", "c6", "b7", "a8"])
    if resumed == "by class":
        assert sorted(found[1:4]) == ["b2", "b4", "b7"]
        assert downstream is PickleLifoDiskQueue or found[1:7] == ["b2", "b4", "b7", "x", "a1", "a3"]
    again.close()
    ROOMS.pop().close()
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]


def test_a_bucket_that_is_reopened_is_the_bucket_of_its_class(tmp_path: Path) -> None:
    queue = queue_of(Values(), str(tmp_path), (), PickleFifoDiskQueue)
    push(queue, "a1", "a2")
    (number,) = state = queue.close()
    assert (number, priority_of_queue(number)) == (bucket_number(0, ord("a")), 0)
    again = queue_of(Values(), str(tmp_path), state, PickleFifoDiskQueue)
    push(again, "a3")
    assert list(again.queues) == [number]
    assert taken(again) == ["a1", "a2", "a3"]


@given(st.integers(-(2**60), 2**60), st.integers(0, 2**64 - 1))
def test_the_number_of_a_bucket_holds_its_priority(priority: int, key: int) -> None:
    number = bucket_number(priority, key)
    assert priority_of_queue(number) == priority == priority_of_queue(priority)
    assert number > 2**60 >= priority


def test_what_a_killed_crawl_left_unlisted_is_opened_with_its_priority(tmp_path: Path) -> None:
    left = ScrapyPriorityQueue(queue_of().crawler, PickleFifoDiskQueue, str(tmp_path))
    left.push(request("a1"))
    left.close()
    queue = queue_of(Values(), str(tmp_path), (), PickleFifoDiskQueue)
    push(queue, "b2", priority=-1)
    assert len(queue) == 1
    push(queue, "b3")
    assert taken(queue) == ["a1", "b3", "b2"]


@pytest.mark.parametrize("on_disk", [False, True])
@pytest.mark.parametrize("priority", [2**62, -(2**63), 2**63 + 5, -(2**100), 10**30, 0.5, -1.5])
def test_a_priority_that_leaves_no_room_for_a_class_has_one_queue(
    *, priority: Any, on_disk: bool, tmp_path: Path
) -> None:
    on_disk = on_disk and isinstance(priority, int)  # Scrapy reads no other back
    key, downstream = (str(tmp_path), PickleFifoDiskQueue) if on_disk else ("", FifoMemoryQueue)
    queue = queue_of(Values(b=2.0), key, (), downstream)
    for name in ("a1", "b2", "a3"):
        far = request(name)
        far.priority = priority
        queue.push(far)
    push(queue, "c4", "b5")
    assert len(queue) == 5
    if key:
        queue = queue_of(Values(b=2.0), key, json.loads(json.dumps(queue.close())), downstream)
    near, far_ones = ["b5", "c4"], ["a1", "b2", "a3"]
    assert taken(queue) == (far_ones + near if priority > 0 else near + far_ones)


def test_in_memory_a_slot_of_any_name_has_buckets() -> None:
    queue = queue_of(Values(b=2.0), "/" + "x" * 300, room=room_of(list, on_disk=False))
    push(queue, "a1", "b2")
    assert taken(queue) == ["b2", "a1"]


def test_a_start_request_that_cannot_be_written_keeps_no_other_waiting(tmp_path: Path) -> None:
    crawler = get_crawler(Spider)
    crawler.spider = Spider("any")
    queue: Any = ClassQueues(
        crawler,
        PickleFifoDiskQueue,
        str(tmp_path),
        start_queue_cls=PickleFifoDiskQueue,
        order=Values(),
        room=room_of(list, on_disk=True),
    )
    push(queue, "a1", priority=2)
    bad = {"is_start_request": True, "unserializable": lambda: None}
    with pytest.raises(ValueError, match="pickle"):
        queue.push(request("s", 1).replace(meta=bad))
    push(queue, "b2", "c3")
    assert taken(queue) == ["a1", "b2", "c3"]
    queue.close()


def test_what_a_killed_crawl_left_is_there_even_if_the_next_request_cannot_be_written(tmp_path: Path) -> None:
    left = ScrapyPriorityQueue(queue_of().crawler, PickleFifoDiskQueue, str(tmp_path))
    left.push(request("a1"))
    left.close()
    queue = queue_of(Values(), str(tmp_path), (), PickleFifoDiskQueue)
    with pytest.raises(ValueError, match="pickle"):
        queue.push(request("b2").replace(meta={"unserializable": lambda: None}))
    assert taken(queue) == ["a1"]


def test_a_request_that_cannot_be_read_stops_no_other_and_changes_no_order(tmp_path: Path) -> None:
    queue = queue_of(Values(b=2.0), str(tmp_path), (), PickleFifoDiskQueue)
    push(queue, "a1", "b2", "c3")
    FifoDiskQueue.push(queue.queues[bucket_number(0, ord("b"))], b"no pickle")
    push(queue, "b4", "a5")
    assert taken(queue, 2) == ["b2", "a1"]
    with pytest.raises(UnpicklingError):
        taken(queue)
    assert taken(queue) == ["b4", "c3", "a5"]


def records_in(folder: Path) -> list[str]:
    requests = [record for queue in folder.iterdir() for record in records_of(queue)]
    return sorted(loads(record)["url"].rpartition("/")[2] for record in requests)


def test_what_a_crawl_has_taken_out_is_on_disk_until_it_ends(tmp_path: Path) -> None:
    """So a killed crawl fetches again what it has fetched and not yet stored."""
    room = room_of(list, on_disk=True)
    queue, left = queue_of(Values(), str(tmp_path), (), PickleFifoDiskQueue, room=room), room.left
    queue._start_queue_cls = PickleFifoDiskQueue
    push(queue, "a1", "b2", "c3", "d4")
    push(queue, "a5", priority=1)
    queue.push(request("s6", 2).replace(meta={"is_start_request": True}))
    every = records_in(tmp_path)
    assert (len(every), taken(queue, 4)) == (6, ["s6", "a5", "a1", "b2"])
    assert records_in(tmp_path) == every
    push(queue, "b7")
    queue.push(request("s8", 2).replace(meta={"is_start_request": True}))
    assert taken(queue, 1) == ["s8"]
    every = sorted([*every, "b7", "s8"])
    assert records_in(tmp_path) == every
    state = queue.close()
    room.close()
    assert (len(state), room.left) == (3, left)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(map(str, state))
    again = queue_of(Values(), str(tmp_path), state, PickleFifoDiskQueue)
    assert taken(again) == ["c3", "d4", "b7"]
    assert taken(queue_of(Values(), str(tmp_path), (), PickleFifoDiskQueue, room=ROOMS[-1])) == []


def test_for_want_of_room_the_queue_that_is_empty_for_longest_is_closed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bucket_room, "most_open_files", lambda: 8 * 8)
    room = room_of(list, on_disk=True)
    queue = queue_of(Values(), str(tmp_path), (), PickleFifoDiskQueue, room=room)
    push(queue, *(f"{letter}{number}" for number, letter in enumerate("abcdef", 1)))
    assert (len(taken(queue)), len(records_in(tmp_path)), room.left) == (6, 6, 2)
    push(queue, "g7", "h8")
    assert (records_in(tmp_path), room.left) == (["c3", "d4", "e5", "f6", "g7", "h8"], 2)
    push(queue, *(f"{letter}9" for letter in "mnop"))
    assert (records_in(tmp_path), room.left) == (["g7", "h8", "m9", "n9", "o9", "p9"], 2)
    push(queue, "q10")
    assert taken(queue) == ["g7", "h8", "m9", "n9", "o9", "p9", "q10"]


def one_class_each(asked: Request) -> WaitingLink:
    """Return a link whose source is the letter, and whose class no other has."""
    name = asked.url.rpartition("/")[2]
    return WaitingLink(int(name[1:]), 0, name[0], LinkClasses(2**32 + int(name[1:]), 0, 0))


def test_a_slot_has_no_more_buckets_than_allowed_and_the_rest_share_one() -> None:
    room = room_of(list, on_disk=False)
    order: Any = Values()
    order.waiting_link = one_class_each
    queue, left = queue_of(order, room=room), room.left
    push(queue, *(f"a{number}" for number in range(1, 400)))
    assert len(queue.queues) == MOST_BUCKETS - VALUE_BUCKETS + 1
    assert room.left == left - len(queue.queues)
    assert taken(queue) == [f"a{number}" for number in range(1, 400)]
    assert room.left == left


def test_a_flood_of_classes_holds_up_no_link_of_a_better_value() -> None:
    order: Any = Values(a=0.5, b=2.0, c=4.0, d=-1.0, e=1e9)
    order.waiting_link = one_class_each
    queue = queue_of(order)
    push(queue, *(f"a{number}" for number in range(1, 400)))
    push(queue, "d400", "b401", "c402", "b403", "e404")
    assert len(queue.queues) <= MOST_BUCKETS
    assert taken(queue, 4) == ["e404", "c402", "b401", "b403"]
    assert taken(queue)[-1] == "d400"
    order.value = lambda link: 1 / 0
    push(queue, *(f"a{number}" for number in range(1, 400)))
    assert len(taken(queue)) == 399


def test_links_of_like_value_leave_files_for_others(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(bucket_room, "most_open_files", lambda: 64)
    order: Any = Values(a=0.5, b=2.0)
    order.waiting_link = one_class_each
    queue = queue_of(order, str(tmp_path), (), PickleFifoDiskQueue)
    push(queue, *(f"a{number}" for number in range(1, 20)), "b20", "c21", "b22")
    assert len([*tmp_path.iterdir()]) == len(queue.queues) == 8 + 1
    found = taken(queue)
    assert (found[0], len(found)) == ("b20", 22)


def test_a_crawl_of_many_slots_opens_no_bucket_for_a_site_of_few_pages() -> None:
    few, many = (
        Room(lambda slots=slots: range(slots), on_disk=False) for slots in (FEW_SLOTS, FEW_SLOTS + 1)
    )
    assert few.grants(0, 0)
    assert not many.grants(0, FEW_PAGES - 1)
    assert many.grants(0, FEW_PAGES)


def test_buckets_on_disk_leave_files_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bucket_room, "most_open_files", lambda: 256)
    on_disk, in_memory = Room(list, on_disk=True), Room(list, on_disk=False)
    assert (on_disk.left, in_memory.left) == (32, FEW_SLOTS * MOST_BUCKETS)
    on_disk.left = 0
    assert not on_disk.grants(0, 1_000)


def test_a_request_that_cannot_be_written_leaves_no_bucket(tmp_path: Path) -> None:
    queue = queue_of(Values(), str(tmp_path), (), PickleFifoDiskQueue)
    for name in ("a1", "b2"):
        with pytest.raises(ValueError, match="pickle"):
            queue.push(request(name).replace(meta={"unserializable": lambda: None}))
    assert (queue.queues, queue.curprio, queue.pop()) == ({}, None, None)
    push(queue, "a3")
    assert taken(queue) == ["a3"]


def test_a_queue_that_cannot_be_looked_into_goes_by_when_it_was_opened() -> None:
    class Blind(FifoMemoryQueue):  # type: ignore[misc]
        def peek(self) -> Request:
            raise NotImplementedError

    queue = queue_of(Values(a=2.0), downstream=Blind)
    push(queue, "b1", "a2", "b3", "a4", "c5")
    found = taken(queue)
    assert found[0] == "a2"
    assert sorted(found) == ["a2", "a4", "b1", "b3", "c5"]


def test_a_look_into_a_stack_on_disk_leaves_it_whole(tmp_path: Path) -> None:
    order = Values(a=2.0)
    queue = queue_of(order, str(tmp_path), (), PickleLifoDiskQueue)
    push(queue, "b1", "a2", "b3", "a4", "b5")
    assert queue.peek().url.endswith("a4")
    push(queue, "a6")
    assert taken(queue, 2) == ["a6", "a4"]
    order.set(b=3.0)
    assert queue.peek().url.endswith("b5")
    push(queue, "a7", "b8")
    assert taken(queue) == ["b8", "b5", "b3", "b1", "a7", "a2"]


def test_an_error_of_ours_lets_requests_leave_all_the_same(caplog: pytest.LogCaptureFixture) -> None:
    order: Any = Values()
    queue = queue_of(order)
    push(queue, "a1", "b2")
    order.value = lambda link: 1 / 0
    order.set()
    push(queue, "a3")
    assert sorted(taken(queue)) == ["a1", "a3", "b2"]
    order.waiting_link = lambda asked: 1 / 0
    push(queue, "c4")
    assert taken(queue) == ["c4"]
    assert "templcrawl failed while choosing a request" in caplog.text


def test_peek_says_what_pop_gives() -> None:
    queue = queue_of(Values(b=2.0))
    push(queue, "a1", "b2", "c3")
    while queue:
        assert queue.peek() is queue.pop()
    assert queue.peek() is None


def test_a_pop_asks_for_the_value_of_each_bucket_once_a_page() -> None:
    order: Any = Values()
    asked: list[str] = []
    order.value = lambda link: asked.append(link.source) or 1.0
    queue = queue_of(order)
    push(queue, *(f"{letter}{number}" for number in range(1, 30) for letter in "abcd"))
    taken(queue, 10)
    assert len(asked) <= 4 + 10

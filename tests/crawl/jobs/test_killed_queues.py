"""The queue of a killed job is rebuilt of all that waits in its files."""

from __future__ import annotations

import json
import marshal
import os
import pickle
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import thread_time
from typing import Any
from unittest.mock import Mock
from urllib.parse import urlsplit

import pytest
import scrapy.squeues
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from queuelib.queue import FifoDiskQueue, FifoSQLiteQueue, LifoDiskQueue
from scrapy import Request, Spider
from scrapy.pqueues import DownloaderAwarePriorityQueue, ScrapyPriorityQueue
from scrapy.squeues import PickleFifoDiskQueue, PickleLifoDiskQueue
from scrapy.utils.test import get_crawler

from templcrawl.crawl.jobs import killed_fifos, killed_queues, killed_stacks
from templcrawl.crawl.jobs.killed_queues import repair_queues, waiting_requests
from templcrawl.crawl.link_order import QueueMark
from tests.crawl import killed_crawls
from tests.crawl.killed_crawls import FIFO_AND_LIFO
from tests.crawl.small_crawls import in_new_process


@contextmanager
def closing_files() -> Iterator[None]:
    """Close in the end what a killed process leaves to its system to close."""
    files: list[Any] = []
    opened = Path.open

    def open_file(path: Path, *arguments: Any, **options: Any) -> Any:
        files.append(opened(path, *arguments, **options))
        return files[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "open", open_file)
        yield
    for file in files:
        file.close()


@pytest.fixture(autouse=True)
def _closed_files() -> Iterator[None]:
    with closing_files():
        yield


def rebuild_queues(job: str, *, files_are_stacks: bool = False) -> int | None:
    return repair_queues(job, files_are_stacks=files_are_stacks).waiting


def unread_queues(job: str) -> list[str]:
    return [*repair_queues(job).unread]


class Job:
    """The disk queue of a job as Scrapy's scheduler has it."""

    def __init__(
        self,
        folder: Path,
        queue_class: Any = DownloaderAwarePriorityQueue,
        disk_queue: Any = PickleFifoDiskQueue,
    ) -> None:
        self.folder = folder / "requests.queue"
        self.folder.mkdir(exist_ok=True)
        crawler = get_crawler(Spider)
        crawler.spider = Spider("any")
        downloader = Mock(slots={}, get_slot_key=lambda request: request.url.split("/")[2])
        crawler.engine = Mock(downloader=downloader)
        active = self.folder / "active.json"
        state = json.loads(active.read_text()) if active.exists() else ()
        self.queue = queue_class.from_crawler(
            crawler, disk_queue, str(self.folder), state, start_queue_cls=disk_queue
        )

    def push(self, name: str, priority: int = 0, **more: Any) -> None:
        url = f"http://{name}" if "/" in name else f"http://a.example/{name}"
        self.queue.push(Request(url, priority=priority, **more))

    def close(self) -> None:
        (self.folder / "active.json").write_text(json.dumps(self.queue.close()))

    def take_all(self) -> list[str]:
        taken = []
        while (request := self.queue.pop()) is not None:
            taken.append(request.url.removeprefix("http://").removeprefix("a.example/"))
        return taken


@pytest.fixture(params=[DownloaderAwarePriorityQueue, ScrapyPriorityQueue])
def queue_class(request: pytest.FixtureRequest) -> Any:
    return request.param


def resumed(folder: Path, queue_class: Any = DownloaderAwarePriorityQueue) -> list[str]:
    return Job(folder, queue_class).take_all()


def test_scrapy_hands_out_old_requests_without_the_new_ones(tmp_path: Path) -> None:
    killed = Job(tmp_path)
    killed.push("old")
    again = Job(tmp_path)
    again.push("new")
    assert again.take_all() == ["old"]


def test_all_that_a_killed_job_has_written_waits_again(queue_class: Any, tmp_path: Path) -> None:
    killed = Job(tmp_path, queue_class)
    for number in range(5):
        killed.push(str(number), priority=-number % 3)
    killed.push("start", meta={"is_start_request": True})
    assert killed.queue.pop().url == "http://a.example/1"
    assert rebuild_queues(str(tmp_path)) == 6
    assert rebuild_queues(str(tmp_path)) is None
    assert sorted(resumed(tmp_path, queue_class)) == ["0", "1", "2", "3", "4", "start"]


def test_a_job_that_was_closed_is_left_alone(queue_class: Any, tmp_path: Path) -> None:
    assert rebuild_queues(str(tmp_path / "none")) is None
    job = Job(tmp_path, queue_class)
    assert rebuild_queues(str(tmp_path)) is None
    for name in "abc":
        job.push(name)
    job.queue.pop()
    job.close()
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert rebuild_queues(str(tmp_path)) is None
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert resumed(tmp_path, queue_class) == ["b", "c"]


def test_an_empty_file_that_scrapy_has_left_is_no_kill(queue_class: Any, tmp_path: Path) -> None:
    """Before 2.17 it opens a queue for start requests of each listed priority, and does not close it."""
    job = Job(tmp_path, queue_class)
    for name in "ab":
        job.push(name)
    job.close()
    (queue,) = (path for path in tmp_path.rglob("0") if path.is_dir())
    for name in ("0s", "-10s"):
        queue.with_name(name).mkdir()
        (queue.with_name(name) / "q00000").touch()
    assert rebuild_queues(str(tmp_path)) is None
    assert resumed(tmp_path, queue_class) == ["a", "b"]


def test_what_was_taken_before_the_last_clean_close_does_not_come_back(
    queue_class: Any, tmp_path: Path
) -> None:
    job = Job(tmp_path, queue_class)
    for name in "abcd":
        job.push(name)
    assert job.queue.pop().url == "http://a.example/a"
    job.close()
    killed = Job(tmp_path, queue_class)
    killed.push("e")
    assert killed.queue.pop().url == "http://a.example/b"
    assert rebuild_queues(str(tmp_path)) == 4
    assert resumed(tmp_path, queue_class) == ["b", "c", "d", "e"]


def test_a_queue_that_scrapy_has_closed_but_not_listed_is_opened(queue_class: Any, tmp_path: Path) -> None:
    job = Job(tmp_path, queue_class)
    job.push("a")
    job.queue.close()
    assert resumed(tmp_path, queue_class) == []
    assert rebuild_queues(str(tmp_path)) == 1
    assert resumed(tmp_path, queue_class) == ["a"]


def test_a_request_that_was_moved_to_a_lower_place_waits_there_once(tmp_path: Path) -> None:
    killed = Job(tmp_path)
    for step, requeued in ((0, False), (-1, False), (-3, True)):
        request = Request("http://a.example/menu", priority=10 * step, dont_filter=requeued)
        QueueMark(request.url, "a.example", step, requeued).put(request)
        killed.queue.push(request)
    killed.push("menu", method="POST")
    killed.push("other", priority=-20)
    assert rebuild_queues(str(tmp_path)) == 3
    again = Job(tmp_path)
    assert [request.priority for request in iter(again.queue.pop, None)] == [0, -20, -30]


def test_slots_come_from_the_requests_or_from_what_was_listed(tmp_path: Path) -> None:
    job = Job(tmp_path)
    job.push("b.example/1")
    job.close()
    killed = Job(tmp_path)
    killed.push("b.example/2")
    killed.push("c.example/1", meta={"download_slot": "elsewhere"})
    killed.push("c.example/2")
    folder = tmp_path / "requests.queue"
    assert rebuild_queues(str(tmp_path)) == 4
    listed = json.loads((folder / "active.json").read_text())
    assert listed.keys() == {"b.example", "c.example"}
    assert sorted(resumed(tmp_path)) == ["b.example/1", "b.example/2", "c.example/1", "c.example/2"]


def test_a_slot_whose_name_no_folder_can_have_comes_from_its_requests(tmp_path: Path) -> None:
    if urlsplit(Request("http://[::1]/2").url).hostname != "::1":
        pytest.skip("this w3lib has no addresses of version 6")
    killed = Job(tmp_path)
    downloader = killed.queue._downloader_interface.downloader
    downloader.get_slot_key = lambda request: request.meta.get("download_slot") or "::1"
    killed.push("b.example/1", meta={"download_slot": "c:1"})
    killed.push("[::1]/2")
    assert rebuild_queues(str(tmp_path)) == 2
    listed = json.loads((tmp_path / "requests.queue" / "active.json").read_text())
    assert listed.keys() == {"c:1", "::1"}
    assert sorted(resumed(tmp_path)) == ["[::1]/2", "b.example/1"]


def test_each_file_is_read_once_where_nothing_is_to_be_repaired(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(tmp_path, disk_queue=PickleLifoDiskQueue)
    for page in ("a.example/1", "b.example/1"):
        job.push(page)
    job.close()
    read: list[str] = []
    read_bytes = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: [read.append(path.name), read_bytes(path)][1])
    assert repair_queues(str(tmp_path)) == (None, [])
    assert sorted(read) == ["0", "0", "active.json"]


@pytest.mark.parametrize("left", [1, 3, 30])
def test_a_request_that_was_cut_is_left_out(left: int, tmp_path: Path) -> None:
    killed = Job(tmp_path)
    killed.push("a")
    chunk = next(tmp_path.rglob("q00000"))
    whole = chunk.read_bytes()
    chunk.write_bytes(whole + whole[:left])
    assert rebuild_queues(str(tmp_path)) == 1
    assert resumed(tmp_path) == ["a"]


def test_what_is_no_request_is_kept(tmp_path: Path) -> None:
    queue = FifoDiskQueue(tmp_path / "requests.queue" / "0")
    queue.push(b"no pickle")
    queue.push(b"no pickle")
    queue.push(b"")
    assert rebuild_queues(str(tmp_path)) == 3
    assert list(waiting_requests(str(tmp_path))) == []
    assert FifoDiskQueue(tmp_path / "requests.queue" / "0").pop() == b"no pickle"


def test_a_chunk_that_was_read_to_its_end_and_removed_is_not_missed(tmp_path: Path) -> None:
    path = tmp_path / "requests.queue" / "0"
    queue = FifoDiskQueue(path, chunksize=2)
    for number in range(5):
        queue.push(b"%d" % number)
    queue.close()
    killed = FifoDiskQueue(path)
    assert [killed.pop() for _ in range(3)] == [b"0", b"1", b"2"]
    assert not (path / "q00000").exists()
    assert rebuild_queues(str(tmp_path)) == 3
    assert [*iter(FifoDiskQueue(path).pop, None)] == [b"2", b"3", b"4"]


class Killed(BaseException):
    """Ends a rebuilding."""


@pytest.mark.parametrize("at", range(9))
@pytest.mark.parametrize(
    ("owner", "function"),
    [(shutil, "rmtree"), (killed_fifos, "FifoDiskQueue"), (killed_queues, "whole_file")],
)
def test_a_rebuilding_that_is_killed_is_finished_by_the_next(
    at: int, owner: Any, function: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = Job(tmp_path)
    names = ["a", "b", "b.example/1", "b.example/2", "b.example/3"]
    for number, name in enumerate(names):
        killed.push(name, priority=-number)
    real, count = getattr(owner, function), [0]

    def kill(*arguments: Any, **options: Any) -> Any:
        count[0] += 1
        if count[0] == at + 1:
            raise Killed
        return real(*arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(owner, function, kill)
        try:
            rebuild_queues(str(tmp_path))
        except Killed:
            assert rebuild_queues(str(tmp_path)) == len(names)
    assert sorted(resumed(tmp_path)) == names
    assert not list(tmp_path.rglob("*.part"))


def test_a_list_that_was_being_written_at_a_kill_is_removed(tmp_path: Path) -> None:
    job = Job(tmp_path)
    job.push("a")
    job.close()
    part = tmp_path / "requests.queue" / ".active.json.0123abcd.part"
    part.touch()
    assert rebuild_queues(str(tmp_path)) == 1
    assert not part.exists()
    assert resumed(tmp_path) == ["a"]


actions = st.lists(
    st.tuples(st.just("push"), st.integers(-2, 1))
    | st.just(("pop", 0))
    | st.just(("close", 0))
    | st.just(("kill", 0)),
    max_size=25,
)


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(actions)
def test_no_request_that_waited_is_missing_whatever_happens(
    tmp_path_factory: pytest.TempPathFactory, done: Sequence[tuple[str, int]]
) -> None:
    with closing_files():
        kill_and_go_on(tmp_path_factory.mktemp("job"), done)


def kill_and_go_on(folder: Path, done: Sequence[tuple[str, int]]) -> None:
    job, number = Job(folder), 0
    waiting: set[str] = set()
    for action, priority in [*done, ("kill", 0)]:
        if action == "push":
            number += 1
            waiting.add(str(number))
            job.push(str(number), priority)
        elif action == "pop":
            request = job.queue.pop()
            assert (request is None) == (not waiting)
            if request is not None:
                waiting.remove(request.url.rpartition("/")[2])
        else:
            if action == "close":
                job.close()
            found = rebuild_queues(str(folder))
            assert found is None or action == "kill"
            here = {plain["url"].rpartition("/")[2] for plain in waiting_requests(str(folder))}
            assert waiting <= here
            assert action == "kill" or here == waiting
            waiting = here
            job = Job(folder)


def kill(job: Job) -> None:
    """Let the system close the files of a job, as after a kill: what was written to them is there."""
    slots = getattr(job.queue, "pqueues", {None: job.queue})
    for slot in slots.values():
        for queue in slot.queues.values():
            for file in ("f", "headf", "tailf"):
                if hasattr(queue, file):
                    getattr(queue, file).close()


def test_scrapy_hands_out_nothing_of_a_killed_stack(queue_class: Any, tmp_path: Path) -> None:
    killed = Job(tmp_path, queue_class, PickleLifoDiskQueue)
    killed.push("old")
    kill(killed)
    assert Job(tmp_path, queue_class, PickleLifoDiskQueue).take_all() == []


@pytest.mark.parametrize("cut", [0, 1, 30])
def test_a_stack_hands_out_what_waited_when_it_was_killed(cut: int, queue_class: Any, tmp_path: Path) -> None:
    job = Job(tmp_path, queue_class, PickleLifoDiskQueue)
    for name in "abc":
        job.push(name)
    job.push("b.example/1", priority=3)
    job.close()
    assert rebuild_queues(str(tmp_path)) is None
    killed = Job(tmp_path, queue_class, PickleLifoDiskQueue)
    first = {killed.queue.pop().url.removeprefix("http://").removeprefix("a.example/") for _ in range(2)}
    waiting = {"a", "b", "c", "b.example/1"} - first
    for name in ("d", "e", "f.example/1"):
        killed.push(name)
    kill(killed)
    largest = max(
        (path for path in tmp_path.rglob("0") if path.is_file()), key=lambda path: path.stat().st_size
    )
    whole = largest.read_bytes()
    largest.write_bytes(whole + whole[4 : 4 + cut])
    assert rebuild_queues(str(tmp_path)) == 5
    assert len(list(waiting_requests(str(tmp_path)))) == 5
    assert rebuild_queues(str(tmp_path)) is None
    again = Job(tmp_path, queue_class, PickleLifoDiskQueue)
    taken = [name for _ in range(3) for name in again.take_all()]  # a listed slot may be empty
    assert sorted(taken) == sorted(["d", "e", "f.example/1", *waiting])
    assert [name for name in taken if "." not in name] == sorted([*waiting & {"a", "b", "c"}, "d", "e"])[::-1]


@pytest.mark.parametrize("disk_queue", FIFO_AND_LIFO)
def test_equal_requests_that_the_dupefilter_lets_pass_wait_as_often_as_they_were_queued(
    disk_queue: str, queue_class: Any, tmp_path: Path
) -> None:
    disk_class = getattr(scrapy.squeues, disk_queue)
    killed = Job(tmp_path, queue_class, disk_class)
    for priority in (0, 0, 1):
        killed.push("a", priority, dont_filter=True)
    killed.push("b")
    kill(killed)
    assert rebuild_queues(str(tmp_path)) == 4
    assert sorted(Job(tmp_path, queue_class, disk_class).take_all()) == ["a", "a", "a", "b"]


@pytest.mark.parametrize("disk_queue", ["MarshalFifoDiskQueue", "MarshalLifoDiskQueue"])
def test_a_job_of_marshal_is_rebuilt(disk_queue: str, queue_class: Any, tmp_path: Path) -> None:
    disk_class = getattr(scrapy.squeues, disk_queue)
    killed = Job(tmp_path, queue_class, disk_class)
    for name in ("a", "b", "b.example/1"):
        killed.push(name)
    killed.queue.push(Request("http://b.example/2", priority=-10, meta={"download_slot": "c:1"}))
    kill(killed)
    assert rebuild_queues(str(tmp_path)) == 4
    assert len(list(waiting_requests(str(tmp_path)))) == 4
    assert unread_queues(str(tmp_path)) == []
    again = Job(tmp_path, queue_class, disk_class)
    assert sorted(again.take_all()) == ["a", "b", "b.example/1", "b.example/2"]


@pytest.mark.parametrize("left", [b"", b"\0\0", b"\0\0\0\0", b"\0\0\0\3"])
def test_a_stack_that_has_nothing_is_no_obstacle(left: bytes, queue_class: Any, tmp_path: Path) -> None:
    job = Job(tmp_path, queue_class, PickleLifoDiskQueue)
    job.push("a")
    job.close()
    (queue,) = (path for path in tmp_path.rglob("0") if path.is_file())
    start_queue = queue.with_name("0s")
    start_queue.write_bytes(left)
    assert (rebuild_queues(str(tmp_path), files_are_stacks=True) == 1) == (left != bytes(4))
    assert start_queue.exists() == (left == bytes(4))
    assert unread_queues(str(tmp_path)) == []
    assert Job(tmp_path, queue_class, PickleLifoDiskQueue).take_all() == ["a"]


def test_a_stack_of_which_nothing_can_be_read_is_put_aside_whole(tmp_path: Path) -> None:
    queue = tmp_path / "requests.queue" / "0"
    queue.parent.mkdir()
    queue.write_bytes(b"\0\0\0\2of a record that was cut")
    assert rebuild_queues(str(tmp_path), files_are_stacks=True) == 0
    assert unread_queues(str(tmp_path)) == ["0.unread"]
    assert queue.with_name("0.unread").read_bytes() == b"\0\0\0\2of a record that was cut"
    assert Job(tmp_path, ScrapyPriorityQueue, PickleLifoDiskQueue).take_all() == []


records = st.lists(
    st.binary(min_size=1, max_size=40).map(pickle.dumps)
    | st.dictionaries(st.text(max_size=9), st.integers(0, 300) | st.binary(max_size=400)).map(marshal.dumps),
    max_size=8,
)


@given(records, st.integers(0, 2**32 - 1), st.integers(0, 5_000))
def test_a_stack_keeps_every_record_that_was_written_whole(
    tmp_path_factory: pytest.TempPathFactory, written: list[bytes], waiting: int, cut: int
) -> None:
    stack = tmp_path_factory.mktemp("stack") / "0"
    data = waiting.to_bytes(4, "big")
    ends = [4]
    for record in written:
        data += record + len(record).to_bytes(4, "big")
        ends.append(len(data))
    length = max(4, len(data) - cut)
    stack.write_bytes(data[:length])
    whole = written[: sum(1 for end in ends[1:] if end <= length)]
    assert killed_stacks.records_of(stack) == whole
    state = killed_stacks.stack_state(stack)
    assert state.is_closed == (length in ends and waiting == len(whole))
    assert state.is_empty == (not whole)
    assert killed_stacks.repair(stack) == len(whole)
    assert not whole or (
        killed_stacks.stack_state(stack).is_closed and killed_stacks.records_of(stack) == whole
    )


@pytest.mark.parametrize("serialize", [pickle.dumps, marshal.dumps])
def test_a_record_that_was_cut_where_a_length_seems_to_stand_is_left_out(
    serialize: Any, tmp_path: Path
) -> None:
    whole = [serialize({"url": "http://a.example/1"})]
    begun = serialize({"url": "http://a.example/2"})[:9]
    stack = tmp_path / "0"
    parts = [
        bytes(4),
        whole[0],
        len(whole[0]).to_bytes(4, "big"),
        begun,
        len(begun).to_bytes(4, "big"),
        b"cut",
    ]
    stack.write_bytes(b"".join(parts))
    assert killed_stacks.records_of(stack) == whole


class Running:
    """A pickle of it makes a folder where it is loaded."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.folder),)


@pytest.mark.parametrize("number", [0, 4])
@pytest.mark.parametrize("disk_queue", ["PickleLifoDiskQueue", "MarshalLifoDiskQueue"])
def test_a_record_in_the_text_of_a_page_is_never_taken_for_one(
    disk_queue: str, number: int, tmp_path: Path
) -> None:
    """The lengths lead back from it, over the record that was cut and those before, to the start."""
    disk_class = getattr(scrapy.squeues, disk_queue)
    killed = Job(tmp_path, ScrapyPriorityQueue, disk_class)
    for name in "ab":
        killed.push(name)
    kill(killed)
    stack = tmp_path / "requests.queue" / "0"
    whole = stack.read_bytes()[4:]
    ran = tmp_path / "ran"
    forged = pickle.dumps(Running(ran))
    page = b"SIZE" + forged + len(forged).to_bytes(4, "big")
    plain = Request("http://a.example/c", meta={"page": page + bytes(9_000)}).to_dict()
    begun = (pickle.dumps(plain, 4) if "Pickle" in disk_queue else marshal.dumps(plain)).partition(page)[0]
    page = len(begun).to_bytes(4, "big") + page[4:]
    stack.write_bytes(number.to_bytes(4, "big") + whole + begun + page)
    assert killed_stacks.stack_state(stack).is_closed == (number == 4)
    assert repair_queues(str(tmp_path), was_killed=True) == (2, [])
    assert [plain["url"][-1] for plain in waiting_requests(str(tmp_path))] == ["a", "b"]
    assert Job(tmp_path, ScrapyPriorityQueue, disk_class).take_all() == ["b", "a"]
    assert not ran.exists()


@pytest.mark.parametrize("disk_class", [FifoDiskQueue, LifoDiskQueue, FifoSQLiteQueue])
def test_what_no_pickle_begins_with_is_never_loaded(disk_class: Any, tmp_path: Path) -> None:
    """A class of the project's own writes texts, which a page can begin."""
    (tmp_path / "requests.queue").mkdir()
    ran = tmp_path / "ran"
    queue = disk_class(tmp_path / "requests.queue" / "0")
    queue.push(pickle.dumps(Running(ran), 0))
    queue.close()
    assert repair_queues(str(tmp_path), was_killed=True).waiting == 1
    assert list(waiting_requests(str(tmp_path))) == []
    assert not ran.exists()


def test_a_stack_of_another_format_is_kept_unless_it_was_written_to(tmp_path: Path) -> None:
    folder = tmp_path / "requests.queue"
    folder.mkdir()
    for name, number in (("0", 1), ("1", 0)):
        (folder / name).write_bytes(number.to_bytes(4, "big") + b'{"url": 0}' + (10).to_bytes(4, "big"))
    kept = (folder / "0").read_bytes()
    assert repair_queues(str(tmp_path), files_are_stacks=True, was_killed=True) == (1, ["1.unread"])
    assert (folder / "0").read_bytes() == kept


HOSTILE: dict[str, Callable[[int], bytes]] = {
    "lengths of nothing": lambda size: bytes(size),
    "lengths of four": lambda size: bytes([0, 0, 0, 4]) * (size // 4),
    "a number that is too high": lambda size: b"\xff" * 4 + bytes(size),
    "marks": lambda size: bytes(4) + b"\x80\x04" + b"(" * size,
    "frames": lambda size: bytes(4) + b"\x80\x04" + (b"\x95" + bytes(8)) * (size // 9),
    "ends": lambda size: bytes(4) + (b"\x80\x04N.\0\0\0\4") * (size // 8) + b"cut",
    "dictionaries": lambda size: bytes(4) + b"{i\0\0\0\0" * (size // 6),
    "dictionaries, each whole": lambda size: bytes(4) + b"{0\0\0\0\2" * (size // 6) + b"{",
    "a text that was cut": lambda size: bytes(4) + pickle.dumps({"page": "x" * size}, 4)[:-9],
    "digits": lambda size: bytes(4) + b"\x80\x04L" + b"9" * size,
    "lines": lambda size: bytes(4) + b"\x80\x04" + b"I1\n" * (size // 3),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_stack_costs_linear_time(name: str, tmp_path: Path) -> None:
    seconds = {}
    for size in (2**15, 2**17):
        stack = tmp_path / str(size)
        data = HOSTILE[name](size)
        costs = []
        for _ in range(3):
            stack.write_bytes(data)
            begun = thread_time()
            killed_stacks.stack_state(stack)
            killed_stacks.repair(stack)
            costs.append(thread_time() - begun)
        seconds[size] = min(costs)
    assert seconds[2**17] < 8 * (seconds[2**15] + 0.002)


def test_queues_of_sqlite_are_listed_again(queue_class: Any, tmp_path: Path) -> None:
    disk_class = getattr(scrapy.squeues, "PickleFifoSQLiteQueue", None)
    if disk_class is None:
        disk_class = scrapy.squeues._scrapy_serialization_queue(
            scrapy.squeues._serializable_queue(
                scrapy.squeues._with_mkdir(FifoSQLiteQueue), pickle.dumps, pickle.loads
            )
        )
    killed = Job(tmp_path, queue_class, disk_class)
    for name in ("a", "b.example/1"):
        killed.push(name)
    assert rebuild_queues(str(tmp_path)) == 2
    assert rebuild_queues(str(tmp_path)) is None
    again = Job(tmp_path, queue_class, disk_class)
    assert sorted(again.take_all()) == ["a", "b.example/1"]
    again.close()


@pytest.mark.parametrize("state", ["", '{"a.exam', "[0"])
@pytest.mark.parametrize("waits", [True, False])
def test_a_list_of_queues_that_was_cut_is_written_anew(state: str, waits: bool, tmp_path: Path) -> None:
    job = Job(tmp_path)
    if waits:
        job.push("a")
    job.close()
    (tmp_path / "requests.queue" / "active.json").write_text(state)
    assert rebuild_queues(str(tmp_path)) == int(waits)
    assert resumed(tmp_path) == ["a"] * waits


FOREIGN = {
    "0": b"of a project",
    "a.example-0/0": b"\xff\xff\xff\xffanother",
    "-10/request": b"in a folder of its own",
    "-10/request.part": b"that is being written",
    "10": b"SQLite format 3\0 but damaged",
    "20s": b"[]",
}


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("is_killed", [True, False])
def test_queues_of_a_format_that_is_not_known_are_left_as_they_lie(is_killed: bool, tmp_path: Path) -> None:
    folder = tmp_path / "requests.queue"
    for name, data in FOREIGN.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    (folder / "active.json").write_text("[0]")
    if is_killed:
        queue = FifoDiskQueue(folder / "30")
        queue.push(pickle.dumps(Request("http://a.example/a").to_dict()))
    assert rebuild_queues(str(tmp_path)) == (1 if is_killed else None)
    assert FOREIGN.items() <= files_of(folder).items()
    assert json.loads((folder / "active.json").read_text()) == ([0, 30] if is_killed else [0])
    assert sorted(unread_queues(str(tmp_path))) == ["-10", "10", "20s", "a.example-0/0"]


@pytest.mark.parametrize("state", ['{"a.example": {"0": [1]}}', '"one"', "[[0]]", '[{"0": 1}]', "0"])
def test_the_queue_of_another_priority_queue_is_left_alone(state: str, tmp_path: Path) -> None:
    FifoDiskQueue(tmp_path / "requests.queue" / "0").push(b"one")
    (tmp_path / "requests.queue" / "active.json").write_text(state)
    before = files_of(tmp_path)
    assert rebuild_queues(str(tmp_path)) is None
    assert unread_queues(str(tmp_path)) == []
    assert files_of(tmp_path) == before


def test_a_queue_whose_site_nobody_names_is_left_and_said(tmp_path: Path) -> None:
    FifoDiskQueue(tmp_path / "requests.queue" / "a_1-0123456789abcdef" / "0").push(b"of another format")
    assert rebuild_queues(str(tmp_path)) == 1
    assert unread_queues(str(tmp_path)) == ["a_1-0123456789abcdef/0"]
    assert resumed(tmp_path) == []


QUICK = (FIFO_AND_LIFO, ["off"], ["at the second page", "after a pause"])
ALL = ([*killed_crawls.QUEUES], [*killed_crawls.WAYS], [*killed_crawls.POINTS])


@pytest.mark.exhaustive
@pytest.mark.parametrize("cases", [QUICK, pytest.param(ALL, marks=pytest.mark.exhaustive)])
def test_a_killed_process_goes_on_whatever_its_queues_are(
    cases: tuple[Sequence[str], ...], tmp_path: Path
) -> None:
    done = in_new_process("crawl.killed_crawls", str(tmp_path), *map(json.dumps, cases))
    assert len(done) == len(cases[0]) * len(cases[1]) * len(cases[2])
    for name, case in done.items():
        if "ended" in case:
            assert scrapy.version_info < (2, 19), name
            continue
        then, asked = case["then"], case["before"]
        assert (then["reason"], then["failure"], then["log"], then["errors"]) == ("finished", "", [], {}), (
            name
        )
        # Not in any file: the one request in flight, and what a stack has in the memory of its process.
        # Before 2.19 Scrapy writes requests.seen at once: it filters links of a page that is fetched again.
        is_filtered = scrapy.version_info < (2, 19)
        is_stack = "LifoDiskQueue" in name
        is_unwritten = "queued" in name or (is_stack and "second page" in name)
        is_unwritten |= is_filtered and (is_stack or "own" in name)  # of its own: its files are not listed
        is_followed_again = killed_crawls.START in then["fetched"] and not is_filtered
        if not is_unwritten or is_followed_again:
            assert {*asked, *then["fetched"]} == set(killed_crawls.URLS), name
        answered = {*asked, *then["fetched"]} - ({*case["under way"]} - {*then["fetched"]})
        assert answered == set(killed_crawls.URLS) or is_unwritten or "FifoDiskQueue" not in name, name
        assert case["left"] == ["active.json"] or (is_filtered and "own" in name), name
        if "DiskQueue" in name and "bare, twice" not in name:
            again = [url for url in then["fetched"] if url != killed_crawls.AGAIN]
            assert len(again) == len(set(again)), name
        # Of a job without templcrawl that was paused and has queued nothing since, nothing shows a kill.
        has_queued = "bare" not in name or " at the " in name or "bare, twice" in name
        said = " ".join(then["warnings"])
        assert ("was killed: its queue was rebuilt" in said) or not has_queued or "own" in name, name
        is_unlisted = "queued" not in name and "pause" not in name
        assert ("cannot be read" in said) == (is_unlisted and "own" in name), name

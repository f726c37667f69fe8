"""The queue of a killed job is rebuilt of all that waits in its files."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO
from unittest.mock import Mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from queuelib import FifoDiskQueue
from scrapy import Request, Spider
from scrapy.pqueues import DownloaderAwarePriorityQueue, ScrapyPriorityQueue
from scrapy.squeues import MarshalLifoDiskQueue, PickleFifoDiskQueue, PickleLifoDiskQueue
from scrapy.utils.test import get_crawler

from templcrawl.components import killed_queues
from templcrawl.components.killed_queues import rebuild_queues, waiting_requests
from templcrawl.components.marks import QueueMark


@pytest.fixture(autouse=True, scope="module")
def _files_of_killed_queues() -> Iterator[None]:
    """Close the files that a killed process leaves to its system."""
    files: list[BinaryIO] = []
    opened = FifoDiskQueue._openchunk

    def open_chunk(*arguments: Any, **options: Any) -> BinaryIO:
        files.append(opened(*arguments, **options))
        return files[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FifoDiskQueue, "_openchunk", open_chunk)
        yield
    for file in files:
        file.close()


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
    assert rebuild_queues(str(tmp_path)) == 2
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
@pytest.mark.parametrize("function", ["rmtree", "FifoDiskQueue", "whole_file"])
def test_a_rebuilding_that_is_killed_is_finished_by_the_next(
    at: int, function: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = Job(tmp_path)
    names = ["a", "b", "b.example/1", "b.example/2", "b.example/3"]
    for number, name in enumerate(names):
        killed.push(name, priority=-number)
    owner = shutil if function == "rmtree" else killed_queues
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
    folder = tmp_path_factory.mktemp("job")
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
    for path in job.folder.rglob("*"):
        assert path.name != "info.json"
    slots = getattr(job.queue, "pqueues", {None: job.queue})
    for slot in slots.values():
        for queue in slot.queues.values():
            queue.f.close()


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
    assert {killed.queue.pop().url for _ in range(2)} == {"http://b.example/1", "http://a.example/c"}
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
    assert sorted(taken) == ["a", "b", "d", "e", "f.example/1"]
    assert [name for name in taken if "." not in name] == ["e", "d", "b", "a"]


def test_a_stack_without_pickles_is_left_alone(tmp_path: Path) -> None:
    killed = Job(tmp_path, ScrapyPriorityQueue, MarshalLifoDiskQueue)
    killed.push("a")
    kill(killed)
    before = (tmp_path / "requests.queue" / "0").read_bytes()
    assert rebuild_queues(str(tmp_path)) is None
    assert (tmp_path / "requests.queue" / "0").read_bytes() == before

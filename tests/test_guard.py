"""An error of ours never harms the crawl, wherever it is raised.

Run as a program,

    python -m tests.test_guard FOLDER WAY EVERY

traces a crawl with the settings of WAY (see ``WAYS``), and finds the functions of templcrawl that others
enter (Scrapy, Twisted, asyncio), all of the crawl and of the file of its state, and what these call.  Then it
crawls once for each EVERY-th of those that no way before has entered, with that function raising an error,
and prints a JSON object: name of the function -> what that crawl did; under "" the crawl without sabotage.

Left whole are the guard itself, the loading of the package, and what is called to read the settings: where
that fails, a setting is wrong, and the crawl does not start.
"""

from __future__ import annotations

import asyncio
import gc
import inspect
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest
from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response
from scrapy.utils.test import get_crawler

import templcrawl
from templcrawl.crawl.extension import CrawlExtension
from templcrawl.crawl.job import checkpoints
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.guard import report_error
from templcrawl.scrapy_compat import OutputObserver, started
from tests.crawl.crawls import ADDON
from tests.crawl.small_crawls import URLS, crawl, in_new_process, in_this_process
from tests.parts import exhaustive_but

SECONDS = 20
"""Of a crawl; one that takes longer hangs."""

PACKAGE = str(Path(templcrawl.__file__).parent)
NOT_SABOTAGED = {str(Path(PACKAGE, f"{name}.py")) for name in ("guard", "log", "scrapy_compat", "__init__")}
WHOLLY = (str(Path(PACKAGE, "crawl")), str(Path(PACKAGE, "state_file.py")))
"""Of these files every function fails in turn, and every function that they call."""
READS_SETTINGS = TemplcrawlSettings.from_settings.__func__.__code__  # type: ignore[attr-defined]

_RELEVANCE = {"TEMPLCRAWL_RELEVANCE": "tests.crawl.small_crawls.relevant"}
_PIPELINES = {
    "TEMPLCRAWL_STRIP_FIELDS": ["html"],
    "TEMPLCRAWL_DROP_NEAR_DUPLICATES": True,
    "TEMPLCRAWL_DATABASE": "items.sqlite",
    "JOBDIR": "job",
}
WAYS: dict[str, dict[str, Any]] = {
    "usual": {"JOBDIR": "job"},
    "in memory": {},
    "focused": {"TEMPLCRAWL_ORDER": "focus", **_RELEVANCE, "JOBDIR": "job"},
    "written": {"TEMPLCRAWL_ARCHIVE": "archive", "TEMPLCRAWL_REPORT": "report.html", **_PIPELINES},
    "own scheduler": {"SCHEDULER": "lab.sites.shop.components.OwnScheduler"},
}
# Setting -> its value with the folder of a crawl and a name in it.
_PATHS = {
    **dict.fromkeys(("JOBDIR", "TEMPLCRAWL_ARCHIVE", "TEMPLCRAWL_REPORT"), "{}/{}"),
    "TEMPLCRAWL_DATABASE": "sqlite:///{}/{}",
}


class Entries:
    """A profile function that collects the code of the functions that are to fail."""

    def __init__(self) -> None:
        self.codes: set[CodeType] = set()
        self.of_settings: set[CodeType] = set()

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if event != "call" or code in self.codes or code.co_name.startswith("<") or not _is_ours(code):
            return
        callers = [*_callers(frame)]
        is_of_crawl = any(each.co_filename.startswith(WHOLLY) for each in (code, *callers[:1]))
        if READS_SETTINGS in (code, *callers):
            self.of_settings.add(code)
        elif is_of_crawl or not any(map(_is_ours, callers)):
            self.codes.add(code)


def _callers(frame: FrameType) -> Iterator[CodeType]:
    caller = frame.f_back
    while caller is not None:
        yield caller.f_code
        caller = caller.f_back


def _is_ours(code: CodeType) -> bool:
    return code.co_filename.startswith(PACKAGE) and code.co_filename not in NOT_SABOTAGED


def _fail(*_: object, **__: object) -> None:
    __import__("sys").is_sabotaged = True
    raise ArithmeticError("sabotage")


async def _fail_awaited(*_: object, **__: object) -> None:
    __import__("sys").is_sabotaged = True
    raise ArithmeticError("sabotage")


async def _fail_iterated(*_: object, **__: object) -> AsyncIterator[None]:
    __import__("sys").is_sabotaged = True
    raise ArithmeticError("sabotage")
    yield


def failing(function: FunctionType) -> CodeType:
    """Return the code of a function of the same kind that fails."""
    failure: Any = _fail
    if inspect.isasyncgenfunction(function):
        failure = _fail_iterated
    elif inspect.iscoroutinefunction(function):
        failure = _fail_awaited
    code: CodeType = failure.__code__
    return code.replace(co_freevars=function.__code__.co_freevars)


def entered(codes: set[CodeType]) -> list[FunctionType]:
    """Return the functions that have these codes, by name."""
    functions = [
        thing for thing in gc.get_objects() if isinstance(thing, FunctionType) and thing.__code__ in codes
    ]
    return sorted(functions, key=lambda function: (function.__module__, function.__qualname__))


async def _crawl(settings: dict[str, Any]) -> dict[str, Any]:
    try:
        return await asyncio.wait_for(crawl(settings), SECONDS)
    except asyncio.TimeoutError:
        return {"failure": "it hangs", "reason": None, "fetched": [], "items": [], "errors": {}, "log": []}


async def run_all(wanted: str, every: int, folder: Path) -> dict[str, Any]:
    """Return name of each function that fails -> what its crawl did."""
    gc.unfreeze()  # the functions of this process, all of which are looked through
    known, results = set[CodeType](), dict[str, Any]()

    def settings(way: str, name: str) -> dict[str, Any]:
        own = folder / f"{way}-{name}"
        own.mkdir()
        paths = {key: _PATHS[key].format(own, value) for key, value in WAYS[way].items() if key in _PATHS}
        return {**ADDON, **WAYS[way], **paths}

    for way in WAYS:
        entries = Entries()
        sys.setprofile(entries)
        results[""] = await _crawl(settings(way, "traced"))
        sys.setprofile(None)
        if way == wanted:
            break
        known |= entries.codes
    for number, function in enumerate(entered(entries.codes - entries.of_settings - known)[::every]):
        whole = function.__code__
        function.__code__ = failing(function)
        sys.is_sabotaged = False  # type: ignore[attr-defined]
        try:
            result = await _crawl(settings(wanted, str(number)))
        finally:
            function.__code__ = whole
        is_sabotaged = sys.is_sabotaged  # type: ignore[attr-defined]
        results[f"{function.__module__}.{function.__qualname__}"] = {**result, "sabotaged": is_sabotaged}
    return results


FAILING = {
    "usual": "crawl.job.requests.RequestRows.push",
    "in memory": "crawl.waiting.RequestsInMemory.push",
    "focused": "crawl.topic.Topic.__call__",
    "written": "crawl.parts.crawl_archive.CrawlArchive.page_observed",
    "own scheduler": "crawl.orders.adaptive_order.AdaptiveOrder.step",
}
"""Way -> one of the functions that fail there."""

SAMPLE = ("usual", 18)


@pytest.mark.parametrize(("way", "every"), exhaustive_but([SAMPLE], [SAMPLE, *((way, 1) for way in WAYS)]))
def test_whatever_function_fails_the_crawl_is_whole(way: str, every: int, tmp_path: Path) -> None:
    if way == "written":
        pytest.importorskip("pyarrow")
        pytest.importorskip("jinja2")
    crawls = in_new_process("test_guard", str(tmp_path), way, str(every))
    whole = crawls.pop("")
    assert whole["fetched"] == whole["items"] == sorted([*URLS, URLS[0]])
    assert (whole["reason"], whole["errors"], whole["log"]) == ("finished", {}, [])
    assert every > 1 or f"templcrawl.{FAILING[way]}" in crawls
    for name, done in crawls.items():
        for key in ("failure", "reason", "fetched", "items"):
            assert done[key] == whole[key], name
        assert not done["sabotaged"] or any("sabotage" in text for text in done["log"]), name


@pytest.mark.parametrize("is_plain", [False, True])
def test_output_passes_in_the_form_in_which_it_comes_and_one_by_one(*, is_plain: bool) -> None:
    class Looking(OutputObserver):
        def look_at(self, output: list[str], response: Response) -> None:
            output.append("seen")

    made: list[list[str]] = []

    def outputs() -> Iterator[list[str]]:
        while True:
            made.append([])
            yield made[-1]

    async def asynchronous() -> AsyncIterator[list[str]]:
        for output in outputs():
            yield output

    async def first() -> list[str]:
        async for output in Looking().process_spider_output_async(Response(URLS[0]), asynchronous()):
            return output
        return []

    passed = (
        next(Looking().process_spider_output(Response(URLS[0]), outputs()))
        if is_plain
        else asyncio.run(first())
    )
    assert passed is made[0]
    assert made == [["seen"]]


def test_an_error_before_the_crawl_has_started_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    report_error(Crawler(Spider, {}), ValueError("early"), "starting")
    assert "templcrawl failed while starting" in caplog.text
    assert started(lambda: Crawler(Spider, {}).engine) is None


def test_a_page_without_an_engine_is_learned_from() -> None:
    crawler = get_crawler(Spider)
    memory = CrawlExtension.from_crawler(crawler)
    request = Request(URLS[0])
    response = HtmlResponse(request.url, body=b"<p>words", request=request)
    memory.observe(request, response)
    assert memory.memory.open("small.example").pages == 1


def test_sites_that_are_forgotten_are_said_once(caplog: pytest.LogCaptureFixture) -> None:
    memory = CrawlExtension.from_crawler(get_crawler(Spider, {"TEMPLCRAWL_LIMITS": {"max_sites": 2}}))
    with caplog.at_level("INFO"):
        for number in range(5):
            assert caplog.text.count("longest time (logged once") == (number > 2)
            request = Request(f"http://h{number}.example/")
            memory.observe(request, HtmlResponse(request.url, body=b"<p>words", request=request))


if __name__ == "__main__":
    checkpoints.SECONDS = 0.01  # type: ignore[misc]
    in_this_process(lambda: run_all(sys.argv[2], int(sys.argv[3]), Path(sys.argv[1])))

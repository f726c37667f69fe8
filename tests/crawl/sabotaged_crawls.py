"""Crawls in which one function of templcrawl fails, whatever it is asked; run as a program of its own.

    python -m tests.crawl.sabotaged_crawls FOLDER WAY EVERY

traces a crawl with the settings of WAY (see ``WAYS``), and finds the functions of templcrawl that others
enter (Scrapy, Twisted, asyncio), all of the crawl and of the file of its state, and what these call.  Then it
crawls once for each EVERY-th of them with that function raising an error, and prints a JSON object: name of
the function -> what that crawl did; under "" the crawl without sabotage.

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

import templcrawl
from templcrawl.crawl.settings import TemplcrawlSettings
from tests.crawl.crawls import ADDON
from tests.crawl.small_crawls import crawl, in_this_process

SECONDS = 20
"""Of a crawl; one that takes longer hangs."""

PACKAGE = str(Path(templcrawl.__file__).parent)
NOT_SABOTAGED = {str(Path(PACKAGE, "guard.py")), templcrawl.__file__}
WHOLLY = (str(Path(PACKAGE, "crawl")), str(Path(PACKAGE, "state_file.py")))
"""Of these files every function fails in turn, and every function that they call."""
READS_SETTINGS = TemplcrawlSettings.from_settings.__func__.__code__  # type: ignore[attr-defined]

_RELEVANCE = {"TEMPLCRAWL_RELEVANCE": "tests.crawl.small_crawls.relevant"}
_PIPELINES = {
    "TEMPLCRAWL_STRIP_FIELDS": ["html"],
    "TEMPLCRAWL_DROP_NEAR_DUPLICATES": True,
    "TEMPLCRAWL_DATABASE": "items.sqlite",
    "TEMPLCRAWL_CHECKPOINT_SECONDS": 0.01,
    "JOBDIR": "job",
}
WAYS: dict[str, dict[str, Any]] = {
    "usual": {"JOBDIR": "job"},
    "in memory": {},
    "focused": {"TEMPLCRAWL_ORDER": "focus", **_RELEVANCE, "TEMPLCRAWL_HOLD": 3},
    "focused job": {"TEMPLCRAWL_ORDER": "focus", **_RELEVANCE, "JOBDIR": "job", "TEMPLCRAWL_STOP": False},
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
    raise ArithmeticError("sabotage")


async def _fail_awaited(*_: object, **__: object) -> None:
    raise ArithmeticError("sabotage")


async def _fail_iterated(*_: object, **__: object) -> AsyncIterator[None]:
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


async def run_all(way: str, every: int, folder: Path) -> dict[str, Any]:
    """Return name of each function that fails -> what its crawl did."""

    def settings(name: str) -> dict[str, Any]:
        (folder / name).mkdir()
        return {
            **ADDON,
            **{
                key: _PATHS[key].format(folder / name, v) if key in _PATHS else v
                for key, v in WAYS[way].items()
            },
        }

    entries = Entries()
    sys.setprofile(entries)
    results = {"": await _crawl(settings("traced"))}
    sys.setprofile(None)
    for number, function in enumerate(entered(entries.codes - entries.of_settings)[::every]):
        whole = function.__code__
        function.__code__ = failing(function)
        try:
            result = await _crawl(settings(str(number)))
        finally:
            function.__code__ = whole
        results[f"{function.__module__}.{function.__qualname__}"] = result
    return results


if __name__ == "__main__":
    in_this_process(lambda: run_all(sys.argv[2], int(sys.argv[3]), Path(sys.argv[1])))

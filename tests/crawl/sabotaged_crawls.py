"""Crawls in which one function of templcrawl fails, whatever it is asked; run as a program of its own.

    python -m tests.crawl.sabotaged_crawls FOLDER WAY

traces a crawl with the settings of WAY (see ``WAYS``), finds the functions of templcrawl that others enter
(Scrapy, Twisted, asyncio), then crawls once for each of them with that function raising an error, and prints
a JSON object: name of the function -> what that crawl did; under "" the crawl without sabotage.
The guard itself and the loading of the package are left whole.
"""

from __future__ import annotations

import gc
import inspect
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import templcrawl
from tests.crawl.crawls import ADDON
from tests.crawl.small_crawls import crawl, in_this_process

PACKAGE = str(Path(templcrawl.__file__).parent)
NOT_SABOTAGED = {str(Path(PACKAGE, "guard.py")), templcrawl.__file__}

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
    "focused": {"TEMPLCRAWL_ORDER": "focus", **_RELEVANCE, "TEMPLCRAWL_HOLD": 3},
    "written": {"TEMPLCRAWL_ARCHIVE": "archive", "TEMPLCRAWL_REPORT": "report.html", **_PIPELINES},
    "own scheduler": {"SCHEDULER": "lab.sites.shop.components.OwnScheduler"},
}
# Setting -> its value with the folder of a crawl and a name in it.
_PATHS = {
    **dict.fromkeys(("JOBDIR", "TEMPLCRAWL_ARCHIVE", "TEMPLCRAWL_REPORT"), "{}/{}"),
    "TEMPLCRAWL_DATABASE": "sqlite:///{}/{}",
}


class Entries:
    """A profile function that collects the code of the functions of templcrawl that others enter."""

    def __init__(self) -> None:
        self.codes: set[CodeType] = set()

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and _is_ours(frame.f_code):
            caller = frame.f_back
            while caller is not None and not _is_ours(caller.f_code):
                caller = caller.f_back
            if caller is None and not frame.f_code.co_name.startswith("<"):
                self.codes.add(frame.f_code)


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


async def run_all(way: str, folder: Path) -> dict[str, Any]:
    """Return name of each function that is entered -> what its crawl did."""

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
    results = {"": await crawl(settings("traced"))}
    sys.setprofile(None)
    for number, function in enumerate(entered(entries.codes)):
        whole = function.__code__
        function.__code__ = failing(function)
        try:
            result = await crawl(settings(str(number)))
        finally:
            function.__code__ = whole
        results[f"{function.__module__}.{function.__qualname__}"] = result
    return results


if __name__ == "__main__":
    in_this_process(lambda: run_all(sys.argv[2], Path(sys.argv[1])))

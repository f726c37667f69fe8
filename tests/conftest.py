"""All tests: how hypothesis chooses examples, and that a run leaves nothing open.

Three profiles.  ``suite``: the same examples on every machine, no limit of time for an example, and what
repeats a failure is printed; nothing is read from or written to a folder of earlier examples, so that a fresh
or read-only checkout runs the same.  ``quick`` (``make test``): the first 10 of them at most, whatever a test
says.  ``fuzz`` (``make fuzz``): other examples in each run, ten times as many where a test does not say how
many.
"""

from __future__ import annotations

import asyncio
import gc
import socket
import sys
from collections.abc import Generator, Iterator

import pytest
import scrapy
from hypothesis import HealthCheck, settings
from scrapy.utils.reactor import install_reactor

from tests.missing_extras import SkipsLacks
from tests.page_readers import reader

__all__ = ["reader"]

SLOW = (HealthCheck.too_slow,)

if scrapy.version_info < (2, 16):  # a crawler asks for it
    install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")

settings.register_profile(
    "suite",
    database=None,
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=SLOW,
)
settings.register_profile("quick", settings.get_profile("suite"), max_examples=10)
settings.register_profile("fuzz", settings.get_profile("suite"), derandomize=False, max_examples=1000)
settings.load_profile("suite")


def pytest_configure(config: pytest.Config) -> None:
    """Show what hypothesis notes about itself, say a cache that it cannot write, but fail no test for it."""
    config.addinivalue_line("filterwarnings", "default::hypothesis.errors.HypothesisWarning")
    config.addinivalue_line("filterwarnings", "error::hypothesis.errors.HypothesisDeprecationWarning")
    if config.getoption("--bare"):
        config.pluginmanager.register(SkipsLacks())  # for doctests of the package, too


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of ``make test-extras`` and ``make test-bare``."""
    parser.addoption("--no-skips", action="store_true", help="a test that is skipped has failed")
    parser.addoption(
        "--bare", action="store_true", help="a test that lacks the library of an extra is skipped"
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let no test be skipped where all that tests may need is installed."""
    report = yield
    if report.skipped and item.config.getoption("--no-skips") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
    return report


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let no property try more examples than the profile ``quick`` has, where that is in force."""
    most = settings.get_profile("quick").max_examples
    for item in items if settings().max_examples == most else []:
        function, owner = getattr(item, "function", None), getattr(item, "cls", None)
        for holder, name in ((function, "_hypothesis_internal_use_settings"), (owner, "settings")):
            own = getattr(holder, name, None)
            if isinstance(own, settings):
                setattr(holder, name, settings(own, max_examples=min(own.max_examples, most)))


def pytest_collection_finish() -> None:
    """Keep the collected tests out of every later garbage collection: a benchmark's tests ask for many."""
    gc.collect()
    gc.freeze()


def still_open() -> list[str]:
    """Return the event loops and sockets that nobody closed."""
    things = gc.get_objects()
    loops = [
        loop for loop in things if issubclass(type(loop), asyncio.BaseEventLoop) and not loop.is_closed()
    ]
    sockets = [end for end in things if issubclass(type(end), socket.socket) and end.fileno() != -1]
    return [repr(thing) for thing in (*loops, *sockets)]


@pytest.fixture(autouse=True, scope="session")
def _nothing_stays_open() -> Iterator[None]:
    """Fail at the end of a run, or of a worker, for what tests left open.

    What nobody refers to any more warns while it is collected, and warnings are errors; what somebody
    still refers to is looked for.  A reactor that a command has installed lives as long as its process.
    """
    yield
    reactor = sys.modules.get("twisted.internet.reactor")
    loop = getattr(reactor, "_asyncioEventloop", None)
    if loop is not None:
        loop.close()
    for _ in range(3):
        gc.collect()
    assert not still_open()


@pytest.fixture(autouse=True, scope="session")
def _no_salt_by_chance() -> Iterator[None]:
    """Let every crawl of this process draw the same pages."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("templcrawl.memory.crawl_memory.draw_salt", lambda: 0)
        yield

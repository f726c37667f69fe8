"""A pytest plugin: the tests of Scrapy that fail with templcrawl, each with its reason.

All of them have to fail: one that passes is reported (as all do where templcrawl is not switched on), and
so is one that a whole run does not meet, as Scrapy has renamed or removed it.  A test in which an error of
ours was caught, by our guard or by Scrapy's signals, has not passed, whatever it says itself.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import templcrawl

OURS = str(Path(templcrawl.__file__).parent)
DIFFERENCES: dict[str, tuple[str, ...]] = {
    "first in, first out is ours; requests of equal priority leave Scrapy's queues last in, first out": (
        "tests/test_engine_loop.py::TestRequestSendOrder::test_shared_queues",
    ),
    "with a JOBDIR fingerprints are in the file of the job, with the request that they let in": (
        "tests/test_dupefilters.py::TestRFPDupeFilter::test_dupefilter_path",
        "tests/test_dupefilters.py::TestRFPDupeFilter::test_seenreq_truncated",
    ),
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Expect the listed tests to fail."""
    reasons = {name: reason for reason, names in DIFFERENCES.items() for name in names}
    for item in items:
        if item.nodeid in reasons:
            item.add_marker(pytest.mark.xfail(reason=reasons[item.nodeid], strict=True))


class _CaughtErrors(logging.Handler):
    """Keeps what is logged of errors that templcrawl raised and somebody caught."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.logged: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        trace = record.exc_info[2] if record.exc_info else None
        files = {frame.filename for frame in traceback.extract_tb(trace)}
        of_a_signal = record.name == "scrapy.utils.signal" and any(file.startswith(OURS) for file in files)
        if of_a_signal or record.name.partition(".")[0] == "templcrawl":
            self.logged.append(logging.Formatter().format(record))


@pytest.fixture(autouse=True)
def _no_caught_error() -> Iterator[None]:
    caught = _CaughtErrors()
    logging.root.addHandler(caught)
    yield
    logging.root.removeHandler(caught)
    assert not caught.logged, "\n".join(caught.logged)


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Name the listed tests that a whole run has not met."""
    for name in _not_met(terminalreporter, config):
        terminalreporter.write_line(
            f"NOT MET {name} is in the list of differences, but Scrapy has no such test"
        )


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Let the run fail if a listed test was not met."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and _not_met(reporter, session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _not_met(reporter: Any, config: pytest.Config) -> list[str]:
    if config.option.file_or_dir or config.option.keyword:
        return []
    met = {getattr(report, "nodeid", None) for reports in reporter.stats.values() for report in reports}
    return [name for names in DIFFERENCES.values() for name in names if name not in met]

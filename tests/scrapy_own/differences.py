"""A pytest plugin: the tests of Scrapy that may fail with templcrawl, each with its reason.

All of them have to fail: one that passes is reported, and so is one that a whole run does not meet, as
Scrapy has renamed or removed it.
"""

from __future__ import annotations

from typing import Any

import pytest

DIFFERENCES: dict[str, tuple[str, ...]] = {}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Expect the listed tests to fail."""
    reasons = {name: reason for reason, names in DIFFERENCES.items() for name in names}
    for item in items:
        if item.nodeid in reasons:
            item.add_marker(pytest.mark.xfail(reason=reasons[item.nodeid], strict=True))


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Name the listed tests that a whole run has not met."""
    for name in _not_met(terminalreporter, config):
        terminalreporter.write_line(f"NOT MET {name} is in the list of differences, but Scrapy has no such test")


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

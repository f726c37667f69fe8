"""A run without any extra (``--bare``): what an optional library is missing for is skipped, and says so.

An error is such a lack only if it is ``MissingExtra``, or a ``ModuleNotFoundError`` of a library of an extra
in pyproject.toml that a test itself has imported.  Where the package imports one without ``MissingExtra``,
a user would see no sentence: that stays an error, like the lack of a library that no extra names.
"""

from __future__ import annotations

import doctest
import re
from collections import Counter
from collections.abc import Generator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import MultipleDoctestFailures

import templcrawl
from templcrawl.errors import MissingExtra

PACKAGE = Path(templcrawl.__file__).parent
DISTRIBUTIONS = {
    "backports.zstd": "backports-zstd",
    "markdown_it": "markdown-it-py",
    "readability": "readability-lxml",
    "sklearn": "scikit-learn",
}
FOR_DEVELOPERS = ("bench", "beside", "dev", "docs", "extras-tests", "scrapy-tests", "tests")
_REQUIREMENT = re.compile(r"([\w.-]+).*\bextra\s*==\s*['\"]([\w-]+)['\"]").match


def required() -> list[tuple[str, str]]:
    """Return each library of an extra with its extra, first those that add a feature, the smallest first."""
    lines = metadata.requires("templcrawl") or ()
    named = [(match[1].replace("-", "_"), match[2]) for line in lines if (match := _REQUIREMENT(line))]
    sizes = Counter(extra for _, extra in named)
    return sorted(named, key=lambda pair: (pair[1] in FOR_DEVELOPERS, sizes[pair[1]], pair))


def extra_of(module: str) -> str:
    """Return the extra that brings the library of a module, or "" for none.

    >>> extra_of("sklearn.feature_extraction"), extra_of("matplotlib"), extra_of("numpy")
    ('focus', 'bench', '')
    """
    names = {module, module.partition(".")[0]}
    libraries = {DISTRIBUTIONS.get(name, name).replace("-", "_") for name in names}
    return next((extra for library, extra in required() if library in libraries), "")


def raised_in(error: BaseException) -> Path:
    """Return the file whose import has failed, not one of the import system's own."""
    traceback, file = error.__traceback__, ""
    while traceback is not None:
        name = traceback.tb_frame.f_code.co_filename
        file = file if name.startswith("<frozen importlib") else name
        traceback = traceback.tb_next
    return Path(file)


def lack(error: BaseException | None) -> str:
    """Return what an error says is missing, or "" if it is another error."""
    while error is not None:
        if isinstance(error, MultipleDoctestFailures):
            error = error.failures[0]
        elif isinstance(error, doctest.UnexpectedException):
            error = error.exc_info[1]
        elif isinstance(error, MissingExtra):
            return f"without templcrawl[{error.extra}]"
        elif (
            isinstance(error, ModuleNotFoundError) and error.name and PACKAGE not in raised_in(error).parents
        ):
            extra = extra_of(error.name)
            return f"without {error.name} of templcrawl[{extra}]" if extra else ""
        else:
            error = error.__cause__
    return ""


class SkipsLacks:
    """What skips modules and tests for the lack of an extra."""

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Skip a module that imports what an extra brings."""
        report = yield
        call = getattr(report, "call", None)
        skip(report, call, str(collector.path), 0)
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Skip a test that lacks what an extra brings."""
        report = yield
        skip(report, call, str(item.path), item.location[1] or 0)
        return report


def skip(report: Any, call: pytest.CallInfo[Any] | None, path: str, line: int) -> None:
    """Let what has failed for the lack of an extra be skipped."""
    reason = lack(call.excinfo.value) if call is not None and call.excinfo is not None else ""
    if report.failed and reason:
        report.outcome, report.longrepr = "skipped", (path, line, f"Skipped: {reason}")

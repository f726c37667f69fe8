"""The monitors: silent over a crawl in which all is well, and each says what is not."""

from __future__ import annotations

import sys
import unittest
from types import SimpleNamespace

import pytest
from scrapy.settings import Settings

from templcrawl.errors import MissingExtra

GOOD = {"templcrawl/pages": 50, "templcrawl/items/stripped": 45, "templcrawl/items/left_as_is": 5}


def failures(stats: dict[str, int], **settings: float) -> list[str]:
    """Return what the monitors say of stats."""
    pytest.importorskip("spidermon")
    from templcrawl.components.monitors import TemplcrawlMonitor

    said = []
    for name in ("test_items_are_filled", "test_there_are_no_errors", "test_no_site_is_lost"):
        monitor = TemplcrawlMonitor(name)
        written = {f"SPIDERMON_TEMPLCRAWL_{key.upper()}": value for key, value in settings.items()}
        crawler = SimpleNamespace(settings=Settings(written))
        monitor.data = SimpleNamespace(stats=stats, crawler=crawler)
        result = unittest.TestResult()
        monitor.run(result)
        said += [text.strip().splitlines()[-1] for _, text in [*result.failures, *result.errors]]
    return said


def test_nothing_is_said_where_all_is_well() -> None:
    assert failures(GOOD) == []
    assert failures({"templcrawl/pages": 3}) == []


def test_what_is_not_well_is_said_with_its_setting() -> None:
    bad = {**GOOD, "templcrawl/items/left_as_is": 6, "templcrawl/errors/ValueError": 2}
    bad |= {"templcrawl/errors/KeyError": 1, "templcrawl/unreadable_sites": 4}
    few, errors, lost = failures(bad)
    assert "45 of 51 items" in few
    assert "MIN_STRIPPED" in few
    assert "3 errors" in errors
    assert "4 sites were lost" in lost
    assert failures(bad, min_stripped=0.8, max_errors=3, max_lost_sites=4) == []


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "templcrawl.components.monitors", raising=False)
    monkeypatch.setitem(sys.modules, "spidermon", None)
    with pytest.raises(MissingExtra, match=r"templcrawl\[spidermon\]"):
        __import__("templcrawl.components.monitors")

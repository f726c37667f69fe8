"""The salt of a crawl's sample: drawn, kept in the JOBDIR, settable, and a secret."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sites.server import LocalSite
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.store import FolderStore
from tests.components.crawls import ADDON, DEMO_SITE, run_crawl


def salt_of(url: str, folder: Path, job: Path, salt: int | None) -> int:
    """Crawl a few pages of a job; return the salt that is in its folder, and nowhere in its log or stats."""
    settings: dict[str, Any] = {**ADDON, "JOBDIR": str(job), "TEMPLCRAWL_SAMPLE_SALT": salt}
    crawl = run_crawl("plain", url, folder, {"CLOSESPIDER_PAGECOUNT": 3, "LOG_LEVEL": "DEBUG", **settings})
    assert crawl.stats["templcrawl/pages"] > 0
    kept = CrawlMemory(store=FolderStore(job / "templcrawl")).options.sample_salt
    assert kept is not None
    assert str(kept) not in crawl.log + str(crawl.stats)
    return kept


@pytest.mark.exhaustive
def test_a_job_keeps_the_salt_that_it_drew_and_a_crawl_can_be_given_one(tmp_path: Path) -> None:
    with LocalSite(DEMO_SITE.html) as site:
        drawn = salt_of(site.url, tmp_path / "a", tmp_path / "job", None)
        assert salt_of(site.url, tmp_path / "b", tmp_path / "job", None) == drawn > 10**9
        assert salt_of(site.url, tmp_path / "c", tmp_path / "other", None) not in (drawn, 0)
        assert salt_of(site.url, tmp_path / "d", tmp_path / "given", drawn) == drawn

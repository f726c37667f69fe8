"""The salt of a crawl's sample: drawn, said, kept in the JOBDIR, and settable."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.components.crawls import ADDON, DEMO_SITE, run_crawl
from tests.websites.server import LocalSite

STAT = "templcrawl/sample_salt"


def salt_of(url: str, folder: Path, **settings: Any) -> int:
    few = {"CLOSESPIDER_PAGECOUNT": 3, **ADDON, **settings}
    salt: int = run_crawl("plain", url, folder, few).stats[STAT]
    return salt


def test_a_job_keeps_the_salt_that_it_drew_and_a_crawl_can_be_given_one(tmp_path: Path) -> None:
    with LocalSite(DEMO_SITE.html) as site:
        job = str(tmp_path / "job")
        drawn = salt_of(site.url, tmp_path / "a", TEMPLCRAWL_SAMPLE_SALT=None, JOBDIR=job)
        assert salt_of(site.url, tmp_path / "b", TEMPLCRAWL_SAMPLE_SALT=None, JOBDIR=job) == drawn > 0
        assert salt_of(site.url, tmp_path / "c", TEMPLCRAWL_SAMPLE_SALT=None) not in (drawn, 0)
        assert salt_of(site.url, tmp_path / "d", TEMPLCRAWL_SAMPLE_SALT=drawn) == drawn

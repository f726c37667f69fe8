"""The parts of a crawl are made of its settings: each combination of a job and a shared store."""

from __future__ import annotations

from pathlib import Path

import pytest
from scrapy.utils.test import get_crawler

from templcrawl.crawl.extension import TemplateMemory

STORE = "redis://127.0.0.1:1/0"
"""Nothing listens there: a store is connected to when it is first used."""


def parts_of(tmp_path: Path, *, job: bool, store: bool) -> TemplateMemory:
    settings: dict[str, str] = {}
    if job:
        settings["JOBDIR"] = str(tmp_path)
    if store:
        settings["TEMPLCRAWL_STORE"] = STORE
    return TemplateMemory(get_crawler(settings_dict=settings))


@pytest.mark.parametrize("job", [False, True], ids=["no job", "job"])
@pytest.mark.parametrize("store", [False, True], ids=["alone", "shared"])
def test_a_crawl_has_a_file_if_it_has_a_job_or_a_store(tmp_path: Path, *, job: bool, store: bool) -> None:
    if store:
        pytest.importorskip("redis")
    parts = parts_of(tmp_path, job=job, store=store)
    assert (parts.job is not None) == job
    assert (parts.file is not None) == (parts.checkpoints is not None) == (job or store)
    if parts.file is not None:
        assert (parts.file.path.parent == tmp_path) == job
    if parts.checkpoints is not None:
        assert parts.checkpoints.is_shared == store

"""A second crawl on a JOBDIR or an archive says so and does the first one no harm; a kill gives both free."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.crawl.killed_crawls import AGAIN, URLS
from tests.crawl.small_crawls import in_new_process

pytestmark = pytest.mark.exhaustive

EVERY_PAGE = Counter([*URLS, AGAIN])


@pytest.mark.parametrize("how", ["ended", "killed"])
def test_a_second_crawl_on_a_job_is_refused_and_the_first_goes_on(how: str, tmp_path: Path) -> None:
    done = in_new_process("crawl.crawls_at_once", str(tmp_path), "JOBDIR", how)
    first, second, third = done["first"], done["second"], done["third"]
    assert "a folder of its own for each crawl: another crawl (process " in second["failure"]
    assert (second["fetched"], second["reason"], second["log"], done["harm"]) == ([], None, [], [])
    assert (third["reason"], third["failure"], third["log"]) == ("finished", "", [])
    if how == "ended":
        assert (first["reason"], first["log"], first["warnings"]) == ("finished", [], [])
        assert Counter(first["fetched"]) == EVERY_PAGE
        assert third["warnings"] == []
    else:
        assert {URLS[0], URLS[1], *third["fetched"]} == set(URLS)
        assert third["warnings"] == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("how", ["ended", "killed"])
def test_a_second_crawl_on_an_archive_is_warned_and_none_loses_a_page(how: str, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    from templcrawl.outputs.archive.parts import Archive

    done = in_new_process("crawl.crawls_at_once", str(tmp_path), "TEMPLCRAWL_ARCHIVE", how)
    ended = [done[name] for name in ("first", "second", "third") if done[name] is not None]
    assert len(ended) == (3 if how == "ended" else 2)
    for crawl in ended:
        assert (crawl["reason"], crawl["failure"], crawl["log"], crawl["errors"]) == ("finished", "", [], {})
        assert Counter(crawl["fetched"]) == EVERY_PAGE
        is_warned = "Another crawl writes to the archive" in " ".join(crawl["warnings"])
        assert is_warned == (crawl is done["second"])
    assert done["harm"] == []
    archived = Counter(Archive(str(tmp_path / "place")).read("pages", ["url"])["url"].to_pylist())
    assert archived == dict.fromkeys(URLS, 2 if how == "ended" else 1)
    assert {path.name for path in (tmp_path / "place").glob("_*")} == {"_first.lock", "_writers.lock"}

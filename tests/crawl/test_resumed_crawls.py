"""A job goes on with the queue that it was begun with, or is refused: no page is lost without a word."""

from __future__ import annotations

from pathlib import Path

from tests.crawl.resumed_crawls import WAYS
from tests.crawl.small_crawls import URLS, in_new_process

OURS = ("on", "focus")


def test_whatever_a_job_was_begun_and_goes_on_with(tmp_path: Path) -> None:
    crawls = in_new_process("crawl.resumed_crawls", str(tmp_path))
    assert len(crawls) == len(WAYS) * (len(WAYS) + 1)
    for name, (first, then) in crawls.items():
        begun, _, resumed = name.partition(" -> ")
        assert (first["reason"], first["log"]) == ("closespider_pagecount", []), name
        assert 3 <= len(set(first["fetched"])) < len(URLS) - 3, name
        if begun in OURS and resumed.startswith("bare"):
            by_default = "created by an incompatible priority queue" in then["failure"]
            assert by_default or "'int' object is not iterable" in then["failure"], name
        elif begun in OURS and resumed == "disabled":
            assert "the requests of this JOBDIR wait in the queue of templcrawl" in then["failure"]
            assert then["log"] == []
        elif resumed != "bare, over hosts":
            assert (then["reason"], then["failure"], then["log"]) == ("finished", "", []), name
            assert {*first["fetched"], *then["fetched"]} == {*URLS}, name
            assert {*first["fetched"]} & {*then["fetched"]} <= {URLS[0]}, name
            continue
        assert then["fetched"] == [], name

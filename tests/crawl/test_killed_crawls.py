"""A job that is killed goes on: no page and no item is lost, and what was done is not fetched again."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.crawl.killed_crawls import AGAIN, POINTS, URLS, WAYS
from tests.crawl.small_crawls import in_new_process
from tests.parts import exhaustive_but


@pytest.mark.parametrize("way", exhaustive_but(["several"], WAYS))
def test_a_kill_at_any_point_costs_what_was_in_flight(way: str, tmp_path: Path) -> None:
    names = json.dumps([way]), json.dumps([*POINTS])
    crawls = in_new_process("crawl.killed_crawls", str(tmp_path), *names)
    assert len(crawls) == len(POINTS)
    for (name, done), ends in zip(crawls.items(), POINTS.values()):
        then, fetched = done["then"], Counter(done["before"])
        assert (then["failure"], then["reason"], then["log"], then["warnings"]) == ("", "finished", [], []), (
            name
        )
        assert {*fetched, *then["fetched"]} == {*done["feed"]} == {*URLS}, name
        again = {url for url in then["fetched"] if url in fetched and url != AGAIN}
        again |= {url for url, times in fetched.items() if times > 1 and url != AGAIN}
        assert len(again) <= 3 * WAYS[way]["CONCURRENT_REQUESTS"] * len(ends), name
        assert Counter(done["feed"]) <= fetched + Counter(then["fetched"]), name
        assert done["left"] == [0, "active.json"], "nothing of what is done"

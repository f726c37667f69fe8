"""Workers that share a memory keep what one worker reaches; the benchmark measures it."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.bench.workers import __main__ as workers
from lab.bench.workers.in_turn import figures_in_turn
from lab.bench.workers.sites import Plan, make_plan
from lab.sites.redis_server import running_redis

pytestmark = pytest.mark.exhaustive


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    return make_plan(tmp_path_factory.mktemp("plan"), None, (), 30)


def test_workers_that_share_tell_page_types_as_one_does_and_others_do_not(plan: Plan) -> None:
    one = figures_in_turn(plan, 1, shared=True)
    two = figures_in_turn(plan, 2, shared=True)
    alone = figures_in_turn(plan, 2, shared=False)
    assert one["ARI"] - 0.05 <= two["ARI"]
    assert alone["ARI"] < two["ARI"] - 0.1
    assert one["F1"] - 0.05 <= two["F1"]


def test_a_crawl_of_two_workers_fetches_every_page_once_and_counts_it_once(
    plan: Plan, tmp_path: Path
) -> None:
    pytest.importorskip("scrapy_redis")
    with running_redis():
        small = make_plan(tmp_path, None, (), 12)
        outcome = workers.crawl(small, tmp_path, 2, shared=True)
    assert outcome.codes == [0, 0]
    assert sorted(line["url"] for line in outcome.lines) == sorted(small.files)
    assert sum(site.pages_known for site in outcome.sites.values()) == len(small.files)
    assert workers.figures_of(small, outcome)["commands a page"] > 0

"""Workers that share a memory keep what one worker reaches; the benchmark measures it."""

from __future__ import annotations

import pytest

from lab.bench.worker_sites import Plan, figures_in_turn, make_plan
from lab.sites.redis_server import running_redis

pytestmark = pytest.mark.exhaustive


@pytest.fixture(scope="module")
def plan() -> Plan:
    return make_plan(None, (), 30)


def test_workers_that_share_tell_page_types_as_one_does_and_others_do_not(plan: Plan) -> None:
    one = figures_in_turn(plan, 1, shared=True)
    two = figures_in_turn(plan, 2, shared=True)
    alone = figures_in_turn(plan, 2, shared=False)
    assert one["ARI"] - 0.05 <= two["ARI"]
    assert alone["ARI"] < two["ARI"] - 0.1
    assert one["F1"] - 0.05 <= two["F1"]


def test_a_crawl_of_two_workers_fetches_every_page_once_and_counts_it_once() -> None:
    pytest.importorskip("scrapy_redis")
    with running_redis():
        from lab.bench import workers

        small = make_plan(None, (), 12)
        outcome = workers.crawl(small, 2, shared=True)
    assert [worker.code for worker in outcome.workers] == [0, 0]
    assert sorted(line["response"] for line in outcome.lines) == sorted(small.known)
    assert outcome.known == len(small.known)
    assert workers.figures_of(small, outcome)["commands a page"] > 0

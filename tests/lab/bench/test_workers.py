"""Processes of one crawl, in both ways that ``docs/many-machines.md`` has; the benchmark measures them."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from lab.bench.worker_sites import Plan, make_plan
from lab.bench.workers import HOSTS, QUEUE, crawl, figures_of
from lab.sites.redis_server import running_redis
from templcrawl.page.addresses import host_of


@pytest.fixture(scope="module")
def plan() -> Plan:
    return make_plan(None, (), 12)


@pytest.mark.parametrize("way", [HOSTS, pytest.param(QUEUE, marks=pytest.mark.exhaustive)])
def test_two_processes_fetch_every_page_once_and_learn_each_for_itself(plan: Plan, way: str) -> None:
    with running_redis() if way == QUEUE else nullcontext():
        outcome = crawl(plan, 2, way, delay=0.3 if way == QUEUE else 0.0)
    assert [(worker.code, worker.errors) for worker in outcome.workers] == [(0, "")] * 2
    assert sorted(line["response"] for line in outcome.lines) == sorted(plan.known)
    assert not [name for worker in outcome.workers for name in worker.stats if "templcrawl/errors" in name]
    processes: dict[str, set[int]] = {}
    for line in outcome.lines:
        processes.setdefault(host_of(line["response"]), set()).add(line["worker"])
    assert {len(of_host) for of_host in processes.values()} == ({1} if way == HOSTS else {2})
    figures = figures_of(plan, outcome)
    assert figures["F1"] > 0.85
    assert figures["ARI"] > 0.5 if way == HOSTS else figures["ARI"] < figures["clustered"]

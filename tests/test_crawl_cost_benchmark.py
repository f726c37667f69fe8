"""``python -m benchmarks.crawl_cost``: what its crawls read, and when their figures are refused."""

from __future__ import annotations

import pytest

pytest.importorskip("rich")

from benchmarks.cost_crawl import Cost
from benchmarks.crawl_cost import _costs, _rows
from benchmarks.page_sets import SMALL, generated, link_dense

pytestmark = pytest.mark.exhaustive

WAYS = ("without", "bare, Python")


@pytest.mark.parametrize("pages", [link_dense(12), generated(SMALL, 12)], ids=["links", "small"])
def test_a_crawl_reads_every_page_of_a_set(pages: list[tuple[str, str]]) -> None:
    costs = _costs(pages, WAYS, rounds=1)
    assert {cost.pages for of_way in costs.values() for cost in of_way} == {12}
    without, with_addon = _rows("a set", 12, costs)
    assert (without[:2], without[3]) == (("a set", "without"), "1.00")
    assert float(with_addon[3]) > 1
    assert float(with_addon[4]) > 0


def test_figures_of_few_pages_or_of_others_are_refused() -> None:
    few, other = Cost(1, 0.1, 0.0), Cost(12, 0.1, 0.0)
    for costs in ({"without": [few], "bare": [few]}, {"without": [other], "bare": [few]}):
        with pytest.raises(RuntimeError, match="of 12 pages"):
            list(_rows("a set", 12, costs))

"""The stored pages of a regression: when they are learned anew."""

from __future__ import annotations

from itertools import pairwise

import pytest

from templcrawl.memory import regression_table
from templcrawl.memory.regression_table import RegressionTable

TEA, MILK = "http://x.org/tea/{}", "http://x.org/milk/{}.html"


def learned(pages: int = 12) -> RegressionTable:
    """Pages of leaf 0 are of the wanted type, those of leaf 1 are not."""
    table = RegressionTable(limit=100)
    for number in range(pages):
        leaf = number % 2
        url = (TEA, MILK)[leaf].format(number)
        table.insert_text(number, ("A tea", "Some milk")[leaf])
        table.learn_page(url, (7 + leaf,), number, leaf=leaf, is_target=not leaf)
    return table


def values(table: RegressionTable) -> list[float]:
    return [table.value(TEA.format(99), (7,), 99), table.value(MILK.format(99), (8,), 99)]


def test_without_a_page_every_link_is_average() -> None:
    table = RegressionTable(limit=10)
    assert (table.is_ready, values(table)) == (False, [1.0, 1.0])


def test_a_refit_learns_the_pages_as_they_are_known_now() -> None:
    table = learned()
    tea, milk = values(table)
    assert tea > milk + 0.5
    table.refit(lambda leaf: leaf == 1)
    assert values(table)[1] > values(table)[0] + 0.5
    table.refit(lambda leaf: leaf == 0)
    assert values(table) == pytest.approx([tea, milk], abs=1e-5)


def test_refits_are_due_each_time_that_the_pages_have_grown_by_a_quarter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(regression_table, "MAX_PAGES", 16)
    table = RegressionTable(limit=10)
    refits = []
    for number in range(400):
        table.learn_page(TEA.format(number), (), number, leaf=0, is_target=True)
        if table.is_refit_due:
            table.refit(lambda leaf: True)
            refits.append(number)
    assert len(refits) < 30
    assert all(later >= 1.2 * earlier for earlier, later in pairwise(refits))

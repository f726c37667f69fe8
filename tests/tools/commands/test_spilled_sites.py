"""Many sites within a budget."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from templcrawl.errors import TemporaryFilesFull
from templcrawl.tools.commands.spilled_sites import SpilledSites


class Tally:
    """How often a site was used; its size is that number."""

    def __init__(self) -> None:
        self.size = 0


@settings(deadline=None)
@given(st.lists(st.sampled_from("abcdé")), st.integers(0, 9))
def test_nothing_is_lost_and_the_budget_holds(hosts, budget) -> None:
    sites = SpilledSites(lambda host: Tally(), budget=budget)
    for host in hosts:
        with sites.using(host) as site:
            site.size += 1
        in_memory = list(sites._sites.values())
        assert len(in_memory) == 1 or sum(site.size for site in in_memory) <= budget
    in_memory = list(sites._sites)
    assert {host: sites.peek(host).size for host in set(hosts)} == Counter(hosts)
    assert list(sites._sites) == in_memory
    sites.close()


def test_its_files_go_when_it_is_closed() -> None:
    sites = SpilledSites(lambda host: Tally(), budget=0)
    for host in "abc":
        with sites.using(host) as site:
            site.size += 1
    folder = Path(sites._folder.name)
    assert len(list(folder.iterdir())) == 2
    sites.close()
    assert not folder.exists()


def test_files_take_no_more_than_they_may(tmp_path: Path) -> None:
    sites = SpilledSites(lambda host: Tally(), budget=0, folder=str(tmp_path), most=1_000)
    try:
        with pytest.raises(TemporaryFilesFull, match="more than 1,000 bytes"):  # noqa: PT012
            for number in range(1_000):
                with sites.using(str(number)) as site:
                    site.size = 1
        assert len(list(tmp_path.glob("*/*"))) > 3
    finally:
        sites.close()
    assert not list(tmp_path.iterdir())

"""Many sites within a budget."""

from __future__ import annotations

import pickle
import sqlite3
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from templcrawl.errors import TemporaryFilesFull
from templcrawl.tools.commands.spilled_sites import SpilledSites


class Tally:
    """How often a site was used; at each use it takes a hundred bytes more."""

    def __init__(self) -> None:
        self.uses = 0
        self.padding = b""


@settings(deadline=None)
@given(st.lists(st.sampled_from(["a", "b", "c", "d", "é", "\ud800"])), st.integers(0, 2_000))
def test_nothing_is_lost_and_the_budget_holds(hosts, budget) -> None:
    with SpilledSites(lambda host: Tally(), budget=budget) as sites:
        for host in hosts:
            with sites.using(host) as site:
                site.uses += 1
                site.padding += bytes(100)
            sizes = [len(pickle.dumps(one.state)) for one in sites._loaded.values()]
            assert len(sizes) == 1 or sum(sizes) <= budget + 0.5 * sum(sizes)
        in_memory = list(sites._loaded)
        assert {host: sites.peek(host).uses for host in set(hosts)} == Counter(hosts)
        assert list(sites._loaded) == in_memory


@pytest.mark.parametrize(("most", "error"), [(100_000, TemporaryFilesFull), (None, sqlite3.Error)])
def test_the_file_takes_no_more_than_it_may(most, error, tmp_path: Path) -> None:
    path = tmp_path / "sites.sqlite"
    with SpilledSites(lambda host: Tally(), budget=0, path=path, most=most) as sites:
        if most is None:
            sites._rows.execute("PRAGMA max_page_count = 25")  # as on a full disk
        with pytest.raises(error, match="would take more than 100,000 bytes" if most else "full"):  # noqa: PT012
            for number in range(1_000):
                with sites.using(str(number)) as site:
                    site.padding = bytes(1_000)
        assert 50_000 < path.stat().st_size <= 103_000
        assert 30 < number < 100

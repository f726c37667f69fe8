"""What every store of the states of sites does; a new store inherits these tests."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from templcrawl.memory.snapshots import Numbers
from templcrawl.memory.store import ALL_SITES, SiteStore
from tests.memory.stores import plain, state

HOSTS = ["example.org", "example.org:8080", "example.org_8080", "EXAMPLE.org", "ümläut.example", ALL_SITES]


class SiteStoreContract(ABC):
    """Tests of a store; each opening of it finds what an earlier one has written."""

    @abstractmethod
    def open_store(self, folder: Path) -> SiteStore:
        """Open the store; what it writes may be under a folder."""

    def test_states_come_back_as_they_were_written_each_under_its_host(self, tmp_path: Path) -> None:
        store = self.open_store(tmp_path)
        assert [store.read(host) for host in HOSTS] == [None] * len(HOSTS)
        states = {host: state(number=number) for number, host in enumerate(HOSTS)}
        for host, written in states.items():
            store.write(host, written)
        assert {host: store.read(host) for host in HOSTS} == states
        store.commit()
        for opened in (store, self.open_store(tmp_path)):
            assert {host: opened.read(host) for host in HOSTS} == states

    def test_the_last_state_that_was_written_counts(self, tmp_path: Path) -> None:
        store = self.open_store(tmp_path)
        for number in (1, 2, 3):
            store.write("example.org", state(number=number))
        assert store.load("example.org") == plain(number=3)
        assert store.load("other.org") is None

    def test_a_frozen_snapshot_is_saved(self, tmp_path: Path) -> None:
        store = self.open_store(tmp_path)
        store.save("example.org", {"pages": Numbers([1])})
        assert store.read("example.org") == state(pages=1)
        assert store.load("example.org") == plain(pages=1)

"""A crawl's memory through any order of learning, judging, saving, kills, restarts and other options.

The model is a list of pages for each site, as learned and as stored, and a memory of each site that was never
saved, read back or evicted: it has seen the same pages, one after the other.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from templcrawl.algorithms.page_types.fingerprint import template_fingerprint
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.memory.detectors import ARRIVING
from templcrawl.memory.memory_options import MemoryOptions
from templcrawl.memory.site import SiteMemory
from templcrawl.memory.store import SqliteStore
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation
from tests.memory.invariants import check
from tests.memory.pages import article, listing, prose
from tests.memory.stores import Unreadable, put_state, store_in, stored_state

HOSTS = ("a.example", "b.example", "c.example")
NUMBERS = range(9)

hosts, numbers = st.sampled_from(HOSTS), st.sampled_from(NUMBERS)
same_memory = st.fixed_dictionaries(
    {}, optional={"max_sites": st.integers(1, 3), "fingerprint_split": st.integers(1, 24)}
)
"""Options by which what is kept of a site does not change."""

smaller_memory = st.fixed_dictionaries(
    {},
    optional={
        "detector": st.sampled_from(sorted(ARRIVING)),
        "max_links": st.integers(1, 9),
        "max_pagelets": st.integers(1, 3),
        "max_roles": st.integers(1, 3),
        "max_texts": st.integers(1, 9),
        "max_siblings": st.integers(1, 4),
        "max_sketches": st.integers(1, 3),
        "max_fingerprints": st.integers(1, 3),
        "sample_pages": st.integers(1, 4),
        "sample_salt": st.integers(0, 1),
    },
)


@cache
def page_of(host: str, number: int) -> Page:
    """Return a page: an article, a list, or one that nearly repeats an article."""
    if number in (0, 8):
        text = prose("the same", 200)
        page = article(0, host=host, text=text)
        return page if number == 0 else Page(page.text.replace(text, f"{text} more"), f"https://{host}/copy")
    return article(number, host=host) if number < 5 else listing(number, host=host)


def answers(separation: Separation) -> tuple[Any, ...]:
    """Return what is said of a page, but for its cluster: that is not of its site alone."""
    names = "content_spans exact pages_known leaf_id repeats link_pages".split()
    return tuple(getattr(separation, name) for name in names)


class CrawlStates(RuleBasedStateMachine):
    """A memory over a folder, and its model.

    learned  site -> numbers of the pages that it was shown, and has not lost
    stored   the same, of what is in its file
    alike    site -> a memory that was shown the same pages, and nothing else happened to it
    is_same  whether no option has changed what is kept of a site
    """

    @initialize(detector=st.sampled_from(sorted(ARRIVING)), sites=st.integers(1, 3))
    def begin(self, detector: str, sites: int) -> None:
        self._folder = TemporaryDirectory()
        self._store_of_sites: SqliteStore | None = None
        self.options = {"detector": detector, "max_sites": sites, "link_evidence": True}
        self.learned: dict[str, list[int]] = {}
        self.stored: dict[str, list[int]] = {}
        self.alike: dict[str, SiteMemory] = {}
        self.fingerprints: set[bytes] = set()
        self.stored_fingerprints: set[bytes] = set()
        self.given: list[Separation] = []
        self.is_same = True
        self._open()

    def teardown(self) -> None:
        self._folder.cleanup()

    def _open(self) -> None:
        """Begin a run over what is stored."""
        self.unsaved: set[str] = set()
        self.places: list[str] = []
        self.unreadable = Unreadable()
        if self._store_of_sites is not None:
            self._store_of_sites._file.close()
        self._store_of_sites = store = store_in(Path(self._folder.name))
        self.memory = CrawlMemory(store=store, listener=self.unreadable, **self.options)

    @property
    def _site_options(self) -> MemoryOptions:
        return MemoryOptions(**self.options)

    @rule(visits=st.lists(st.tuples(hosts, numbers), min_size=1, max_size=5))
    def observe(self, visits: list[tuple[str, int]]) -> None:
        for host, number in visits:
            self._observe(host, number)

    def _observe(self, host: str, number: int) -> None:
        page = page_of(host, number)
        known = self.learned.setdefault(host, [])
        found = self.memory.observe(page)
        assert found.pages_known == len(set(known))
        if self.is_same:
            alike = self.alike.setdefault(host, SiteMemory(host, self._site_options))
            assert answers(found) == answers(alike.observe(page))
        known.append(number)
        self.fingerprints.add(template_fingerprint(page.text))
        self.given.append(found)
        self.unsaved.add(host)
        if host in self.places:
            self.places.remove(host)
        elif len(self.places) == self.options["max_sites"]:
            self._store(self.places.pop(0))
        self.places.append(host)

    def _store(self, host: str) -> None:
        if host in self.unsaved:
            self.stored[host] = list(self.learned[host])
        self.unsaved.discard(host)

    @precondition(lambda self: self.given)
    @rule(data=st.data())
    def reclassify(self, data: st.DataObject) -> None:
        earlier = data.draw(st.sampled_from(self.given))
        host = earlier.page.host
        known = self.memory.peek(host, in_store=True)
        before = known and known.snapshot(), list(self.memory), self.memory.changed()
        now = self.memory.reclassify(earlier)
        known = self.memory.peek(host, in_store=True)
        assert (known and known.snapshot(), list(self.memory), self.memory.changed()) == before
        assert now is earlier or now.pages_known == len(set(self.learned[host]))
        if self.is_same and host in self.alike:
            expected = self.alike[host].reclassify(earlier)
            assert (answers(now), now is earlier) == (answers(expected), expected is earlier)

    @precondition(lambda self: self.given)
    @rule(data=st.data())
    def resolve(self, data: st.DataObject) -> None:
        earlier = data.draw(st.sampled_from(self.given))
        now = self.memory.resolve(earlier.cluster_id)
        assert self.memory.resolve(now) == now
        alike = self.alike.get(earlier.page.host)
        if self.is_same and alike is not None:
            types = {row.leaf_id: row.page_type for row in alike.page_types()}
            assert self.memory.resolve(earlier.leaf_id) == types.get(earlier.leaf_id, earlier.leaf_id)

    @rule()
    def save(self) -> None:
        assert self.memory.save() == len(self.unsaved)
        for host in self.places:
            self._store(host)
        self.stored_fingerprints = set(self.fingerprints)
        assert self.memory.changed() == []

    @rule()
    def kill(self) -> None:
        """What was not stored is lost, and nothing else."""
        self.learned = {host: list(pages) for host, pages in self.stored.items()}
        self.fingerprints = set(self.stored_fingerprints)
        if self.is_same:
            self.alike = {host: self._shown(host, pages) for host, pages in self.learned.items()}
        self._open()

    def _shown(self, host: str, pages: list[int]) -> SiteMemory:
        site = SiteMemory(host, self._site_options)
        for number in pages:
            site.observe(page_of(host, number))
        return site

    @rule(changes=same_memory)
    def restart(self, changes: dict[str, Any]) -> None:
        self.save()
        self.options.update(changes)
        self._open()

    @rule(changes=smaller_memory)
    def restart_smaller(self, changes: dict[str, Any]) -> None:
        self.is_same = self.is_same and not changes
        self.restart(changes)

    @precondition(lambda self: self.stored)
    @rule(data=st.data())
    def kill_and_damage(self, data: st.DataObject) -> None:
        """A site whose file is damaged starts anew, and it is said."""
        host = data.draw(st.sampled_from(sorted(self.stored)))
        self._store_of_sites._file.close()
        put_state(Path(self._folder.name), host, _damaged(stored_state(Path(self._folder.name), host)))
        del self.stored[host]
        self.kill()
        assert self.memory.peek(host, in_store=True) is None
        assert [error.source for error in self.unreadable.errors] == [self._store_of_sites._source(host)]

    @invariant()
    def what_is_known_is_what_was_shown(self) -> None:
        check(self.memory)
        assert [site.host for site in self.memory] == self.places
        for site in self.memory:
            assert site.pages == site._leaves.pages == len(set(self.learned[site.host]))
            assert all(page_of(site.host, number) in site for number in self.learned[site.host])
            if self.is_same:
                assert site.snapshot() == self.alike[site.host].snapshot()
        if self.is_same:
            assert sum(self.memory.clusters().values()) == len(self.fingerprints)


def _damaged(state: bytes) -> bytes:
    return state[:-3] + bytes(3) + b"!"


CrawlStates.TestCase.settings = settings(
    deadline=None,
    max_examples=40,
    stateful_step_count=30,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
TestCrawlStates = CrawlStates.TestCase

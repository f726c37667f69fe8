"""Separate single pages by the memory of a crawl, or by a few other pages; look up final labels.

What a crawl has learned is read from its folder, and nothing is written; the crawl may be finished or still
running.  Cost: that of reading the site's memory, or the other pages, and of one page.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from templcrawl.errors import InvalidOption
from templcrawl.memory.labels import TemplateLabels
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.observation import Observation
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.site import SiteMemory, has_labels, learned_with
from templcrawl.memory.snapshot_values import entry, key_of
from templcrawl.memory.store import ALL_SITES, SiteFolder
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation

_MOST_SITES = 1_000
BUDGET = 64 * 2**20


def separate_by_memory(page: Page, job: str, options: MemoryOptions) -> Observation:
    """Separate a page by what a crawl has learned of its site; write nothing.

    job      the JOBDIR of the crawl
    options  how it learned; the detector and the salt are those that it learned with

    Raises InvalidOption for a folder without a memory of the site, InvalidSnapshot for a damaged one.
    """
    store = SiteFolder(Path(job, "templcrawl"))
    snapshot, all_sites = store.load(page.host), store.load(ALL_SITES)
    if snapshot is None:
        raise InvalidOption("memory", job, f"the JOBDIR of a crawl that has seen {page.host}")
    labels = "on" if has_labels(snapshot) else "off"
    options = replace(options, detector=learned_with(snapshot), labels=labels)
    if all_sites is not None:
        options = replace(options, sample_salt=key_of(all_sites, "salt"))
    return SiteMemory.from_snapshot(snapshot, options, host=page.host).observe(page)


class LearnedLabels:
    """The labels of the pages of a crawl, by its saved memory; only the labels of a site are read.

    Memory: the labels of 1,000 sites, at most of so many bytes as the budget has.
    """

    def __init__(self, job: str, *, budget: int = BUDGET) -> None:
        """Take the JOBDIR of a crawl.  Raises InvalidOption for a folder without a memory.

        budget  bytes of labels that are kept at hand, those of the last site besides
        """
        self._store = SiteFolder(Path(job, "templcrawl"))
        if not len(self._store):
            raise InvalidOption("labels", job, "the JOBDIR of a crawl")
        self._sites: LruDict[str, TemplateLabels | None] = LruDict(_MOST_SITES)
        self._free_bytes = budget

    def resolve(self, labels: Iterable[str]) -> dict[str, str | None]:
        """Return label (of a leaf or a template) -> the final label of its template, None where its
        site is not stored.  Raises InvalidSnapshot for a damaged memory.
        """
        answers: dict[str, str | None] = {}
        for label in sorted(labels):
            site = self._site(label.rpartition("#")[0])
            answers[label] = None if site is None else site.resolve(label)
        return answers

    def template_of(self, page: Page) -> str:
        """Return the final label of the template of a page; "" where its site is not stored.

        A page that the crawl has not seen has that of the nearest leaf.  Raises InvalidSnapshot.
        """
        site = self._site(page.host)
        leaf = None if site is None else site.types.find(page.structure)
        return "" if site is None or leaf is None else site.resolve(site.name(leaf))

    def _site(self, host: str) -> TemplateLabels | None:
        """Return the labels of a site, None where it is not stored or its pages were not labelled."""
        if host not in self._sites:
            snapshot = self._store.load(host)
            site = None
            if snapshot is not None and has_labels(snapshot):
                site = TemplateLabels(host)
                site.restore(entry(snapshot, "labels", dict))
            self._evict(0 if site is None else site.nbytes)
            self._sites[host] = site
        return self._sites.touch(host)

    def _evict(self, nbytes: int) -> None:
        """Evict the least recently used sites, until there is room for another."""
        self._free_bytes -= nbytes
        while len(self._sites) and (self._free_bytes < 0 or len(self._sites) == self._sites.limit):
            site = self._sites.pop(self._sites.least_recent())
            self._free_bytes += 0 if site is None else site.nbytes


def separate_by_pages(key: Page, siblings: Sequence[Page], options: MemoryOptions) -> Separation:
    """Separate a page by other pages of its site; without any, all of it is content.

    options  how to compare them; the answer does not depend on a salt that is drawn
    """
    if not siblings:
        tokens = len(key.tokens)
        return Separation(key, ((0, tokens),) if tokens else ())
    memory = SiteMemory(key.host, replace(options, sample_salt=options.sample_salt or 0))
    for other in siblings:
        memory.observe(other)
    return memory.observe(key).separation

"""What a finished crawl has learned, asked again: one page separated by it, or by a few other pages; labels.

What a crawl has learned is read from its folder, and nothing is written; the crawl may be finished or still
running.  Cost: that of reading the site's memory, or the other pages, and of one page.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from templcrawl.errors import InvalidOption
from templcrawl.memory.entries import Plain, key_of
from templcrawl.memory.observation import Observation
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.site import SiteMemory, learned_with
from templcrawl.memory.site_store import ALL_SITES
from templcrawl.memory.snapshots import Frozen
from templcrawl.memory.store import FolderStore
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation


class _ReadOnlyFolder(FolderStore):
    """A folder of site memories that is only read: what a running crawl is writing stays as it is."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(self, host: str, snapshot: Plain | Frozen | bytes) -> None:
        """Write nothing."""


def separate_by_memory(page: Page, job: str, options: MemoryOptions) -> Observation:
    """Separate a page by what a crawl has learned of its site; nothing is written.

    job      the JOBDIR of the crawl
    options  how it learned; the detector and the salt are those that it learned with

    Raises InvalidOption for a folder without a memory of the site, InvalidSnapshot for a damaged one.
    """
    store = _ReadOnlyFolder(Path(job, "templcrawl"))
    snapshot, of_all_sites = store.load(page.host), store.load(ALL_SITES)
    if snapshot is None:
        raise InvalidOption("memory", job, f"the JOBDIR of a crawl that has seen {page.host}")
    options = replace(options, detector=learned_with(snapshot))
    if of_all_sites is not None:
        options = replace(options, sample_salt=key_of(of_all_sites, "salt"))
    return SiteMemory.from_snapshot(snapshot, options, host=page.host).observe(page)


def labels_now(labels: Iterable[str], job: str, options: MemoryOptions) -> dict[str, str | None]:
    """Return label that a crawl has given (of a leaf or a template) -> its template by the last word.

    labels   ``host#...``
    job      the JOBDIR of the crawl; of a label whose site is not known there the answer is None
    options  how it learned; the detector is that which it learned with

    Raises InvalidOption for a folder without a memory, InvalidSnapshot for a damaged one.
    """
    store = _ReadOnlyFolder(Path(job, "templcrawl"))
    if not len(store):
        raise InvalidOption("labels", job, "the JOBDIR of a crawl")
    of_host: dict[str, list[str]] = {}
    for label in labels:
        of_host.setdefault(label.rpartition("#")[0], []).append(label)
    now: dict[str, str | None] = {}
    for host, given in of_host.items():
        snapshot = store.load(host)
        if snapshot is None:
            now.update(dict.fromkeys(given))
            continue
        known = replace(options, detector=learned_with(snapshot))
        site = SiteMemory.from_snapshot(snapshot, known, host=host)
        now.update({label: site.resolve(label) for label in given})
    return now


def separate_by_pages(key: Page, others: Sequence[Page], options: MemoryOptions) -> Separation:
    """Separate a page by other pages of its site; without any, all of it is content.

    options  how to compare them; the answer does not depend on a salt that is drawn
    """
    if not others:
        tokens = len(key.tokens)
        return Separation(key, ((0, tokens),) if tokens else ())
    memory = SiteMemory(key.host, replace(options, sample_salt=options.sample_salt or 0))
    for other in others:
        memory.observe(other)
    return memory.observe(key).separation

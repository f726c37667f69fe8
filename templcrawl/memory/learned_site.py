"""Separate single pages by the memory of a crawl, or by a few other pages; read its page types.

What a crawl has learned is read from its JOBDIR, and nothing is written; the crawl may be finished or still
running.  Cost: that of reading the site's memory, or the other pages, and of one page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from templcrawl.errors import InvalidOption
from templcrawl.memory.clusters import AcrossSites
from templcrawl.memory.observation import Observation
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.page_types import TypedLeaf
from templcrawl.memory.site import SiteMemory, learned_with
from templcrawl.memory.store import ALL_SITES, saved_snapshots
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation, whole
from templcrawl.state_file import JOB_FILE


def separate_by_memory(page: Page, job: str, options: MemoryOptions) -> Observation:
    """Separate a page by what a crawl has learned of its site; write nothing.

    job      the JOBDIR of the crawl
    options  how it learned; the detector and the salt are those that it learned with

    Raises InvalidOption for a folder without a memory of the site, InvalidSnapshot for a damaged one.
    """
    found = dict(saved_snapshots(Path(job, JOB_FILE), page.host, ALL_SITES))
    snapshot, all_sites = found.get(page.host), found.get(ALL_SITES)
    if snapshot is None:
        raise InvalidOption("memory", job, f"the JOBDIR of a crawl that has seen {page.host}")
    options = replace(options, detector=learned_with(snapshot))
    if all_sites is not None:
        options = replace(options, sample_salt=AcrossSites.of(all_sites).salt)
    return SiteMemory.from_snapshot(snapshot, options, host=page.host).observe(page)


def learned_page_types(job: str) -> Iterator[TypedLeaf]:
    """Yield the page type of each leaf that a crawl has met, by its saved memory.

    job  the JOBDIR of the crawl

    Raises InvalidOption for a folder without a memory, InvalidSnapshot for a damaged one.
    """
    is_empty = True
    for _, snapshot in saved_snapshots(Path(job, JOB_FILE)):
        is_empty = False
        if "learned_with" in snapshot:
            page_kinds = bool(snapshot.section("kinds"))
            options = MemoryOptions(detector=learned_with(snapshot), page_kinds=page_kinds)
            yield from SiteMemory.from_snapshot(snapshot, options).page_types()
    if is_empty:
        raise InvalidOption("memory", job, "the JOBDIR of a crawl")


def separate_by_pages(key: Page, siblings: Sequence[Page], options: MemoryOptions) -> Separation:
    """Separate a page by other pages of its site; without any, all of it is content.

    options  how to compare them; the answer does not depend on a salt that is drawn
    """
    if not siblings:
        return Separation(key, whole(key.tokens))
    memory = SiteMemory(key.host, replace(options, sample_salt=options.sample_salt or 0))
    for other in siblings:
        memory.observe(other)
    return memory.observe(key).separation

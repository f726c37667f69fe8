"""Page types of saved sites: learned as a crawl would learn them, page after page, and how good they are.

A link counts that leads from one page of the site to another; a page is reached by the anchors of the pages
that were learned before it.  Pages are told apart by their numbers: a folder does not say under which other
addresses the site answered.  Pages without a type are read and learned from, but not scored.

Imported by ``lab.papers``, not run.  Cost: to read a site O(links); each page is parsed once.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np
from rich.table import Table

from lab.bench.measures import score_clusters
from lab.bench.saved_sites import ReadSite, read_sites
from lab.bench.tables import table_of
from templcrawl.memory.key_tables import NumberList, append_latest
from templcrawl.memory.leaves import Leaves
from templcrawl.page.arrays import Keys


class PageEvidence(NamedTuple):
    """What page types are learned from, of one page.

    structure  its features
    url        its address
    links      (number of the page that a link leads to, path of its anchor)
    """

    structure: Keys
    url: str = ""
    links: Sequence[tuple[int, int]] = ()


def evidence_of(site: ReadSite) -> list[PageEvidence]:
    """Return what page types are learned from, of each page of a site."""
    number_of = {site.find(page.url): number for number, page in enumerate(site.pages)}
    number_of.pop(None, None)
    pages = []
    for page in site.pages:
        targets = [number_of.get(site.find(url)) for url in page.links.urls]
        links = [
            (target, path)
            for target, path in zip(targets, page.links.anchor_paths.tolist())
            if target is not None
        ]
        pages.append(PageEvidence(page.structure, page.url, links))
    return pages


class Learner:
    """Learns the page types of a site.

    leaves  what is learned
    """

    def __init__(self, pages: Sequence[PageEvidence]) -> None:
        self.leaves = Leaves()
        self._pages = pages
        self._anchors: dict[int, NumberList] = {}  # page -> the latest paths of the anchors that led to it

    def observe(self, page: int) -> int:
        """Take note of a page; return its leaf."""
        told = self._pages[page]
        anchors = np.array(self._anchors.get(page, ()), dtype=np.uint64)
        place = self.leaves.learn(told.structure, anchors=anchors, address=told.url)
        for target, path in told.links:
            self._anchors[target] = append_latest(self._anchors.get(target, ()), path)
        return place.leaf

    def types_of(self, leaves: Sequence[int]) -> list[int]:
        """Return the page type of each leaf, by all pages so far."""
        counts = self.leaves.counted()
        type_of = {counts.keys[row]: number for number, rows in enumerate(counts.groups()) for row in rows}
        return [type_of[counts.into[self.leaves.keys[leaf]]] for leaf in leaves]


class TypedSite(NamedTuple):
    """The pages of a site in the order of the crawl, and the type of each, None where it is not scored.

    group  which collection it is of
    """

    name: str
    group: str
    pages: Sequence[PageEvidence]
    types: Sequence[str | None]


def read_typed_sites(folder: Path, limit: int) -> list[TypedSite]:
    """Return the sites of a folder that have two page types or more, with their first pages."""
    return [
        TypedSite(site.name, site.group, evidence_of(site), site.types)
        for site in read_sites(folder, limit)
        if len(set(site.types) - {None}) > 1
    ]


class Quality(NamedTuple):
    """Scores of page types, and the purity of leaves."""

    ari: float
    purity: float
    leaf_purity: float


def learn(site: TypedSite) -> Quality:
    """Learn the pages of a site; return how good the page types are that are made at the end."""
    learner = Learner(site.pages)
    leaves = [learner.observe(page) for page in range(len(site.pages))]
    quality = quality_of(learner.types_of(leaves), map(learner.leaves.current, leaves), site.types)
    assert quality is not None, "a typed site has types"
    return quality


def quality_of(
    page_types: Iterable[Hashable], leaves: Iterable[Hashable], types: Iterable[str | None]
) -> Quality | None:
    """Compare the page types that were found, and the leaves, with the types of pages; None without any.

    >>> quality_of([0, 0, 0, 1], [0, 2, 3, 1], ["list", "list", "note", None])
    Quality(ari=0.0, purity=0.6666666666666666, leaf_purity=1.0)
    """
    scored = [row for row in zip(page_types, leaves, types) if row[2] is not None]
    if not scored:
        return None
    by_type, by_leaf, truth = zip(*scored)
    types_score = score_clusters(by_type, truth)
    return Quality(types_score.ari, types_score.purity, score_clusters(by_leaf, truth).purity)


QualityOf = Mapping[str, tuple[str, Quality]]
"""Site -> its group, and how good its page types are at the end."""


def quality_table(by_setting: Mapping[str, QualityOf]) -> Table:
    """Return ARI / purity of each site, then the means over all and over each group, by each setting."""
    sites = next(iter(by_setting.values()))
    heads = ("site", "group", *(f"{setting} leaf".strip() for setting in by_setting))
    rows = [
        (site, group, *_cells(qualities[site][1] for qualities in by_setting.values()))
        for site, (group, _) in sites.items()
    ]
    for group in ("", *dict.fromkeys(group for group, _ in sites.values())):
        parts = [
            [quality for of, quality in qualities.values() if group in ("", of)]
            for qualities in by_setting.values()
        ]
        means = (Quality(*map(fmean, zip(*part))) for part in parts)
        rows.append((f"mean of {len(parts[0])}", group or "all", *_cells(means)))
    return table_of("Page types at the end of the crawl, ARI / purity", heads, rows, left=2)


def _cells(qualities: Iterable[Quality]) -> list[str]:
    return [f"{quality.ari:.3f} / {quality.purity:.3f}" for quality in qualities]

"""The clusters of one site: its page types, each with a typical page and the tag path that tells it.

A page type has the label of its template, the one that ``scrapy strip`` and ``scrapy report`` give its pages.
Pages whose crawl has given them a template are of that one.

Cost: a page O(1), whatever the number of pages: a few milliseconds, most of it for reading its tags.
Memory: bounded, at most some ten MB a site; of a cluster's pages only a sample of three a leaf is
kept, by their tag paths, drawn by the smallest hashes of URLs.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from templcrawl.algorithms.page_types.tag_paths import PathChoice, PathCounts, tag_paths
from templcrawl.memory.labels import TemplateLabels
from templcrawl.page.page import Page

_SAMPLED = 3
_MAX_FINGERPRINTS = 64
_MERGE_AT = 512


@dataclass(frozen=True)
class Cluster:
    """Pages of a site that were made by one template.

    id            label of its template, which no other site has
    number        on its site, from 1, the largest first
    example       URL of its most typical page
    path          the tag path that tells it from the site's other pages, None where there is none
    fingerprints  fingerprint -> pages of the cluster; at most 64 fingerprints a leaf are told apart
    classes       class -> pages of the cluster, None: of no class; empty without a classifier
    leaves        what ``observe`` has answered for its pages
    """

    id: str
    host: str
    number: int
    pages: int
    share: float
    example: str
    path: PathChoice | None
    fingerprints: Counter[bytes]
    classes: Counter[str | None]
    leaves: frozenset[int]


@dataclass
class _Leaf:
    """What is kept of a leaf of the page types.

    sample  (key, URL, tag paths) of the pages with the smallest keys
    """

    pages: int = 0
    sample: list[tuple[int, str, tuple[str, ...]]] = field(default_factory=list)
    fingerprints: Counter[bytes] = field(default_factory=Counter)
    classes: Counter[str | None] = field(default_factory=Counter)

    def join(self, other: _Leaf) -> None:
        """Take in another leaf."""
        self.pages += other.pages
        self.sample = sorted(self.sample + other.sample)
        self.fingerprints.update(other.fingerprints)
        self.classes.update(other.classes)

    def shrink(self) -> None:
        """Keep what a leaf may keep."""
        del self.sample[_SAMPLED:]
        self.fingerprints = Counter(dict(self.fingerprints.most_common(_MAX_FINGERPRINTS)))


class SiteClusters:
    """The clusters of one site, online.

    _given  label of a template that pages were given -> what stands for a leaf of it, below 0
    """

    def __init__(self, host: str) -> None:
        self.host = host
        self._labels = TemplateLabels(host)
        self._counts = PathCounts()
        self._leaves: dict[int, _Leaf] = {}
        self._given: dict[str, int] = {}

    def observe(self, page: Page, fingerprint: bytes, classes: Iterable[str | None] = ()) -> int:
        """Take note of a page and its class, if there is a classifier; return its leaf."""
        number = self._labels.label(page, learn=True).leaf
        if page.given_template:
            number = self._given.setdefault(page.given_template, -1 - len(self._given))
        paths = self._counts.add(number, tag_paths(page.tokens, page.elements))
        leaf = self._leaves.setdefault(number, _Leaf())
        leaf.pages += 1
        insort(leaf.sample, (page.key, page.url, paths))
        del leaf.sample[_SAMPLED:]
        if fingerprint in leaf.fingerprints or len(leaf.fingerprints) < _MAX_FINGERPRINTS:
            leaf.fingerprints[fingerprint] += 1
        leaf.classes.update(classes)
        if len(self._leaves) >= _MERGE_AT:
            self._counts.merge(self._current)
            self._leaves = _joined(self._leaves, self._current)
            for leaf in self._leaves.values():
                leaf.shrink()
        return number

    def _label_of_leaves(self) -> dict[int, str]:
        """Return every answer of ``observe`` -> the label of its template."""
        labels, given = self._labels, {leaf: label for label, leaf in self._given.items()}
        return {**{leaf: labels.resolve(labels.name(leaf)) for leaf in labels.types.templates()}, **given}

    def _current(self, leaf: int) -> int:
        return leaf if leaf < 0 else self._labels.types.current(leaf)

    def clusters(self) -> list[Cluster]:
        """Return the clusters as they now are, the largest first."""
        label_of = self._label_of_leaves()
        names = list(dict.fromkeys(label_of.values()))
        template_of = {leaf: names.index(label) for leaf, label in label_of.items()}
        templates = _joined(self._leaves, template_of.__getitem__)
        paths = self._counts.best(template_of)
        samples = {
            number: [page_paths for _, _, page_paths in group.sample] for number, group in templates.items()
        }
        typical = self._counts.most_typical(template_of, samples)
        total = sum(group.pages for group in templates.values())
        return [
            Cluster(
                id=names[number],
                host=self.host,
                number=ordinal,
                pages=group.pages,
                share=group.pages / total,
                example=group.sample[typical[number]][1],
                path=paths[number],
                fingerprints=group.fingerprints,
                classes=group.classes,
                leaves=frozenset(leaf for leaf, template in template_of.items() if template == number),
            )
            for ordinal, (number, group) in enumerate(
                sorted(templates.items(), key=lambda item: (-item[1].pages, item[0])), start=1
            )
        ]


def _joined(leaves: Mapping[int, _Leaf], into: Callable[[int], int]) -> dict[int, _Leaf]:
    """Return what leaves become when some of them are one."""
    joined: dict[int, _Leaf] = {}
    for number, leaf in leaves.items():
        joined.setdefault(into(number), _Leaf()).join(leaf)
    return joined

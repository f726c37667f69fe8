"""Collect the figures of a report: sums of all sites, details of some, and a list of pages.

Sums (:class:`Tally`) are kept of each site, details (:class:`SiteFigures`) of the largest ones, and a random
choice of the pages is listed.

Cost: O(length of the page) a page; of n pages of a leaf some 5 log n are compressed.  Memory: 5 MB for the
sums, 14 MB for the list, at most 1.5 MB for a site: 600 KB of sampled pages, 512 leaves, 350 KB of texts.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import astuple, dataclass, field
from typing import NamedTuple

import numpy as np

from templcrawl.memory.leaf_sample import LeafSample
from templcrawl.memory.observation import Observation
from templcrawl.outputs.report.place_names import RepeatedTexts
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation, labelled_spans
from templcrawl.page.text import pack_text, unpack_text
from templcrawl.page.tokens import Limits

MAX_SITES = 10_000
MAX_DETAILED = 64
MAX_LISTED = 10_000
MAX_LEAVES = 512
MAX_OF_LEAF = 5
MAX_SAMPLED = 32
MAX_BYTES = 512 * 2**10
MAX_OF_PAGE = 96 * 2**10
MAX_CHARACTERS = 1_000_000
MAX_POINTS = 100
_LONGEST_URL = 500

OTHERS = "(others)"


def template_share(content: int, whole: int) -> float:
    """Return the share of a text that is template, 0 where there is no text.

    content, whole  characters that are content, and all of them

    >>> template_share(30, 120)
    0.75
    """
    return (whole - content) / whole if whole else 0.0


@dataclass
class Tally:
    """Sums over pages.

    pages            how many; one that was read twice counts twice
    content, whole   characters of their visible text that are content, and all of them
    shares           share of the text that is template, of each page
    template_links   links that sit in template pagelets
    near_duplicates  pages whose content repeats an earlier page of their site
    truncated        pages that were read or compared in part
    """

    pages: int = 0
    content: int = 0
    whole: int = 0
    shares: float = 0.0
    template_links: int = 0
    links: int = 0
    near_duplicates: int = 0
    truncated: int = 0

    def count_page(self, observation: Observation) -> None:
        """Count a page."""
        content, whole = observation.text_lengths
        self.pages += 1
        self.content += content
        self.whole += whole
        self.shares += template_share(content, whole)
        self.template_links += sum(map(bool, observation.link_pages))
        self.links += len(observation.link_pages)
        self.near_duplicates += observation.near_duplicate
        self.truncated += bool(observation.truncated)

    def __add__(self, other: Tally) -> Tally:
        return Tally(*map(sum, zip(astuple(self), astuple(other))))

    @property
    def template_share(self) -> float:
        """Share of the text that is template."""
        return template_share(self.content, self.whole)

    @property
    def mean_share(self) -> float:
        """Share of the text that is template, of a page on average."""
        return self.shares / self.pages if self.pages else 0.0

    @property
    def link_share(self) -> float:
        """Share of the links that sit in template pagelets, 0 where there are no links."""
        return self.template_links / self.links if self.links else 0.0


class ListedPage(NamedTuple):
    """A page as it was judged when it was seen.

    content, whole  characters of its text that are content, and all of them
    """

    url: str
    host: str
    leaf_id: str
    content: int
    whole: int

    @property
    def share(self) -> float:
        """Share of its text that is template."""
        return template_share(self.content, self.whole)


@dataclass(frozen=True)
class FiguresPage:
    """A page as it was seen, and as it was judged then.

    key   64-bit key of its URL
    body  its text, compressed
    mask  token -> 1 if it was judged content, compressed
    """

    key: int
    url: str
    leaf_id: str
    body: bytes
    mask: bytes
    limits: Limits

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return len(self.body) + len(self.mask) + len(self.url)

    def observation(self) -> Observation:
        """Return the observation of the page as it was judged when it was seen."""
        page = Page(unpack_text(self.body), self.url, self.limits)
        spans = labelled_spans(page.tokens, np.frombuffer(zlib.decompress(self.mask), dtype=bool))
        return Observation(Separation(page, spans), leaf_id=self.leaf_id)


class LearningCurve:
    """The learning curve of a site, of at most ``most`` points, an even number.

    It is the share of the text of all pages so far that was judged template, by pages seen.  It ends at the
    share of the whole site.  The share of each page alone would only tell apart the kinds of pages that a
    crawl gets to (a short page is nearly all menu).  It has a point after every page.  When there are
    ``most`` and one more is needed, every second one goes, and from then on a point stands for twice as many
    pages.

    >>> curve = LearningCurve(most=2)
    >>> for content in (100, 60, 40, 20, 20):
    ...     curve.count_page(content, 100)
    >>> curve.points()
    [(4, 0.45), (5, 0.52)]

    width  pages from one point to the next
    """

    def __init__(self, *, most: int = MAX_POINTS) -> None:
        self.width = 1
        self._most = most
        self._sums: list[tuple[int, int, int]] = []

    def count_page(self, content: int, whole: int) -> None:
        """Count a page by the characters of its text."""
        pages, content_before, whole_before = self._sums[-1] if self._sums else (0, 0, 0)
        if pages == self._most * self.width:
            self._sums = self._sums[1::2]
            self.width *= 2
        if pages % self.width:
            self._sums.pop()  # the last point goes on until it stands for as many pages as the others
        self._sums.append((pages + 1, content_before + content, whole_before + whole))

    def points(self) -> list[tuple[int, float]]:
        """Return pages seen, and the share of their text, from the first page on that has text."""
        return [(pages, template_share(content, whole)) for pages, content, whole in self._sums if whole]


@dataclass
class Group:
    """Pages of a leaf, or of a page type.

    example  address of the first of them
    kinds    kind -> pages of it, where kinds are told
    """

    example: str
    tally: Tally = field(default_factory=Tally)
    kinds: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Group) -> Group:
        larger = max(self, other, key=lambda group: group.tally.pages)
        return Group(larger.example, self.tally + other.tally, self.kinds + other.kinds)


class SiteFigures:
    """The figures of a site.

    A page is counted under its leaf, which it keeps for ever; which leaves are one page type is asked at the
    end.  When there are more than 512 leaves, the smaller half becomes one.  Five pages of a leaf are sampled
    whole, compressed, those with the smallest hashes; 32 pages and 512 KB of a site.  Where these do not
    suffice, the leaf with the fewest pages so far loses its sample.

    curve  how much of its text was template so far, by pages seen
    texts  how many of its pages kept each text, and how many removed it
    """

    def __init__(self) -> None:
        self.curve = LearningCurve()
        self.texts = RepeatedTexts()
        self._leaves: dict[str, Group] = {}
        self._sampled: dict[str, LeafSample[FiguresPage]] = {}

    def count_page(self, observation: Observation) -> None:
        """Count a page."""
        self.curve.count_page(*observation.text_lengths)
        self.texts.count_page(observation)
        group = self._leaves.get(observation.leaf_id)
        if group is None:
            if len(self._leaves) >= MAX_LEAVES:
                by_size = sorted(self._leaves, key=lambda leaf: -self._leaves[leaf].tally.pages)
                large = frozenset(by_size[: MAX_LEAVES // 2]) - {OTHERS}
                self._leaves = self._joined(lambda leaf: leaf if leaf in large else OTHERS)
            group = self._leaves[observation.leaf_id] = Group(observation.page.url[:_LONGEST_URL])
        group.tally.count_page(observation)
        if observation.page_kind is not None:
            group.kinds[observation.page_kind] += 1
        self._sample(observation)

    def sample(self) -> list[FiguresPage]:
        """Return the sampled pages, those of a leaf one after the other."""
        return [page for pages in self._sampled.values() for page in pages]

    def _sample(self, observation: Observation) -> None:
        page, leaf = observation.page, observation.leaf_id
        pages = self._sampled.get(leaf) or LeafSample(MAX_OF_LEAF)
        if not pages.takes(page.key) or len(page.text) > MAX_CHARACTERS:
            return
        body, mask = pack_text(page.text), zlib.compress(observation.separation.content_mask)
        drawn = FiguresPage(page.key, page.url, leaf, body, mask, page.limits)
        if drawn.size > MAX_OF_PAGE:
            return
        pages.store(page.key, drawn)
        self._sampled[leaf] = pages
        while len(sizes := [page.size for page in self.sample()]) > MAX_SAMPLED or sum(sizes) > MAX_BYTES:
            pages_of = {leaf: group.tally.pages for leaf, group in self._leaves.items()}
            # of leaves of one size, the one that came last; those that have become one are small
            del self._sampled[min(reversed(self._sampled), key=lambda leaf: pages_of.get(leaf, 0))]

    def page_types(self, type_of: Callable[[str], str]) -> dict[str, Group]:
        """Return page type -> its pages, the largest first.

        type_of  leaf -> its page type
        """
        groups = self._joined(lambda leaf: leaf if leaf == OTHERS else type_of(leaf))
        return dict(sorted(groups.items(), key=lambda item: (-item[1].tally.pages, item[0])))

    def _joined(self, name: Callable[[str], str]) -> dict[str, Group]:
        joined: dict[str, Group] = {}
        for leaf, group in self._leaves.items():
            key = name(leaf)
            joined[key] = joined[key] + group if key in joined else group
        return joined


class CrawlFigures:
    """The figures of a crawl.

    Sums are kept of 10,000 sites.  When there are more, the smaller half becomes part of the rest, of which
    only the sum is known (a site that comes back from there counts as another one).  Details are kept of 64
    sites: a site gets them while there is room, or when it has more pages than the smallest one that has
    them, which then loses them.  Of the pages, 10,000 are listed, those with the smallest hashes of their
    addresses, which is a random choice.  A page that was read twice is listed once, as it was judged the
    second time.

    rest        sums of the pages of sites that are no longer distinguished;  rest_sites  how many those are
    details     host -> its figures, of some of the largest sites
    """

    def __init__(
        self, *, sites: int = MAX_SITES, detailed: int = MAX_DETAILED, listed: int = MAX_LISTED
    ) -> None:
        self.total = Tally()
        self.rest = Tally()
        self.rest_sites = 0
        self.details: dict[str, SiteFigures] = {}
        self._most_sites, self._most_detailed, self._most_listed = sites, detailed, listed
        self._tallies: dict[str, Tally] = {}
        self._listed: dict[int, ListedPage] = {}
        self._largest_key = 1 << 64

    def count_page(self, observation: Observation) -> None:
        """Count a page."""
        page, lengths = observation.page, observation.text_lengths
        tally = self._tallies.get(page.host)
        if tally is None:
            if len(self._tallies) >= self._most_sites:
                for host in list(self.sites())[self._most_sites // 2 :]:
                    self.rest += self._tallies.pop(host)
                    self.rest_sites += 1
                    self.details.pop(host, None)
            tally = self._tallies[page.host] = Tally()
        self.total.count_page(observation)
        tally.count_page(observation)
        if page.key <= self._largest_key:
            row = ListedPage(page.url[:_LONGEST_URL], page.host, observation.leaf_id, *lengths)
            self._listed[page.key] = row
            if len(self._listed) > 2 * self._most_listed:
                self._forget_pages()
        if page.host not in self.details and len(self.details) >= self._most_detailed:
            smallest = min(self.details, key=lambda host: self._tallies[host].pages)
            if self._tallies[smallest].pages >= tally.pages:
                return
            del self.details[smallest]
        self.details.setdefault(page.host, SiteFigures()).count_page(observation)

    def sites(self) -> dict[str, Tally]:
        """Return host -> its sums, the largest site first."""
        return dict(sorted(self._tallies.items(), key=lambda item: (-item[1].pages, item[0])))

    def pages(self) -> list[ListedPage]:
        """Return the listed pages, by their addresses."""
        self._forget_pages()
        return sorted(self._listed.values())

    def _forget_pages(self) -> None:
        if len(self._listed) > self._most_listed:
            keys = sorted(self._listed)[: self._most_listed]
            self._largest_key = keys[-1]
            self._listed = {key: self._listed[key] for key in keys}

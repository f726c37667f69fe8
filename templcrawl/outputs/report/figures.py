"""The figures of a report, collected page by page: sums of a crawl and of each site, details of some sites.

Sums are kept of 10,000 sites; when there are more, the smaller half becomes part of the rest, of which only
the sum is known (a site that comes back from there counts as another one).  Details are kept of 64 sites: a
site gets them while there is room, or when it has more pages than the smallest one that has them, which then
loses them.

Cost: O(length of the page) a page.  Memory: at most some 100 MB for the details, 5 MB for the sums,
14 MB for the list of pages.

*One site*: sums, its templates, its learning curve, and what is kept of single pages
(:mod:`templcrawl.outputs.report.kept_pages`).  A page is counted under its leaf, which it keeps for ever;
which leaves are one template is asked at the end. One whose crawl has given it a template is counted under
that. There may be 512 leaves; when there are more, those of one template, as known then, become one, and
where these are more than 256, the smaller templates are no longer distinguished.  Memory: at most some 1.5
MB: 600 KB of sampled pages, 512 leaves, 1,024 texts.

*The learning curve*: how much of the text of all pages so far was judged template, by how many pages of a
site had been seen.  It ends at the share of the whole site.  The share of each page alone would only tell
apart the kinds of pages that a crawl gets to (a short page is nearly all menu): what is template is mostly
known after a few pages.  It has a point after every page.  When there are 100 and one more is needed, every
second one goes, and from then on a point stands for twice as many pages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import astuple, dataclass, field
from typing import NamedTuple

from templcrawl.memory.observation import Observation
from templcrawl.outputs.report.kept_pages import LONGEST_URL, ListedPages, RepeatedTexts, SampledPages


def template_share(observation: Observation) -> float:
    """Return the share of a page's text that is template, 0 where there is no text."""
    content, whole = observation.text_lengths
    return (whole - content) / whole if whole else 0.0


@dataclass
class Tally:
    """Sums over pages.

    pages            how many; one that was read twice counts twice
    content, whole      characters of their visible text that are content, and all of them
    shares           share of the text that is template, of each page
    template_links   links that sit in template pagelets
    links            all links
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

    def update(self, observation: Observation) -> None:
        """Count a page."""
        content, whole = observation.text_lengths
        self.pages += 1
        self.content += content
        self.whole += whole
        self.shares += template_share(observation)
        self.template_links += sum(map(bool, observation.link_pages))
        self.links += len(observation.link_pages)
        self.near_duplicates += observation.near_duplicate is not None
        self.truncated += bool(observation.truncated)

    def __add__(self, other: Tally) -> Tally:
        return Tally(*map(sum, zip(astuple(self), astuple(other))))

    @property
    def template_share(self) -> float:
        """Share of the text that is template, 0 where there is no text.

        >>> Tally(pages=2, content=30, whole=120).template_share
        0.75
        """
        return (self.whole - self.content) / self.whole if self.whole else 0.0

    @property
    def mean_share(self) -> float:
        """Share of the text that is template, of a page on average."""
        return self.shares / self.pages if self.pages else 0.0

    @property
    def link_share(self) -> float:
        """Share of the links that sit in template pagelets, 0 where there are no links."""
        return self.template_links / self.links if self.links else 0.0


MOST_BUCKETS = 100


class CurvePoint(NamedTuple):
    """A point of the curve.

    pages  how many were seen
    share  of the text of all of them that was judged template
    """

    pages: int
    share: float


class LearningCurve:
    """The learning curve of a site.

    >>> curve = LearningCurve(most=2)
    >>> for content in (100, 60, 40, 20, 20):
    ...     curve.update(content, 100)
    >>> curve.points()
    [CurvePoint(pages=4, share=0.45), CurvePoint(pages=5, share=0.52)]

    width  pages from one point to the next
    """

    def __init__(self, *, most: int = MOST_BUCKETS) -> None:
        """Make an empty curve of at most ``most`` points, an even number."""
        self.width = 1
        self._most = most
        self._sums: list[tuple[int, int, int]] = []

    def update(self, content: int, whole: int) -> None:
        """Count a page.

        content  characters of its text that were judged content
        whole    all of them
        """
        pages, content_before, whole_before = self._sums[-1] if self._sums else (0, 0, 0)
        if pages == self._most * self.width:
            self._sums = self._sums[1::2]
            self.width *= 2
        if pages % self.width:
            self._sums.pop()  # the last point goes on until it stands for as many pages as the others
        self._sums.append((pages + 1, content_before + content, whole_before + whole))

    def points(self) -> list[CurvePoint]:
        """Return the curve, from the first point on with which there is text."""
        return [CurvePoint(pages, (whole - content) / whole) for pages, content, whole in self._sums if whole]


MOST_LEAVES = 512
OTHERS = "(others)"


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

    curve   how much of its text was template so far, by pages seen
    sample  some of its pages
    texts   how many of its pages kept each text, and how many removed it
    """

    def __init__(self) -> None:
        self.texts = RepeatedTexts()
        self.curve = LearningCurve()
        self.sample = SampledPages()
        self._leaves: dict[str, Group] = {}

    def update(self, observation: Observation) -> None:
        """Count a page."""
        self.curve.update(*observation.text_lengths)
        self.sample.update(observation)
        self.texts.update(observation)
        group = self._leaves.get(observation.leaf_id)
        if group is None:
            if len(self._leaves) >= MOST_LEAVES:
                self._make_room()
            group = self._leaves[observation.leaf_id] = Group(observation.page.url[:LONGEST_URL])
        group.tally.update(observation)
        if observation.page_kind is not None:
            group.kinds[observation.page_kind] += 1

    def page_types(self, type_of: Callable[[str], str]) -> dict[str, Group]:
        """Return page type -> its pages, the largest first.

        type_of  leaf -> its page type
        """
        groups = self._joined(lambda leaf: leaf if leaf == OTHERS else type_of(leaf))
        return dict(sorted(groups.items(), key=lambda item: (-item[1].tally.pages, item[0])))

    def _make_room(self) -> None:
        """Let the smaller half of the leaves become one."""
        by_size = sorted(self._leaves, key=lambda leaf: -self._leaves[leaf].tally.pages)
        large = frozenset(by_size[: MOST_LEAVES // 2]) - {OTHERS}
        self._leaves = self._joined(lambda leaf: leaf if leaf in large else OTHERS)

    def _joined(self, name: Callable[[str], str]) -> dict[str, Group]:
        joined: dict[str, Group] = {}
        for leaf, group in self._leaves.items():
            key = name(leaf)
            joined[key] = joined[key] + group if key in joined else group
        return joined


MOST_SITES = 10_000
MOST_DETAILED = 64


class CrawlFigures:
    """The figures of a crawl.

    total       sums of all pages
    rest        sums of the pages of sites that are no longer distinguished
    rest_sites  how many those are
    pages       the pages that are listed
    """

    def __init__(self, *, most_sites: int = MOST_SITES, most_detailed: int = MOST_DETAILED) -> None:
        self.total = Tally()
        self.rest = Tally()
        self.pages = ListedPages()
        self.rest_sites = 0
        self._most_sites = most_sites
        self._most_detailed = most_detailed
        self._tallies: dict[str, Tally] = {}
        self._details: dict[str, SiteFigures] = {}

    def update(self, observation: Observation) -> None:
        """Count a page."""
        host = observation.page.host
        tally = self._tallies.get(host)
        if tally is None:
            if len(self._tallies) >= self._most_sites:
                self._make_room()
            tally = self._tallies[host] = Tally()
        self.total.update(observation)
        self.pages.update(observation)
        tally.update(observation)
        details = self._details_of(host)
        if details is not None:
            details.update(observation)

    def sites(self) -> dict[str, Tally]:
        """Return host -> its sums, the largest site first."""
        return dict(sorted(self._tallies.items(), key=lambda item: (-item[1].pages, item[0])))

    def details(self, host: str) -> SiteFigures | None:
        """Return the details of a site, None where there are none."""
        return self._details.get(host)

    def _details_of(self, host: str) -> SiteFigures | None:
        """Return the details of a site that has a page more; None if it does not deserve any."""
        details = self._details.get(host)
        if details is None:
            if len(self._details) >= self._most_detailed:
                smallest = min(self._details, key=lambda site: self._tallies[site].pages)
                if self._tallies[smallest].pages >= self._tallies[host].pages:
                    return None
                del self._details[smallest]
            details = self._details[host] = SiteFigures()
        return details

    def _make_room(self) -> None:
        """Let the smaller half of the sites become part of the rest."""
        for host, tally in list(self.sites().items())[self._most_sites // 2 :]:
            self.rest += tally
            self.rest_sites += 1
            del self._tallies[host]
            self._details.pop(host, None)

"""The figures of a report, collected page by page: sums of a crawl and of each site, details of some sites.

Sums are kept of 10,000 sites; when there are more, the smaller half becomes part of the rest, of which only
the sum is known (a site that comes back from there counts as another one).  Details are kept of 64 sites: a
site gets them while there is room, or when it has more pages than the smallest one that has them, which then
loses them.

Cost: O(length of the page) a page.  Memory: at most some 100 MB for the details, 5 MB for the sums,
14 MB for the list of pages.

*One site*: sums, its templates, its learning curve, sampled pages, the texts that most pages have.  A page is
counted under its leaf, which it keeps for ever; which leaves are one template is asked at the end. One whose
crawl has given it a template is counted under that. There may be 512 leaves; when there are more, those of
one template, as known then, become one, and where these are more than 256, the smaller templates are no
longer distinguished.

Cost: O(length of the page) a page.  Memory: at most some 1.5 MB: 600 KB of sampled pages, 512 leaves,
1,024 texts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from templcrawl.memory.observation import Observation
from templcrawl.outputs.report.listed_pages import ListedPages
from templcrawl.outputs.report.repeated_texts import RepeatedTexts
from templcrawl.outputs.report.sampled_pages import SampledPages
from templcrawl.outputs.report.tally import LearningCurve, Tally

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


MOST_LEAVES = 512
OTHERS = "(others)"
_LONGEST_URL = 500


@dataclass
class Group:
    """Pages of a leaf, or of a template.

    template_id  their template, as known when the last of them was seen
    example      address of the first of them
    is_assigned     whether that is the last word of their crawl
    kinds        kind -> pages of it, where kinds are told
    """

    template_id: str
    example: str
    is_assigned: bool = False
    tally: Tally = field(default_factory=Tally)
    kinds: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Group) -> Group:
        larger = max(self, other, key=lambda group: group.tally.pages)
        is_assigned = self.is_assigned or other.is_assigned
        kinds = self.kinds + other.kinds
        return Group(self.template_id, larger.example, is_assigned, self.tally + other.tally, kinds)


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
        assigned = observation.page.assigned_label
        leaf, template = assigned or observation.leaf_id, observation.template_id
        group = self._leaves.get(leaf)
        if group is None:
            if len(self._leaves) >= MOST_LEAVES:
                self._make_room()
            group = self._leaves[leaf] = Group(template, observation.page.url[:_LONGEST_URL], bool(assigned))
        group.template_id = template
        group.tally.update(observation)
        if observation.page_kind is not None:
            group.kinds[observation.page_kind] += 1

    @property
    def are_assigned(self) -> bool:
        """Whether a page has a template that its crawl has given it."""
        return any(group.is_assigned for group in self._leaves.values())

    def templates(self, name: Callable[[str, str], str]) -> dict[str, Group]:
        """Return template -> its pages, the largest first.

        name  (leaf, its template as known when it was seen) -> its template as known now
        """
        groups = self._joined(
            lambda leaf, group: (
                group.template_id if group.is_assigned or leaf == OTHERS else name(leaf, group.template_id)
            )
        )
        return dict(sorted(groups.items(), key=lambda item: (-item[1].tally.pages, item[0])))

    def _make_room(self) -> None:
        """Let all leaves of a template become one, and if these are too many the smaller half of them."""
        self._leaves = self._joined(lambda _, group: group.template_id)
        if len(self._leaves) > MOST_LEAVES // 2:
            by_size = sorted(self._leaves, key=lambda leaf: -self._leaves[leaf].tally.pages)
            large = frozenset(by_size[: MOST_LEAVES // 2]) - {OTHERS}
            self._leaves = self._joined(lambda leaf, _: leaf if leaf in large else OTHERS)
            self._leaves[OTHERS].template_id = OTHERS

    def _joined(self, name: Callable[[str, Group], str]) -> dict[str, Group]:
        """Return name -> all groups that have it, as one."""
        joined: dict[str, Group] = {}
        for leaf, group in self._leaves.items():
            key = name(leaf, group)
            joined[key] = joined[key] + group if key in joined else group
        return joined

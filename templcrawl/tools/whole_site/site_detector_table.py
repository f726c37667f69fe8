"""The detectors of a whole site: they read its pages once to learn, and once more to separate them.

- ``dom`` counts nodes of the element tree (:mod:`templcrawl.tools.whole_site.two_pass_dom`)
- ``text`` counts phrases (:mod:`templcrawl.tools.whole_site.two_pass_text`)
- ``mdl`` clusters pages by the paths they share (:mod:`templcrawl.tools.whole_site.mdl_templates`)

They are for a finished crawl.  Those of :mod:`templcrawl.memory.detectors.detector_table` judge a page as it
arrives; of them ``vote`` has its like here: :class:`SiteVote` learns from every page, then separates every
page by all of them.  It has two sections of a site's memory: the pages that vote, and the leaves.  It reads
nothing of links, pagelets or contents.  Cost of the vote: O(length of the page) in each pass.  Memory: at
most about 13 MB, and 8 for the keys of 131,072 pages; mostly below 1 MB.
"""

from __future__ import annotations

from templcrawl.memory.detectors.detector import PAGE_TYPE
from templcrawl.memory.detectors.sample_vote import QueriedPage, Vote
from templcrawl.memory.leaves import Leaves
from templcrawl.memory.observation import Observation
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.place import Place
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation
from templcrawl.tools.whole_site.mdl_templates import MdlTemplates
from templcrawl.tools.whole_site.site_detector import AnySiteDetector, SiteDetector
from templcrawl.tools.whole_site.two_pass_dom import TwoPassDom
from templcrawl.tools.whole_site.two_pass_text import TwoPassText

# Name -> the detector of one site.
SITE_DETECTORS: dict[str, type[AnySiteDetector]] = {
    "dom": TwoPassDom,
    "text": TwoPassText,
    "mdl": MdlTemplates,
}


class SiteVote(SiteDetector[QueriedPage]):
    """The vote of the pages of one site on each other.

    strip  what is template: what the site repeats, or what a page type does, too

    >>> site = SiteVote()
    >>> menu = "<ul><li><a href=/>Home</a><li><a href=/news>News</a></ul>"
    >>> pages = [Page(f"{menu}<p>{name} is a kind of tea", f"http://e.org/{name}") for name in "abc"]
    >>> for page in pages:
    ...     site.learn(page)
    >>> site.separate(pages[0]).content_text
    'a is a kind of tea'
    """

    def __init__(self, strip: str = PAGE_TYPE) -> None:
        super().__init__()
        self._leaves, self._vote = Leaves(), Vote(MemoryOptions(strip=strip))
        self._pages = 0

    @property
    def pages(self) -> int:
        """How many pages were learned."""
        return self._pages

    def query(self, page: Page, place: Place) -> QueriedPage:
        """Ask the sampled pages that are not this page itself."""
        return self._vote.query(page, place)

    def classify(self, evidence: QueriedPage) -> Separation:
        """Take for content what stands in elements of content."""
        return self._vote.stripped(self._vote.classify(evidence), evidence)

    def update(self, evidence: QueriedPage) -> None:
        """Let a page vote."""
        self._vote.update(evidence)
        self._pages += 1

    def _observation(self, evidence: QueriedPage) -> Observation:
        leaf_id = evidence.page.host + evidence.place.leaf_id
        return Observation(self.classify(evidence), pages_known=self.pages, leaf_id=leaf_id)

    def _place_of(self, page: Page, *, learn: bool) -> Place:
        return self._leaves.place(page, learn=learn)

    def _table_size(self) -> int:
        snapshots = (part.snapshot() for part in (self._vote, self._leaves))
        return sum(len(column.data) for snapshot in snapshots for column in snapshot.values())

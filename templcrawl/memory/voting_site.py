"""The vote over a finished site: every page teaches, then every page is judged by all of them.

It is a detector of a whole site (:mod:`templcrawl.algorithms.site_detectors.choice`).  Of
what a crawl remembers only two parts are kept: the pages that vote, and the page types, which give a page
the label of its template by the last word.  Nothing of links, pagelets or contents is read.

Cost: O(length of the page) in each pass.  Memory: at most about 13 MB, and 8 for the
keys of 131,072 pages; mostly below 300 KB.
"""

from __future__ import annotations

from templcrawl.algorithms.detectors.choice import Vote
from templcrawl.algorithms.site_detectors.learned_pages import SiteDetector
from templcrawl.memory.labels import TemplateLabels
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.voters import Voters
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation


class VotingSite(SiteDetector):
    """What the pages of one site say of each other.

    >>> site = VotingSite()
    >>> menu = "<ul><li><a href=/>Home</a><li><a href=/news>News</a></ul>"
    >>> pages = [Page(f"{menu}<p>{name} is a kind of tea", f"http://e.org/{name}") for name in "abc"]
    >>> for page in pages:
    ...     site.learn(page)
    >>> site.separate(pages[0]).content_text
    'a is a kind of tea'
    """

    def __init__(self) -> None:
        super().__init__()
        self._vote = Vote()
        self._labels = TemplateLabels(host="")
        self._voters = Voters(size=MemoryOptions().sample_pages, salt=0, template_of=self._labels.template)
        self._pages = 0

    def _table_size(self) -> int:
        return self._voters.nbytes + self._labels.nbytes

    def _take(self, page: Page) -> None:
        """First pass: take note of a page."""
        labels = self._labels.label(page.structure, learn=True)
        self._voters.ask(page, labels.leaf, learn=True)
        self._pages += 1

    def separate(self, page: Page) -> Separation:
        """Second pass: judge a page by the sampled pages that are not this page itself."""
        labels = self._labels.label(page.structure, learn=False)
        shares, pages = self._voters.ask(page, labels.leaf, learn=False)
        return Separation(
            page,
            self._vote.separate(page, shares, pages),
            leaf_shares=shares,
            pages_known=self._pages,
            template_id=page.host + self._labels.resolve(labels.leaf_id),
            leaf_id=page.host + labels.leaf_id,
        )

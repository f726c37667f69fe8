"""Groups of pages whose contents, without their templates, are the same or nearly the same.

The first page of a group stands for it: the later ones are compared with it, not with each other.

Cost: a page O(1), several milliseconds, most of it to tell its content from its template.  Memory: the
contents of 20,000 pages (those not met for longest leave, so that repeats of them are missed), a crawl's
memory of its sites, and 10,000 groups; of groups beyond those only the number of pages is known.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from templcrawl.algorithms.similarity.near_duplicates import content_of
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.known_contents import KnownContents
from templcrawl.memory.recent import Recent
from templcrawl.page.page import Page

MAX_CONTENTS = 20_000
MAX_GROUPS = 10_000
MAX_URLS = 20


@dataclass
class DuplicateGroup:
    """A page and those that repeat it.

    first  its URL
    exact  pages with the same words in the same order
    near   pages with nearly the same
    urls   URLs of the pages that repeat it, at most 20, in the order they came
    """

    first: str
    exact: int = 0
    near: int = 0
    urls: list[str] = field(default_factory=list)


class DuplicateGroups:
    """The groups of a crawl, online.

    repeats  pages that repeat another
    """

    def __init__(self, *, limit: int = MAX_CONTENTS) -> None:
        self.repeats = 0
        self._memory = CrawlMemory(sample_salt=0)
        self._contents = KnownContents(limit=limit)
        self._urls: Recent[int, str] = Recent(limit)
        self._groups: dict[int, DuplicateGroup] = {}

    def observe(self, page: Page) -> None:
        """Take note of a page."""
        content = content_of(self._memory.observe(page).separation)
        original = self._contents.find(page.key, content)
        if original is None:
            if content.terms:
                self._contents.add(page.key, content)
                self._urls[page.key] = page.url
            return
        self.repeats += 1
        first = self._urls.use(original.key) or ""
        group = self._groups.get(original.key)
        if group is None:
            if len(self._groups) == MAX_GROUPS:
                return
            group = self._groups[original.key] = DuplicateGroup(first)
        group.exact += original.exact
        group.near += not original.exact
        if len(group.urls) < MAX_URLS:
            group.urls.append(page.url)

    def groups(self) -> list[DuplicateGroup]:
        """Return the groups, the largest first."""
        return sorted(self._groups.values(), key=lambda group: (-group.exact - group.near, group.first))

"""Groups of pages whose contents, without their templates, are the same or nearly the same.

The first page of a group represents it: later ones are compared with it, not with each other.

Cost: O(1) a page, beyond its separation.  Memory: the contents of 20,000 pages (the least recent ones are
evicted, so that repeats of them are missed) and 10,000 groups; of further groups only the number of pages is
counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from templcrawl.algorithms.similarity.near_duplicates import content_of
from templcrawl.memory.content_index import ContentIndex
from templcrawl.memory.lru_dict import LruDict
from templcrawl.page.separation import Separation

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
        self._contents = ContentIndex(limit=limit)
        self._urls: LruDict[int, str] = LruDict(limit)
        self._groups: dict[int, DuplicateGroup] = {}

    def update(self, separation: Separation) -> None:
        """Count a page by its content."""
        page, content = separation.page, content_of(separation)
        original = self._contents.find(page.key, content)
        if original is None:
            if content.terms:
                self._contents.insert(page.key, content)
                self._urls[page.key] = page.url
            return
        self.repeats += 1
        first = self._urls.touch(original.key) or ""
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

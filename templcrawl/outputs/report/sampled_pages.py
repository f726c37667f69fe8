"""Sample pages of a site, compressed, that show what its templates look like.

Of a template at most five, those with the smallest hashes of their URLs, which is a random sample; of a site
at most 32 pages and 512 KB.  Where these do not suffice, the template with the fewest pages so far loses its
pages first.  Templates are those known when a page was seen.  Pages of more than 1,000,000 characters, and
those of more than 96 KB when compressed, are not sampled.

How many pages a template has is counted for 512 templates; when there are more, the smaller half is
forgotten.

Cost: a page that is not sampled O(1); one that is, that of compressing it, but of n pages of a template only
some 5 log n are.  Memory: 600 KB a site.
"""

from __future__ import annotations

import zlib
from bisect import insort
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter

import numpy as np

from templcrawl.errors import BrokenInvariant
from templcrawl.memory.observation import Observation
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation, labelled_spans
from templcrawl.page.text import pack_text, unpack_text
from templcrawl.page.tokens import Limits

MOST_OF_TEMPLATE = 5
MOST_PAGES = 32
MOST_BYTES = 512 * 2**10
MOST_OF_PAGE = 96 * 2**10
MOST_CHARACTERS = 1_000_000
_MOST_COUNTED = 512


@dataclass(frozen=True)
class CompressedPage:
    """A page as it was seen.

    key          64-bit key of its URL
    template_id  its template, as known then
    leaf_id      its leaf, for ever
    assigned     the label that its crawl has assigned, "" for none
    body         its text, compressed
    mask         token -> 1 if it was judged content, compressed
    limits       how much of it was read
    """

    key: int
    url: str
    template_id: str
    leaf_id: str
    assigned: str
    body: bytes
    mask: bytes
    limits: Limits

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return len(self.body) + len(self.mask) + len(self.url)

    def observation(self) -> Observation:
        """It as it was judged when it was seen."""
        page = Page(unpack_text(self.body), self.url, self.limits)
        is_content = np.frombuffer(zlib.decompress(self.mask), dtype=bool)
        spans = labelled_spans(page.tokens, is_content)
        return Observation(Separation(page, spans), template_id=self.template_id, leaf_id=self.leaf_id)


class SampledPages:
    """The sampled pages of a site."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()
        self._sampled: dict[str, list[CompressedPage]] = {}
        self._bytes = 0

    def __iter__(self) -> Iterator[CompressedPage]:
        """Yield the pages, those of a template one after the other."""
        return chain.from_iterable(self._sampled.values())

    def __len__(self) -> int:
        return sum(map(len, self._sampled.values()))

    def update(self, observation: Observation) -> None:
        """Count a page, and store it if it is drawn."""
        template, key = observation.template_id, observation.page.key
        self._count(template)
        sample = self._sampled.get(template, [])
        is_drawn = len(sample) < MOST_OF_TEMPLATE or key < sample[-1].key
        if not is_drawn or any(page.key == key for page in sample):
            return
        if len(observation.page.text) <= MOST_CHARACTERS:
            page = _compressed(observation)
            if page.size <= MOST_OF_PAGE:
                self._insert(page)

    def validate(self) -> None:
        """Raise BrokenInvariant if more is kept than may be."""
        pages = list(self)
        sizes = {
            "bytes": self._bytes == sum(page.size for page in pages) <= MOST_BYTES,
            "pages": len(pages) <= MOST_PAGES,
            "templates": all(1 <= len(sample) <= MOST_OF_TEMPLATE for sample in self._sampled.values()),
            "counts": len(self._seen) <= _MOST_COUNTED,
        }
        broken = [name for name, is_sound in sizes.items() if not is_sound]
        if broken:
            raise BrokenInvariant("SampledPages", f"unsound: {', '.join(broken)}")

    def _count(self, template: str) -> None:
        self._seen[template] += 1
        if len(self._seen) > _MOST_COUNTED:
            self._seen = Counter(dict(self._seen.most_common(_MOST_COUNTED // 2)))

    def _insert(self, page: CompressedPage) -> None:
        sample = self._sampled.setdefault(page.template_id, [])
        insort(sample, page, key=attrgetter("key"))
        self._bytes += page.size
        if len(sample) > MOST_OF_TEMPLATE:
            self._bytes -= sample.pop().size
        while len(self) > MOST_PAGES or self._bytes > MOST_BYTES:
            smallest = min(reversed(self._sampled), key=self._seen.__getitem__)
            self._bytes -= sum(page.size for page in self._sampled.pop(smallest))


def _compressed(observation: Observation) -> CompressedPage:
    page = observation.page
    return CompressedPage(
        key=page.key,
        url=page.url,
        template_id=observation.template_id,
        leaf_id=observation.leaf_id,
        assigned=page.assigned_label,
        body=pack_text(page.text),
        mask=zlib.compress(observation.separation.content_mask),
        limits=page.limits,
    )

"""What a report keeps of single pages: a list of them, a sample of them whole, and texts of many of them.

*Listed pages*, so that a reader can look up an address: at most 10,000, those with the smallest hashes of
their addresses, which is a random choice of all pages.  A page that was read twice is listed once, as it was
judged the second time.  Cost: O(1) a page, amortised.  Memory: twice as many rows, at most 14 MB.

*Sampled pages* of a site, compressed, show what its templates look like.  Of a template at most five, those
with the smallest hashes of their URLs, which is a random sample; of a site at most 32 pages and 512 KB.
Where these do not suffice, the template with the fewest pages so far loses its pages first.  Templates are
those known when a page was seen; their pages are counted for 512 templates, and when there are more, the
smaller half is forgotten.  Pages of more than 1,000,000 characters, and those of more than 96 KB when
compressed, are not sampled.  Cost: a page that is not sampled O(1); one that is, that of compressing it, but
of n pages of a template only some 5 log n are.  Memory: 600 KB a site.

*Repeated texts* of a site were removed, or kept, on most of its pages.  A text run is known by the key of its
words, wherever it stands.  A page keeps a text if it keeps it anywhere.  A text that is kept on many pages
may be furniture that was not recognised.  At most 1,024 texts are counted; when there are more, the half that
was on the fewest pages is forgotten (as in lossy counting).  A text that comes back is counted from then on,
so a count may be too small, never too large.  A text of every page stays if no page has more than 512 texts.
The words of a text, and where it stands, are stored when it is met on a second page; of 64 texts a page, the
others when they are met again.  n runs a page.  Cost: O(n) a page, amortised O(log n) for what is forgotten.
Memory: some 350 KB a site.
"""

from __future__ import annotations

import zlib
from bisect import insort
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import Literal, NamedTuple

import numpy as np

from templcrawl.memory.observation import Observation
from templcrawl.outputs.report.places import place_of_text
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation, labelled_spans
from templcrawl.page.text import pack_text, unescape, unpack_text
from templcrawl.page.tokens import Limits

MOST_LISTED = 10_000
LONGEST_URL = 500


class ListedPage(NamedTuple):
    """A page as it was judged when it was seen.

    leaf_id  its leaf
    content  characters of its text that are content
    whole    characters of its text
    """

    url: str
    host: str
    leaf_id: str
    content: int
    whole: int


class ListedPages:
    """The pages that are listed."""

    def __init__(self, *, most: int = MOST_LISTED) -> None:
        self._most = most
        self._rows: dict[int, ListedPage] = {}
        self._largest = 1 << 64

    def __iter__(self) -> Iterator[ListedPage]:
        """Yield them by their addresses."""
        self._forget()
        return iter(sorted(self._rows.values()))

    def update(self, observation: Observation) -> None:
        """List a page, if it is drawn."""
        page = observation.page
        if page.key > self._largest:
            return
        lengths = observation.text_lengths
        self._rows[page.key] = ListedPage(page.url[:LONGEST_URL], page.host, observation.leaf_id, *lengths)
        if len(self._rows) > 2 * self._most:
            self._forget()

    def _forget(self) -> None:
        if len(self._rows) > self._most:
            keys = sorted(self._rows)[: self._most]
            self._largest = keys[-1]
            self._rows = {key: self._rows[key] for key in keys}


MOST_OF_LEAF = 5
MOST_PAGES = 32
MOST_BYTES = 512 * 2**10
MOST_OF_PAGE = 96 * 2**10
MOST_CHARACTERS = 1_000_000
_MOST_COUNTED = 512


@dataclass(frozen=True)
class CompressedPage:
    """A page as it was seen.

    key      64-bit key of its URL
    leaf_id  its leaf
    body     its text, compressed
    mask     token -> 1 if it was judged content, compressed
    limits   how much of it was read
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
        """It as it was judged when it was seen."""
        page = Page(unpack_text(self.body), self.url, self.limits)
        is_content = np.frombuffer(zlib.decompress(self.mask), dtype=bool)
        spans = labelled_spans(page.tokens, is_content)
        return Observation(Separation(page, spans), leaf_id=self.leaf_id)


class SampledPages:
    """The sampled pages of a site."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()
        self._sampled: dict[str, list[CompressedPage]] = {}

    def __iter__(self) -> Iterator[CompressedPage]:
        """Yield the pages, those of a leaf one after the other."""
        return chain.from_iterable(self._sampled.values())

    def update(self, observation: Observation) -> None:
        """Count a page, and store it if it is drawn."""
        page, leaf = observation.page, observation.leaf_id
        self._seen[leaf] += 1
        if len(self._seen) > _MOST_COUNTED:
            self._seen = Counter(dict(self._seen.most_common(_MOST_COUNTED // 2)))
        sample = self._sampled.get(leaf, [])
        is_drawn = len(sample) < MOST_OF_LEAF or page.key < sample[-1].key
        is_sampled = any(other.key == page.key for other in sample)
        if not is_drawn or is_sampled or len(page.text) > MOST_CHARACTERS:
            return
        compressed = CompressedPage(
            key=page.key,
            url=page.url,
            leaf_id=leaf,
            body=pack_text(page.text),
            mask=zlib.compress(observation.separation.content_mask),
            limits=page.limits,
        )
        if compressed.size > MOST_OF_PAGE:
            return
        insort(sample, compressed, key=attrgetter("key"))
        self._sampled[leaf] = sample[:MOST_OF_LEAF]
        while not self._fits():
            # of leaves of one size, the one that came last
            del self._sampled[min(reversed(self._sampled), key=self._seen.__getitem__)]

    def _fits(self) -> bool:
        sizes = [page.size for page in self]
        return len(sizes) <= MOST_PAGES and sum(sizes) <= MOST_BYTES


MOST_TEXTS = 1_024
MOST_SHOWN = 12
_LEAST_PAGES = 3
# Of the pages that have a text: the first pages of a site keep much that later ones remove.
_LEAST_SHARE = 1 / 4
_LONGEST_TEXT = 100
_MOST_READ = 64


@dataclass
class RepeatedText:
    """A text of a site.

    text     its words, the end of a long one left out; "" until it is met again
    place    where it stands
    kept     pages that kept it
    removed  pages that had it as template alone
    """

    text: str = ""
    place: str = ""
    kept: int = 0
    removed: int = 0


class RepeatedTexts:
    """How many pages of a site kept each text, and how many removed it."""

    def __init__(self, *, most: int = MOST_TEXTS) -> None:
        self._most = most
        self._texts: dict[int, RepeatedText] = {}

    def update(self, observation: Observation) -> None:
        """Count the texts of a page."""
        page, runs = observation.page, observation.page.text_runs
        has_words = runs.words > 0
        is_content = np.frombuffer(observation.content_mask, bool)[runs.positions[has_words]]
        is_content &= page.elements.shown_array[runs.elements[has_words]]
        numbers = np.flatnonzero(has_words).tolist()
        keys = runs.texts[has_words]
        kept = set(keys[is_content].tolist())
        unread = _MOST_READ
        for key, number in dict(zip(keys.tolist(), numbers)).items():
            text = self._texts.get(key)
            if text is None:
                text = self._texts[key] = RepeatedText()
            elif not text.text and unread:
                unread -= 1
                form = page.tokens.forms[page.tokens.form_of[int(runs.positions[number])]]
                text.text = " ".join(unescape(form).split())[:_LONGEST_TEXT]
                text.place = place_of_text(page, int(runs.elements[number]))
            if key in kept:
                text.kept += 1
            else:
                text.removed += 1
        if len(self._texts) > self._most:
            newest_first = list(self._texts.items())[::-1]  # of texts on equally many pages the newest stay
            newest_first.sort(key=lambda item: -item[1].kept - item[1].removed)
            self._texts = dict(newest_first[: self._most // 2][::-1])

    def largest(self, side: Literal["kept", "removed"], most: int = MOST_SHOWN) -> Sequence[RepeatedText]:
        """Return the texts that were kept, or removed, on most pages: three, and a quarter of theirs."""
        found = [
            text
            for text in self._texts.values()
            if getattr(text, side) >= max(_LEAST_PAGES, _LEAST_SHARE * (text.kept + text.removed))
            and any(map(str.isalpha, text.text))
        ]
        return sorted(found, key=lambda text: (-getattr(text, side), -len(text.text), text.text))[:most]

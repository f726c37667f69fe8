"""The texts of a site that were removed, or kept, on most of its pages.

A text run is known by the key of its words, wherever it stands.  A page keeps a text if it keeps it anywhere.
A text that is kept on many pages may be furniture that was not recognised.

At most 1,024 texts are counted; when there are more, the half that was on the fewest pages is forgotten (as
in lossy counting).  A text that comes back is counted from then on, so a count may be too small, never too
large.  A text of every page stays if no page has more than 512 texts.  The words of a text, and where it
stands, are stored when it is met on a second page; of 64 texts a page, the others when they are met again.

n runs a page.  Cost: O(n) a page, amortised O(log n) for what is forgotten.  Memory: some 350 KB.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from templcrawl.memory.observation import Observation
from templcrawl.outputs.report.places import place_of_text
from templcrawl.page.text import unescape

MOST_TEXTS = 1_024
MOST_SHOWN = 12
_LEAST_PAGES = 3
_LEAST_SHARE = 1 / 4
"""Of the pages that have a text: the first pages of a site keep much that later ones remove."""
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

    def __len__(self) -> int:
        return len(self._texts)

    def update(self, observation: Observation) -> None:
        """Count the texts of a page."""
        runs = observation.page.text_runs
        has_words = runs.words > 0
        is_content = np.frombuffer(observation.content_mask, bool)[runs.positions[has_words]]
        numbers = np.flatnonzero(has_words).tolist()
        keys = runs.texts[has_words].tolist()
        kept = set(runs.texts[has_words][is_content].tolist())
        unread = _MOST_READ
        for key, number in dict(zip(keys, numbers)).items():
            text = self._texts.get(key)
            if text is None:
                text = self._texts[key] = RepeatedText()
            elif not text.text and unread:
                unread -= 1
                text.text, text.place = _read(observation, number)
            if key in kept:
                text.kept += 1
            else:
                text.removed += 1
        if len(self._texts) > self._most:
            self._forget()

    def _forget(self) -> None:
        """Forget the half that was on the fewest pages, of equal ones those that came first."""
        newest_first = reversed(self._texts.items())
        most = sorted(newest_first, key=lambda item: -item[1].kept - item[1].removed)[: self._most // 2]
        self._texts = dict(reversed(most))

    def most_removed(self, most: int = MOST_SHOWN) -> Sequence[RepeatedText]:
        """Return the texts that were removed on most pages; on three, and on a quarter of theirs."""
        return self._largest(most, lambda text: text.removed)

    def most_kept(self, most: int = MOST_SHOWN) -> Sequence[RepeatedText]:
        """Return the texts that were kept on most pages, likewise."""
        return self._largest(most, lambda text: text.kept)

    def _largest(self, most: int, pages: Callable[[RepeatedText], int]) -> Sequence[RepeatedText]:
        found = [
            text
            for text in self._texts.values()
            if pages(text) >= max(_LEAST_PAGES, _LEAST_SHARE * (text.kept + text.removed))
            and _has_letters(text)
        ]
        return sorted(found, key=lambda text: (-pages(text), -len(text.text), text.text))[:most]


def _has_letters(text: RepeatedText) -> bool:
    return any(map(str.isalpha, text.text))


def _read(observation: Observation, number: int) -> tuple[str, str]:
    """Return the words of a text run of a page, and where it stands."""
    page = observation.page
    tokens, runs = page.tokens, page.text_runs
    words = " ".join(unescape(tokens.forms[tokens.form_of[int(runs.positions[number])]]).split())
    return words[:_LONGEST_TEXT], place_of_text(page, int(runs.elements[number]))

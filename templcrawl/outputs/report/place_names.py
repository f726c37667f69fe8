"""Name the places of a site's pages, its repeated texts, and the roles of its links.

Cost: O(1) for the name of a place: 32 elements upwards, tags of 2,000 characters, 200 tokens for a heading;
O(elements) for the element of a path; O(text runs) a page, amortised, for repeated texts; O(tokens) a page
for roles.  Memory: 350 KB of texts.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from templcrawl.algorithms.page_types.tag_paths import tag_steps
from templcrawl.algorithms.pagelets.partition import (
    pagelet_paths,
    pagelets_of_links,
    partition_pagelets,
    role_of,
)
from templcrawl.memory.link_tables import RoleRecord
from templcrawl.memory.observation import Observation
from templcrawl.page.page import Page
from templcrawl.page.text import unescape
from templcrawl.page.tokens import TEXT, attributes
from templcrawl.page.vocabulary import BLOCKS

_LONGEST_LABEL = 40
_LONGEST_TAG = 2_000
_MAX_STEPS = 32
_MAX_TOKENS = 200

# Tag or role -> what a landmark is called.
_LANDMARKS = {
    "nav": "navigation",
    "aside": "side bar",
    "header": "header",
    "footer": "footer",
    "main": "main part",
    "article": "article",
    "navigation": "navigation",
    "complementary": "side bar",
    "banner": "header",
    "contentinfo": "footer",
    "search": "search",
    "menu": "menu",
    "menubar": "menu",
}

_WORDS = {
    **dict.fromkeys(("ul", "ol", "dl"), "list"),
    **dict.fromkeys(("li", "dt", "dd"), "entry"),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "heading"),
    **dict.fromkeys(("td", "th"), "cell"),
    "tr": "row",
    "p": "paragraph",
    "a": "link",
    "img": "image",
}
_FURNITURE = frozenset({"navigation", "side bar", "header", "footer", "search", "menu"})
_PARTS = BLOCKS - {"li", "dt", "dd", "br"}
_HEADINGS = frozenset({"h2", "h3", "h4", "h5", "h6"})
_DIGITS = re.compile(r"\d+")

PAGE = "page"  # what the whole page is called

MAX_TEXTS = 1_024
MAX_SHOWN = 12
_MIN_PAGES = 3
# Of the pages that have a text: the first pages of a site keep much that later ones remove.
_MIN_SHARE = 1 / 4
_LONGEST_TEXT = 100
_MAX_READ = 64  # texts of a page whose words are stored at a time

MAX_ROLES = 8
# How links of a role wait: limits of its yield, and what is said below, between and above them.
_LIMITS = 0.1, 0.7, 1.5
_STANDINGS = "starved: wait for all others", "wait", "wait their turn", "go first"


def place_name(page: Page, element: int) -> str:
    """Return the name of an element and of the element around it that says most.

    It is what a person would say: ``navigation "main-menu"``, ``list in div "side"``.  An element is called
    by its role or its tag, and by the first of these that it has: its ``aria-label``, the first heading in it
    (of furniture, whose headings are the same on every page), its ``id``, its first class word, the first
    heading in it.  Digits are read as ``#``, because ids of one part often count up.  Around it stands the
    nearest element that is a landmark or has such a label.

    >>> page = Page("<body><nav id=menu-2><ul><li>Tea</ul></nav><div><p class='by line'>Ann", "")
    >>> [place_name(page, element) for element in range(len(page.elements))]
    ... # doctest: +NORMALIZE_WHITESPACE
    ['page', 'page', 'navigation "menu-#"', 'list in navigation "menu-#"', 'entry in navigation "menu-#"',
     'div', 'paragraph "by"']
    """
    name, around = "", element
    for _ in range(1 + _MAX_STEPS):
        if _is_page(page, around):
            break
        word, label = _described(page, around)
        said = f'{word} "{label}"' if label else word
        if name and (label or word in _LANDMARKS.values()):
            return f"{name} in {said}"
        if label and word in _LANDMARKS.values():
            return said
        name, around = name or said, page.elements.parents[around]
    return name or PAGE


def place_of_text(page: Page, element: int) -> str:
    """Return the name of the part that a text stands in, past links, formatting and entries of lists.

    >>> page = Page("<body><nav><li><a href=/><b>Tea", "")
    >>> place_of_text(page, len(page.elements) - 1)
    'navigation'
    """
    for _ in range(_MAX_STEPS):
        if _is_page(page, element) or page.elements.names[element] in _PARTS:
            break
        element = page.elements.parents[element]
    return place_name(page, element)


def element_at(page: Page, path: str) -> int:
    """Return the first visible element of a page with a tag path, 0, the page itself, if there is none.

    path  as :func:`templcrawl.algorithms.page_types.tag_paths.tag_paths` writes it

    >>> page = Page("<body><div class='a b'><p>Tea", "")
    >>> [element_at(page, path) for path in ("body > div > p", "body > div.b", "body > ul")]
    [3, 2, 0]
    """
    steps = path.split(" > ")
    elements, tokens = page.elements, page.tokens
    matched = [0]
    for element in range(1, len(elements)):
        above = matched[elements.parents[element]]
        name, worded = tag_steps(tokens.form_tags[tokens.form_of[elements.opens[element]]])
        is_near = 0 <= above < len(steps) and elements.visible[element]
        fits = is_near and steps[above] in (name, *worded)
        if fits and above + 1 == len(steps):
            return element
        matched.append(above + 1 if fits else -1)
    return 0


def _is_page(page: Page, element: int) -> bool:
    return element <= 0 or page.elements.names[element] in ("html", "body")


def _described(page: Page, element: int) -> tuple[str, str]:
    elements, tokens = page.elements, page.tokens
    form = tokens.form_of[elements.opens[element]]
    tag = tokens.form_tags[form]
    values = attributes(tokens.forms[form][:_LONGEST_TAG])
    role = values.get("role", "").lower()
    word = _LANDMARKS.get(role) or _LANDMARKS.get(tag.name) or _WORDS.get(tag.name, tag.name)
    label = values.get("aria-label", "").strip()
    if not label and word in _FURNITURE:
        label = _heading(page, element)
    if not label:
        label = tag.id or next(iter(tag.classes), "")
    if not label and word in ("section", "div"):
        label = _heading(page, element)
    if label == tag.name:
        label = ""
    return word[:_LONGEST_LABEL], _DIGITS.sub("#", " ".join(label.split()))[:_LONGEST_LABEL]


def _heading(page: Page, element: int) -> str:
    elements, tokens = page.elements, page.tokens
    start = elements.opens[element]
    for position in range(start, min(elements.closes[element], start + _MAX_TOKENS)):
        if tokens.kinds[position] == TEXT and elements.names[elements.owners[position]] in _HEADINGS:
            return unescape(tokens.forms[tokens.form_of[position]])
    return ""


@dataclass
class RepeatedText:
    """A text of a site.

    text     its words, the end of a long one left out; "" until it is met again
    kept     pages that kept it
    removed  pages that had it as template alone
    """

    text: str = ""
    place: str = ""
    kept: int = 0
    removed: int = 0


class RepeatedTexts:
    """How many pages of a site kept each text, and how many removed it.

    They were removed, or kept, on most pages of a site; what is kept on many may be furniture that was not
    recognised.  A text run is known by the key of its words.  A page keeps a text if it keeps it anywhere.
    1,024 texts are counted; when there are more, the half that was on the fewest pages is forgotten (as in
    lossy counting).  A text that comes back is counted from then on, so a count may be too small, never too
    large.  A text of every page stays if no page has more than 512 texts.
    """

    def __init__(self, *, most: int = MAX_TEXTS) -> None:
        self._most = most
        self._texts: dict[int, RepeatedText] = {}

    def count_page(self, observation: Observation) -> None:
        """Count the texts of a page."""
        page, runs = observation.page, observation.page.text_runs
        has_words = runs.words > 0
        is_content = np.frombuffer(observation.content_mask, bool)[runs.positions[has_words]]
        is_content &= page.elements.shown_array[runs.elements[has_words]]
        keys = runs.texts[has_words]
        kept = set(keys[is_content].tolist())
        unread = _MAX_READ
        for key, number in dict(zip(keys.tolist(), np.flatnonzero(has_words).tolist())).items():
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

    def largest(self, side: Literal["kept", "removed"], most: int = MAX_SHOWN) -> Sequence[RepeatedText]:
        """Return the texts kept, or removed, on three pages and a quarter of their pages, frequent first."""
        found = [
            text
            for text in self._texts.values()
            if getattr(text, side) >= max(_MIN_PAGES, _MIN_SHARE * (text.kept + text.removed))
            and any(map(str.isalpha, text.text))
        ]
        return sorted(found, key=lambda text: (-getattr(text, side), -len(text.text), text.text))[:most]


class RoleRow(NamedTuple):
    """A row of the table of roles.

    place         the name of its pagelet, "" where no sampled page has a link of the role
    url           a link of it, likewise
    words_a_page  new words that a page paid on average
    standing      how its links wait in the queue
    """

    place: str
    url: str
    pages: int
    words_a_page: float
    role_yield: float
    standing: str


def add_examples(examples: dict[int, tuple[str, str]], page: Page, *, min_links: int) -> None:
    """Add the place and a link of every role on a page that has no example yet.

    A memory knows a role by its hash alone; its place and an example are found again on sampled pages.
    """
    pagelets = partition_pagelets(page, min_links=min_links)
    paths, urls = pagelet_paths(page, pagelets), page.links.urls
    for number, pagelet in enumerate(pagelets_of_links(page, pagelets)):
        if pagelet >= 0:
            role = role_of(paths[pagelet], urls[number])
            if role not in examples:
                examples[role] = place_name(page, pagelets[pagelet].element), urls[number]


def role_rows(records: Iterable[RoleRecord], examples: Mapping[int, tuple[str, str]]) -> Sequence[RoleRow]:
    """Return the rows of some roles.

    examples  role -> its place, and a link of it
    """
    rows = []
    for role, pages, words, role_yield in records:
        place, url = examples.get(role, ("", ""))
        standing = _STANDINGS[bisect_right(_LIMITS, role_yield)]
        rows.append(RoleRow(place, url, pages, words / max(pages, 1), role_yield, standing))
    return rows

"""The name of a part of a page, as a person would say it: ``navigation "main-menu"``, ``list in div "side"``.

An element is called by its role or its tag, and by the first of these that it has: its ``aria-label``, the
first heading in it (of furniture, whose headings are the same on every page), its ``id``, its first class
word, the first heading in it.  Digits are read as ``#``, because ids of one part often count up.  Around it
stands the nearest element that is a landmark or has such a label.

Cost: O(1) a name: 32 elements upwards are looked at, tags of 2,000 characters, and 200 tokens for a heading.
O(elements) for the element of a path.

*The roles of links* are readable rows: the place on the page, an example link, and their record.  A memory
knows a role by its hash alone; its place and an example are found again on sampled pages.  Cost: O(tokens) a
page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from templcrawl.algorithms.crawl_order.roles import pagelet_paths, role_of
from templcrawl.algorithms.page_types.tag_paths import tag_steps
from templcrawl.algorithms.pagelets.partition import pagelets_of_links, partition_pagelets
from templcrawl.memory.link_tables import RoleRecord
from templcrawl.page.page import Page
from templcrawl.page.text import unescape
from templcrawl.page.tokens import TEXT, attributes
from templcrawl.page.vocabulary import BLOCKS

_LONGEST_LABEL = 40
_LONGEST_TAG = 2_000
_MOST_STEPS = 32
_MOST_TOKENS = 200

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


def place_name(page: Page, element: int) -> str:
    """Return the name of an element: what it is, and in what it stands.

    >>> page = Page("<body><nav id=menu-2><ul><li>Tea</ul></nav><div><p class='by line'>Ann", "")
    >>> [place_name(page, element) for element in range(len(page.elements))]
    ... # doctest: +NORMALIZE_WHITESPACE
    ['page', 'page', 'navigation "menu-#"', 'list in navigation "menu-#"', 'entry in navigation "menu-#"',
     'div', 'paragraph "by"']
    """
    parents = page.elements.parents
    if _is_page(page, element):
        return PAGE
    word, label = _described(page, element)
    said = _said(word, label)
    if label and word in _LANDMARKS.values():
        return said
    around = element
    for _ in range(_MOST_STEPS):
        around = parents[around]
        if _is_page(page, around):
            break
        outer, outer_label = _described(page, around)
        if outer_label or outer in _LANDMARKS.values():
            return f"{said} in {_said(outer, outer_label)}"
    return said


def place_of_text(page: Page, element: int) -> str:
    """Return the name of the part that a text stands in, past links, formatting and entries of lists.

    >>> page = Page("<body><nav><li><a href=/><b>Tea", "")
    >>> place_of_text(page, len(page.elements) - 1)
    'navigation'
    """
    for _ in range(_MOST_STEPS):
        if _is_page(page, element) or page.elements.names[element] in _PARTS:
            break
        element = page.elements.parents[element]
    return place_name(page, element)


def element_at(page: Page, path: str) -> int | None:
    """Return the first visible element of a page with a tag path, None if there is none.

    path  as :func:`templcrawl.algorithms.page_types.tag_paths.tag_paths` writes it

    >>> page = Page("<body><div class='a b'><p>Tea", "")
    >>> [element_at(page, path) for path in ("body > div > p", "body > div.b", "body > ul")]
    [3, 2, None]
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
    return None


def _is_page(page: Page, element: int) -> bool:
    return element <= 0 or page.elements.names[element] in ("html", "body")


def _said(word: str, label: str) -> str:
    return f'{word} "{label}"' if label else word


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
    for position in range(start, min(elements.closes[element], start + _MOST_TOKENS)):
        if tokens.kinds[position] == TEXT and elements.names[elements.owners[position]] in _HEADINGS:
            return unescape(tokens.forms[tokens.form_of[position]])
    return ""


MOST_ROLES = 8
# Limits of yields that have a word of their own: how links of a role wait, wherever they lead.
_STARVED, _POOR, _RICH = 0.1, 0.7, 1.5


class RoleExample(NamedTuple):
    """A role as it was found on a page.

    place  the name of its pagelet
    url    a link of it
    """

    place: str
    url: str


class RoleRow(NamedTuple):
    """A row of the table of roles.

    example   None where no sampled page has a link of the role
    standing  how its links wait in the queue
    """

    record: RoleRecord
    example: RoleExample | None
    standing: str

    @property
    def words_a_page(self) -> float:
        """New words that a page paid on average."""
        return self.record.words / max(self.record.pages, 1)


def add_examples(examples: dict[int, RoleExample], page: Page, *, min_links: int) -> None:
    """Add an example of every role on a page that has none yet."""
    pagelets = partition_pagelets(page, min_links=min_links)
    paths, urls = pagelet_paths(page, pagelets), page.links.urls
    for number, pagelet in enumerate(pagelets_of_links(page, pagelets)):
        if pagelet >= 0:
            role = role_of(paths[pagelet], urls[number])
            if role not in examples:
                examples[role] = RoleExample(place_name(page, pagelets[pagelet].element), urls[number])


def role_rows(records: Iterable[RoleRecord], examples: Mapping[int, RoleExample]) -> Sequence[RoleRow]:
    """Return the rows of some roles."""
    rows = []
    for record in records:
        standing = "go first"
        if record.role_yield < _STARVED:
            standing = "starved: wait for all others"
        elif record.role_yield < _POOR:
            standing = "wait"
        elif record.role_yield < _RICH:
            standing = "wait their turn"
        rows.append(RoleRow(record, examples.get(record.role), standing))
    return rows

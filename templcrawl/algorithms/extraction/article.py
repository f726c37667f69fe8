"""The article of a page: the one body of text that a news or blog page is about.

A finer cut than the vote, for pages that have such a body: of what the vote keeps, the teasers,
dates, boxes of related links, forms and comments go too.

1. A text run can belong to the article if the vote selects it, fewer than half of the sampled pages have it,
   and it stands in no form control, form or section of comments (``comments``), nor in an element that the
   page hides (``visibility``).  A form or section that holds an ``h1`` does not count as one.
2. A *block* is a row of runs in the same element, inline elements not counted: a paragraph.
3. A block is worth its words outside links, each times 1 - share, less 8, less 1 for each word in a
   link: paragraphs earn; headings, dates, captions, menus and lists of links cost.
4. The article is the range of blocks, in document order, that is worth most in sum.
5. To pass over an element costs a range at most 30, however bad the element is, and the element is left
   out: a box in the middle does not cut an article in two.
6. The last ``h1`` before the range belongs to the article.
7. Under 30 words, or under a tenth of the words outside links that rule 1 left, the page has no
   article, and what the vote selects stands.
8. Text that stands on the page twice is written once (``repeats``).

Where no other page of its site is known, and its markup is HTML 5 (it names ``main``, ``article``, ``nav``
..., or has the short doctype or a viewport), the features of its blocks decide, whatever its kind
(``lone_page``, whose weights were learned from such pages).

Source: the sum is the maximum subsequence of Pasternack & Roth, "Extracting article text from the web
with maximum subsequence segmentation" (WWW 2009), here of a tree and without learned word weights;
constants by trial on 35 hosts of news, see ``lab/bench/separation.py``.
n runs, m elements.  Cost: O(n + m).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from templcrawl.algorithms.extraction.article_parts import is_of_comments, under_headings, without_copies
from templcrawl.algorithms.extraction.lone_page import content_of_lone_page
from templcrawl.page.arrays import Flags, Floats
from templcrawl.page.page import Page
from templcrawl.page.render import text_of
from templcrawl.page.separation import Separation
from templcrawl.page.vocabulary import ARTICLE, BLOCKS, FURNITURE, LINKED, RAW_TEXT_NAMES

_PARTS = frozenset("article aside footer header main nav section".split())
_NO_SECTIONS = RAW_TEXT_NAMES | {"html", "body"}
_CONTROLS = frozenset({"button", "label", "option", "select", "textarea"})
_IS_HTML5 = re.compile(
    r"""<!doctype\s{1,3}html\s{0,3}>|<meta\s[^>]{0,200}?viewport""", re.IGNORECASE | re.ASCII
).match
_LONGEST_TAG = 1_000
_BLOCK_COST = 8.0
_LINKED_WORD_COST = 1.0
_PASSING_PRICE = 30.0
_MOST_SHARED = 0.5
_FEWEST_WORDS = 30
_LEAST_PART = 0.1


class Range(NamedTuple):
    """A range of blocks, ``start`` to before ``stop``, and the ranges inside elements to be passed over."""

    start: int
    stop: int
    passed: list[tuple[int, int]]


def article_text(separation: Separation) -> str:
    """Return the text of the article on a separated page; without one, the text of the content.

    Where no other page was asked, the vote has judged by markup alone, and its answer is set aside.
    """
    page = separation.page
    positions = page.text_runs.positions
    mask = np.frombuffer(separation.content_mask, dtype=np.uint8)
    selected, shares = mask[positions] > 0, separation.run_shares
    if shares is None or not separation.voters:
        article = lone_article(page, selected, selected if shares is None else np.ones_like(selected))
    else:
        article = article_runs(page, selected, shares)
    selected = np.zeros_like(mask)
    selected[positions[without_copies(page, article)]] = 1
    return text_of(page, selected.tobytes(), side=1)


def lone_article(page: Page, selected: Flags, allowed: Flags) -> Flags:
    """Return run -> whether it belongs to the article, by the page alone.

    selected     run -> whether it stays where there is no article
    allowed  run -> whether it can belong to the article
    """
    in_range = article_runs(page, selected, np.zeros(len(selected)))
    if not len(selected) or not is_html5(page):
        return in_range
    article = content_of_lone_page(page, allowed, selected, in_range)
    return article if int(page.text_runs.words[article].sum()) >= _FEWEST_WORDS else selected


def is_html5(page: Page) -> bool:
    """Return whether a page is of the time of HTML 5: by its parts, their roles, its doctype or viewport."""
    if (page.text_runs.hints & np.uint8(ARTICLE | FURNITURE)).any():
        return True
    tags = (form for form in page.tokens.forms if form.startswith(("<!", "<m", "<M")))
    return not _PARTS.isdisjoint(page.elements.names) or any(_IS_HTML5(tag, 0, _LONGEST_TAG) for tag in tags)


def article_runs(page: Page, selected: Flags, shares: Floats) -> Flags:
    """Return run -> whether it belongs to the article.

    selected    run -> whether the vote selects it
    shares  run -> share of earlier pages that have it
    """
    runs, elements = page.text_runs, page.elements
    if not len(runs):
        return selected
    block_of, is_aside, is_title = _outline(page)
    owners = block_of[runs.elements]
    is_first = np.diff(owners, prepend=-1) != 0
    blocks = np.cumsum(is_first) - 1
    linked = runs.hints & LINKED > 0
    is_aside_run = is_aside[runs.elements] | under_headings(page)
    allowed = selected & ~is_aside_run & (shares < _MOST_SHARED)
    text = runs.words * (allowed & ~linked)
    worth = text * (1.0 - shares) - _LINKED_WORD_COST * runs.words * linked
    values = np.bincount(blocks, worth) - _BLOCK_COST
    best = best_range(values.tolist(), owners[is_first].tolist(), elements.parents, _PASSING_PRICE)
    chosen = np.zeros(len(values), dtype=bool)
    chosen[best.start : best.stop] = True
    for start, stop in best.passed:
        chosen[start:stop] = False
    titles = np.flatnonzero(np.bincount(blocks, text * is_title[runs.elements])[: best.start])
    chosen[titles[-1:]] = True
    article: Flags = chosen[blocks] & allowed
    enough = max(_FEWEST_WORDS, _LEAST_PART * int(text.sum()))
    return article if int(runs.words[article].sum()) >= enough else selected


def best_range(values: Sequence[float], owners: Sequence[int], parents: Sequence[int], price: float) -> Range:
    """Return the range of blocks that is worth most; to pass over an element costs at most ``price``.

    values   block -> what it is worth
    owners   block -> the element that it stands in, in document order
    parents  element -> its parent; -1 for the first

    The best range is empty where every block costs.

    >>> best_range([9.0, -50.0, 9.0], [0, 1, 0], [-1, 0], 5.0)
    Range(start=0, stop=3, passed=[(1, 2)])
    """
    open_elements = [_Open(0, 0)]
    is_open = {0}
    passed: list[tuple[int, int]] = []

    def close(block: int) -> None:
        closed = open_elements.pop()
        is_open.discard(closed.element)
        if closed.total < -price:
            closed.total = -price
            passed.append((closed.start, block))
        open_elements[-1].join(closed)

    for block, (value, owner) in enumerate(zip(values, owners)):
        path = []
        while owner not in is_open:
            path.append(owner)
            owner = parents[owner]
        while open_elements[-1].element != owner:
            close(block)
        for element in reversed(path):
            open_elements.append(_Open(element, block))
            is_open.add(element)
        open_elements[-1].append(value, block)
    while len(open_elements) > 1:
        close(len(values))
    whole = open_elements[0]
    start, stop = whole.best_start, whole.best_stop
    return Range(start, stop, [part for part in passed if start <= part[0] and part[1] <= stop])


class _Open:
    """An open element: its total so far, and its best ranges.

    head  the best one from its beginning;  tail  the best one up to here;  best  the best of all
    """

    def __init__(self, element: int, block: int) -> None:
        self.element = element
        self.start = self.head_stop = self.tail_start = self.best_start = self.best_stop = block
        self.total = self.head = self.best = 0.0
        self.tail = float("-inf")

    def append(self, value: float, block: int) -> None:
        """Append a block of its own."""
        self.total += value
        self.tail += value
        if value > self.tail:
            self.tail, self.tail_start = value, block
        if self.tail > self.best:
            self.best, self.best_start, self.best_stop = self.tail, self.tail_start, block + 1
        if self.total > self.head:
            self.head, self.head_stop = self.total, block + 1

    def join(self, child: _Open) -> None:
        """Add a child that has ended."""
        if child.head > 0.0 and self.tail + child.head > self.best:
            self.best, self.best_start, self.best_stop = (
                self.tail + child.head,
                self.tail_start,
                child.head_stop,
            )
        if child.best > self.best:
            self.best, self.best_start, self.best_stop = child.best, child.best_start, child.best_stop
        if self.total + child.head > self.head:
            self.head, self.head_stop = self.total + child.head, child.head_stop
        self.total += child.total
        self.tail += child.total
        if child.tail > self.tail:
            self.tail, self.tail_start = child.tail, child.tail_start


def _outline(page: Page) -> tuple[npt.NDArray[np.intp], Flags, Flags]:
    """Return element -> (its block, whether it is no part of an article, whether it is in an ``h1``)."""
    elements, tokens = page.elements, page.tokens
    around_title: set[int] = set()
    for element, name in enumerate(elements.names):
        while name == "h1" and element > 0 and element not in around_title:
            around_title.add(element)
            element = elements.parents[element]
    is_section = list(map(is_of_comments, tokens.form_tags))
    block_of, is_aside, is_title = [0], [False], [False]
    for element, (name, parent) in enumerate(zip(elements.names, elements.parents)):
        if parent < 0:
            continue
        block_of.append(element if name in BLOCKS else block_of[parent])
        is_title.append(is_title[parent] or name == "h1")
        aside = is_aside[parent] or name in _CONTROLS or not elements.shown[element]
        if not aside and element not in around_title:
            form = tokens.form_of[elements.opens[element]]
            aside = name == "form" or (name not in _NO_SECTIONS and is_section[form])
        is_aside.append(aside)
    return np.array(block_of, dtype=np.intp), np.array(is_aside), np.array(is_title)

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

Where no other page of its site is known, the features of its blocks decide, whatever its kind
(``lone_page``).  A notice that asks for consent is not in it, unless nothing else is there.

Source: the sum is that of :mod:`templcrawl.algorithms.extraction.best_range`, without learned word weights;
constants by trial on 35 hosts of news, see ``lab/bench/separation.py``.
n runs, m elements.  Cost: O(n + m).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from templcrawl.algorithms.extraction.article_parts import (
    asks_consent,
    is_of_comments,
    under_headings,
    without_copies,
)
from templcrawl.algorithms.extraction.best_range import best_range
from templcrawl.algorithms.extraction.lone_page import content_of_lone_page
from templcrawl.page.arrays import Flags, Floats
from templcrawl.page.page import Page
from templcrawl.page.render import text_of
from templcrawl.page.separation import Separation
from templcrawl.page.vocabulary import BLOCKS, LINKED, RAW_TEXT_NAMES

_NO_SECTIONS = RAW_TEXT_NAMES | {"html", "body"}
_CONTROLS = frozenset({"button", "label", "option", "select", "textarea"})
_LONGEST_TAG = 1_000
_BLOCK_COST = 8.0
_LINKED_WORD_COST = 1.0
_PASSING_PRICE = 30.0
_MOST_SHARED = 0.5
_FEWEST_WORDS = 30
_LEAST_PART = 0.1
_FEWEST_BESIDE = 8  # words beside a notice that asks for consent, for it to go


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
    asks = asks_consent(page)
    runs = page.text_runs
    if int(runs.words[allowed & ~asks & (runs.hints & np.uint8(LINKED) == 0)].sum()) >= _FEWEST_BESIDE:
        allowed, selected = allowed & ~asks, selected & ~asks
    in_range = article_runs(page, selected, np.zeros(len(selected)))
    if not len(selected):
        return in_range
    article = content_of_lone_page(page, allowed, selected, in_range)
    return article if int(page.text_runs.words[article].sum()) >= _FEWEST_WORDS else selected


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
    chosen = best.of_blocks(len(values))
    titles = np.flatnonzero(np.bincount(blocks, text * is_title[runs.elements])[: best.start])
    chosen[titles[-1:]] = True
    article: Flags = chosen[blocks] & allowed
    enough = max(_FEWEST_WORDS, _LEAST_PART * int(text.sum()))
    return article if int(runs.words[article].sum()) >= enough else selected


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

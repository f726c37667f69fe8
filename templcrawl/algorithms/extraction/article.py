"""The article of a page: the one body of text that a news or blog page is about.

A finer cut than the vote, for pages that have such a body: of what the vote keeps, the teasers, dates, boxes
of related links, forms and comments go too.  A *block* is a row of runs in the same element, inline elements
not counted: a paragraph.  The rules 1 to 6 stand with their constants.  Copies
(:mod:`templcrawl.algorithms.extraction.copies`) are written once; what is related
(:mod:`templcrawl.page.related`), not at all.

Source: the sum is that of :mod:`templcrawl.algorithms.extraction.best_range`, without learned word weights;
constants by trial on 35 hosts of news and 1,476 single pages, see ``lab/bench/separation.py`` and
``lab/bench/lone_pages.py``. n runs, m elements of depth d.  Cost: O(n log n + m log d).
"""

from __future__ import annotations

from collections.abc import Container

import numpy as np

from templcrawl.algorithms.extraction.asides import asks_consent, is_of_comments, under_headings
from templcrawl.algorithms.extraction.best_range import best_range
from templcrawl.algorithms.extraction.blocks import Blocks
from templcrawl.algorithms.extraction.copies import drop_copies
from templcrawl.algorithms.extraction.lone_page import content_of_lone_page
from templcrawl.page.addresses import host_of
from templcrawl.page.arrays import Bytes, Flags, Floats, inherited
from templcrawl.page.page import Page
from templcrawl.page.render import text_of
from templcrawl.page.separation import Separation, content_tokens
from templcrawl.page.tokens import START, UNREAD
from templcrawl.page.vocabulary import HEADINGS, LINKED, RAW_TEXT_NAMES

_NO_SECTIONS = RAW_TEXT_NAMES | {"html", "body"}
_CONTROLS = frozenset({"label", "option", "select", "textarea"})
# 1. A block can belong to the article if the vote selects it and fewer than half of the sampled pages have
# it: the mean over its words. It stays or goes as a whole, but for what stands in a form, in a control other
# than a button, in comments, or in an element that the page hides. What holds an ``h1`` does not count as a
# form or section.
_MAX_SHARED = 0.5  # of the sampled pages that have a block of an article
# 2. The *core* is the range of blocks, in document order, that is worth most in sum. A block is worth its
# words outside links, each times 1 - share, less 1 for each word in a link, less 8: paragraphs earn;
# headings, dates, captions, menus and lists of links cost. To pass over an element costs at most 30: a box in
# the middle does not cut an article in two.
_BLOCK_COST = 8.0  # words that a block has to have to be worth anything
_PASSING_PRICE = 30.0  # words, for an element that is passed over
# 3. The *body* is the innermost element, above ``p``, that holds four fifths of the core's words. The best
# range of its blocks is found again and joins the core: there a block costs 0.5, so short items, cells and
# last sentences stay; words in links to other sites, which are sources, earn; and to pass over an element,
# such as links to related pages, costs at most 8.
_BODY_PART = 0.8  # of the words of the core
_COST_IN_BODY = 0.5  # words: one word alone still earns
_PRICE_IN_BODY = 8.0  # words
_WEIGHT_OF_SIGNS = 0.001  # words, of a run that has none: it counts where all of its block have none
# 5. The last ``h1`` before all that belongs to the article, and, if they have 12 words or less, the blocks
# between them that are worth something: a date, an author.
_MAX_BELOW_TITLE = 12  # words
# 6. Under 30 words, or under a fifth of the words outside links that rule 1 left, the page has no article,
# and what the vote selects stands.
_FEWEST_WORDS = 30  # of an article
_MIN_PART = 0.2  # of the words that can belong to it
_FEWEST_BESIDE = 8  # words beside a notice that asks for consent, for it to go


def article_text(separation: Separation) -> str:
    """Return the text of the article on a separated page; without one, the text of the content.

    Where no other page was asked, the vote has judged by markup alone, and its answer is set aside.
    """
    page = separation.page
    positions = page.text_runs.positions
    mask = np.frombuffer(separation.content_mask, dtype=np.uint8).copy()
    for start, stop in separation.related_spans:
        mask[start:stop] = 0
    selected, shares = mask[positions] > 0, separation.run_shares
    if shares is None or not separation.voters:
        article = lone_article(page, selected, selected if shares is None else np.ones_like(selected))
    else:
        article = article_runs(page, selected, shares)
    tokens = content_tokens(page, ~drop_copies(page, article))  # tags, too: formulas go by them
    tokens &= page.tokens.kind_array != UNREAD
    return text_of(page, tokens.tobytes(), side=1)


def lone_article(page: Page, selected: Flags, allowed: Flags) -> Flags:
    """Return run -> whether it belongs to the article, by the page alone.

    The features of its blocks decide, whatever the kind of the page (``lone_page``).  A notice that asks for
    consent is not in the article, unless nothing else is there.

    selected  run -> whether it stays where there is no article
    allowed   run -> whether it can belong to the article
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

    selected  run -> whether the vote selects it
    shares    run -> share of earlier pages that have it
    """
    if not len(selected):
        return selected
    runs, blocks = page.text_runs, Blocks(page)
    block_of_run, linked = blocks.block_of_run, runs.hints & LINKED > 0
    shown = selected & ~(_asides(page)[runs.elements] | under_headings(page))
    weights = shown * (runs.words + _WEIGHT_OF_SIGNS)
    block_shares = blocks.sums(weights * shares) / np.maximum(blocks.sums(weights), _WEIGHT_OF_SIGNS)
    own = shown & (block_shares < _MAX_SHARED)[block_of_run]

    def worth(linked: Flags) -> Floats:
        return blocks.sums(runs.words * (own & ~linked) * (1.0 - shares) - runs.words * linked)

    text: Floats = np.float64(1.0) * runs.words * (own & ~linked)
    core = _best(page, blocks, worth(linked) - _BLOCK_COST, _PASSING_PRICE)
    if not core.any():
        return selected
    body = _body(page, blocks, text * core[block_of_run])
    in_body = worth(linked & ~_leads_elsewhere(page)) - _COST_IN_BODY
    is_heading = page.elements.tag_values(_named(page, HEADINGS))[blocks.owners] > 0
    allowed = own | (shown & ~linked & is_heading[block_of_run])
    words = blocks.sums(runs.words * allowed)
    chosen = _add_headings(core | _best(page, blocks, in_body, _PRICE_IN_BODY, body), is_heading, words > 0)
    is_title = inherited(page.elements.tag_values(_named(page, ("h1",))), page.elements.above)
    start = int(chosen.argmax())
    titles = np.flatnonzero(blocks.sums(text * is_title[runs.elements])[:start])
    if len(titles):
        below = np.arange(titles[-1] + 1, start)
        chosen[titles[-1]] = True
        if words[below].sum() <= _MAX_BELOW_TITLE:
            chosen[below] = worth(linked)[below] > 0
    article: Flags = chosen[block_of_run] & allowed
    enough = max(_FEWEST_WORDS, _MIN_PART * int(text.sum()))
    return article if int(runs.words[article].sum()) >= enough else selected


def _best(page: Page, blocks: Blocks, values: Floats, price: float, part: slice = slice(None)) -> Flags:
    """Return block -> whether it is in the range with the largest sum, of all blocks or of some."""
    best = best_range(values[part].tolist(), blocks.owners[part].tolist(), page.elements.parents, price)
    chosen = np.zeros(len(blocks), dtype=bool)
    chosen[part] = best.block_flags(len(chosen[part]))
    return chosen


def _body(page: Page, blocks: Blocks, words: Floats) -> slice:
    """Return the blocks of the innermost element that holds the greater part of some words.

    It is not inline, and no ``p``: a core may be one paragraph.

    words  run -> how many of them it has
    """
    positions, elements = page.text_runs.positions, page.elements
    before = np.concatenate(([0.0], np.cumsum(words)))
    starts, stops = positions.searchsorted(elements.open_array), positions.searchsorted(elements.close_array)
    around = np.flatnonzero(before[stops] - before[starts] >= _BODY_PART * before[-1])[-1]
    body = blocks.block_of_element[around]
    if elements.names[body] == "p":
        body = blocks.block_of_element[elements.parents[body]]
    return slice(*blocks.firsts.searchsorted([starts[body], stops[body]]).tolist())


def _leads_elsewhere(page: Page) -> Flags:
    """Return run -> whether it stands in a link to another site: neither host is a part of the other."""
    own, leads = page.host.removeprefix("www."), np.zeros(len(page.elements), dtype=np.uint8)
    for url, element in zip(page.links.urls, page.links.elements):
        host = host_of(url).removeprefix("www.")
        leads[element] = not (host.endswith(own) or own.endswith(host))
    return inherited(leads, page.elements.above)[page.text_runs.elements] > 0


def _add_headings(chosen: Flags, is_heading: Flags, is_read: Flags) -> Flags:
    """Return block -> whether it is chosen, with the headings of what is chosen and no heading at the end.

    Rule 4: a heading outside links stays where the next block stays, however many pages have it; behind all
    the rest it goes.
    """
    rows = np.flatnonzero(is_read)
    heads, stays = is_heading[rows], chosen[rows]
    is_next = np.minimum.accumulate(np.where(heads, len(rows), np.arange(len(rows)))[::-1])[::-1]
    last = np.flatnonzero(stays & ~heads).max(initial=-1)
    found = chosen.copy()
    found[rows] = np.append(stays, False)[is_next] | (stays & (np.arange(len(rows)) <= last))
    return found


def _asides(page: Page) -> Flags:
    """Return element -> whether it is not part of an article."""
    elements, tokens = page.elements, page.tokens
    around_title: set[int] = set()
    for element in np.flatnonzero(elements.tag_values(_named(page, ("h1",)))).tolist():
        while element > 0 and element not in around_title:
            around_title.add(element)
            element = elements.parents[element]
    names = tokens.form_names
    is_aside_form = _named(page, ("form",))
    for form, kind in enumerate(tokens.form_kinds):
        if kind == START and names[form] not in _NO_SECTIONS:
            is_aside_form[form] |= is_of_comments(tokens.form_tags[form])
    is_aside = elements.tag_values(is_aside_form)
    is_aside[list(around_title)] = 0
    is_aside |= elements.tag_values(_named(page, _CONTROLS))
    is_aside[1:] |= ~elements.shown_array[1:]
    return inherited(is_aside, elements.above) > 0


def _named(page: Page, names: Container[str]) -> Bytes:
    """Return form -> 1 where it is a tag of one of these names."""
    return np.array([name in names for name in page.tokens.form_names], dtype=np.uint8)

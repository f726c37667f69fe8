"""The article of a page: the one body of text that a news or blog page is about.

A finer cut than the vote, for pages that have such a body: of what the vote keeps, the teasers, dates, boxes
of related links, forms and comments go too.

1. A text run can belong to the article if the vote selects it, fewer than half of the sampled pages have it,
   and it stands in no form control, form or section of comments, nor in an element that the page hides.  What
   holds an ``h1`` does not count as a form or section.
2. A *block* is a row of runs in the same element, inline elements not counted: a paragraph.
3. A block is worth its words outside links, each times 1 - share, less 8, less 1 for each word in a
   link: paragraphs earn; headings, dates, captions, menus and lists of links cost.
4. The article is the range of blocks, in document order, that is worth most in sum.
5. To pass over an element costs a range at most 30, however bad the element is, and the element is left
   out: a box in the middle does not cut an article in two.
6. The last ``h1`` before the range belongs to the article.
7. Under 30 words, or under a tenth of the words outside links that rule 1 left, the page has no
   article, and what the vote selects stands.
8. Text that stands on the page twice is written once; what is related (:mod:`templcrawl.page.related`), not
   at all.

Where no other page of its site is known, the features of its blocks decide, whatever its kind
(``lone_page``).  A notice that asks for consent is not in it, unless nothing else is there.

*Comments* are told by the class or id of an element, or by the heading above them.  The words are those that
sites of some twenty languages write.  A name counts where it is one of them, or the English one, alone or
with the word for form, list, thread and so on ("comment-form"), or "disqus".  A heading (``h2`` to ``h6``)
counts if it says nothing but a word that is not English, and a number ("Komentarze (12)"): manuals have
sections on "Comments".  All text below it is of comments, up to the next heading of its level or the end of
the element around it (where nothing follows the heading in that element, of the next one outwards).

*Notices that ask for consent* are told by the class or id of an element that holds no ``h1``, ``main`` and
``article``: names of "cookie", "privacy" ... with one for a notice, and of the programs that show most of
them.

*Copies* are print versions, hidden copies, responsive doubles.  A line is a row of runs between two edges: an
element that is not inline begins or ends there, or a ``br``.  A line of 8 words or more is a copy if an
earlier line has the same runs in an element of another path of tags, classes and ids.  So is a shorter one in
a row of such lines with a copy in it: a heading, a date.  Lines of one path are records, steps or rows: they
stay, however often they repeat.  Lines in ``pre`` are code, and stay.

Source: the sum is that of :mod:`templcrawl.algorithms.extraction.best_range`, without learned word weights;
constants by trial on 35 hosts of news and 1,476 single pages, see ``lab/bench/separation.py`` and
``lab/bench/lone_pages.py``. n runs, m elements of depth d.  Cost: O(n log n + m log d), and O(d) for each
heading of comments.
"""

from __future__ import annotations

import re

import numpy as np

from templcrawl.algorithms.extraction.best_range import best_range
from templcrawl.algorithms.extraction.blocks import Blocks
from templcrawl.algorithms.extraction.lone_page import content_of_lone_page
from templcrawl.page.arrays import MIX, Flags, Floats, inherited
from templcrawl.page.page import Page
from templcrawl.page.render import text_of
from templcrawl.page.separation import Separation
from templcrawl.page.tokens import Tag
from templcrawl.page.vocabulary import BLOCKS, LINKED, RAW_TEXT_NAMES

_NO_SECTIONS = RAW_TEXT_NAMES | {"html", "body"}
_CONTROLS = frozenset({"button", "label", "option", "select", "textarea"})
_BLOCK_COST = 8.0  # words that a block has to have to be worth anything (rule 3)
_LINKED_WORD_COST = 1.0  # words (rule 3)
_PASSING_PRICE = 30.0  # words, for an element that is passed over (rule 5)
_MOST_SHARED = 0.5  # of the sampled pages that have a run of an article (rule 1)
_FEWEST_WORDS = 30  # of an article (rule 7)
_LEAST_PART = 0.1  # of the words that can belong to it (rule 7)
_FEWEST_OF_LINE = 8  # words of a line that is a copy by itself
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
    blocks = Blocks(page)
    linked = runs.hints & LINKED > 0
    is_aside_run = _asides(page)[runs.elements] | under_headings(page)
    allowed = selected & ~is_aside_run & (shares < _MOST_SHARED)
    text = runs.words * (allowed & ~linked)
    worth = text * (1.0 - shares) - _LINKED_WORD_COST * runs.words * linked
    values = np.bincount(blocks.of_run, worth) - _BLOCK_COST
    best = best_range(values.tolist(), blocks.owners.tolist(), elements.parents, _PASSING_PRICE)
    chosen = best.of_blocks(len(blocks))
    is_title = inherited(np.array([name == "h1" for name in elements.names], dtype=np.uint8), elements.above)
    titles = np.flatnonzero(np.bincount(blocks.of_run, text * is_title[runs.elements])[: best.start])
    chosen[titles[-1:]] = True
    article: Flags = chosen[blocks.of_run] & allowed
    enough = max(_FEWEST_WORDS, _LEAST_PART * int(text.sum()))
    return article if int(runs.words[article].sum()) >= enough else selected


def _asides(page: Page) -> Flags:
    """Return element -> whether it is no part of an article."""
    elements, tokens = page.elements, page.tokens
    around_title: set[int] = set()
    for element, name in enumerate(elements.names):
        while name == "h1" and element > 0 and element not in around_title:
            around_title.add(element)
            element = elements.parents[element]
    tags = list(zip(tokens.form_names, tokens.form_tags))
    of_forms = [name == "form" or (name not in _NO_SECTIONS and is_of_comments(tag)) for name, tag in tags]
    is_aside = elements.of_tags(np.array(of_forms, dtype=np.uint8))
    is_aside[list(around_title)] = 0
    is_aside |= elements.of_tags(np.array([name in _CONTROLS for name, _ in tags], dtype=np.uint8))
    is_aside[1:] |= ~elements.shown_array[1:]
    return inherited(is_aside, elements.above) > 0


_WORDS = (
    "komentar(?:z|ze|zy|ji?|i|e|y)|kommentar(?:e|er|er?na|ii)?|comentarios?|comentários?|comentaris?|commenti"
    "|commentaires?|comentarii|reacties?|kommentit|hozzászólás(?:ok)?|komentáře?|komentáre|yorumlar?"
    "|opinie|otzyvy|комментари[ий]|коментарі?|отзывы|відгуки|σχόλια|コメント|评论|評論|留言|댓글|تعليقات|תגובות"
)
_NAMED = re.compile(
    r"(?<![a-zA-Z])(?i:comment(?:aires?|area|box|form|id|ing|list|s|section|thread|wrap)?)(?![a-z])"
    rf"|(?<![a-zA-Z])(?i:{_WORDS})(?![a-z])|(?i:disqus)"
).search
_ASKS_CONSENT = re.compile(
    r"(?:cookies?|gdpr|ccpa|dsgvo|privacy|lgpd)[-_]?(?:alert|banner|bar(?![a-z])|box|compliance|consent|dialog|hint|info"
    r"|law|layer|manager|message|modal|notice|notification|overlay|pop-?up|prompt|wall|warning)"
    r"|(?<![a-z])(?:cookie-?|fc-|user-?)?consent[-_]?(?:banner|bar(?![a-z])|dialog|layer|manager|modal|notice|overlay"
    r"|pop-?up|prompt|root|sdk|tool|wall)|cookieconsent|onetrust|cybotcookiebot|didomi-|(?<![a-z])qc-cmp|usercentrics"
    r"|sp_message_container|truste(?![a-z])|iubenda-cs|cmplz-cookiebanner|borlabs-?cookie",
    re.IGNORECASE,
).search
_OF_CONTENT = frozenset({"html", "body", "main", "article", "h1"})
_HEADED = re.compile(_WORDS, re.IGNORECASE).fullmatch
_HEADINGS = ("h2", "h3", "h4", "h5", "h6")
_HOLDS_CONTENT = 2  # mark of a notice that is none, as it holds what is content
_AROUND_WORD = " \t\r\n\f()[]0123456789:-–"
_LONGEST_HEADING = 100  # characters of a heading of comments


def is_of_comments(tag: Tag) -> bool:
    """Return whether the class or id of a start tag says that its element holds comments."""
    names = " ".join((*tag.classes, tag.id))
    return bool(names) and _NAMED(names) is not None


def asks_consent(page: Page) -> Flags:
    """Return run -> whether it stands in a notice that asks for consent."""
    elements, tokens = page.elements, page.tokens
    names = [" ".join((*tag.classes, tag.id)) for tag in tokens.form_tags]
    if _ASKS_CONSENT("\n".join(names)) is None:
        return np.zeros(len(page.text_runs), dtype=bool)
    notices = elements.of_tags(np.array([_ASKS_CONSENT(name) is not None for name in names], dtype=np.uint8))
    for element, name in enumerate(elements.names):
        while name in _OF_CONTENT and element > 0 and notices[element] != _HOLDS_CONTENT:
            notices[element] = _HOLDS_CONTENT
            element = elements.parents[element]
    in_notice = inherited((notices == 1).astype(np.uint8), elements.above)
    return in_notice[page.text_runs.elements] > 0


def under_headings(page: Page) -> Flags:
    """Return run -> whether it stands in or below a heading of comments."""
    runs, elements, tokens = page.text_runs, page.elements, page.tokens
    is_under = np.zeros(len(runs), dtype=bool)
    for run, element in enumerate(runs.elements.tolist()):
        name = elements.names[element]
        if name not in _HEADINGS:
            continue
        text = tokens.forms[tokens.form_of[runs.positions[run]]]
        if len(text) <= _LONGEST_HEADING and _HEADED(text.strip(_AROUND_WORD)):
            is_under[run : _end_below(page, element)] = True
    return is_under


def _end_below(page: Page, heading: int) -> int:
    """Return the first run behind what stands below a heading."""
    elements, positions = page.elements, page.text_runs.positions
    around, behind = elements.parents[heading], int(np.searchsorted(positions, elements.closes[heading]))
    while around > 0 and np.searchsorted(positions, elements.closes[around]) == behind:
        around = elements.parents[around]
    stop = elements.closes[around]
    for element in range(heading + 1, len(elements)):
        name = elements.names[element]
        if elements.opens[element] >= stop or ("h1" <= name <= elements.names[heading] and len(name) == 2):
            stop = min(stop, elements.opens[element])
            break
    return int(np.searchsorted(positions, stop))


def without_copies(page: Page, selected: Flags) -> Flags:
    """Return run -> whether it is selected and in no copy of an earlier selected line."""
    runs, elements = page.text_runs, page.elements
    chosen = np.flatnonzero(selected)
    if not len(chosen):
        return selected
    breaks = np.array([name in BLOCKS for name in elements.names])
    edges = np.zeros(len(page.tokens) + 1, dtype=np.intp)
    edges[elements.open_array[breaks]] = edges[elements.close_array[breaks]] = 1
    lines = edges.cumsum()[runs.positions[chosen]]
    firsts = np.flatnonzero(np.diff(lines, prepend=-1))
    words = np.add.reduceat(runs.words[chosen].astype(np.intp), firsts)
    texts = np.add.reduceat(runs.texts[chosen] * np.uint64(MIX), firsts)
    around = runs.elements[chosen[firsts]]
    paths = elements.whole_paths[around]
    _, originals, original_of = np.unique(texts, return_index=True, return_inverse=True)
    is_code = inherited(np.array([name == "pre" for name in elements.names], dtype=np.uint8), elements.above)
    is_again = (paths != paths[originals[original_of]]) & (is_code[around] == 0)
    rows = np.cumsum(np.diff(is_again, prepend=False))
    is_copy = is_again & (np.bincount(rows, words >= _FEWEST_OF_LINE) > 0)[rows]
    stays: Flags = selected.copy()
    stays[chosen] = ~np.repeat(is_copy, np.diff(np.append(firsts, len(chosen))))
    return stays

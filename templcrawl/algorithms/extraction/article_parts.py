"""What is no part of an article: comments, notices that ask for consent, lines that stand on the page twice.

*Comments* are told by the class or id of an element, or by the heading above them.  The words are those that
sites of some twenty languages write.  A name counts where it is one of them, or the English one, alone or
with the word for form, list, thread and so on ("comment-form"), or "disqus".  A heading (``h2`` to ``h6``)
counts if it says nothing but a word that is not English, and a number ("Komentarze (12)"): manuals have
sections on "Comments".  All text below it is of comments, up to the next heading of its level or the end of
the element around it (where nothing follows the heading in that element, of the next one outwards).

*Notices that ask for consent* are told by the class or id of an element that holds no ``h1``, ``main`` and
``article``: names of "cookie", "privacy" ... with one for a notice, and those of the programs that show most
of them.

*Copies* are print versions, hidden copies, responsive doubles.

1. A line is a row of runs between two edges: an element that is not inline begins or ends there, or a ``br``.
2. A line of 8 words or more is a copy if an earlier line has the same runs in an element of another path of
   tags, classes and ids.  So is a shorter one in a row of such lines with a copy in it: a heading, a date.
   Lines of one path are records, steps or rows: they stay, however often they repeat.
3. Lines in ``pre`` are code, and stay.

Source: ours; by trial on 1,476 single pages and 35 hosts of news, see ``lab/bench/lone_pages.py``.
n runs, m elements of depth d.  Cost: O(n log n + m log d), and O(d) for each heading that counts.
"""

from __future__ import annotations

import re

import numpy as np

from templcrawl.page.arrays import MIX, Flags, inherited
from templcrawl.page.page import Page
from templcrawl.page.tokens import Tag
from templcrawl.page.vocabulary import BLOCKS

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
_HOLDS_CONTENT = 2
_AROUND_WORD = " \t\r\n\f()[]0123456789:-–"
_LONGEST_HEADING = 100


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
    found: Flags = in_notice[page.text_runs.elements] > 0
    return found


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


_FEWEST_WORDS = 8


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
    is_copy = is_again & (np.bincount(rows, words >= _FEWEST_WORDS) > 0)[rows]
    stays: Flags = selected.copy()
    stays[chosen] = ~np.repeat(is_copy, np.diff(np.append(firsts, len(chosen))))
    return stays

"""Find comments and consent notices beside the article of a page, by the words of its markup.

*Comments* are recognised by the class or id of an element, or by the heading above them, in some twenty
languages.  All text below such a heading belongs to the comments, up to the next heading of its level or to
the end of the element around it.  If nothing follows the heading in that element, the next element outwards
counts.

*Consent notices* are recognised by the class or id of an element without ``h1``, ``main`` and ``article`` in
it.

Source: our own, by trial on 35 hosts of news.  n runs, m elements of depth d.  Cost: O(n + m log d), and O(d)
for each heading of comments.
"""

from __future__ import annotations

import re

import numpy as np

from templcrawl.page.arrays import Flags, inherited
from templcrawl.page.page import Page
from templcrawl.page.text import Memo
from templcrawl.page.tokens import Tag

# "Comments", as sites of some twenty languages say it.
_WORDS = (
    "komentar(?:z|ze|zy|ji?|i|e|y)|kommentar(?:e|er|er?na|ii)?|comentarios?|comentários?|comentaris?|commenti"
    "|commentaires?|comentarii|reacties?|kommentit|hozzászólás(?:ok)?|komentáře?|komentáre|yorumlar?"
    "|opinie|otzyvy|комментари[ий]|коментарі?|отзывы|відгуки|σχόλια|コメント|评论|評論|留言|댓글|تعليقات|תגובות"
)
# A class or id has such a word, or the English one with that for a form, a list or a thread, or none.
_NAMED = re.compile(
    r"(?<![a-zA-Z])(?i:comment(?:aires?|area|box|form|id|ing|list|s|section|thread|wrap)?)(?![a-z])"
    rf"|(?<![a-zA-Z])(?i:{_WORDS})(?![a-z])|(?i:disqus)"
).search
_ARE_OF_COMMENTS = Memo(lambda names: _NAMED(names) is not None)
# A heading says such a word and a number ("Komentarze (12)"). Manuals have sections on "Comments".
_HEADED = re.compile(_WORDS, re.IGNORECASE).fullmatch
_HEADINGS = ("h2", "h3", "h4", "h5", "h6")
_AROUND_WORD = " \t\r\n\f()[]0123456789:-–"
_LONGEST_HEADING = 100  # characters of a heading of comments
# A word for what is asked beside one for a notice; programs that show most of them.
_ASKS_CONSENT = re.compile(
    r"(?:cookies?|gdpr|ccpa|dsgvo|privacy|lgpd)[-_]?(?:alert|banner|bar(?![a-z])|box|compliance|consent|dialog|hint|info"
    r"|law|layer|manager|message|modal|notice|notification|overlay|pop-?up|prompt|wall|warning)"
    r"|(?<![a-z])(?:cookie-?|fc-|user-?)?consent[-_]?(?:banner|bar(?![a-z])|dialog|layer|manager|modal|notice|overlay"
    r"|pop-?up|prompt|root|sdk|tool|wall)|cookieconsent|onetrust|cybotcookiebot|didomi-|(?<![a-z])qc-cmp|usercentrics"
    r"|sp_message_container|truste(?![a-z])|iubenda-cs|cmplz-cookiebanner|borlabs-?cookie",
    re.IGNORECASE,
).search
_OF_CONTENT = frozenset({"html", "body", "main", "article", "h1"})  # no notice holds one
_HOLDS_CONTENT = 2  # mark of a notice that is none, as it holds what is content


def is_of_comments(tag: Tag) -> bool:
    """Return whether the class or id of a start tag says that its element holds comments."""
    names = " ".join((*tag.classes, tag.id))
    return bool(names) and _ARE_OF_COMMENTS[names]


def asks_consent(page: Page) -> Flags:
    """Return run -> whether it stands in a notice that asks for consent."""
    elements, tokens = page.elements, page.tokens
    names = [" ".join((*tag.classes, tag.id)) for tag in tokens.form_tags]
    if _ASKS_CONSENT("\n".join(names)) is None:
        return np.zeros(len(page.text_runs), dtype=bool)
    notices = elements.tag_values(
        np.array([_ASKS_CONSENT(name) is not None for name in names], dtype=np.uint8)
    )
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
    in_heading = np.array([name in _HEADINGS for name in elements.names])[runs.elements]
    for run in np.flatnonzero(in_heading).tolist():
        text = tokens.forms[tokens.form_of[runs.positions[run]]]
        if len(text) <= _LONGEST_HEADING and _HEADED(text.strip(_AROUND_WORD)):
            is_under[run : _end_below(page, int(runs.elements[run]))] = True
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

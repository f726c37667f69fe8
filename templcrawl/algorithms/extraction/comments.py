"""Sections of readers' comments: by the class or id of an element, or by the heading above them.

The words are those that sites of some twenty languages write.  A name counts where it is one of them, or
the English one, alone or with the word for form, list, thread and so on ("comment-form"), or "disqus".  A
heading (``h2`` to ``h6``) counts if it says nothing but a word that is not English, and a number
("Komentarze (12)"): manuals have sections on "Comments".  All text below it is of comments, up to the next
heading of its level or the end of the element around it (where nothing follows the heading in that element,
of the next one outwards).

Source: ours.  n runs, m elements of depth d.  Cost: O(n), and O(d) for each heading that counts.
"""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from templcrawl.page.page import Page
from templcrawl.page.tags import Tag

Flags = npt.NDArray[np.bool_]

_WORDS = (
    "komentar(?:z|ze|zy|ji?|i|e|y)|kommentar(?:e|er|er?na|ii)?|comentarios?|comentários?|comentaris?|commenti"
    "|commentaires?|comentarii|reacties?|kommentit|hozzászólás(?:ok)?|komentáře?|komentáre|yorumlar?"
    "|opinie|otzyvy|комментари[ий]|коментарі?|отзывы|відгуки|σχόλια|コメント|评论|評論|留言|댓글|تعليقات|תגובות"
)
_NAMED = re.compile(
    r"(?<![a-zA-Z])(?i:comment(?:aires?|area|box|form|id|ing|list|s|section|thread|wrap)?)(?![a-z])"
    rf"|(?<![a-zA-Z])(?i:{_WORDS})(?![a-z])|(?i:disqus)"
).search
_HEADED = re.compile(_WORDS, re.IGNORECASE).fullmatch
_HEADINGS = ("h2", "h3", "h4", "h5", "h6")
_AROUND_WORD = " \t\r\n\f()[]0123456789:-–"
_LONGEST_HEADING = 100


def is_of_comments(tag: Tag) -> bool:
    """Return whether the class or id of a start tag says that its element holds comments."""
    names = " ".join((*tag.classes, tag.id))
    return bool(names) and _NAMED(names) is not None


def under_headings(page: Page) -> Flags:
    """Return run -> whether it stands in or below a heading of comments."""
    runs, elements, tokens = page.text_runs, page.elements, page.tokens
    is_under = np.zeros(len(runs), dtype=bool)
    for run, element in enumerate(runs.elements.tolist()):
        name = elements.names[element]
        if name in _HEADINGS and _is_heading(tokens.forms[tokens.form_of[runs.positions[run]]]):
            is_under[run : _end_below(page, element)] = True
    return is_under


def _is_heading(text: str) -> bool:
    return len(text) <= _LONGEST_HEADING and _HEADED(text.strip(_AROUND_WORD)) is not None


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

"""The blocks of a page: their runs, the names of their elements, and the punctuation of their text.

A block is a row of text runs in the same element, inline elements not counted: a paragraph. n runs, m
elements of depth d.  Cost: O(n + m log d).

*Names.*  Bits for the names of an element (its class words, its id).  A name counts if a word of it begins
so: behind no letter, or at a capital behind a small one ("relatedPosts", "more-related").  Names are words
that web designers write in any language of the web. An element that is hidden by its attributes has the bit
``hidden``. Cost: O(length of the tag); a word is read once for all pages of a process.

*BlockTree.*  What the elements around a block are, and sums over the text in them.

*Texts.*  Features of a block's text that need no knowledge of its language: punctuation, digits, repetition.
Cost: O(length of the text); a text is read once for all pages of a process.

Source: our own, but for the punctuation (see :mod:`templcrawl.algorithms.extraction.lone_page`).
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

from templcrawl.page.arrays import MIX, Floats, Indices, nearest
from templcrawl.page.page import Page
from templcrawl.page.text import WIDE, Memo
from templcrawl.page.tokens import WITHOUT_WORDS, Tag
from templcrawl.page.vocabulary import ARTICLE, BLOCKS, FURNITURE, LINKED


class Blocks:
    """The blocks of a page, in document order, as parallel arrays; the page must have a text run.

    block_of_run      run -> its block
    block_of_element  element -> the innermost element around it, or itself, that is not inline
    firsts            block -> its first run
    owners            block -> the element that it stands in
    words             block -> its words
    unlinked          block -> its words outside links
    """

    __slots__ = ("block_of_element", "block_of_run", "firsts", "owners", "unlinked", "words")

    def __init__(self, page: Page) -> None:
        runs = page.text_runs
        tokens, elements = page.tokens, page.elements
        is_block = elements.tag_values(np.array([name in BLOCKS for name in tokens.form_names]))
        self.block_of_element = nearest(is_block, elements.parent_array)
        owners = self.block_of_element[runs.elements]
        is_first = np.diff(owners, prepend=-1) != 0
        self.block_of_run: Indices = np.cumsum(is_first) - 1
        self.firsts = np.flatnonzero(is_first)
        self.owners: Indices = owners[is_first]
        words = runs.words.astype(np.float64)
        self.words = self.sums(words)
        self.unlinked = self.sums(words * (runs.hints & LINKED == 0))

    def __len__(self) -> int:
        return len(self.owners)

    def sums(self, values: npt.NDArray[Any]) -> Floats:
        """Return block -> the sum of the values of its runs."""
        return np.asarray(np.bincount(self.block_of_run, values, len(self)), np.float64)


# What is named -> how words begin that name it.
NAMES = {
    "comments": "comment|disqus|repl(?:y|ies)|respond|kommentar|komentar|comentari|otzyv|комментар|отзыв",
    "sharing": "share|sharing|social|follow",
    "related": "related|recommend|similar|suggest|trending|popular|upsell|cross-?sell|read-?more|more-"
    "|recent|latest|featured|next|prev|teaser|promoted|also",
    "advertising": "promo|advert|ads?(?![a-z])|sponsor|banner|newsletter|subscri|sign-?up|cta|donat",
    "dialogs": "modal|pop-?up|cookie|consent|gdpr|overlay|drawer|off-?canvas|flyout|mini-?cart|cart|login"
    "|lightbox|dialog|toast|tooltip|notice|alert|announce",
    "sides": "side|widget|rail|aside|complementary",
    "menus": "menu|nav|breadcrumb|crumb|toolbar|tabs?(?![a-z])|pagination|pager|toc(?![a-z])|skip|dropdown"
    "|mega",
    "filters": "filter|facet|sort|refine|search",
    "foot": "foot|copyright|legal|colophon|disclaimer",
    "head": "header|masthead|top-?bar|hero",
    "particulars": "meta|byline|author|date|time|tags?(?![a-z])|categor|badge|label|avatar|user|profile"
    "|signature|stats|count|rating",
    "out of sight": "hidden|hide(?![a-z])|invisible|sr-only|visually|screen-?reader|d-none|collapsed",
    "body": "content|article|post|entry|story|body|text|main|prose|rich|markdown|copy",
    "product": "product|price|sku|spec|feature|option|variant|descript|detail|attribute|summary",
    "records": "card|item|result|listing|grid|row|tile|list|col(?![a-z])",
    "reviews": "review|testimonial|quote|faq|accordion|question|answer",
}

# What is named -> its bit; the last is of elements hidden by their attributes.
BITS = {named: 1 << bit for bit, named in enumerate((*NAMES, "hidden"))}

_LONGEST_TAG = 1_000  # characters of a tag that are searched
_NAMED_SO = re.compile(
    "(?:(?<![a-zA-Z])|(?<=[a-z])(?=[A-Z]))(?i:" + "|".join(f"({words})" for words in NAMES.values()) + ")"
).finditer
# A feature that the weights were learned with: it does not follow what the page layer calls hidden.
_HIDDEN = re.compile(
    r"""\shidden(?=[\s>=/])|aria-hidden=["']?true|display:\s{0,3}none""", re.IGNORECASE | re.ASCII
).search


def name_bits(tag: Tag, form: str) -> int:
    """Return the bits of a start tag.

    form  the tag as written

    >>> from templcrawl.page.tokens import read_tag
    >>> name_bits(read_tag(form := '<div class="relatedPosts">'), form) == BITS["related"] | BITS["body"]
    True
    """
    bits = 0
    if tag.name not in WITHOUT_WORDS:
        for word in (*tag.classes, tag.id) if tag.id else tag.classes:
            bits |= _WORD_BITS[word]
    if ("hid" in form or "none" in form) and _HIDDEN(form, 0, _LONGEST_TAG):
        bits |= BITS["hidden"]
    return bits


_WORD_BITS = Memo(lambda word: sum({1 << ((match.lastindex or 1) - 1) for match in _NAMED_SO(word)}))


_ENDS_SENTENCE = re.compile(r"[.!?。！？…][\"'”»)\]]{0,3}\Z").search
_COMMA = re.compile(r"[,;，、；،]").findall
_AMOUNT = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:[€₽]|zł|USD|EUR|kr\b)").search
_NOTICE = re.compile(r"©|\(c\)|copyright|cookie|privacy", re.IGNORECASE).search
_DIGIT = re.compile(r"\d").findall


def _read_text(text: str) -> tuple[int, ...]:
    folded = " ".join(text.split())
    has = (search(folded) is not None for search in (_ENDS_SENTENCE, _AMOUNT, _NOTICE))
    return *has, len(_COMMA(folded)), len(_DIGIT(folded)), len(folded)


_TEXTS = Memo(_read_text)


def text_features(page: Page, blocks: Blocks) -> dict[str, npt.NDArray[Any]]:
    """Return name of a feature -> block -> its value."""
    tokens, runs = page.tokens, page.text_runs
    forms = tokens.form_array[runs.positions]
    read = np.array([_TEXTS[tokens.forms[form]] for form in forms.tolist()], dtype=np.float64)
    lasts = np.append(blocks.firsts[1:], len(runs)) - 1
    sums = np.add.reduceat(read, blocks.firsts)
    texts = np.add.reduceat(runs.texts * np.uint64(MIX), blocks.firsts)
    _, firsts, text_of_block, times = np.unique(
        texts, return_index=True, return_inverse=True, return_counts=True
    )
    _, amounts, notices, commas, digits, letters = sums.T
    return {
        "sentence": read[lasts, 0] > 0,
        "commas": np.log1p(commas),
        "price": amounts > 0,
        "notice": notices > 0,
        "digits": digits / np.maximum(letters, 1.0),
        "letters": letters / np.maximum(blocks.words, 1.0),
        "again": np.log(times[text_of_block]),
        "before": firsts[text_of_block] < np.arange(len(blocks)),
    }


_LONGEST_TITLED = 60  # words of a block that may be the title
_READ_OF_RUN = 500  # characters of a run that are compared with the title
_TITLE_WORDS = re.compile(rf"{WIDE.pattern}|(?:(?!{WIDE.pattern})\w)+").findall


def title_words(page: Page, blocks: Blocks) -> tuple[Floats, Floats, Floats]:
    """Return block -> how its words and those of the page's title are alike, in three numbers from 0 to 1.

    The likeness of the two sets (Dice), 0 for blocks of more than ``_LONGEST_TITLED`` words; the share of the
    block's words that the title has; the share of the title's words that the block has.
    """
    tokens, runs = page.tokens, page.text_runs
    title = frozenset(_TITLE_WORDS(page.title.lower()[:_READ_OF_RUN]))
    likeness, share, distinct = np.zeros(len(blocks)), np.zeros(len(blocks)), np.zeros(len(blocks))
    texts = tokens.texts_of(tokens.form_array[runs.positions].tolist()) if title else []
    words = [_TITLE_WORDS(text[:_READ_OF_RUN].lower()) for text in texts]
    for block, start, stop in zip(range(len(blocks)), blocks.firsts, [*blocks.firsts[1:], len(runs)]):
        block_words = [word for run in words[start:stop] for word in run]
        found = title.intersection(block_words)
        if found:
            share[block] = sum(word in title for word in block_words) / len(block_words)
            distinct[block] = len(found) / len(title)
            if blocks.words[block] <= _LONGEST_TITLED:
                likeness[block] = 2 * len(found) / (len(set(block_words)) + len(title))
    return likeness, share, distinct


_KINDS = (
    "p", "h1", "h2 h3", "h4 h5 h6", "li", "td th caption", "pre code", "blockquote", "dt dd",
    "label button option select textarea legend fieldset", "figcaption figure", "address time footer small",
    "summary details",
)  # fmt: skip
# Name of a tag -> its kind, above 0; all others are of kind 0.
KIND_OF = {name: kind for kind, names in enumerate(_KINDS, 1) for name in names.split()}

AROUND = "p li td table form article main header footer nav aside section select blockquote".split()
_OF_MOST = BITS["body"] | BITS["product"]


class BlockTree:
    """The elements of a page: what its tags say of each, and sums over the text runs in it."""

    def __init__(self, page: Page) -> None:
        tokens, self.elements, self.runs = page.tokens, page.elements, page.text_runs
        forms = tokens.form_array[self.elements.open_array[1:]]
        self.parents: Indices = np.maximum(self.elements.parent_array, 0)
        self.above = self.elements.above
        kinds = np.array([KIND_OF.get(name, 0) for name in tokens.form_names], dtype=np.uint8)
        self.kinds = self.elements.tag_values(kinds)
        around = {name: 1 << bit for bit, name in enumerate(AROUND)}
        inside = np.array([around.get(name, 0) for name in tokens.form_names], dtype=np.uint32)
        self.inside = _gathered(self.elements.tag_values(inside), self.above)
        self.paths = self.elements.paths_of(np.array([tag.step for tag in tokens.form_tags], dtype=np.uint64))
        self.starts = np.searchsorted(self.runs.positions, self.elements.open_array)
        self.stops = np.searchsorted(self.runs.positions, self.elements.closes)
        words = self.runs.words.astype(np.float64)
        self.words = self.sums(words)
        self.unlinked = self.sums(words * (self.runs.hints & LINKED == 0))
        holds = np.flatnonzero(self.words[1:])  # where nothing stands in an element, its names are not read
        forms_of_names, form_of_element = np.unique(forms[holds], return_inverse=True)
        bits = [name_bits(tokens.form_tags[form], tokens.forms[form]) for form in forms_of_names.tolist()]
        names = np.zeros(len(self.elements), dtype=np.uint32)
        names[holds + 1] = np.array(bits, dtype=np.uint32)[form_of_element]
        names[self.unlinked > 0.5 * self.unlinked[0]] &= np.uint32(_OF_MOST)
        above = names[self.parents]
        self.near = names | above | above[self.parents]
        self.any = _gathered(names, self.above)

    def sums(self, values: Floats) -> Floats:
        """Return element -> the sum of the values of the text runs in it."""
        before = np.concatenate(([0.0], np.cumsum(values)))
        return before[self.stops] - before[self.starts]

    def block_sums(self, blocks: Blocks, values: Floats) -> Floats:
        """Return element -> the sum of the values of the blocks in it."""
        run_values = np.zeros(len(self.runs))
        run_values[blocks.firsts] = values
        return self.sums(run_values)


def _gathered(bits: npt.NDArray[np.uint32], above: list[Indices]) -> npt.NDArray[np.uint32]:
    for ancestors in above:
        bits = bits | bits[ancestors]
    return bits


_PARTS = frozenset("article aside footer header main nav section".split())
_IS_HTML5 = re.compile(
    r"""<!doctype\s{1,3}html\s{0,3}>|<meta\s[^>]{0,200}?viewport""", re.IGNORECASE | re.ASCII
).match


def is_html5(page: Page) -> bool:
    """Return whether a page is of the time of HTML 5: by its parts, their roles, its doctype or viewport."""
    if (page.text_runs.hints & np.uint8(ARTICLE | FURNITURE)).any():
        return True
    tags = (form for form in page.tokens.forms if form.startswith(("<!", "<m", "<M")))
    return not _PARTS.isdisjoint(page.elements.names) or any(_IS_HTML5(tag, 0, _LONGEST_TAG) for tag in tags)

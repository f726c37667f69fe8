"""The evidence of the kind of a page, from its content: words and numbers.

Menus, footers and banners say what site it is, not what kind of page: they are left out, as far as the
separation of the page has found them.  Only what the head and forms say counts from anywhere.  *Words* are of
:mod:`templcrawl.algorithms.page_kinds.words`.  *Numbers*, by name:

url ...       depth, characters, words and digits of the last segment, a year, a number, a slash at its end
<tag>         how many elements of a name;  elements, shown  of all, and of images and videos, anywhere
words, runs   of the visible text;  ... main  of the content alone, as all that is not named here
linked ...    share of the words in links, and how many runs
long n        runs of n words or more outside links, and their share of the words
sentences, questions, prices, dates  runs that are such
top path ...  of the path of tags that has the most words: its runs, their length, their share
repeated ...  share of the words on paths that five runs have or more, of those that are links
links ...     links: distinct, to other sites, into the directory of the page, below the page itself
A per B       some of them to each one of others: sentences to a link, pictures to a word

Source: our own, chosen with the weights (``lab.papers.page_kinds``).  t tags, n runs, l links.  Cost:
O(length of the page) where its tags and texts are new to the process, else O(t + n + l).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from typing import NamedTuple
from urllib.parse import unquote

import numpy as np

from templcrawl.algorithms.page_kinds.words import name_words, tag_words, text_word, url_words
from templcrawl.page.addresses import MAX_BASE, path_and_query
from templcrawl.page.arrays import MIX, Flags, Floats, Indices
from templcrawl.page.page import Page
from templcrawl.page.text import Memo
from templcrawl.page.tokens import START, VOID
from templcrawl.page.vocabulary import ARTICLE, LINKED, TITLE

# Names of elements that are counted.
COUNTED = (
    "p li a img form input select option button table tr td pre code h1 h2 h3 h4 h5 time article section "
    "video iframe dl dt blockquote textarea svg label strong em figure details main nav aside header footer "
    "ul ol sup kbd picture source div span i b br script style hr"
).split()

# (name, a number, another one): both are told by their ratio, too.
_PER = [
    (f"{some} per {others}", some, others)
    for others, several in {
        "links main": (
            "words main", "sentences", "<img>", "<h2>", "<h3>", "prices", "dates", "links, distinct",
            "links, elsewhere", "links, beside", "links, below",
        ),
        "<a>": ("<p>", "<li>", "<tr>"),
        "words main": ("<img>", "<td>", "<div>"),
        "<img>": ("prices",),
        "runs main": ("long 25",),
        "sentences": ("headings",),
        "runs": ("runs main",),
    }.items()
    for some in several
]  # fmt: skip

_ANYWHERE = "meta link script form input button".split()
_CODES = {name: code for code, name in enumerate(dict.fromkeys((*_ANYWHERE, *COUNTED)), 1)}
_COUNTED_CODES = [_CODES[name] for name in COUNTED]
_SHOWN_CODES = [_CODES[name] for name in ("img", "video")]
_LONG = (10, 25, 50)  # words of a long run
_MIN_SENTENCE = 8  # words of a sentence
_MIN_REPEATED = 5  # runs on a path that is repeated
_MAX_HEADINGS = 6  # texts that name a page
_MAX_SHORT = 3  # words of a text that is one word of evidence
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".replace(" ", "|")
_DATE = re.compile(
    r"\b(?:19|20)\d\d[-/.]\d{1,2}[-/.]\d{1,2}\b|\b\d{1,2}[./]\d{1,2}[./](?:19|20)\d\d\b"
    rf"|\b(?:{_MONTHS})[a-z]{{0,6}}\.? \d{{1,2}},? (?:19|20)\d\d"
    r"|\b\d{1,2}\.? [^\W\d_]{3,9}\.?,? (?:19|20)\d\d\b|\bago\b",
    re.IGNORECASE,
).search
_PRICE = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:[€₽£]|zł|USD|EUR|kr\b)").search
_SENTENCE = re.compile(r"[.!?。！？…][\"'”»)\]]{0,3}\s*\Z").search
_MAX_DATED = 80  # characters of a text that is a date
_YEAR = re.compile(r"/(?:19|20)\d\d(?:/|-|$)").search
_NUMBER = re.compile(r"\d{4,}").search
_WORDS = re.compile(r"[^\W\d_]{2,}").findall
_PRICED, _DATED, _ENDED, _ASKED = 1, 2, 4, 8  # bits of what a text is


class Evidence(NamedTuple):
    """The evidence of the kind of a page.

    words    those that it names
    numbers  name -> value
    names    its title, and the texts that name it on the page
    """

    words: frozenset[str]
    numbers: Mapping[str, float]
    names: Sequence[str]


Read = Callable[[Iterable[str]], Iterable[Iterable[str]]]  # returns the words of each of some tags or texts


def evidence_of(
    page: Page,
    mask: bytes,
    read_tags: Read = lambda tags: map(tag_words, tags),
    read_texts: Read = lambda texts: zip(filter(None, map(text_word, texts))),
) -> Evidence:
    """Return the evidence of the kind of a page.

    mask       token -> 1 if it is content, else 0
    read_tags  returns the words of start tags;  read_texts  those of short texts
    """
    tokens, names, main = page.tokens, page_names(page), np.frombuffer(mask, dtype=np.uint8) > 0
    codes = np.array([*map(_CODES.get, tokens.form_names, repeat(0))], dtype=np.intp)
    kinds = np.array(tokens.form_kinds, dtype=np.uint8)
    codes[(kinds != START) & (kinds != VOID)] = -1
    words = url_words(page.url) | _page_words(page, main, codes, read_tags, read_texts)
    for group, name in zip(("title", *("heading",) * len(names)), names):
        words |= name_words(group, name)
    in_text = _text_evidence(page, main[page.text_runs.positions])
    counted = _element_evidence(page, main, codes) | in_text | _link_evidence(page, main)
    per = {name: counted[some] / (1.0 + counted[others]) for name, some, others in _PER}
    title_numbers = {
        "title words": len(_WORDS(page.title)),
        "title digits": any(map(str.isdigit, page.title)),
        "title question": "?" in page.title,
    }
    return Evidence(frozenset(words), _url_evidence(page.url) | title_numbers | counted | per, names)


def page_names(page: Page) -> list[str]:
    """Return the title of a page, and the first texts that name it on the page."""
    tokens, runs = page.tokens, page.text_runs
    named = runs.positions[np.flatnonzero(runs.hints & np.uint8(TITLE))[:_MAX_HEADINGS]]
    return [page.title, *tokens.texts_of(tokens.form_array[named].tolist())]


def _page_words(page: Page, is_content: Flags, codes: Indices, read_tags: Read, read_texts: Read) -> set[str]:
    # codes: form -> code of the name of a start tag, 0 if it has none, -1 of what is not a start tag
    tokens, runs = page.tokens, page.text_runs
    forms = tokens.forms
    is_seen = np.zeros(len(codes), dtype=bool)
    is_seen[tokens.form_array[is_content]] = True
    is_seen |= (codes > 0) & (codes <= len(_ANYWHERE))
    tags = map(forms.__getitem__, np.flatnonzero(is_seen & (codes >= 0)).tolist())
    words = set().union(*read_tags(tags))
    short = runs.positions[(runs.words <= _MAX_SHORT) & is_content[runs.positions]]
    words.update(*read_texts(map(forms.__getitem__, np.unique(tokens.form_array[short]).tolist())))
    return words


def _url_evidence(url: str) -> dict[str, float]:
    path = unquote(path_and_query(url[:MAX_BASE])[0])
    segments = [segment for segment in path.split("/") if segment]
    last = segments[-1] if segments else ""
    return {
        "url depth": len(segments),
        "url last words": len(_WORDS(last)),
        "url digits": sum(map(str.isdigit, last)),
        "url length": len(path),
        "url slash": path.endswith("/") and bool(segments),
        "url root": not segments,
        "url year": _YEAR(path) is not None,
        "url number": _NUMBER(last) is not None,
    }


def _element_evidence(page: Page, main: Flags, codes: Indices) -> dict[str, float]:
    form_counts = np.bincount(page.tokens.form_array[main], minlength=len(codes))
    is_tag = codes > 0
    counts = np.bincount(codes[is_tag], form_counts[is_tag], len(_CODES) + 1)[_COUNTED_CODES]
    numbers = {f"<{name}>": count for name, count in zip(COUNTED, counts.tolist())}
    shown = np.isin(codes, _SHOWN_CODES).sum()
    return numbers | {"elements": len(page.elements.open_array), "shown": float(shown)}


def _read_text(text: str) -> int:
    ends, priced = _SENTENCE(text) is not None, _PRICE(text) is not None
    dated = len(text) < _MAX_DATED and _DATE(text) is not None
    return _PRICED * priced + _DATED * dated + _ENDED * ends + _ASKED * (ends and "?" in text[-4:])


_BITS = Memo(_read_text)


def _text_evidence(page: Page, main: Flags) -> dict[str, float]:
    tokens, runs = page.tokens, page.text_runs
    words, hints = runs.words.astype(np.float64), runs.hints
    linked = hints & np.uint8(LINKED) != 0
    plain = main & ~linked
    total, main_total = max(1.0, words.sum()), max(1.0, words[main].sum())
    texts = map(tokens.forms.__getitem__, tokens.form_array[runs.positions[main]].tolist())
    bits = np.zeros(len(main), dtype=np.uint8)
    bits[main] = list(map(_BITS.__getitem__, texts))
    is_sentence = (bits & _ENDED != 0) & (words >= _MIN_SENTENCE) & main
    numbers = {
        "words": words.sum(),
        "words main": words[main].sum(),
        "runs": len(words),
        "runs main": main.sum(),
        "linked": words[linked].sum() / total,
        "linked main": words[linked & main].sum() / main_total,
        "linked runs main": (linked & main).sum(),
        "mean run": words[main].sum() / max(1, main.sum()),
        "longest run": words.max(initial=0.0),
        "furniture": 1.0 - words[main].sum() / total,
        "in article": words[main & (hints & np.uint8(ARTICLE) != 0)].sum() / main_total,
        "headings": (hints & np.uint8(TITLE) != 0).sum(),
        "prices": (main & (bits & _PRICED != 0)).sum(),
        "prices linked": (main & linked & (bits & _PRICED != 0)).sum(),
        "dates": (main & (bits & _DATED != 0)).sum(),
        "questions": (main & (bits & _ASKED != 0)).sum(),
        "sentences": is_sentence.sum(),
        "sentences, share": words[is_sentence].sum() / main_total,
    }
    for length in _LONG:
        is_long = plain & (words >= length)
        numbers[f"long {length}"] = is_long.sum()
        numbers[f"long {length}, share"] = words[is_long].sum() / main_total
    path_numbers = _path_evidence(page, words[main], linked[main], main)
    return {name: float(value) for name, value in numbers.items()} | path_numbers


def _path_evidence(page: Page, words: Floats, linked: Flags, main: Flags) -> dict[str, float]:
    runs = page.text_runs
    if not len(words):
        return dict.fromkeys(_PATH_NUMBERS, 0.0)
    paths = runs.keys_in_sight[main] ^ (runs.texts[main] * np.uint64(MIX))
    _, path_of_run, counts = np.unique(paths, return_inverse=True, return_counts=True)
    total, size = max(1.0, words.sum()), len(counts)
    path_words, in_links = (
        np.bincount(path_of_run, words, size),
        np.bincount(path_of_run, words * linked, size),
    )
    top = int(np.argmax(path_words))
    repeated = counts >= _MIN_REPEATED
    are_links = counts[in_links > 0.5 * path_words]
    values = (
        counts[top],
        path_words[top] / total,
        path_words[top] / counts[top],
        in_links[top] / max(1.0, path_words[top]),
        path_words[repeated].sum() / total,
        in_links[repeated].sum() / total,
        are_links.max(initial=0),
        size,
    )
    return {name: float(value) for name, value in zip(_PATH_NUMBERS, values)}


_PATH_NUMBERS = (
    "top path runs", "top path, share", "top path, length", "top path, linked", "repeated, share",
    "repeated, linked", "most repeated links", "paths",
)  # fmt: skip


def _link_evidence(page: Page, main: Flags) -> dict[str, float]:
    links, opens = page.links, page.elements.open_array
    shown = main[opens[np.array(links.elements, dtype=np.intp)]].tolist()
    urls = [url for url, is_main in zip(links.urls, shown) if is_main]
    own = page.url.partition("#")[0].partition("?")[0]
    root = "/".join(own.split("/")[:3]) + "/"
    below, beside = own.rstrip("/") + "/", own.rpartition("/")[0] + "/"
    site_urls = [url for url in urls if url.startswith(root)]
    return {
        "links": len(links),
        "links main": len(urls),
        "links, distinct": len(set(urls)),
        "links, elsewhere": len(urls) - len(site_urls),
        "links, below": sum(url.startswith(below) for url in site_urls) if below != root else 0,
        "links, beside": sum(url.startswith(beside) for url in site_urls),
    }

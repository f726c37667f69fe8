"""The shape of a URL as a set of 64-bit features, equal in every process.

Sites file pages of one type under addresses of one form.  Features, about fifteen a page: how deep it is;
the extension; each directory prefix; each directory with its position; the kinds of the segments in sequence
(year, two digits, digits, word); of the last segment the text, the kinds of characters, first and last word,
how many words, what stands before a colon or, capitalised, before a dash, digits and what they follow; the
names of the query and its short values.  Digits are read as ``#`` (but in the kinds); ``index.html`` is not
read; a query that was saved as part of a file name (``x.php@a=1.html``) is read as one.  No word is
special: the frequency of a feature on the site gives its weight (``page_profiles``).

n characters of the URL, at most 2,083.  Cost: O(n).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import unquote, urlsplit

import numpy as np

from templcrawl.page.addresses import MAX_BASE
from templcrawl.page.ancestors import Keys
from templcrawl.page.encoding import text_keys

_MOST_SEGMENTS = 16
_MOST_NAMES = 16
_MOST_WORDS = 4
_SHORT = 12
_DIGITS = re.compile(r"\d+")
_INDEX = re.compile(r"index\.(?:html?|php)\Z")
_EXTENSION = re.compile(r"\.([A-Za-z][A-Za-z0-9]{0,4})\Z")
_SAVED_QUERY = re.compile(r"[?@](?=\w+=)")
_WORDS = re.compile(r"[^\W\d_]+")
_MARKS = "-_:."


def url_features(url: str) -> Keys:
    """Return the features of a URL, ascending and distinct; none of a URL that cannot be read.

    >>> blog = [url_features(f"http://e.org/2026/{path}/") for path in ("1/tea", "3/mugs")]
    >>> shared, shop = np.intersect1d(*blog), url_features("http://e.org/shop/tea")
    >>> len(blog[0]), len(shared), len(np.intersect1d(blog[0], shop))
    (15, 10, 6)
    """
    try:
        parts = urlsplit(url[:MAX_BASE])
    except ValueError:
        return np.zeros(0, dtype=np.uint64)
    if not parts.path and not parts.netloc:
        return np.zeros(0, dtype=np.uint64)
    return np.array(sorted(text_keys({*_features(parts.path, parts.query)})), dtype=np.uint64)


def _features(path: str, query: str) -> Iterator[str]:
    """Yield the features as texts."""
    path = _INDEX.sub("", unquote(path))
    cut = _SAVED_QUERY.search(path)
    if cut:
        query = query or _EXTENSION.sub("", path[cut.end() :])
        path = path[: cut.start()]
    extension = _EXTENSION.search(path)
    if extension:
        yield f"extension {extension[1]}"
        path = path[: extension.start()]
    segments = [segment for segment in path.split("/") if segment][:_MOST_SEGMENTS]
    yield f"depth {len(segments)}"
    yield f"kinds {'/'.join(map(_kind, segments))}"
    is_directory = path.endswith("/")
    yield f"is directory {is_directory}"
    plain = [_DIGITS.sub("#", segment) for segment in segments]
    yield from _of_directories(plain if is_directory else plain[:-1])
    if segments:
        yield from _of_last(segments[-1], plain)
    yield from _of_query(query)


def _kind(segment: str) -> str:
    """Return what kind of segment it is: Y(ear), M(onth), # (digits) or w(ord)."""
    if segment.isdigit():
        return {4: "Y", 2: "M"}.get(len(segment), "#")
    return "w"


def _of_directories(directories: Sequence[str]) -> Iterator[str]:
    for position, directory in enumerate(directories):
        yield f"prefix {'/'.join(directories[: position + 1])}"
        yield f"directory {position} {directory}"


def _of_last(segment: str, plain: Sequence[str]) -> Iterator[str]:
    """Yield the features of the last segment, and of the one before it."""
    yield f"last {plain[-1]}"
    yield f"characters {_characters(segment)}"
    words = _WORDS.findall(segment.lower())
    yield f"words {min(len(words), _MOST_WORDS)}"
    if words:
        yield f"first word {words[0]}"
        yield f"last word {words[-1]}"
    before, colon, _ = segment.partition(":")
    if colon:
        yield f"before colon {before}"
    before, dash, _ = segment.partition("-")
    if dash and before[:1].isupper():
        yield f"before dash {before}"
    if segment.isdigit() and len(plain) > 1:
        yield f"digits after {plain[-2]}"


def _characters(segment: str) -> str:
    """Return which kinds of characters a segment has."""
    kinds = [mark for mark in _MARKS if mark in segment]
    if segment.lower() != segment:
        kinds.append("capitals")
    if any(map(str.isdigit, segment)):
        kinds.append("digits")
    return " ".join(kinds)


def _of_query(query: str) -> Iterator[str]:
    yield f"query {bool(query)}"
    for part in query.split("&")[:_MOST_NAMES] if query else []:
        name, _, value = part.partition("=")
        yield f"name {name}"
        if value and len(value) <= _SHORT and not value.isdigit():
            yield f"value {name}={_DIGITS.sub('#', value)}"

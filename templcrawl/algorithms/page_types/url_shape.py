"""The shape of a URL as 64-bit features.

Sites file pages of one type under addresses of one form.  Features, about fifteen a page: how deep
it is; the extension; each directory prefix; each directory with its position; the kinds of the segments in
sequence (year, two digits, digits, word); of the last segment the text, the kinds of characters, first and
last word, how many words, what stands before a colon or, capitalised, before a dash, digits and what they
follow; the names of the query and its short values.  Digits are read as ``#`` (but in the kinds);
``index.html`` is not read; a query that was saved as part of a file name (``x.php@a=1.html``) is read as
one.  No word is special: the frequency of a feature on the site gives its weight (``page_profiles``).
Features are equal in every process.

Source: our own.  n characters of an address, at most 2,083.  Cost: O(n).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import unquote

import numpy as np

from templcrawl.page.addresses import MAX_BASE, host_of, path_and_query
from templcrawl.page.arrays import Keys
from templcrawl.page.text import text_key

_MAX_SEGMENTS = 16  # of a path
_MAX_NAMES = 16  # of a query
_MAX_WORDS = 4  # of the last segment, that are told apart by their number
_SHORT = 12  # characters of a value that is a feature
_DIGITS = re.compile(r"\d+")
_INDEX = re.compile(r"index\.(?:html?|php)\Z")
_EXTENSION = re.compile(r"\.([A-Za-z][A-Za-z0-9]{0,4})\Z")
_SAVED_QUERY = re.compile(r"[?@](?=\w+=)")
_WORDS = re.compile(r"[^\W\d_]+")
_MARKS = "-_:."
# Digits of a segment -> its kind: a year, a month or day; other digits are #, anything else is w.
_KINDS = {4: "Y", 2: "M"}


def url_features(url: str) -> Keys:
    """Return the features of a URL, ascending and distinct; none of a URL that cannot be read.

    >>> blog = [url_features(f"http://e.org/2026/{path}/") for path in ("1/tea", "3/mugs")]
    >>> shared, shop = np.intersect1d(*blog), url_features("http://e.org/shop/tea")
    >>> len(blog[0]), len(shared), len(np.intersect1d(blog[0], shop))
    (15, 10, 6)
    """
    path, query = path_and_query(url[:MAX_BASE])
    if not path and not host_of(url):
        return np.zeros(0, dtype=np.uint64)
    return np.fromiter(sorted(map(text_key, {*_features(path, query)})), dtype=np.uint64)


def _features(path: str, query: str) -> list[str]:
    path = unquote(path)
    if "index." in path:
        path = _INDEX.sub("", path)
    cut = _SAVED_QUERY.search(path) if "=" in path else None
    if cut:
        query = query or _EXTENSION.sub("", path[cut.end() :])
        path = path[: cut.start()]
    features = [f"query {bool(query)}"]
    for part in query.split("&")[:_MAX_NAMES] if query else []:
        name, _, value = part.partition("=")
        features.append(f"name {name}")
        if value and len(value) <= _SHORT and not value.isdigit():
            features.append(f"value {name}={_DIGITS.sub('#', value)}")
    extension = _EXTENSION.search(path) if "." in path else None
    if extension:
        features.append(f"extension {extension[1]}")
        path = path[: extension.start()]
    segments = [segment for segment in path.split("/") if segment][:_MAX_SEGMENTS]
    kinds = [_KINDS.get(len(segment), "#") if segment.isdigit() else "w" for segment in segments]
    plain = _DIGITS.sub("#", "/".join(segments)).split("/") if segments else []
    is_directory = path.endswith("/")
    features += f"depth {len(segments)}", f"kinds {'/'.join(kinds)}", f"is directory {is_directory}"
    prefix = ""
    for position, directory in enumerate(plain if is_directory else plain[:-1]):
        prefix = f"{prefix}/{directory}" if position else directory
        features += f"prefix {prefix}", f"directory {position} {directory}"
    return features + _last_segment_shapes(segments[-1], plain) if segments else features


def _last_segment_shapes(segment: str, plain: Sequence[str]) -> list[str]:
    """Return the features of the last segment, and of the one before it."""
    lower = segment.lower()
    words = _WORDS.findall(lower)
    kinds = [mark for mark in _MARKS if mark in segment]
    if lower != segment:
        kinds.append("capitals")
    if plain[-1] != segment or (not segment.isascii() and any(map(str.isdigit, segment))):
        kinds.append("digits")
    features = [f"last {plain[-1]}", f"characters {' '.join(kinds)}", f"words {min(len(words), _MAX_WORDS)}"]
    if words:
        features += f"first word {words[0]}", f"last word {words[-1]}"
    if ":" in kinds:
        features.append(f"before colon {segment.partition(':')[0]}")
    if "-" in kinds and segment[0].isupper():
        features.append(f"before dash {segment.partition('-')[0]}")
    if segment.isdigit() and len(plain) > 1:
        features.append(f"digits after {plain[-2]}")
    return features

"""The value of a link: online ridge regression over features of its address, its places and its text.

Each feature is hashed to one of d = 256 slots of a vector x:

    weight 1          the directory of the address, its first directory, the shape of the address
    weight 1 / roles  each role of the link, and the tag path of each role
    weight 1/2        each of the first 8 words of path and query, numbers read as 0
    weight 1/2        each of the first 4 distinct words of the link's text

The *shape* of an address is the kind of its last segment, the names of its query and the number of its
segments.  Each page that arrives corrects the weights w by recursive least squares, with the target t of the
link that led to it:

    g = P x;   k = x . g + 3;   w += g (t - w . x) / k;   P -= g g' / k          w = 0, P = I at first

This is ridge regression with penalty 3 on all pages so far, solved anew after each page.  The value of a link
is 1 + w . x.  The order ``targets`` has t = 1 if the page is of a wanted type, else 0.

Sources: recursive least squares after Haykin, "Adaptive Filter Theory", chapter 10; hashed features after
Weinberger et al., "Feature Hashing for Large Scale Multitask Learning" (ICML 2009), without their signs; the
features are ours, chosen on simulated crawls of saved link graphs. Cost: O(d^2) a page that is learned, some
50 us; O(features) a link.  Memory: 256 KB a site.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from templcrawl.algorithms.pagelets.partition import role_of
from templcrawl.page.addresses import path_and_query
from templcrawl.page.arrays import MASK, MIX
from templcrawl.page.text import text_key

MAX_TARGETS = 64  # examples of wanted pages
SLOTS = 256  # d; twice as many cost four times the memory and time
MAX_URL_WORDS = 8  # of an address that are features
MAX_TEXT_WORDS = 4  # distinct ones of a link's text

_NOISE = 3.0  # the penalty of the ridge
_WORD_WEIGHT = 0.5  # of a word, where a directory weighs 1
_SHIFT = 64 - (SLOTS - 1).bit_length()  # leaves of a mixed key the bits that number a slot
_MAX_CHARACTERS = 1_000  # of a path, a query or a text that are read
_NUMBER = re.compile(r"\d+")
_WORDS = re.compile(r"[^\W_]+")

Vector = npt.NDArray[np.float32]


class LinkFeatures(NamedTuple):
    """The features of a link, sparse: slots, and the weight in each; a slot that is named twice adds up."""

    slots: npt.NDArray[np.intp]
    weights: Vector


@lru_cache(maxsize=4_096)
def link_features(url: str, roles: tuple[int, ...], text_slots: tuple[int, ...] = ()) -> LinkFeatures:
    """Return the features of a link; those of the latest links are kept, since they are valued again.

    >>> first, second = (link_features(f"http://x.org/blog/{number}.html", (7,)) for number in (4, 5))
    >>> first.slots.tolist() == second.slots.tolist()
    True
    """
    path, query = _path_and_query(url)
    *directories, last = path.split("/")
    words = _words(path + query, MAX_URL_WORDS)
    shape = f"shape {_segment_kind(last)} {len(directories)} {_query_names(query)}"
    named = f"directory {'/'.join(directories)}", f"first {'/'.join(directories[:2])}", shape
    keys = list(map(text_key, (*named, *(f"word {word}" for word in words))))
    weights = [1.0] * 3 + [_WORD_WEIGHT] * len(words)
    for role in roles:
        keys += role, (role ^ role_of(0, url)) + 1
        weights += [1.0 / len(roles)] * 2
    slots = [*map(_slot, keys), *text_slots]
    weights += [_WORD_WEIGHT] * len(text_slots)
    return LinkFeatures(np.array(slots, dtype=np.intp), np.array(weights, dtype=np.float32))


def text_slots(text: str) -> tuple[int, ...]:
    """Return the slots of the words of a link's text.

    >>> text_slots("Read 12 more") == text_slots("read 7 MORE"), text_slots(" ")
    (True, ())
    """
    slots = dict.fromkeys(_slot(text_key(f"text {word}")) for word in _words(text, 2 * MAX_TEXT_WORDS))
    return tuple(slots)[:MAX_TEXT_WORDS]


def address_shape(url: str) -> str:
    """Return the kind of the last segment of an address, with the names of its query.

    >>> address_shape("http://x.org/tea/12.html?page=2&sort=a") == address_shape("/7.html?sort=&page=")
    True
    """
    path, query = _path_and_query(url)
    return f"{_segment_kind(path.rpartition('/')[2])} {_query_names(query)}"


def _query_names(query: str) -> str:
    return "&".join(sorted({part.partition("=")[0] for part in query[1:].split("&")}))


def _slot(key: int) -> int:
    return (key * MIX & MASK) >> _SHIFT


def _words(text: str, most: int) -> list[str]:
    return _WORDS.findall(_NUMBER.sub("0", text[:_MAX_CHARACTERS].lower()))[:most]


def _path_and_query(url: str) -> tuple[str, str]:
    path, query = (part[:_MAX_CHARACTERS] for part in path_and_query(url))
    return _NUMBER.sub("0", path), query and f"?{query}"


def _segment_kind(segment: str) -> str:
    # what follows its last dot, or what it is made of
    stem, dot, extension = segment.rpartition(".")
    if stem and dot and len(extension) <= 5:
        return f".{extension.lower()}"
    if not segment or segment == "0":
        return segment
    return "word 0" if "0" in segment else "words" if "-" in segment or "_" in segment else "word"


class LinkRegression:
    """The regression of one site.

    weights     w
    covariance  P

    >>> regression, tea = LinkRegression(), link_features("http://x.org/tea", (7,))
    >>> regression.value(tea)
    1.0
    >>> for _ in range(9):
    ...     regression.learn(tea, 1.0)
    >>> regression.value(tea) > 1.5
    True
    """

    def __init__(self) -> None:
        self.weights: Vector = np.zeros(SLOTS, dtype=np.float32)
        self.covariance: npt.NDArray[np.float32] = np.eye(SLOTS, dtype=np.float32)

    def value(self, features: LinkFeatures) -> float:
        """Return the predicted value of a link."""
        return 1.0 + float(self.weights[features.slots] @ features.weights)

    def learn(self, features: LinkFeatures, target: float) -> None:
        """Learn the target of the page that a link with these features led to."""
        x: Vector = np.zeros(SLOTS, dtype=np.float32)
        np.add.at(x, features.slots, features.weights)
        gain = self.covariance @ x
        scale = max(0.0, float(x @ gain)) + _NOISE
        error = target - float(self.weights @ x)
        self.weights += gain * np.float32(error / scale)
        self.covariance -= np.outer(gain, gain / np.float32(scale))

"""The relevance of a page to the topic of a crawl: any function of a page.

``TEMPLCRAWL_RELEVANCE`` is such a function, or the import path of one: ``(page: Page) -> float`` in [0, 1].
If it has a method ``names(text: str) -> bool``, it returns whether the text or the address of a link names
the topic.  :class:`~templcrawl.algorithms.crawl_order.focus.TopicWords` and :class:`ExampleRelevance` are
two.

Source: Rocchio's centroid on TF-IDF (Salton & Buckley 1988), by scikit-learn, for examples.  Cost: O(length
of the page's text) a page.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from math import sqrt
from pathlib import Path
from statistics import median
from typing import Any

from scrapy.utils.misc import load_object

from templcrawl.algorithms.crawl_order.focus import TopicWords
from templcrawl.crawl.setting_values import text
from templcrawl.errors import InvalidOption, MissingExtra, brief
from templcrawl.page.page import Page
from templcrawl.page.render import visible_text

Relevance = Callable[[Page], float]

_ACCEPTED = "None, a function of a page that returns a number from 0 to 1, or its import path"


def topic(value: Any) -> str | None:
    """Parse the setting: words and phrases, with commas; raises InvalidOption."""
    words = text("solar power, wind")(value)
    if words is not None:
        TopicWords(words)
    return words


def relevance_or_none(value: Any) -> Relevance | None:
    """Parse the setting: a function of a page, or its import path; raises InvalidOption."""
    if value in (None, ""):
        return None
    try:
        function: Any = load_object(value) if isinstance(value, str) else value
    except Exception as error:  # what a module of the user raises may be anything
        raise InvalidOption("relevance", value, f"{_ACCEPTED} ({brief(error)})") from error
    if callable(function) and not isinstance(function, type):
        answer: Relevance = function
        return answer
    raise InvalidOption("relevance", value, _ACCEPTED)


NAMING_WORDS = 10
_EXPECTED = "a folder of 2 or more saved pages on the topic"
_TINY = 1e-6


class ExampleRelevance:
    """Judges pages and links by a folder of examples.

    Relevance is how near a page is to the middle of some examples.  Each page is a vector of the words of its
    visible text, weighted by (1 + log tf) * idf, of length 1; idf is taken from the examples and the other
    pages, and a word that none of them has counts as the rarest.  With c the cosine of a page with the mean
    of the examples' vectors,

        relevance = (c - floor) / (own - floor), at least 0 and at most 1

    own is the median cosine of the examples, each left out of the mean in turn, so these have 1 in the
    median. floor is the median cosine of pages that are not on the topic, where there are some, else 0:
    without them all pages of a language are somewhat relevant (measured with 5 examples on 26 sites: 0.56 on
    average, 0.13 with 20 other pages), and only the order of pages is of use.
    """

    def __init__(self, folder: str | Path, off_topic: str | Path | None = None) -> None:
        """Learn from the pages of a folder.

        off_topic  a folder of pages that are not on the topic, to compare with
        Raises InvalidOption where there are less than two examples with words, or they are no nearer to each
        other than the other pages are; MissingExtra without scikit-learn.
        """
        self.folder = str(folder)
        try:
            from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer
        except ImportError as error:
            raise MissingExtra("relevance by example pages", "focus") from error
        self._counts = HashingVectorizer(norm=None, alternate_sign=False, token_pattern=r"[^\W\d_]{2,}")
        self._weights = TfidfTransformer(sublinear_tf=True)
        texts = self._texts(folder)
        if len(texts) < 2:
            raise InvalidOption("examples", self.folder, _EXPECTED)
        background = self._texts(off_topic) if off_topic is not None else []
        vectors = self._weights.fit_transform(self._counts.transform([*texts, *background]))
        examples = vectors[: len(texts)]
        total = examples.sum(axis=0).A1
        self._centroid = total / sqrt(total @ total)
        square = float(total @ total)
        self._own = median(  # of the cosines of each example, of length 1, with the sum of the others
            (own - 1) / sqrt(max(square - 2 * own + 1, _TINY**2)) for own in map(float, examples @ total)
        )
        self._floor = median(map(float, vectors[len(texts) :] @ self._centroid)) if background else 0.0
        if self._own - self._floor < _TINY:
            raise InvalidOption("examples", self.folder, f"{_EXPECTED}, with words that the other pages lack")
        words = sorted(set(chain.from_iterable(map(self._counts.build_analyzer(), texts))))
        weights = self._counts.transform(words) @ self._centroid
        heaviest = [words[column] for column in weights.argsort()[-NAMING_WORDS:]]
        self._naming = TopicWords(",".join(heaviest))

    def __repr__(self) -> str:
        return f"ExampleRelevance({self.folder!r})"

    def __call__(self, page: Page) -> float:
        """Return how relevant a page is, in [0, 1]."""
        vector = self._weights.transform(self._counts.transform([visible_text(page)]))
        cosine = float((vector @ self._centroid)[0])
        return min(1.0, max(0.0, (cosine - self._floor) / (self._own - self._floor)))

    def names(self, text: str) -> bool:
        """Return whether a link's text or address has one of the heaviest words of the examples.

        These are words of the centroid, compared whole and without case.
        """
        return self._naming.names(text)

    def _texts(self, folder: str | Path) -> list[str]:
        from templcrawl.page.saved_pages import FolderReader

        texts = (visible_text(record.page()) for record in FolderReader(Path(folder)))
        return [text for text in texts if self._counts.transform([text]).nnz]

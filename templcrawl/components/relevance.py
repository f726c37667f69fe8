"""What says how relevant a page is to the topic of a crawl: any function of a page.

``TEMPLCRAWL_RELEVANCE`` is such a function, or the import path of one: ``(page: Page) -> float`` in [0, 1].
Where it has a method ``names(text: str) -> bool`` too, that is asked whether the text or the address of a
link names the topic.  :class:`~templcrawl.algorithms.crawl_order.focus.TopicWords` and
:class:`~templcrawl.components.example_pages.LikeExamples` are two.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from scrapy.utils.misc import load_object

from templcrawl.algorithms.crawl_order.focus import Judgement
from templcrawl.errors import InvalidOption, brief
from templcrawl.page.page import Page

Relevance = Callable[[Page], float]

_ACCEPTED = "None, a function of a page that returns a number from 0 to 1, or its import path"


def relevance(chosen: object) -> Relevance:
    """Return the function that a setting names; raises InvalidOption."""
    try:
        function = load_object(chosen) if isinstance(chosen, str) else chosen
    except Exception as error:  # what a module of the user raises may be anything
        raise InvalidOption("relevance", chosen, f"{_ACCEPTED} ({brief(error)})") from error
    if not callable(function) or isinstance(function, type):
        raise InvalidOption("relevance", chosen, _ACCEPTED)
    answer: Relevance = function
    return answer


class Topic:
    """Judges the pages of a crawl; where its function fails, a page has no relevance."""

    def __init__(
        self,
        relevance: Relevance,
        surviving: Callable[[str, str], AbstractContextManager[None, bool | None]],
    ) -> None:
        """Take a function of pages.

        surviving  (what is done, address) -> what logs and counts an error, and goes on
        """
        self._relevance = relevance
        self._surviving = surviving
        names: object = getattr(relevance, "names", None)
        self._ask = names if callable(names) else None

    def __call__(self, page: Page) -> Judgement:
        """Judge a page."""
        judged = 0.0
        with self._surviving("judging the relevance of", page.url):
            judged = _share(self._relevance(page))
        return Judgement(judged, self._names if self._ask is not None else None)

    def _names(self, text: str) -> bool:
        is_named = False
        with self._surviving("reading the link", text):
            if self._ask is not None:
                is_named = bool(self._ask(text))
        return is_named


def _share(value: object) -> float:
    """Return a number from 0 to 1; raises InvalidOption for anything else."""
    try:
        share = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        share = -1.0
    if not 0.0 <= share <= 1.0:
        raise InvalidOption("relevance", value, "a number from 0 to 1")
    return share

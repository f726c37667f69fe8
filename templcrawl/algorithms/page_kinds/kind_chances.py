"""The kinds of pages, the chance of each kind for a page, and the vote of pages that look alike.

article        one text that the page is about: news, a post, an essay, an entry
product        one thing that is offered
listing        a list of links to pages of the site: an archive, a category, a board of a forum, a search
collection     a list of products of a shop
forum          a thread: posts of several people, questions and answers
documentation  a page of a manual or of a reference
profile        one person or organisation
service        what someone offers to do, and landing pages
error          no page: a "not found" that says it was found, a login wall, an empty page
other          none of these: an image, a venue, a job

*The vote.*  Pages of one leaf are of one kind.  Each page gives each kind the logarithm of its chance, at
least ``LEAST``, so that no page outvotes many.  The kind of all is the one with the largest sum.  A page that
is an error by what it says votes for nobody.

Source: the kinds are our own; a sum of logarithms is the product rule of Kittler et al., "On combining
classifiers" (PAMI 1998), the least of them ours.  K kinds.  Cost: O(K).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from templcrawl.page.arrays import Floats

# Names of the kinds, in the order of all tables.
KINDS = (
    "article", "product", "listing", "collection", "forum", "documentation", "profile", "service", "error",
    "other",
)  # fmt: skip

ERROR = KINDS.index("error")
LEAST = math.log(0.01)  # what a page gives at least to a kind

# Kind -> the confidence from which on three of four names are right where nothing was learned from the
# software of the site (``lab.papers.page_kinds``; ``service`` by single pages); 0 for all others.
MIN_CONFIDENCE = {"listing": 0.8, "profile": 0.7, "service": 0.6, "error": 0.95, "other": 1.0}


class KindChances(NamedTuple):
    """The chances of the kinds for a page.

    logs      kind -> logarithm of its chance
    is_error  whether the page says itself that it is none
    """

    logs: Floats
    is_error: bool = False

    @property
    def votes(self) -> Floats:
        """Kind -> the vote of the page for it; an error page does not vote."""
        return np.zeros(len(KINDS)) if self.is_error else np.maximum(self.logs, LEAST)


class PageKind(NamedTuple):
    """The kind of a page, one of ``KINDS``, and the chance of it by the votes of pages like it."""

    name: str
    confidence: float


def kind_of(logs: Floats, pages: float = 1.0) -> PageKind:
    """Return the kind with the largest sum of votes.

    logs   kind -> sum of logarithms of chances
    pages  how many pages have voted; pages of one leaf are alike, so their sum counts as that of its root

    >>> kind_of(np.log([0.7, 0.1, 0.1, 0.05, 0.01, 0.01, 0.01, 0.01, 0.005, 0.005])).name
    'article'
    """
    scaled = logs / math.sqrt(max(1.0, pages))
    chances = np.exp(scaled - scaled.max())
    best = int(np.argmax(chances))
    return PageKind(KINDS[best], float(chances[best] / chances.sum()))

"""Co-citation within pagelets: the pages that are most often cited beside a given page.

Sources: Dean & Henzinger (WWW 1999) for the algorithm; Bar-Yossef & Rajagopalan (WWW 2002), section 4, Case
3, for pagelets: citations from template pagelets are ignored, and co-citation counts within a pagelet only,
or there more than on the same page.

How: go through the pagelets that cite the page.  Each page that cites both counts once for the pair: 1 if one
of its pagelets does, ``page_weight`` if two different ones do.  The score of a pair is the sum.

Departure: of a pagelet with more than ``MAX_LINKS`` links, only those nearest to the cited page count, as
Dean & Henzinger look at the links around a citation only. Citations of a page by itself do not count.

Cost: O(links of the pages that cite the page), with at most ``MAX_LINKS`` for each pagelet: only pairs with
this one page are counted, never all pairs of a pagelet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from templcrawl.errors import InvalidOption

MAX_LINKS = 1_000


class CitingPagelet(NamedTuple):
    """A pagelet and what it cites.

    page         the page that owns it
    targets      the pages that it links to, in document order
    is_template  whether it stands on several pages
    """

    page: int
    targets: Sequence[int]
    is_template: bool = False


class CoCited(NamedTuple):
    """A page that is cited beside another.

    score     how much
    together  pages that cite both within a pagelet
    """

    page: int
    score: float
    together: int


def co_citation(
    page: int, pagelets: Iterable[CitingPagelet], *, page_weight: float = 0.0, max_links: int = MAX_LINKS
) -> list[CoCited]:
    """Return the pages cited beside a page, the most like it first; equals in the order they come.

    pagelets     those of the pages that cite it, the pagelets of a page one after the other; without
                 ``page_weight`` only those that cite it themselves matter
    page_weight  what a co-citation outside the pagelet counts, 0 to 1
    max_links    links of a pagelet that are looked at, those nearest to the cited page
    Raises InvalidOption.

    Pages 1 and 2 cite page 7; page 2 does so in its menu too:

    >>> co_citation(7, [CitingPagelet(1, [7, 8]), CitingPagelet(1, [5]),
    ...                 CitingPagelet(2, [7, 8, 9]), CitingPagelet(2, [7, 0], is_template=True)])
    [CoCited(page=8, score=2.0, together=2), CoCited(page=9, score=1.0, together=1)]
    """
    if not 0 <= page_weight <= 1:
        raise InvalidOption("page_weight", page_weight, "a number from 0 to 1")
    if max_links < 1:
        raise InvalidOption("max_links", max_links, "a whole number of 1 or more")
    together: Counter[int] = Counter()
    apart: Counter[int] = Counter()
    content = (pagelet for pagelet in pagelets if not pagelet.is_template and pagelet.page != page)
    for owner, group in groupby(content, key=lambda pagelet: pagelet.page):
        beside: dict[int, None] = {}
        elsewhere: dict[int, None] = {}
        is_cited = False
        for pagelet in group:
            cites = page in pagelet.targets
            is_cited |= cites
            (beside if cites else elsewhere).update(dict.fromkeys(_nearest(page, pagelet.targets, max_links)))
        for target in page, owner:
            beside.pop(target, None)
            elsewhere.pop(target, None)
        together.update(list(beside))
        if is_cited and page_weight:
            apart.update(target for target in elsewhere if target not in beside)
    scores = {target: together[target] + page_weight * apart[target] for target in [*together, *apart]}
    best = sorted(scores, key=lambda target: -scores[target])
    return [CoCited(target, float(scores[target]), together[target]) for target in best]


def _nearest(page: int, targets: Sequence[int], limit: int) -> Sequence[int]:
    """Return the targets nearest to the first citation of the page; the first ones where it is not cited."""
    if len(targets) <= limit:
        return targets
    cited = targets.index(page) if page in targets else 0
    start = min(max(0, cited - limit // 2), len(targets) - limit)
    return targets[start : start + limit]

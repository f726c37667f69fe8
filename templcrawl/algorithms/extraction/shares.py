"""Corrected shares of text runs, where those of a sample mislead: rows, outsiders and section menus.

A *share* is the part of the sampled pages of a site that have a run.

row           the share of a row counts, not that of its parts (:func:`lower_to_row_shares`)
outsider      a page with next to nothing in common with its site: it is compared with other outsiders of
              the same page type as well (:func:`is_outsider`, :func:`outsider_shares`)
stranger      a sampled page that has next to nothing in common with the page at hand (:func:`voters`)
section menu  a list of links that some pages of a site have, and no others (:func:`raise_section_menus`)

Source: our own.  n text runs.  Cost: O(n).
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from templcrawl.page.arrays import Floats, before, stretches
from templcrawl.page.rows import CODE, Rows
from templcrawl.page.runs import TextRuns
from templcrawl.page.vocabulary import LINKED

MIN_PAGES = 4  # least number of known pages for a share to be evidence of repetition
COMMON = 0.5  # share of the sampled pages that have what is common
_FEW = 0.1  # with less in common a page is an outsider of its site, or a stranger to a page
_FRAME_SHARE = 0.5  # share of the site's frame that no outsider has
_MIN_RUNS = 8  # of a menu of a section, or of a frame that has fewer than a tenth of a page
_LINKED_SHARE = 0.9  # of its words, in links
_LINKED_OF_ROW = 0.5  # share of a row's words in links, above which it is not a row of facts
# All of them, as ``kernel/src/shares.rs`` reads them.
RULES = np.array([MIN_PAGES, COMMON, _FEW, _FRAME_SHARE, _MIN_RUNS, _LINKED_SHARE, _LINKED_OF_ROW]).tobytes()


class Frame(NamedTuple):
    """The common keys of the sampled pages: those of at least half of the voting pages.

    size     how many distinct runs and rows it is
    present  how many of them a page has
    length   median number of those of a sampled page
    """

    size: int
    present: int
    length: float


def is_outsider(shares: Floats, pages: int, frame_of: Callable[[], Frame]) -> bool:
    """Return whether a page shares almost nothing with its site.

    Fewer than a tenth of an outsider's text runs stand each on half of the sampled pages or more, of four at
    least, and it lacks the *frame* of the site, which is all that half of these pages have: it has less than
    half of it, or there is hardly any.  So no page is an outsider by its length.

    A site may be built of sections that share no template: a shop, its manual, its blog.  A sample of the
    whole site holds few pages of a small section, so that its menu would be kept.

    shares    run -> share of the ``pages`` sampled pages of the site that have it
    frame_of  tells the frame of the site

    >>> long, menu = np.array([1.0] * 20 + [0.0] * 300), lambda: Frame(20, 20, 60.0)
    >>> is_outsider(long, 16, menu), is_outsider(long[19:], 16, lambda: Frame(20, 1, 60.0))
    (False, True)
    """
    if pages < MIN_PAGES or np.count_nonzero(shares >= COMMON) >= _FEW * len(shares):
        return False
    frame = frame_of()
    return frame.present < _FRAME_SHARE * frame.size or frame.size < min(_MIN_RUNS, _FEW * frame.length)


def voters(common: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
    """Return which of some pages vote on a page: strangers do not, if four others are left.

    A *stranger* has fewer than a tenth as many of the page's runs as the median of the sample.  It is no
    evidence about the template of that page.

    common  page -> how many of the text runs it has

    >>> voters(np.array([30, 1, 28, 31, 29])).tolist(), voters(np.array([30, 1, 28])).tolist()
    ([True, False, True, True, True], [True, True, True])
    """
    votes: npt.NDArray[np.bool_] = common >= _FEW * median(common.tolist())
    return votes if np.count_nonzero(votes) >= MIN_PAGES else np.ones(len(common), dtype=bool)


def lower_to_row_shares(runs: TextRuns, rows: Rows, shares: Floats, row_shares: Floats) -> Floats:
    """Return the shares of a page's text runs, that of a row of a table or of code where it is smaller.

    The share of a row counts (:mod:`templcrawl.page.rows`): "Sauna yes" stands on half of the pages, "Sauna"
    and "yes" on all.  That does not hold for a row of which links make up more than half of the words, nor
    for one with a link that half of the sampled pages have: a trail ("Home > Lamps > The old lamp") is no row
    of facts; nor for a row of which something is hidden, since other pages may show it.

    shares      run -> share of some pages that have it
    row_shares  row -> share of these pages that have it
    """
    is_linked = runs.hints & LINKED > 0
    in_links = rows.sums(runs.words * is_linked)
    counts = (rows.tables >= 0) | (rows.kinds == CODE)
    counts &= in_links <= _LINKED_OF_ROW * rows.sums(runs.words)
    counts &= rows.sums((is_linked & (shares >= COMMON)) | runs.hidden) == 0
    return np.minimum(shares, np.where(counts, row_shares, 1.0)[rows.row_of_run])


def outsider_shares(shares: Floats, own: Floats, pages: int) -> Floats:
    """Return the shares of an outsider's text runs, by its site and by other outsiders of its page type.

    A run's share is the larger of two: that in the sample, and n / (n + 1) of its share among n >= 4
    outsiders.  Why outsiders alone: within a page type also what belongs to the content is repeated ("add to
    cart", an author's name); asked on every page, they cost .02 to .05 F1 on the saved sites.

    shares  run -> share of the sampled pages of the site
    own     run -> share of ``pages`` known outsiders of the page's template, ``MIN_PAGES`` or more

    >>> outsider_shares(np.array([0.0, 0.25]), np.array([1.0, 0.0]), 4).tolist()
    [0.8, 0.25]
    """
    return np.maximum(shares, own * (pages / (pages + 1)))


def raise_section_menus(runs: TextRuns, shares: Floats, masks: npt.NDArray[np.uint32]) -> Floats:
    """Return the shares of a page's text runs, those of section menus raised.

    A side bar that half of the pages have is on half of the sampled ones, and its share says little against
    it; that all of its runs stand on the same pages does.  A section menu is a stretch of at least eight text
    runs, nine tenths of its words in links, each of which the same n >= 4 pages have.  Its share is then n /
    (n + 1) if that is larger.  The entries of a list that is the content of a page stand on other pages too,
    but each on other ones; text that the same pages have is often content.

    shares  run -> share of the sampled pages that have it
    masks   run -> which ones they are, a bit each
    """
    starts, stops = stretches(masks)
    is_long = stops - starts >= _MIN_RUNS
    if not np.count_nonzero(is_long):
        return shares
    starts, stops = starts[is_long], stops[is_long]
    words, linked = before(runs.words), before(runs.words * (runs.hints & LINKED > 0))
    is_list = linked[stops] - linked[starts] >= _LINKED_SHARE * (words[stops] - words[starts])
    larger: Floats = shares.copy()
    for start, stop in zip(starts[is_list].tolist(), stops[is_list].tolist()):
        having = int(masks[start]).bit_count()
        if having >= MIN_PAGES:
            np.maximum(shares[start:stop], having / (having + 1), out=larger[start:stop])
    return larger

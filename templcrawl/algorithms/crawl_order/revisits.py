"""Choose which known pages of a site to read again, and decide when to stop.

A *visit* is a reading of a page that was read before, so that it shows whether the page has changed.  Pages
are sampled by classes, and those of one class are read in random order: each reading speaks for its rest.

CLASSES  group   directory of the address (numbers read as 0, index.html and the last segment taken off), and
                 whether the page is a *hub*: some page's parent, of all pages that link to it the one with
                 most links
         state   ONCE read; changed JUST, at its last visit; changed EARLIER; NEVER changed
         signal  of the hubs that link to it, in this crawl: NO_HUB was read, NO_HUB_CHANGED, HUB_CHANGED; or
                 a sitemap or a feed calls it the same or changed (CALLED_..., ..._TOO if a hub has changed)
HISTORY  v visits, c changes, i mean interval, of a group g; of all groups of hubs, or of other pages
         all  = (c + 1/2) / (v + 1)
         r_g  = sum over S of w_S (c_g + S all) / (v_g + S) + FLOOR / (v of the site + 1)    w_S: how well
                beta-binomials of mean all and strength S explain the groups: it learns how unlike they are
         f    = (c + B) / (e + B), one for each state and one for each signal, of hubs and of other pages,
                where e = sum of r_g * (the other f) over the same visits
         x    = min(.95, r_g f_state f_signal)                    share of a class in one visit
         q_p  = 1 - (1 - x) ^ (max(t_p, i_min) / i)               t_p: since page p was read; i_min: shortest
                interval in which a whole crawl has found changes
THIS CRAWL  of a class s pages were read, k had changed, n are unread; q = mean of q_p
         share ~ Beta(a, b)   a = m q + k, b = m (1 - q) + s - k, 1/m = 1/DOWN + 1/strength of r_g;
                              m <= UP if k > q s: what is more than expected is believed at once
         left of a class   mean n a/(a+b), variance n a b (a+b+n) / ((a+b)^2 (a+b+1))
         left of a site    the negative binomial of the summed mean E and variance + (BIAS E)^2
ORDER    hubs, and pages that were read once; of each class as large a part as sqrt(n) is of the n pages of
         its group and signal; then the class of largest a/(a+b)
END      when P(left <= limit * (found + E)) >= SURE.  Never in the first two crawls of a site, nor before it
         has shown SEEN changes, nor to save less than LEAVE of its known pages.

Sources: sampling by groups, Cho & Ntoulas (VLDB 2002) and Tan & Mitra (ACM TWEB 2010); rates in time, Cho &
Garcia-Molina (TOIT 2003).  Ours: the classes, the posterior, the end.  Cost: O(1) a page; O(groups) a crawl.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from heapq import nlargest
from math import ceil, exp, lgamma, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from templcrawl.algorithms.crawl_order.count_bounds import SURE, bound_of, chance_of_at_most
from templcrawl.algorithms.crawl_order.link_value import directory_class

ONCE, JUST, EARLIER, NEVER = range(4)  # states
NO_HUB, NO_HUB_CHANGED, HUB_CHANGED, CALLED_SAME, CALLED_CHANGED, SAME_TOO, CHANGED_TOO = range(7)  # signals

BIAS = 0.1  # share by which all that is expected may be wrong together: it shows on large sites alone
UP, DOWN = 3.0, 300.0  # visits that history counts as, where this crawl shows more changes; fewer
LEAVE = 0.2  # share of the known pages; for fewer no crawl ends before it has read all
SEEN = 5  # changes before which a site is read whole
CRAWLS = 2  # first crawls of a site, which read it whole
FLOOR = 0.5  # changes that any group is believed to have shown more, of all visits to the site
ASSUMED = 5.0  # B: changes that each state and signal is believed to have shown as expected
STRENGTHS = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)  # S
MAX_SHARE = 0.95
MAX_CHANCE = 0.999
MAX_GROUPS = 500  # the largest ones, which say how unlike groups are

FIRST = 1.0  # value from which known pages are read though the crawl is over: hubs, samples
MAX_VALUE = 2.0  # of a known page; that of a new one is higher

_INDEX = re.compile(r"(?<=/)index\.\w+$")
HUB = 2  # bit of the key of a group
_FLAGS = 7  # low bits of the key of a class
_STATE, _SIGNAL = 2, 4  # where its state and signal begin
_READ_AGAIN = 3 << _STATE  # all states: pages are sampled together, whatever theirs is
_SIGNALS_OF_FACTORS = 9  # keys of factors: of states 1 to 8, of signals from here on

Numbers = npt.NDArray[np.float64]


def revisit_group(url: str) -> int:
    """Return the key of the directory of an address, the group of pages with one rate; its low 7 bits are 0.

    >>> revisit_group("http://x.org/blog/tea/index.html") == revisit_group("http://x.org/blog/cups.html")
    True
    """
    address = _INDEX.sub("", url.partition("#")[0].partition("?")[0]).rstrip("/")
    return (directory_class(address) >> _FLAGS << _FLAGS) or 1 << _FLAGS


class ClassOfPages(NamedTuple):
    """A class of known pages.

    group  key of their directory, with the bit ``HUB`` if they are hubs
    """

    group: int
    state: int = ONCE
    signal: int = NO_HUB

    @property
    def key(self) -> int:
        """Its key, an odd number of 64 bits."""
        return self.group | self.signal << _SIGNAL | self.state << _STATE | 1

    @classmethod
    def from_key(cls, key: int) -> ClassOfPages:
        """Return the class of a key."""
        return cls((key >> _FLAGS << _FLAGS) | (key & HUB), key >> _STATE & 3, key >> _SIGNAL & 7)

    @property
    def factors(self) -> tuple[int, int]:
        """Keys of the factors of its state and of its signal, below 128."""
        is_hub = bool(self.group & HUB)
        return 1 + (self.state << 1 | is_hub), _SIGNALS_OF_FACTORS + (self.signal << 1 | is_hub)


def joint_signal(one: int, other: int) -> int:
    """Combine two signals: of two claims the later one counts; of hubs, a changed one.

    >>> joint_signal(CALLED_SAME, HUB_CHANGED) == SAME_TOO
    True
    """
    claims = {CALLED_SAME: 1, SAME_TOO: 1, CALLED_CHANGED: 2, CHANGED_TOO: 2}
    claim = max(claims.get(one, 0), claims.get(other, 0))
    if not claim:
        return max(one, other)
    has_hub = not {one, other}.isdisjoint((HUB_CHANGED, SAME_TOO, CHANGED_TOO))
    return (CALLED_SAME, SAME_TOO, CALLED_CHANGED, CHANGED_TOO)[2 * claim - 2 + has_hub]


class Sums(NamedTuple):
    """The visits to a group of pages, how many of them showed a change, and the time before them."""

    visits: float = 0
    changes: float = 0
    elapsed: float = 0


class History:
    """What earlier crawls say of a site.

    site      sums over all visits
    groups    group -> its sums
    factors   key of a factor -> changes, and the changes that the rest expected
    shortest  interval in which a whole crawl has found changes, 0 if none has
    """

    def __init__(
        self,
        site: Sums,
        groups: Mapping[int, Sums],
        factors: Mapping[int, tuple[float, float]],
        shortest: float,
    ) -> None:
        self.site, self.shortest = site, shortest
        self._groups, self._factors = groups, factors
        self._shares: dict[int, tuple[float, float]] = {}
        self._kinds = self._learned(0), self._learned(HUB)

    def _learned(self, hub: int) -> tuple[float, list[float]]:
        """Return the share of all groups of hubs, or of others, and how well strengths explain them."""
        groups = [one for key, one in self._groups.items() if key & HUB == hub] or [self.site]
        share = (sum(one.changes for one in groups) + 0.5) / (sum(one.visits for one in groups) + 1)
        groups = nlargest(MAX_GROUPS, groups)
        logs = [
            sum(_log_chance(one.changes, one.visits, size * share, size * (1 - share)) for one in groups)
            for size in STRENGTHS
        ]
        weights = [exp(one - max(logs)) for one in logs]
        return share, [weight / sum(weights) for weight in weights]

    def share_of(self, group: int) -> tuple[float, float]:
        """Return the share of a group in one visit, and how many visits that counts as."""
        if group in self._shares:
            return self._shares[group]
        visits, changes, _ = self._groups.get(group, Sums())
        common, weights = self._kinds[bool(group & HUB)]
        shares = [((changes + size * common) / (visits + size), size) for size in STRENGTHS]
        mean = sum(w * r for w, (r, _) in zip(weights, shares))
        square = sum(w * (r * (1 - r) / (visits + size + 1) + r * r) for w, (r, size) in zip(weights, shares))
        strength = max(1.0, mean * (1 - mean) / max(1e-12, square - mean * mean) - 1)
        mean += FLOOR / (self.site.visits + 1)
        self._shares[group] = mean, strength
        return mean, strength

    def factor(self, key: int) -> float:
        """Return how much more often pages of a state or signal change than expected, as a factor."""
        changes, expected = self._factors.get(key, (0.0, 0.0))
        return (changes + ASSUMED) / (expected + ASSUMED)

    def begin_class(self, pages: ClassOfPages) -> OpenClass:
        """Return a class without pages, with the share of changes that is expected of it."""
        mean, strength = self.share_of(pages.group)
        for factor in pages.factors:
            mean *= self.factor(factor)
        own = self._groups.get(pages.group, Sums())
        timed = own if own.visits and own.elapsed else self.site
        interval = timed.elapsed / timed.visits if timed.visits else 0.0
        return OpenClass(min(MAX_SHARE, mean), interval, 1 / (1 / DOWN + 1 / strength), self.shortest)

    def expected_by_factors(self, pages: ClassOfPages) -> Iterable[tuple[int, float]]:
        """Yield the key of each factor of a class, with the share expected without that factor."""
        share, (state, signal) = self.share_of(pages.group)[0], pages.factors
        yield state, min(MAX_SHARE, share * self.factor(signal))
        yield signal, min(MAX_SHARE, share * self.factor(state))


def _log_chance(some: float, of: float, a: float, b: float) -> float:
    # of a beta-binomial, but for the binomial coefficient
    return (
        lgamma(some + a) + lgamma(of - some + b) - lgamma(of + a + b) + lgamma(a + b) - lgamma(a) - lgamma(b)
    )


@dataclass(slots=True)
class OpenClass:
    """A class of known pages in a crawl.

    share, interval  that history expects of a page, in so much time; 0: the time does not matter
    strength         visits that history counts as
    shortest         time that is taken to have passed at least
    pages, chances   that were ever in it, and the sum of their chances
    unread, read     of them; changed: of those that were read
    asked            how many were asked for
    mean, variance   of the changes that are left in it, when they were summed up last
    """

    share: float
    interval: float
    strength: float
    shortest: float
    pages: int = 0
    chances: float = 0.0
    unread: int = 0
    read: int = 0
    changed: int = 0
    asked: int = 0
    mean: float = 0.0
    variance: float = 0.0

    def chance(self, since: Numbers | float) -> Numbers | float:
        """Return the chance that pages have changed since they were read, so long ago."""
        intervals = np.maximum(since, self.shortest) / self.interval if self.interval else 1.0
        return np.minimum(MAX_CHANCE, 1 - (1 - self.share) ** intervals)

    def posterior(self) -> tuple[float, float]:
        """Return a, and a + b."""
        expected = self.chances / self.pages if self.pages else self.share
        strength = self.strength
        if self.changed > expected * self.read:
            strength = min(strength, UP)
        return strength * expected + self.changed, strength + self.read

    def rate(self) -> float:
        """Return the share of its unread pages that have changed, below 1."""
        a, both = self.posterior()
        return a / both


class Remainder:
    """What a crawl expects of the known pages that it has not read.

    classes         key of a class -> that class
    unread          pages that were not read
    mean, variance  of the changes among them
    """

    def __init__(self, history: History) -> None:
        """Begin without pages."""
        self.history = history
        self.classes: dict[int, OpenClass] = {}
        self.unread = 0
        self.mean = self._variance = 0.0
        self._sampled: dict[int, int] = defaultdict(int)  # group and signal -> its pages, of all states

    def __getitem__(self, key: int) -> OpenClass:
        """Return a class by its key."""
        found = self.classes.get(key)
        if found is None:
            found = self.classes[key] = self.history.begin_class(ClassOfPages.from_key(key))
        return found

    def add(self, key: int, since: Numbers | float) -> None:
        """Add unread pages, or one, that were read so long ago."""
        of, count = self[key], np.size(since)
        of.pages += count
        of.chances += float(np.sum(of.chance(since)))
        of.unread += count
        self.unread += count
        self._sampled[key | _READ_AGAIN] += count
        self._sum(of)

    def remove(self, key: int) -> None:
        """Remove an unread page: it has another class by now, or is gone."""
        of = self[key]
        of.unread -= 1
        self.unread -= 1
        self._sampled[key | _READ_AGAIN] -= 1
        self._sum(of)

    def note_read(self, key: int, *, changed: bool) -> None:
        """Note that an unread page was read."""
        of = self[key]
        of.read += 1
        of.changed += changed
        self.remove(key)
        self._sampled[key | _READ_AGAIN] += 1

    def _sum(self, of: OpenClass) -> None:
        a, both = of.posterior()
        mean = of.unread * a / both
        variance = mean * (both - a) / both * (both + of.unread) / (both + 1)
        self.mean += mean - of.mean
        self._variance += variance - of.variance
        of.mean, of.variance = mean, variance

    @property
    def variance(self) -> float:
        """Variance of the changes that are left."""
        return self._variance + (BIAS * self.mean) ** 2

    def has_sample(self, key: int) -> bool:
        """Return whether enough pages of a class were requested to estimate the rest."""
        of = self[key]
        pages = of.unread + of.read
        return of.asked >= ceil(pages / sqrt(max(1, pages, self._sampled[key | _READ_AGAIN])))

    def value(self, key: int) -> float:
        """Return the value of a page of a class, from 0 to below ``MAX_VALUE``."""
        of, is_hub = self[key], bool(key & HUB)
        rate = min(of.rate(), 0.99)
        if is_hub or key >> _STATE & 3 == ONCE:
            return FIRST + is_hub / 2 + rate / 4
        return rate if self.has_sample(key) else FIRST + rate / 4

    def is_over(self, found: int, limit: float, *, known: int, crawls: int) -> bool:
        """Return whether the changes that are left are too few for a crawl to go on.

        found   new and changed pages so far
        limit   below 1: share of all that there is to find; else: a number of pages; 0: it never is
        known   pages when it began
        crawls  earlier ones of the site
        """
        if not limit or crawls < CRAWLS or self.history.site.changes < SEEN or self.unread < LEAVE * known:
            return False
        allowed = limit * (found + self.mean) if limit < 1 else limit
        return chance_of_at_most(allowed, self.mean, self.variance) >= SURE

    def bound(self) -> int:
        """Return an upper bound of the changes that are left, at 90% confidence."""
        return bound_of(self.mean, self.variance, self.unread)

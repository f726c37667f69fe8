"""Classification from examples: which of k known classes of pages a page belongs to, or none of them.

:class:`StructuralClassifier`, ours, asks for the nearest group of examples by structure,
:class:`FingerprintClassifier` for a similar fingerprint.  Of equal classes the first by name.

Source: Hachenberg & Gottron (CIKM 2013), section 4, for fingerprints; our own for structure.  Cost a page: by
structure O(groups * features of the page), for two close classes O(their groups * all features), at most
2,048 groups and 8,192 features, and 64 MB; by fingerprint O(1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from templcrawl.algorithms.page_types.class_profiles import Profiles, gather, make_profiles, structure_key
from templcrawl.algorithms.page_types.fingerprint import (
    FINGERPRINT_LENGTH,
    FingerprintIndex,
    page_fingerprint,
)
from templcrawl.algorithms.page_types.merge_tree import Array
from templcrawl.errors import InvalidOption
from templcrawl.page.arrays import Keys, look_up
from templcrawl.page.page import Page


class Classification(NamedTuple):
    """The answer of a classifier about a page; distances are from 0 to 1, and 1 where there is no such class.

    name       its class, None if it belongs to no known class
    nearest    the nearest class, even where it is too far; None where none is known to be near
    runner_up  the next class, None where there is none
    """

    name: str | None
    distance: float
    nearest: str | None = None
    runner_up: str | None = None
    runner_up_distance: float = 1.0


class FingerprintClassifier:
    """The paper's classifier, by fingerprints.

    "f: D -> {1, ..., k, none}": the fingerprints of all training pages are mapped to the classes they were
    seen with; a page takes the class of a similar fingerprint (one edit at most), without one it has none.
    Of several similar fingerprints the nearest decides, then the class with most training pages among them;
    the paper is silent.  The distance is edits / 25.

    >>> tea, note = Page("<ul><li>green<li>black</ul>", ""), Page("<div><p>on <b>Mondays</b></p></div>", "")
    >>> classifier = FingerprintClassifier.train([("list", tea)])
    >>> classifier.classify(Page("<ul><li>red<li>mint</ul>", "")).name, classifier.classify(note).name
    ('list', None)
    """

    def __init__(self, fingerprints: Iterable[tuple[str, bytes]]) -> None:
        """Learn from (class, fingerprint); raises InvalidOption without any."""
        self._index = FingerprintIndex()
        self._classes: dict[bytes, Counter[str]] = {}
        for name, fingerprint in fingerprints:
            self._index.add(fingerprint)
            self._classes.setdefault(fingerprint, Counter())[name] += 1
        if not self._classes:
            raise InvalidOption("examples", [], "at least one example page of a class")

    @classmethod
    def train(cls, examples: Iterable[tuple[str, Page]]) -> FingerprintClassifier:
        """Learn from (class, page); raises InvalidOption without an example."""
        return cls((name, page_fingerprint(page)) for name, page in examples)

    def classify(self, page: Page) -> Classification:
        """Return the class of a page."""
        return self.classify_fingerprint(page_fingerprint(page))

    def classify_fingerprint(self, fingerprint: bytes) -> Classification:
        """Return the class of the page that a fingerprint was made of."""
        votes: Counter[tuple[bool, str]] = Counter()
        for similar in self._index.similar(fingerprint):
            for name, pages in self._classes[similar].items():
                votes[similar != fingerprint, name] += pages
        distances: dict[str, float] = {}  # class -> distance, the nearest first
        for edits, name in sorted(votes, key=lambda vote: (vote[0], -votes[vote], vote[1])):
            distances.setdefault(name, edits / FINGERPRINT_LENGTH)
        if not distances:
            return Classification(None, 1.0)
        (nearest, distance), *others = distances.items()
        return Classification(nearest, distance, nearest, *(others[0] if others else ()))


_UNSEEN_EXPONENT = 0.25  # of the number of features that no example has: what they weigh together
_CLOSE = 0.05  # between the distances of two classes that are told apart by what is switched
_SWITCH_POWER = 4  # of a difference: a share that is only larger says little
_SPREAD_SHARE = 0.95  # of a class's examples: the farthest may be error pages


class NoneRule(NamedTuple):
    """The rule by which a page is rejected: it belongs to no known class.

    ::

        none  iff  d1 > room + slope * spread + margin * (d2 - d1),   or d1 > 0.95

        d1, d2  distances to the class and the next, d2 = 1 where there is one class only; d2 - d1 is not
                taken below 0
        spread  of the class: how far the farthest of its examples is from the others, each judged without
                itself (leave one out); the farthest twentieth are left aside where there are more than
                twenty, as error pages may be among them
        drawn   a class of n pages has (n - 1) parts of its own spread and one of the mean of all classes of
                two pages or more; where there are none, 0.5 stands for that mean

    The numbers were chosen on saved sites with page types; ``lab.papers.type_examples`` gives beside them
    what rules chosen without the judged site do.

    room    added to what the spread allows
    slope   how much of the spread is allowed
    margin  how much of the way from the nearest to the next class is allowed
    spread  what is taken for the spread where no class has two pages
    limit   greatest distance in any case
    """

    room: float = 0.1
    slope: float = 0.75
    margin: float = 0.2
    spread: float = 0.5
    limit: float = 0.95

    def rejects(self, distance: float, runner_up_distance: float, spread: float | None) -> bool:
        """Return whether a page is too far from its nearest class; None: no class has a spread."""
        allowed = self.room + self.slope * (self.spread if spread is None else spread)
        return distance > min(allowed + self.margin * max(0.0, runner_up_distance - distance), self.limit)


class StructuralClassifier:
    """Our classifier, by structure features.

    The nearest group of examples decides, if it is near enough (:class:`NoneRule`).  A page is compared with
    a bounded number of groups of each class (``class_profiles``), by weighted Jaccard distance; u features
    that no example has weigh u^0.25 times what one of them does.  A page with exactly the features of an
    example that is kept is of that example's class, at distance 0; where several classes have such a page, of
    the one with most copies.

    >>> product = Page("<main><h1>Tea</h1><form><input name=amount></form></main>", "")
    >>> listing = Page("<main><h1>Teas</h1><ul><li><a href=1>Green</a></ul></main>", "")
    >>> classifier = StructuralClassifier.train([("product", product), ("listing", listing)])
    >>> classifier.classify(Page("<main><h1>Cups</h1><ul><li><a href=2>Blue</a><li>Red</ul></main>", "")).name
    'listing'
    >>> classifier.classify(Page("<table><tr><td>1</table>", "")).name is None
    True

    names    of the classes, ascending
    spreads  of each class, None where no class has two pages
    """

    def __init__(self, structures: Iterable[tuple[str, Keys]]) -> None:
        """Learn from (class, ``Page.structure``).

        Raises InvalidOption without any, and for more than 2,048 classes.
        """
        examples = gather(structures)
        profiles = make_profiles(examples)
        self.names = examples.names
        self.spreads = _spreads(profiles, examples.class_of, examples.copies, len(examples.names))
        self._profiles = profiles
        self._shares = np.ascontiguousarray(profiles.shares.T)
        self._totals = profiles.shares @ profiles.weights
        self._starts = np.searchsorted(profiles.class_of, np.arange(len(examples.names)))
        self._ends = np.append(self._starts[1:], len(profiles.sizes))
        self._examples: dict[int, tuple[float, int]] = {}
        for key, copies, number in zip(examples.keys, examples.copies.tolist(), examples.class_of.tolist()):
            before = self._examples.get(key, (0.0, 0))
            self._examples[key] = max(before, (copies, number), key=lambda example: (example[0], -example[1]))

    @classmethod
    def train(cls, examples: Iterable[tuple[str, Page]]) -> StructuralClassifier:
        """Learn from (class, page); raises InvalidOption without any, and for more than 2,048 classes."""
        return cls((name, page.structure) for name, page in examples)

    def classify(self, page: Page) -> Classification:
        """Return the class of a page."""
        return self.classify_structure(page.structure)

    def classify_structure(self, features: Keys) -> Classification:
        """Return the class of the page that the features (ascending, distinct) are of."""
        columns, distances = self._compared(features)
        exact = self._examples.get(structure_key(features))
        if exact is not None:
            distances[exact[1]] = 0.0
        order = np.argsort(distances, kind="stable")[:2].tolist()
        if exact is not None:
            order = [exact[1], *(other for other in order if other != exact[1])][:2]
        elif len(order) > 1 and distances[order[1]] - distances[order[0]] <= _CLOSE:
            order = self._run_off(order[0], order[1], columns)
        (nearest, distance), *others = ((self.names[number], float(distances[number])) for number in order)
        runner_up, next_distance = others[0] if others else (None, 1.0)
        spread = None if self.spreads is None else float(self.spreads[order[0]])
        is_none = exact is None and NoneRule().rejects(distance, next_distance, spread)
        return Classification(None if is_none else nearest, distance, nearest, runner_up, next_distance)

    def _compared(self, features: Keys) -> tuple[Array, Array]:
        places, is_known = look_up(features, self._profiles.features)
        columns = places[is_known]
        unseen = len(features) - len(columns)
        weights = self._profiles.weights[columns]
        shared = weights @ self._shares[columns]
        total = weights.sum() + (self._profiles.unseen * unseen**_UNSEEN_EXPONENT if unseen else 0)
        distances = 1 - shared / np.maximum(self._totals + total - shared, 1e-9)
        return columns, np.minimum.reduceat(np.clip(distances, 0, 1), self._starts)

    def _run_off(self, first: int, second: int, columns: Array) -> list[int]:
        """Return two close classes, the nearer one by what is switched between them first.

        All other classes have a say in the weights of features, so that two sites of one generator would be
        taken for each other.  Two classes that are within 0.05 of each other, of two pages or more each, are
        therefore told apart by what is switched between them: of the two the one with the smaller

            min over its groups of  sum over features of  |a - b|^4 * once * |share of the group - x|

        a, b the shares of the classes, x is 1 where the page has the feature, else 0.
        """
        groups = [slice(self._starts[number], self._ends[number]) for number in (first, second)]
        sizes = [self._profiles.sizes[group] for group in groups]
        if min(size.sum() for size in sizes) < 2:
            return [first, second]
        shares = [self._shares[:, group] for group in groups]
        a, b = (share @ (size / size.sum()) for share, size in zip(shares, sizes))
        switched = np.abs(a - b) ** _SWITCH_POWER * self._profiles.once
        nearer, farther = (
            (switched @ share + switched[columns] @ (1 - 2 * share[columns])).min() for share in shares
        )
        return [second, first] if farther < nearer else [first, second]


Classifier = FingerprintClassifier | StructuralClassifier


def _spreads(profiles: Profiles, class_of: Array, copies: Array, count: int) -> Array | None:
    """Return class -> its spread, drawn to the mean of all; None where no class has two pages."""
    alone = np.array([_left_out(profiles, row, class_of[row]) for row in range(len(class_of))])
    pages = np.bincount(class_of, copies, minlength=count)
    widest = np.full(count, -1.0)
    for number in range(count):
        own = alone[class_of == number]
        if np.isfinite(own).all():
            widest[number] = np.quantile(own, _SPREAD_SHARE, method="higher")
    has_own = widest >= 0
    if not has_own.any():
        return None
    mean = widest[has_own].mean()
    return np.asarray((np.where(has_own, widest, 0) * (pages - 1) + mean) / pages)


def _left_out(profiles: Profiles, row: int, number: int) -> float:
    """Return the distance of an example to the nearest group of its class, one copy of it left out."""
    own = profiles.group_of[row]
    groups = np.flatnonzero(profiles.class_of == number)
    shares = profiles.shares[groups].astype(np.float64)
    example = profiles.table[row]
    rest = profiles.sizes[own] - 1
    index = int(own - groups[0])
    if rest:
        shares[index] = np.maximum(shares[index] * (rest + 1) - example, 0) / rest
    else:
        shares = np.delete(shares, index, axis=0)
    if not len(shares):
        return float("inf")
    shared = shares @ (profiles.weights * example)
    either = shares @ profiles.weights + profiles.weights @ example - shared
    return float(np.clip(1 - shared / np.maximum(either, 1e-9), 0, 1).min())

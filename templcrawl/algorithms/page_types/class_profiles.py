"""Profiles of k classes from examples: weights of features, and tight groups of each class's examples.

An example is a set of structure features (``templcrawl.page.elements``) with the name of its class.

weight of a feature   H(share) * max(between^2, 0.05) / (features on the same examples)^0.75
    share    mean over the classes of the share of the class that has it, drawn to 1/2 by a page:
             (N share + 1/2) / (N + 1); H is the binary entropy, N the number of examples
    between  how much of the raw entropy is between the classes: 1 - mean over classes of H(share of the
             class) / H(raw share); 1 where there is one class, 0 for a feature of every example
profiles of a class   its examples in at most 8 tight groups, by average linkage up to a distance of 0.25
             (weighted Jaccard); a group has a profile, feature -> share of its pages

Bounds: at most 2,048 classes; together at most 8,192 examples, 2,048 groups and 8,192 features, each class
with its share.  Where there are more, the examples and features whose hashes are smallest are selected
(features first by how many examples of a class have them), so order never matters.

Source: our own; entropy after Shannon (1948).  Cost: O(examples * features + sum over classes of examples^2 *
features), in numpy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from xxhash import xxh3_64_intdigest

from templcrawl.algorithms.page_types.merge_tree import Array, average_linkage, join
from templcrawl.algorithms.page_types.page_profiles import binary_entropy, profile_distances
from templcrawl.errors import InvalidOption
from templcrawl.page.arrays import Keys, equal_rows

MAX_CLASSES = 2_048  # and groups of all classes
MAX_EXAMPLES = 8_192  # of all classes
MAX_CLASS_EXAMPLES = 128  # of one class
MAX_CLASS_GROUPS = 8  # of one class
MAX_COLUMNS = 8_192  # features of all classes
GROUP_DISTANCE = 0.25  # inside a group, at most
_MIN_BETWEEN = 0.05  # a feature weighs as if so much were between the classes, at least
_GROUP_EXPONENT = 0.25  # of the number of features on the same examples: what they weigh together
_PAGE_SHARE = 0.5  # of the page that draws a share to 1/2


class Examples(NamedTuple):
    """Examples without repetition, by class, then by key.

    names     of the classes, ascending
    copies    how many equal pages each example stands for
    """

    names: list[str]
    sets: list[Keys]
    keys: list[int]
    copies: Array
    class_of: Array


class Profiles(NamedTuple):
    """The fit to the examples.

    features  column -> feature, ascending
    weights   column -> its weight
    once      column -> what it counts beside those on the same examples: 1 / (how many they are)^0.75
    unseen    weight of a feature that no example has
    shares    group, column -> share of the group's pages that have it
    class_of  class of each group, ascending
    table     example, column -> whether it has it
    group_of  group of each example
    sizes     pages of each group
    """

    features: Keys
    weights: Array
    once: Array
    unseen: float
    shares: Array
    class_of: Array
    table: Array
    group_of: Array
    sizes: Array


def structure_key(features: Keys) -> int:
    """Return a key of a page's structure, equal for equal features."""
    return xxh3_64_intdigest(features.tobytes())


def gather(examples: Iterable[tuple[str, Keys]]) -> Examples:
    """Put examples in order, each once; raises InvalidOption for no class or too many."""
    copies: dict[str, Counter[int]] = {}
    sets: dict[int, Keys] = {}
    for name, features in examples:
        key = structure_key(features)
        sets.setdefault(key, features)
        copies.setdefault(name, Counter())[key] += 1
    if not copies:
        raise InvalidOption("examples", [], "at least one example page of a class")
    if len(copies) > MAX_CLASSES:
        raise InvalidOption("examples", f"{len(copies)} classes", f"at most {MAX_CLASSES:,} classes")
    names = sorted(copies)
    most = min(MAX_CLASS_EXAMPLES, MAX_EXAMPLES // len(names))
    selected = [(number, key) for number, name in enumerate(names) for key in sorted(copies[name])[:most]]
    return Examples(
        names,
        [sets[key] for _, key in selected],
        [key for _, key in selected],
        np.array([copies[names[number]][key] for number, key in selected], dtype=np.float64),
        np.array([number for number, _ in selected], dtype=np.intp),
    )


def make_profiles(examples: Examples) -> Profiles:
    """Weigh the features and put the examples of each class into groups."""
    features = _columns(examples)
    has = [np.isin(features, page_features, assume_unique=True) for page_features in examples.sets]
    table = np.array(has, dtype=np.float32)
    once: Array = np.ones(len(features))
    if table.size:
        _, alike, often = equal_rows(table.T > 0)
        once = often[alike] ** (_GROUP_EXPONENT - 1)
    weights, unseen = _weights(table, examples)
    weights *= once
    most = min(MAX_CLASS_GROUPS, MAX_CLASSES // len(examples.names))
    group_of = np.zeros(len(table), dtype=np.intp)
    class_of: list[int] = []
    for number in range(len(examples.names)):
        rows = np.flatnonzero(examples.class_of == number)
        used = table[rows].any(axis=0)
        distances = profile_distances(table[rows][:, used], weights[used])
        merges = average_linkage(distances, examples.copies[rows])
        surplus = len(rows) - most  # beyond ``most`` groups the nearest merge
        allowed = [at <= GROUP_DISTANCE or step < surplus for step, (_, _, at) in enumerate(merges)]
        for group in join(len(rows), merges, allowed):
            group_of[rows[group]] = len(class_of)
            class_of.append(number)
    sizes = np.bincount(group_of, examples.copies)
    shares = np.zeros((len(class_of), len(features)), dtype=np.float32)
    np.add.at(shares, group_of, table * examples.copies[:, None].astype(np.float32))
    shares /= sizes[:, None]
    return Profiles(features, weights, once, unseen, shares, np.array(class_of), table, group_of, sizes)


def _columns(examples: Examples) -> Keys:
    best: dict[int, int] = {}
    for number in range(len(examples.names)):
        rows = np.flatnonzero(examples.class_of == number).tolist()
        sets = [examples.sets[row] for row in rows]
        features, inverse = np.unique(np.concatenate(sets), return_inverse=True)
        copies = np.repeat(examples.copies[rows], list(map(len, sets)))
        often = np.bincount(inverse.ravel(), copies, minlength=len(features))
        order = np.lexsort((features, -often))[:MAX_COLUMNS]
        for rank, feature in enumerate(features[order].tolist()):
            best[feature] = min(rank, best.get(feature, rank))
    selected = sorted(best, key=lambda feature: (best[feature], feature))[:MAX_COLUMNS]
    return np.array(sorted(selected), dtype=np.uint64)


def _weights(table: Array, examples: Examples) -> tuple[Array, float]:
    count = len(examples.names)
    pages = np.bincount(examples.class_of, examples.copies)
    has = np.zeros((count, table.shape[1]))
    np.add.at(has, examples.class_of, table * examples.copies[:, None])
    has /= pages[:, None]
    raw, total = has.mean(axis=0), pages.sum()
    between: Array = np.ones(table.shape[1])
    if count > 1:
        entropy = binary_entropy(raw)  # that of all examples or none is a rounding error: nothing is between
        inside = binary_entropy(has).mean(axis=0)
        between = np.where(entropy > 1e-6, 1 - inside / np.maximum(entropy, 1e-6), 0)
    drawn = (total * raw + _PAGE_SHARE) / (total + 2 * _PAGE_SHARE)
    weights = binary_entropy(drawn) * np.maximum(np.clip(between, 0, 1) ** 2, _MIN_BETWEEN)
    unseen = binary_entropy(np.array([_PAGE_SHARE / (total + 2 * _PAGE_SHARE)]))
    return weights, float(unseen[0])

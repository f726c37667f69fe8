"""Upper bounds of a random count of events with a given mean and variance.

The count is modelled as negative binomial, or as gamma if it is large (Wilson & Hilferty, "The distribution
of chi-square", PNAS 1931).  Cost: O(count), at most 200 steps; a bound O(log count) of these.
"""

from __future__ import annotations

from bisect import bisect_left
from math import exp, log, sqrt

SURE = 0.9


def chance_of_at_most(limit: float, mean: float, variance: float) -> float:
    """Return P(N <= limit) of a negative binomial; where it is large, of a gamma (Wilson and Hilferty).

    >>> [round(chance_of_at_most(limit, 1.0, 1.0), 2) for limit in (0, 1, 3)]
    [0.37, 0.74, 0.98]
    """
    if mean <= 0:
        return 1.0
    variance = max(variance, mean * 1.0001)
    size, share = mean * mean / (variance - mean), mean / variance
    if mean > 60 or limit > 200:
        shape = mean * share
        z = (((limit + 0.5) / mean) ** (1 / 3) - 1 + 1 / (9 * shape)) * 3 * sqrt(shape)
        return 1 / (1 + exp(-1.702 * max(-40.0, min(40.0, z))))
    term = total = exp(size * log(share))
    for number in range(int(limit)):
        term *= (size + number) / (number + 1) * (1 - share)
        total += term
    return total


def bound_of(mean: float, variance: float, most: int) -> int:
    """Return the 90% quantile of a number of changes.

    >>> bound_of(0.05, 0.05, 99), bound_of(3.0, 6.0, 99), bound_of(3.0, 6.0, 4)
    (0, 6, 4)
    """
    return bisect_left(range(most), SURE, key=lambda limit: chance_of_at_most(limit, mean, variance))

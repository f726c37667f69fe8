"""Logistic regression over steps: a feature adds the weights of all steps that it is above.

The steps of a feature are quantiles of its values; fitted by Newton's method with a ridge on standardised
columns.  Imported by benchmarks, not run.  n rows, c columns.  Cost: O(n c^2) an iteration.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
_PARTS = 5
_RIDGE = 3.0
_ITERATIONS = 6


class Model(NamedTuple):
    """A constant, and name of a feature -> its steps and their weights."""

    constant: float
    steps: Mapping[str, tuple[Floats, Floats]]

    def scores(self, columns: Mapping[str, npt.NDArray[np.generic]]) -> Floats:
        """Return row -> its log odds."""
        total = np.array([self.constant])
        for name, (steps, weights) in self.steps.items():
            sums = np.concatenate(([0.0], np.cumsum(weights)))
            total = total + sums[np.searchsorted(steps, columns[name].astype(np.float64))]
        scores: Floats = total
        return scores


def steps_of(values: Floats, *, is_kind: bool = False) -> Floats:
    """Return where the steps of a feature are: between two values of it, few of them.

    >>> steps_of(np.array([0.0, 1.0, 1.0])).tolist(), steps_of(np.array([1.0, 3.0]), is_kind=True).tolist()
    ([0.5], [0.5, 1.5, 2.5])
    """
    if is_kind:
        return np.arange(int(values.max()), dtype=np.float64) + 0.5
    distinct = np.unique(values)
    if len(distinct) <= 2:
        between: Floats = (distinct[1:] + distinct[:-1]) / 2
        return between
    steps = np.quantile(values, np.linspace(0, 1, _PARTS + 1)[1:-1])
    return np.unique(np.array([float(f"{step:.3g}") for step in steps], dtype=np.float64))


def fit(
    columns: Mapping[str, npt.NDArray[np.generic]],
    steps: Mapping[str, Floats],
    shares: Floats,
    weights: Floats,
) -> Model:
    """Fit the share of each row that is positive.

    columns  name of a feature -> row -> its value
    steps    name of a feature -> its steps
    weights  how much each row counts
    """
    above = [columns[name] > step for name, of_it in steps.items() for step in of_it.tolist()]
    rows = np.stack([np.ones(len(shares), dtype=bool), *above], axis=1).astype(np.float32)
    means = np.average(rows, axis=0, weights=weights)
    spread = np.sqrt(means * (1 - means)) + 1e-6
    means[0], spread[0] = 0.0, 1.0
    rows = ((rows - means) / spread).astype(np.float32)
    weights = weights / weights.mean()
    ridge = np.full(rows.shape[1], _RIDGE)
    ridge[0] = 1e-3
    fitted = np.zeros(rows.shape[1])
    for _ in range(_ITERATIONS):
        odds = np.clip(rows @ fitted.astype(np.float32), -12, 12)
        chances = 1 / (1 + np.exp(-odds))
        slope = rows.T @ ((chances - shares) * weights).astype(np.float32) + ridge * fitted
        bend = np.maximum(chances * (1 - chances), 1e-3) * weights
        curvature = (rows * bend[:, None].astype(np.float32)).T @ rows + np.diag(ridge)
        fitted = fitted - np.linalg.solve(curvature.astype(np.float64), slope)
    fitted /= spread
    constant = float(fitted[0] - fitted[1:] @ means[1:])
    ends = np.cumsum([len(of_it) for of_it in steps.values()])[:-1]
    return Model(constant, {n: (s, w) for (n, s), w in zip(steps.items(), np.split(fitted[1:], ends))})

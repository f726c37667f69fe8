"""Logistic regression with weights and soft targets, by Newton's method (iteratively reweighted).

Minimises, over a bias a and coefficients b ::

    sum w (-t log p - (1 - t) log(1 - p)) + sum (s b)^2 / 2C          p = 1 / (1 + e^-(a + x b))

t a target from 0 to 1, w a weight, s the standard deviation of a feature: so its unit does not matter.  The
bias is not held small.  A step that raises the sum is halved.

n examples, k features.  Cost: O(n k^2) a step; ten steps or so.
"""

from __future__ import annotations

import numpy as np

from templcrawl.algorithms.page_types.merge_tree import Array

INVERSE_STRENGTH = 0.1
"""C."""

_MOST_STEPS = 100
_LEAST_STEP = 1e-10


def fit(features: Array, targets: Array, weights: Array, *, c: float = INVERSE_STRENGTH) -> list[float]:
    """Return the bias and the coefficients.

    >>> at = np.array([[0.0], [0.0], [1.0], [1.0]])
    >>> bias, slope = fit(at, np.array([0.25, 0.25, 0.9, 0.9]), np.ones(4), c=1e9)
    >>> [round(float(np.exp(z)), 3) for z in (bias, bias + slope)]
    [0.333, 9.0]
    """
    design = np.column_stack([np.ones(len(features)), features])
    held = design.var(axis=0) / c
    found = np.zeros(design.shape[1])
    loss = _loss(found, design, targets, weights, held)
    for _ in range(_MOST_STEPS):
        chances = 1 / (1 + np.exp(-np.clip(design @ found, -500, 500)))
        gradient = design.T @ (weights * (chances - targets)) + held * found
        curvature = (design * (weights * chances * (1 - chances))[:, None]).T @ design + np.diag(held)
        step = np.linalg.lstsq(curvature, gradient, rcond=None)[0]
        while (lower := _loss(found - step, design, targets, weights, held)) > loss and step.any():
            step /= 2
        found, loss = found - step, lower
        if np.abs(step).max() < _LEAST_STEP:
            break
    coefficients: list[float] = found.tolist()
    return coefficients


def _loss(found: Array, design: Array, targets: Array, weights: Array, held: Array) -> float:
    z = design @ found
    return float(weights @ (np.logaddexp(0, z) - targets * z) + held @ np.square(found) / 2)

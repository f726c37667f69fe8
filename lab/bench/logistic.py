"""Logistic regression with weights, soft targets and a ridge for each column; imported, not run.

It makes this least, by Newton's method; a step that raises it is halved ::

    sum w (-t log p - (1 - t) log(1 - p)) + sum r b^2 / 2          p = 1 / (1 + e^-(x b))

t   a target from 0 to 1
w   a weight
r   how hard a coefficient b is held; for a unit of a feature that shall not matter, take its variance
n examples, k columns.  Cost: O(n k^2) a step; ten steps or so.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

MAX_STEPS, MIN_STEP = 100, 1e-10

Floats = npt.NDArray[np.float64]


def fit(rows: Floats, targets: Floats, weights: Floats, ridge: Floats) -> Floats:
    """Return the coefficient of each column; one of ones is the constant.

    >>> at = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 1.0]])
    >>> constant, slope = fit(at, np.array([0.25, 0.25, 0.9, 0.9]), np.ones(4), np.full(2, 1e-9))
    >>> [round(float(np.exp(z)), 3) for z in (constant, constant + slope)]
    [0.333, 9.0]
    """

    def loss_of(found: Floats) -> float:
        z = rows @ found
        return float(weights @ (np.logaddexp(0, z) - targets * z) + ridge @ np.square(found) / 2)

    found = np.zeros(rows.shape[1])
    loss = loss_of(found)
    for _ in range(MAX_STEPS):
        chances = 1 / (1 + np.exp(-np.clip(rows @ found, -500, 500)))
        gradient = rows.T @ (weights * (chances - targets)) + ridge * found
        curvature = (rows * (weights * chances * (1 - chances))[:, None]).T @ rows + np.diag(ridge)
        step = np.linalg.lstsq(curvature, gradient, rcond=None)[0]
        while (lower := loss_of(found - step)) > loss and step.any():
            step /= 2
        found, loss = found - step, lower
        if np.abs(step).max() < MIN_STEP:
            break
    return found

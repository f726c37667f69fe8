"""A group of rows as a whole, for functions that need all of it at once."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from templcrawl.tools.engines import Columns


def joined(pieces: Iterable[Columns]) -> Columns:
    """Return the batches of a group, of which there is one at least, as one."""
    every = list(pieces)
    return {column: np.concatenate([piece[column] for piece in every]) for column in every[0]}

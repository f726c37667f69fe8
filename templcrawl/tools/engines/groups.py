"""A function over groups of sorted rows, a batch at a time: the ``apply`` of every engine.

A group is never gathered: a function reads its rows as they arrive, and its results are passed on at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import groupby, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from templcrawl.outputs.arrow import arrow_schema, load_pyarrow

Columns = Mapping[str, npt.NDArray[Any]]
"""Column -> its cells, none missing; texts are an array of objects."""

GroupFunction = Callable[[Iterator[Columns]], Iterator[Columns]]
"""The rows of a group, a batch at a time -> rows, a batch at a time."""

TYPES: Mapping[str, type] = {"bigint": np.int64, "boolean": np.bool_, "string": np.object_}
"""Type of a column, as both dialects of SQL name it -> that of its cells."""


def apply_to_groups(
    function: GroupFunction, by: str, columns: Mapping[str, str], batches: Iterable[Any]
) -> Iterator[Any]:
    """Yield the results of a function of each group, as Arrow's record batches.

    function, by, columns  as those of :meth:`templcrawl.tools.engines.engine.Engine.apply`
    batches                Arrow's record batches, sorted by ``by``
    """
    for _, group in groupby(_pieces(batches, by), key=partial(_first, by)):
        for rows in function(group):
            yield record_batch(rows, columns)


def joined(pieces: Iterable[Columns]) -> Columns:
    """Return the batches of a group, of which there is one at least, as one.

    >>> {key: values.tolist() for key, values in joined([{"a": np.array([1])}, {"a": np.array([2])}]).items()}
    {'a': [1, 2]}
    """
    every = list(pieces)
    return {column: np.concatenate([piece[column] for piece in every]) for column in every[0]}


def record_batch(rows: Columns, columns: Mapping[str, str]) -> Any:
    """Return rows as Arrow's record batch."""
    arrow, schema = load_pyarrow(), arrow_schema(columns)
    return arrow.record_batch([arrow.array(rows[field.name], field.type) for field in schema], schema=schema)


def _pieces(batches: Iterable[Any], by: str) -> Iterator[Columns]:
    """Yield the batches, cut where a group ends."""
    for batch in batches:
        rows = {name: batch.column(name).to_numpy(zero_copy_only=False) for name in batch.schema.names}
        keys = rows[by]
        edges = [0, *(np.flatnonzero(keys[1:] != keys[:-1]) + 1).tolist(), len(keys)]
        for start, stop in pairwise(edges):
            if start < stop:
                yield {column: values[start:stop] for column, values in rows.items()}


def _first(by: str, piece: Columns) -> Any:
    return piece[by][0]

"""Engines that run the same SQL texts over the tables of an archive: DuckDB here, Spark at scale.

No file here imports Scrapy; an engine's library is imported when the engine is started.  This one has the
interface of every engine, a function over groups of sorted rows, and temporary files.

Engines run SELECTs in the common subset of their dialects; ``explode`` (a row for each
entry of a list), ``size`` (of a list) and ``xxhash64`` (any 64-bit hash, only ever compared with itself) are
Spark's names, and every engine has them.

A group is never gathered: a function reads its rows as they arrive, a batch at a time, and its results are
passed on at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import groupby, pairwise
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from templcrawl.errors import InvalidOption, TemplcrawlError
from templcrawl.outputs.arrow import arrow_schema, load_pyarrow

BATCH_ROWS = 2**17  # rows of a few numbers that a function gets at once

Columns = Mapping[str, npt.NDArray[Any]]  # column -> its cells, none missing; texts are an array of objects

# The rows of a group, a batch at a time -> rows, a batch at a time.
GroupFunction = Callable[[Iterator[Columns]], Iterator[Columns]]

# Type of a column, as both dialects of SQL name it -> that of its cells.
TYPES: Mapping[str, type] = {"bigint": np.int64, "boolean": np.bool_, "string": np.object_}


class Groups(NamedTuple):
    """Rows of a SELECT that a function gets group by group.

    select      the rows
    by          column; rows that are equal in it are a group
    order       columns by which the rows of a group are sorted
    batch_rows  rows that are in memory at once, about: few where they are long
    """

    select: str
    by: str
    order: Sequence[str] = ()
    batch_rows: int = BATCH_ROWS


@dataclass(eq=False, repr=False)
class EngineFailed(TemplcrawlError, RuntimeError):
    """An engine failed: a damaged file, a full disk, too little memory."""

    engine: str
    reason: object

    def __str__(self) -> str:
        return f"the engine {self.engine} failed: {str(self.reason).strip().partition(chr(10))[0]}"


class Engine(AbstractContextManager["Engine"], Protocol):
    """A session; leaving the context ends it.  Every method may raise EngineFailed.

    name  what it is called in options: "duckdb" or "spark"
    """

    name: str

    def read(self, name: str, files: Sequence[str]) -> None:
        """Name a table of Parquet files, at least one: paths, or URIs."""

    def define(self, name: str, select: str, *, as_written: bool = False) -> None:
        """Name the rows of a SELECT; they are computed once.

        as_written  whether joins are done in the order in which they are written
        """

    def apply(self, name: str, groups: Groups, function: GroupFunction, columns: Mapping[str, str]) -> None:
        """Name the results of a function of each group.

        function  gets the rows of a group, some at a time, and yields rows of ``columns``; it may be sent to
                  another machine
        columns   column -> type, a key of ``TYPES``
        """

    def rows(self, select: str) -> list[tuple[Any, ...]]:
        """Return the rows of a SELECT."""

    def save(self, name: str, folder: str) -> None:
        """Write a named table as Parquet files into a folder that is not there yet."""


def apply_to_groups(
    function: GroupFunction, by: str, columns: Mapping[str, str], batches: Iterable[Any]
) -> Iterator[Any]:
    """Yield the results of a function of each group, as Arrow's record batches.

    batches  Arrow's record batches, sorted by the column ``by``
    """

    def pieces() -> Iterator[Columns]:
        for batch in batches:
            rows = {name: batch.column(name).to_numpy(zero_copy_only=False) for name in batch.schema.names}
            keys = rows[by]
            edges = [0, *(np.flatnonzero(keys[1:] != keys[:-1]) + 1).tolist(), len(keys)]
            for start, stop in pairwise(edges):
                if start < stop:
                    yield {column: values[start:stop] for column, values in rows.items()}

    arrow, schema = load_pyarrow(), arrow_schema(columns)
    for _, group in groupby(pieces(), key=lambda rows: rows[by][0]):
        for rows in function(group):
            cells = [arrow.array(rows[field.name], field.type) for field in schema]
            yield arrow.record_batch(cells, schema=schema)


_AMOUNT = re.compile(r"(\d{1,9}(?:\.\d{1,9})?) ?([KMGT])(i?)B", re.IGNORECASE)
_POWERS = "KMGT"


def byte_count(name: str, amount: str) -> int:
    """Return an amount in bytes.  Raises InvalidOption.

    name  of the option

    >>> byte_count("max_temp", "10GB"), byte_count("max_temp", "1.5 KiB")
    (10000000000, 1536)
    """
    match = _AMOUNT.fullmatch(amount.strip())
    if not match:
        raise InvalidOption(name, amount, 'an amount such as "10GB"')
    number, letter, binary = match.groups()
    return int(float(number) * (1024 if binary else 1000) ** (1 + _POWERS.index(letter.upper())))


def temporary_folder(folder: str | None) -> TemporaryDirectory[str]:
    """Make a folder for temporary files, which is removed with what is in it.  Raises InvalidOption.

    folder  where it is made; None: where the system has temporary files
    """
    try:
        return TemporaryDirectory(prefix="templcrawl-", dir=folder, ignore_cleanup_errors=True)
    except OSError as error:
        raise InvalidOption("temp", folder, f"a folder that can be written to ({error.strerror})") from error

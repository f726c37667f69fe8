"""The engine for a cluster: Spark.

The session (``spark.master`` and all other options) is configured by the user, in ``spark-defaults.conf`` or
``SPARK_CONF_DIR``.  Without a configuration it runs on the cores of this machine, and workers run this Python
interpreter.  On a cluster workers run the interpreter that ``PYSPARK_PYTHON`` or ``spark.pyspark.python``
names, or ``python3``.  It must have templcrawl: installed, or shipped (``spark.submit.pyFiles``,
``spark.archives``).

Defined tables are materialized: views of views would give plans that take Spark longer to analyze than to
run.  With a folder that all executors reach, tables are stored there as Parquet, and the loss of an executor
loses nothing.  Without a folder the executors store them (local checkpoints); the loss of an executor loses
its part, and the run must be repeated.  Unless configured, a shuffle has four partitions a core: Spark's
default of 200 takes minutes for little data.

Spark finds Java by ``JAVA_HOME``, or on the ``PATH``; it needs Java 17 or 21.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from templcrawl.errors import MissingExtra
from templcrawl.tools.engines import Engine, EngineFailed, GroupFunction, Groups, apply_to_groups

_SCHEMES = {"s3": "s3a", "gcs": "gs"}
_PARTITIONS, _TASKS_A_CORE = "spark.sql.shuffle.partitions", 4
_BATCH_ROWS = "spark.sql.execution.arrow.maxRecordsPerBatch"
_CONFIGURED = {
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.cbo.joinReorder.enabled": "false",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}


@contextmanager
def _translating_errors() -> Iterator[None]:
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (Py4JError, PySparkException) as error:
        raise EngineFailed("spark", error) from error


class SparkEngine(Engine):
    """The engine of a cluster.

    config  settings of the session in addition to the user's configuration
    folder  where defined tables are stored during the session, a path or URI that all executors reach; None:
            the executors store them
    """

    name = "spark"

    def __init__(self, config: Mapping[str, str] | None = None, *, folder: str | None = None) -> None:
        """Start.  Raises MissingExtra, EngineFailed."""
        try:
            import pandas as pd  # noqa: F401
            from pyspark.errors import PySparkException
            from pyspark.sql import SparkSession
        except ImportError as error:
            raise MissingExtra("the engine spark", "spark") from error
        builder = SparkSession.builder.appName("templcrawl")
        for key, value in {**_CONFIGURED, **(config or {})}.items():
            builder = builder.config(key, value)
        if folder is not None:
            shared = folder if "://" in folder else str(Path(folder).absolute())
            folder = f"{_spark_uri(shared)}/templcrawl-{uuid4().hex}"
        self._folder = folder
        self._table_count = 0
        try:
            self._session: Any = builder.getOrCreate()
        except PySparkException as error:
            needed = "it did not start; it needs Java 17 or 21, by JAVA_HOME or on the PATH"
            raise EngineFailed("spark", f"{needed} ({error})") from error
        context = self._session.sparkContext
        context.setLogLevel("ERROR")
        configured = context.getConf().get("spark.pyspark.python")
        context.pythonExec = _worker_python(context.master, configured)
        if not context.getConf().contains(_PARTITIONS):
            self._session.conf.set(_PARTITIONS, str(_TASKS_A_CORE * context.defaultParallelism))

    def __exit__(self, *exception: object) -> None:
        try:
            if self._folder is not None:
                self._remove(self._folder)
        finally:
            self._session.stop()

    @_translating_errors()
    def read(self, name: str, files: Sequence[str]) -> None:
        """Name a table of Parquet files."""
        self._session.read.parquet(*map(_spark_uri, files)).createOrReplaceTempView(name)

    @_translating_errors()
    def define(self, name: str, select: str, *, as_written: bool = False) -> None:
        """Name the rows of a SELECT; they are computed at once; joins are always done as written."""
        self._materialize(name, self._session.sql(select))

    @_translating_errors()
    def apply(self, name: str, groups: Groups, function: GroupFunction, columns: Mapping[str, str]) -> None:
        """Name the results of a function of each group, by ``mapInArrow`` over sorted partitions."""
        select, by, order, batch_rows = groups
        self._session.conf.set(_BATCH_ROWS, str(batch_rows))
        frame = self._session.sql(select).repartition(by).sortWithinPartitions(by, *order)
        typed = ", ".join(f"{column} {kind}" for column, kind in columns.items())
        apply_function = partial(apply_to_groups, function, by, dict(columns))
        self._materialize(name, frame.mapInArrow(apply_function, typed))

    def _materialize(self, name: str, frame: Any) -> None:
        if self._folder is None:
            frame.localCheckpoint(eager=True).createOrReplaceTempView(name)
            return
        self._table_count += 1
        path = f"{self._folder}/{self._table_count:03d}-{name}"
        frame.write.parquet(path)
        self._session.read.schema(frame.schema).parquet(path).createOrReplaceTempView(name)

    @_translating_errors()
    def _remove(self, folder: str) -> None:
        path = self._session._jvm.org.apache.hadoop.fs.Path(folder)
        path.getFileSystem(self._session._jsc.hadoopConfiguration()).delete(path, True)

    @_translating_errors()
    def rows(self, select: str) -> list[tuple[Any, ...]]:
        """Return the rows of a SELECT."""
        return [tuple(row) for row in self._session.sql(select).collect()]

    @_translating_errors()
    def save(self, name: str, folder: str) -> None:
        """Write a named table as Parquet files, one a partition, into a folder that is not there yet."""
        self._session.table(name).write.option("compression", "zstd").parquet(_spark_uri(folder))


def _worker_python(master: str, configured: str | None) -> str:
    """Return the interpreter of workers: on this machine this one, unless another is configured."""
    default = sys.executable if master.startswith("local") else "python3"
    return os.environ.get("PYSPARK_PYTHON") or configured or default


def _spark_uri(address: str) -> str:
    """Return a path or URI in the notation of Spark's file systems; its query is for PyArrow alone.

    >>> _spark_uri("/data/crawl"), _spark_uri("s3://bucket/crawl?region=eu-west-1")
    ('file:///data/crawl', 's3a://bucket/crawl')
    """
    scheme, mark, path = address.partition("://")
    return f"{_SCHEMES.get(scheme, scheme)}://{path.partition('?')[0]}" if mark else f"file://{address}"

"""A session of Spark on two cores, for the tests that need one."""

from __future__ import annotations

import importlib
from collections.abc import Iterator

import pytest

from templcrawl.tools.engines.spark import SparkEngine


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkEngine]:
    config = {"spark.master": "local[2]", "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2"}
    with SparkEngine(config) as engine:
        yield engine
    context = importlib.import_module("pyspark").SparkContext
    context._gateway.shutdown()
    context._gateway.shutdown_callback_server()
    context._gateway = context._jvm = None  # a worker that is given more of these tests later starts another

"""The engines by name."""

from __future__ import annotations

from templcrawl.errors import InvalidOption
from templcrawl.tools.engines.engine import Engine

ENGINES = ("duckdb", "spark")


def start_engine(
    name: str, *, memory: str | None = None, temp: str | None = None, max_temp: str | None = None
) -> Engine:
    """Start an engine.

    memory    memory that DuckDB may use, as in "4GB"; Spark has its own configuration
    temp      folder for DuckDB's temporary files; for Spark, where tables are stored during the session
    max_temp  bytes that DuckDB's may take, as in "10GB"
    Raises InvalidOption, MissingExtra, JavaNotFound.
    """
    if name == "duckdb":
        from templcrawl.tools.engines.duckdb import DuckDBEngine

        return DuckDBEngine(memory=memory, folder=temp, most=max_temp)
    if name == "spark":
        from templcrawl.tools.engines.spark import SparkEngine

        for option, value in (("memory", memory), ("max_temp", max_temp)):
            if value is not None:
                raise InvalidOption(option, value, "none for spark, which has its own configuration")
        return SparkEngine(folder=temp)
    raise InvalidOption("engine", name, f"one of {', '.join(ENGINES)}")

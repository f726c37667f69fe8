"""The engines by name."""

from __future__ import annotations

from templcrawl.engines.engine import Engine
from templcrawl.errors import InvalidOption

ENGINES = ("duckdb", "spark")


def start_engine(
    name: str, *, memory: str | None = None, temp: str | None = None, max_temp: str | None = None
) -> Engine:
    """Start an engine.

    memory    what DuckDB may use, as in "4GB"; Spark's is a matter of its configuration
    temp      folder for DuckDB's temporary files; for Spark, where what was worked out is kept meanwhile
    max_temp  what DuckDB's may take, as in "10GB"
    Raises InvalidOption, MissingExtra, JavaNotFound.
    """
    if name == "duckdb":
        from templcrawl.engines.duckdb import DuckDBEngine

        return DuckDBEngine(memory=memory, folder=temp, most=max_temp)
    if name == "spark":
        from templcrawl.engines.spark import SparkEngine

        for option, value in (("memory", memory), ("max_temp", max_temp)):
            if value is not None:
                raise InvalidOption(option, value, "none for spark: its configuration says it")
        return SparkEngine(folder=temp)
    raise InvalidOption("engine", name, f"one of {', '.join(ENGINES)}")

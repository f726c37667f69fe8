"""The engines by name."""

from __future__ import annotations

from templcrawl.engines.engine import Engine
from templcrawl.errors import InvalidOption

ENGINES = ("duckdb", "spark")


def start_engine(name: str, *, memory: str | None = None) -> Engine:
    """Start an engine.

    memory  what DuckDB may use, as in "4GB"; Spark's is a matter of its configuration
    Raises InvalidOption, MissingExtra, JavaNotFound.
    """
    if name == "duckdb":
        from templcrawl.engines.duckdb import DuckDBEngine

        return DuckDBEngine(memory=memory)
    if name == "spark":
        from templcrawl.engines.spark import SparkEngine

        if memory is not None:
            raise InvalidOption("memory", memory, "none for spark: its configuration says how much")
        return SparkEngine()
    raise InvalidOption("engine", name, f"one of {', '.join(ENGINES)}")

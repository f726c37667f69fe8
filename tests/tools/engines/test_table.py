"""Engines are chosen by name; one whose library is missing says so."""

from __future__ import annotations

import sys

import pytest

from templcrawl.errors import InvalidOption, MissingExtra
from templcrawl.tools.commands.detect_tables import start_engine
from templcrawl.tools.engines.engine import ENGINES


@pytest.mark.parametrize(("name", "module"), [("duckdb", "duckdb"), ("spark", "pyspark.sql")])
def test_a_missing_engine_says_what_to_install(
    name: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=rf"templcrawl\[{name}\]"):
        start_engine(name)


def test_what_is_not_accepted_is_named() -> None:
    with pytest.raises(InvalidOption, match="one of duckdb, spark"):
        start_engine("sqlite")
    for option in ("memory", "max_temp"):
        with pytest.raises(InvalidOption, match=f"{option} = '4GB' .* which has its own configuration"):
            start_engine("spark", **{option: "4GB"})
    assert ENGINES == ("duckdb", "spark")

"""The tables that the documents show in full are what the command writes."""

from __future__ import annotations

import csv

import pytest

from docs.build import whole_tables
from docs.build.whole_tables import EXAMPLES, FOLDER, Example, whole_table

pytestmark = pytest.mark.exhaustive


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_table_is_what_the_command_writes(name: str) -> None:
    kept = (FOLDER / f"{name}.csv").read_bytes().decode()
    assert whole_table(name) == kept, "run: make commands"
    rows = list(csv.reader(kept.splitlines()))
    assert len(rows) > 16
    assert {len(row) for row in rows} == {len(rows[0])}
    assert rows[0][0] == "url"


def test_all_that_is_kept_is_made() -> None:
    assert {file.stem for file in FOLDER.iterdir()} == {*EXAMPLES}


def test_a_table_that_is_not_written_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Example(EXAMPLES["shop"].pages, "/goods/")
    monkeypatch.setattr(whole_tables, "EXAMPLES", {"shop": site})
    with pytest.raises(ValueError, match="shop: no such table"):
        whole_table("shop")

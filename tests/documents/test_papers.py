"""What docs/papers.md says of each part of the papers holds: names, commands, figures, tests.

An empty cell promises nothing.
"""

from __future__ import annotations

import ast
import json
import re
import shlex
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from typing import NamedTuple

import pytest

import templcrawl
from docs.build.commands import output
from docs.build.example_crawls import save_example_crawls
from docs.build.figures import FOLDER
from tests.lab.bench.saved import save_sites

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
HEADS = ["item", "code", "reach it by", "figures", "tests"]


class Row(NamedTuple):
    """A row of a table: its item, and the code spans of each other cell."""

    item: str
    code: list[str]
    reach: list[str]
    figures: list[str]
    tests: list[str]


def rows_of(page: str) -> list[Row]:
    """Return the rows of all tables of a page."""
    lines = [line for line in page.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    spans = re.compile(r"`([^`]+)`").findall
    return [Row(row[0], *map(spans, row[1:])) for row in cells if row != HEADS and set(row[0]) != {"-"}]


ROWS = rows_of(PAGE)
COMMANDS = list(dict.fromkeys(one for row in ROWS for one in row.reach if one.startswith("scrapy ")))
PROGRAMS = list(dict.fromkeys(one for row in ROWS for one in row.reach if one.startswith("python -m ")))


def test_the_tables_are_read_whole() -> None:
    assert len(ROWS) == len(re.findall(r"(?m)^\| (?!item)", PAGE)) > 40
    assert all(row.item for row in ROWS)
    assert len({row.item for row in ROWS}) == len(ROWS)
    assert len(COMMANDS) > 15
    assert len(PROGRAMS) >= 6
    row = rows_of(
        "| item | code | reach it by | figures | tests |\n|---|---|---|---|---|\n| a | `x:y` | `b`, `c` | | |"
    )
    assert row == [Row("a", ["x:y"], ["b", "c"], [], [])]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.item)
def test_what_a_row_names_is_there(row: Row) -> None:
    for name in row.code:
        assert resolve_name(name) is not None
    for name in row.reach:
        assert name in (*COMMANDS, *PROGRAMS) or name in templcrawl.__all__
    for name in row.figures:
        file, table = re.fullmatch(r"(\w+)\[(.+)\]", name).groups()
        assert json.loads((FOLDER / f"{file}.json").read_text(encoding="utf-8"))[table]["rows"]
    for path in row.tests:
        functions = ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8")))
        assert any(isinstance(node, ast.FunctionDef) and node.name.startswith("test_") for node in functions)


@pytest.mark.exhaustive
def test_the_commands_run_one_after_the_other(tmp_path: Path) -> None:
    save_example_crawls(tmp_path)
    for command in COMMANDS:
        output(command, tmp_path)
    for name in ("menu.html", "mapped.html", "nearest.jsonl", "dom.jsonl", "text.jsonl", "mdl.jsonl"):
        assert (tmp_path / name).stat().st_size
    assert (tmp_path / "pages.sqlite").stat().st_size


@pytest.mark.exhaustive
@pytest.mark.long
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_programs_run(
    program: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("rich")
    module = program.removeprefix("python -m ")
    monkeypatch.setattr(sys, "argv", [f"{module.replace('.', '/')}.py"])
    few = "--fingerprints 2000" if module.endswith("structure") else ""
    arguments = shlex.split(f"--corpora {save_sites(tmp_path)} --pages 60 {few}")
    if module.endswith("template"):
        arguments = arguments[:2]
    monkeypatch.setattr("lab.papers.ranking.PAGES_OF_A_QUERY", range(2, 61))  # the site has few pages
    import_module(module).main(arguments)
    assert "┃" in capfd.readouterr().out

"""The shape of the package: what import-linter cannot see."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import templcrawl
from tests.pattern_attacks import ELSEWHERE, patterns_elsewhere

PACKAGE = Path(templcrawl.__file__).parent
USES_THE_LIBRARY = "import templcrawl as t; t.CrawlMemory().observe(t.Page('<p>tea', 'http://a.example/'))"
WEIGHTS_OF_KINDS = "templcrawl.algorithms.page_kinds.classifier"


@pytest.fixture(scope="module")
def trees() -> dict[Path, ast.Module]:
    """Every file of the package, parsed."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")}


def imported(tree: ast.Module) -> set[str]:
    """Return the modules that a file imports, or imports names of."""
    nodes = list(ast.walk(tree))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return plain | {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}


COLUMN_GAP = re.compile(r"(?:\.\.\.|[^\s.?!:])  +\S|\S   +\S")
"""Blanks inside a line that end no sentence: a column begins behind them."""


def is_table(block: list[str]) -> bool:
    """Return whether a block has columns: a table, or a list of terms with what they mean.

    Each line at the margin begins a row and has a gap between columns. A row goes on in lines that begin with
    blanks, at most two in turn without a gap: what says more of a term is prose.
    """
    if not all(COLUMN_GAP.search(line) for line in block if not line.startswith(" ")):
        return False
    gaps = "".join("g" if COLUMN_GAP.search(line) else " " for line in block)
    return gaps.startswith("g") and "   " not in gaps


def prose(head: str) -> list[str]:
    """Return the lines of a docstring but those of tables, lists of terms and examples.

    Blank lines divide it into blocks. In an example (code, a formula, a drawing) each line begins with four
    blanks.
    """
    blocks = [block.splitlines() for block in re.split(r"\n\s*\n", head)]
    is_example = [all(line.startswith("    ") for line in block) for block in blocks]
    return [
        line
        for block, shown in zip(blocks, is_example, strict=True)
        if not shown and not is_table(block)
        for line in block
    ]


def long_functions(tree: ast.Module) -> list[str]:
    """Return the functions of more than 50 lines."""
    found = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return [node.name for node in found if (node.end_lineno or node.lineno) - node.lineno >= 50]


def test_nothing_inside_imports_the_facade(trees: dict[Path, ast.Module]) -> None:
    assert [path for path, tree in trees.items() if "templcrawl" in imported(tree)] == []


def test_nothing_but_tests_imports_tests() -> None:
    folders = ("docs", "lab", "settings", "spiders", "templcrawl")
    paths = [path for folder in folders for path in (PACKAGE.parent / folder).rglob("*.py")]
    imports = re.compile(r"^\s*(?:from|import) tests\b", re.MULTILINE)
    assert [path for path in paths if imports.search(path.read_text(encoding="utf-8"))] == []


def test_a_file_holds_one_idea(trees: dict[Path, ast.Module]) -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in trees}
    assert {path: length for path, length in lengths.items() if length > 350} == {}


def test_a_class_or_a_module_has_a_name_of_its_own(trees: dict[Path, ast.Module]) -> None:
    """Packages are named after what is in them, and so may be named as a module is."""
    classes = [
        node.name for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
    ]
    modules = [path.stem for path in trees if path.stem not in ("__init__", "__main__")]
    assert [name for names in (classes, modules) for name, count in Counter(names).items() if count > 1] == []


def test_a_function_fits_a_screen(trees: dict[Path, ast.Module]) -> None:
    assert {path: names for path, tree in trees.items() if (names := long_functions(tree))} == {}


def test_every_module_says_what_it_is_for(trees: dict[Path, ast.Module]) -> None:
    assert [path for path, tree in trees.items() if not ast.get_docstring(tree)] == []


def test_a_head_is_at_most_twelve_lines_of_prose(trees: dict[Path, ast.Module]) -> None:
    """What it computes, source, cost and departures; the rest stands at the line or function it explains."""
    heads = {path: len(prose(ast.get_docstring(tree) or "")) for path, tree in trees.items()}
    assert {path: count for path, count in heads.items() if count > 12} == {}


@pytest.mark.parametrize(
    ("block", "count"),
    [
        ("word   what it means\nother  goes on\n       and on\n       here", 0),
        ("word   what it means\n       goes on\n       and on\n       and on", 4),
        ("word   what it means\nand a line of prose", 2),
        ("A sentence.  Another sentence.\nA third one.", 2),
        ("    code(example)\n        goes on", 0),
        ("- a list\n  goes on", 2),
        ("1. a rule\n   goes on", 2),
        ("Two lines\nof prose.\n\n    an example\n\nA third line.", 3),
    ],
)
def test_a_table_and_an_example_are_no_prose(block: str, count: int) -> None:
    assert len(prose(block)) == count


def test_the_public_names_are_those_that_are_listed() -> None:
    for name in templcrawl.__all__:
        assert getattr(templcrawl, name).__module__.startswith("templcrawl."), name
    public = {name for name in vars(templcrawl) if not name.startswith("_")}
    layers = {path.stem for path in PACKAGE.iterdir()}
    extra = {"annotations", "TYPE_CHECKING", "Any", "import_module"}
    assert public - layers - extra <= set(templcrawl.__all__)
    assert list(templcrawl.__all__) == sorted(templcrawl.__all__)
    with pytest.raises(AttributeError):
        _ = templcrawl.no_such_name  # type: ignore[attr-defined]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("code", "absent"),
    [
        (
            "import templcrawl.tools.commands.cluster_command, templcrawl.tools.ranking.rank_command",
            ("numpy", "rapidfuzz", "fastwarc", "rich"),
        ),
        (USES_THE_LIBRARY, ("scrapy", "twisted", WEIGHTS_OF_KINDS)),
    ],
    ids=["a start of Scrapy's command line", "the library"],
)
def test_what_is_not_needed_is_not_loaded(code: str, absent: tuple[str, ...]) -> None:
    end = f"import sys; sys.exit(any(name in sys.modules for name in {absent!r}))"
    assert subprocess.run([sys.executable, "-c", f"{code};{end}"], check=False).returncode == 0


def test_the_tables_of_a_process_are_as_many_as_the_design_says() -> None:
    tables = [
        path
        for path in PACKAGE.rglob("*.py")
        for _ in re.findall(r"(?m)^\w+ = (?:Memo\(|Cache\[)", path.read_text())
    ]
    assert len(tables) == 16
    assert "at most 16 tables" in (PACKAGE.parent / "docs" / "design.md").read_text(encoding="utf-8")


def test_no_pattern_is_made_where_the_tests_of_growth_do_not_see_it() -> None:
    assert patterns_elsewhere() == set(ELSEWHERE)


IMPORTS = [
    ("crawl/extension.py", "crawl.parts.html_report", "Nothing imports a part of a crawl"),
    ("crawl/frontier/slot_order.py", "crawl.orders.focus_order", "Nothing imports an order"),
    ("crawl/settings.py", "outputs.report.html", "What only a part or a command needs"),
    ("crawl/parts/crawl_archive.py", "crawl.parts.html_report", "No part of a crawl imports another"),
    ("memory/site.py", "memory.kind_table", "The core imports no section"),
    ("memory/kind_table.py", "memory.change_table", "No section of a site imports another"),
    ("crawl/extension.py", "crawl.recrawl", "The core imports no option"),
]
"""A file, a module that it must not import, and what says so."""


@pytest.mark.exhaustive
@pytest.mark.parametrize(("file", "module", "contract"), IMPORTS)
def test_an_import_across_the_wall_is_found(file: str, module: str, contract: str, tmp_path: Path) -> None:
    pytest.importorskip("importlinter")
    shutil.copytree(PACKAGE, tmp_path / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    shutil.copy(PACKAGE.parent / "pyproject.toml", tmp_path)
    program = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    options = ["--no-cache", "--no-logo"]
    for is_broken in (False, True):
        if is_broken:
            with (tmp_path / PACKAGE.name / file).open("a") as source:
                source.write(f"\n\ndef _late() -> None:\n    import templcrawl.{module}\n")
        run = subprocess.run(
            [sys.executable, "-c", program, *options],
            cwd=tmp_path, capture_output=True, text=True, check=False,
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
        )  # fmt: skip
        assert (run.returncode != 0) == is_broken, run.stdout + run.stderr
        assert (re.search(f"{re.escape(contract)}.* BROKEN", run.stdout) is not None) == is_broken

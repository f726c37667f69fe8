"""The shape of the package: what import-linter cannot see."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import templcrawl
from tests.pattern_attacks import ATTACKS, ELSEWHERE, patterns, patterns_elsewhere

PACKAGE = Path(templcrawl.__file__).parent


@pytest.fixture(scope="module")
def trees() -> dict[Path, ast.Module]:
    """Every file of the package, parsed."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")}


def imported(tree: ast.Module) -> set[str]:
    """Return the modules that a file imports, or imports names of."""
    nodes = list(ast.walk(tree))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return plain | {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}


def long_functions(tree: ast.Module) -> list[str]:
    """Return the functions of more than 50 lines."""
    found = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return [node.name for node in found if (node.end_lineno or node.lineno) - node.lineno >= 50]


def test_nothing_inside_imports_the_facade(trees: dict[Path, ast.Module]) -> None:
    assert [path for path, tree in trees.items() if "templcrawl" in imported(tree)] == []


def test_nothing_but_tests_imports_tests() -> None:
    root = PACKAGE.parent
    folders = ("docs", "lab", "settings", "spiders", "templcrawl")
    paths = [path for folder in folders for path in (root / folder).rglob("*.py")]
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}
    found = [
        path for path, tree in trees.items() if any(re.match(r"tests\b", name) for name in imported(tree))
    ]
    assert found == []


def test_a_file_holds_one_idea(trees: dict[Path, ast.Module]) -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in trees}
    assert {path: length for path, length in lengths.items() if length > 350} == {}


def test_a_function_fits_a_screen(trees: dict[Path, ast.Module]) -> None:
    assert {path: names for path, tree in trees.items() if (names := long_functions(tree))} == {}


def test_every_module_says_what_it_is_for(trees: dict[Path, ast.Module]) -> None:
    assert [path for path, tree in trees.items() if not ast.get_docstring(tree)] == []


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


def test_a_start_of_scrapy_s_command_line_loads_no_more_than_the_commands() -> None:
    code = (
        "import sys; from templcrawl.tools.commands import cluster_command, strip_command;"
        "from templcrawl.tools.ranking import rank_command;"
        "sys.exit(any(name in sys.modules for name in ('numpy', 'rapidfuzz', 'fastwarc', 'rich')))"
    )
    run = subprocess.run([sys.executable, "-c", code], env={**os.environ}, check=False)
    assert run.returncode == 0


def test_the_library_works_without_loading_scrapy() -> None:
    code = (
        "import sys, templcrawl; templcrawl.CrawlMemory();"
        "sys.exit(any(name.split('.')[0] in ('scrapy', 'twisted') for name in sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], env={**os.environ}, check=False)
    assert run.returncode == 0


def test_the_weights_of_kinds_are_loaded_where_kinds_are_asked_for_alone() -> None:
    code = (
        "import sys, templcrawl; from templcrawl.memory.site import SiteMemory;"
        "from templcrawl.memory.options import MemoryOptions;"
        "weights = 'templcrawl.algorithms.page_kinds.classifier';"
        "SiteMemory('a.example'); early = weights in sys.modules; "
        "SiteMemory('a.example', MemoryOptions(page_kinds=True));"
        "sys.exit(early or weights not in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], env={**os.environ}, check=False)
    assert run.returncode == 0


def test_the_tables_of_a_process_are_as_many_as_the_design_says() -> None:
    tables = [
        path
        for path in PACKAGE.rglob("*.py")
        for _ in re.findall(r"(?m)^\w+ = (?:Memo\(|Cache\[)", path.read_text())
    ]
    assert len(tables) == 18
    assert "at most 18 tables" in (PACKAGE.parent / "docs" / "design.md").read_text(encoding="utf-8")


def test_every_pattern_has_an_attack_of_its_own() -> None:
    assert set(ATTACKS) == set(patterns())
    assert all(ATTACKS.values())
    assert patterns_elsewhere() == set(ELSEWHERE)

"""The shape of the package: what import-linter cannot see."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import templcrawl

PACKAGE = Path(templcrawl.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))


def _imports(path: Path) -> list[tuple[str, list[str]]]:
    """Return (module, names) of every import in a file."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.append((node.module, [alias.name for alias in node.names]))
        elif isinstance(node, ast.Import):
            found += [(alias.name, []) for alias in node.names]
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_nothing_inside_imports_the_facade(path: Path) -> None:
    assert "templcrawl" not in [module for module, _ in _imports(path)]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_file_holds_one_idea(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 350


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_function_fits_a_screen(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            assert node.end_lineno is not None
            assert node.end_lineno - node.lineno < 50, f"{path}: {node.name}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


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
        "import sys, templcrawl.commands.cluster, templcrawl.commands.rank, templcrawl.commands.strip;"
        "sys.exit(any(name in sys.modules for name in ('numpy', 'rapidfuzz', 'warcio', 'rich')))"
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

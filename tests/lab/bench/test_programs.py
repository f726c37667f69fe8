"""Every benchmark stands in the table once, with options that it takes, and runs on the smallest input."""

from __future__ import annotations

import doctest
import inspect
import re
import shlex
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest

import lab.bench.__main__ as bench
from lab.bench import measures, options, twins
from tests.lab.bench.saved import save_single_pages, save_sites, save_suite

pytestmark = pytest.mark.exhaustive

FOLDER = Path(options.__file__).parent
README = (FOLDER / "README.md").read_text(encoding="utf-8")
MODULES = [line.module for line in bench.read_lines()]
MAIN = re.compile(r'^if __name__ == "__main__":$', re.MULTILINE)
DOOR = "lab.bench.__main__"
OPTION = re.compile(r"--[\w-]+").findall


def _programs() -> list[str]:
    """Return the modules that can be run, as they are named after ``python -m``."""
    paths = [path for path in FOLDER.rglob("*.py") if MAIN.search(path.read_text(encoding="utf-8"))]
    names = [".".join(path.relative_to(FOLDER.parent.parent).with_suffix("").parts) for path in paths]
    return [name if name == DOOR else name.removesuffix(".__main__") for name in names]


def _main(module: str):
    pytest.importorskip(RUNS.get(module.removeprefix("lab.bench."), ("", "", "rich"))[2])
    package = import_module(module)
    return import_module(f"{module}.__main__").main if hasattr(package, "__path__") else package.main


def test_every_program_stands_in_the_table_once_or_is_a_part_of_another() -> None:
    parts = re.findall(r"^- `(lab\.bench\.[\w.]+)`", README, re.MULTILINE)
    assert Counter(MODULES + parts) == Counter(set(_programs()) - {DOOR})


def test_every_line_of_the_table_is_whole() -> None:
    rows = [row for row in README.splitlines() if row.startswith("|")][2:]
    assert len(rows) == len(MODULES)
    assert all(all(line) for line in bench.read_lines())


@pytest.mark.parametrize("module", [*MODULES, "lab.bench"])
def test_its_help_is_its_docstring_and_knows_the_options_of_its_line(
    module: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main = _main(module)
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    printed = capsys.readouterr().out
    assert printed.startswith(f"usage: python -m {module} ")
    assert inspect.getmodule(main).__doc__.splitlines()[0] in printed
    options = {
        option for line in bench.read_lines() if line.module == module for option in OPTION(line.command)
    }
    assert options <= {*OPTION(printed)}


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("[a-z]*.py")), ids=lambda path: path.stem)
def test_its_examples_hold(path: Path) -> None:
    name = ".".join(path.relative_to(FOLDER.parent.parent).with_suffix("").parts)
    try:
        module = import_module(name)
    except ImportError as missing:
        pytest.skip(str(missing))
    assert doctest.testmod(module).failed == 0


def test_what_make_bench_runs_needs_nothing() -> None:
    free = {line.module for line in bench.read_lines() if line.needs == bench.NOTHING}
    assert {f"lab.bench.{name}" for name in bench.BRIEFLY} <= free


RUNS = {
    "broad": ("--hosts 3 --pages 4 --in-flight 4 --latency 0.01 --kind html", "Crawls of many hosts", "rich"),
    "changes": ("--pages 16", "False alarms", "rich"),
    "columns": ("", "Generated sites", "rich"),
    "conformance": ("SUITE", "share", "rich"),
    "crawl_cost": (
        "--rounds 1 --sets --corpora SITES --sites tea --pages 12 --ways without 'bare, follows nothing'",
        "follows nothing",
        "rich",
    ),
    "focused": ("--corpora SITES --pages 45 --jobs 1", "1 topics of 1 sites", "sklearn"),
    "house": ("", "of a default crawl", "rich"),
    "lone_pages": ("--pages SINGLE --beside all-text", "that come alone", "rich"),
    "markdown": ("--corpora SITES --pages 8", "What survives", "markdown_it"),
    "metadata": ("--corpora SITES --pages 8 --single SINGLE", "ms a page", "rich"),
    "order": ("--corpora SITES --pages 20 --jobs 1", "Share of the content found", "rich"),
    "poisoning": ("--draws 1 --owned 0", "", "rich"),
    "recrawl": ("--versions 2 --jobs 1", "Requests until what has changed", "rich"),
    "separation": ("--corpora SITES --no-peers --pages 5 --only vote all-text", "tuned: means", "rich"),
    "stage": ("--corpora SITES --pages 20", "pages of a host", "rich"),
    "strip": ("--corpora SITES --pages 20 --work WORK", "Stripping a crawl of 20", "fastwarc"),
    "targets": ("--corpora SITES --pages 60 --in-flight 4", "Pages of 2 types on 1 sites", "rich"),
    "traps": ("--corpora SITES --pages 20", "Traps, ", "rich"),
    "weekly": ("--pages 100 --only own --weeks 3 --seeds 1 --jobs 1", "Real re-crawls", "rich"),
    "twins": ("--corpora SITES --sites tea --pages 3", "page layer", "rich"),
}
"""Benchmark -> options of its smallest run, what it prints, the module without which it is skipped."""
OTHERWISE = {
    "beside",
    "column_weights",
    "demo",
    "kills",
    "labelled",
    "sitebench",
    "spider_cells",
    "wanted",
    "workers",
}
"""Those that are run by tests of their own, or need what a machine may lack."""


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return {
        "SITES": str(save_sites(tmp_path_factory.mktemp("sites"))),
        "SINGLE": str(save_single_pages(tmp_path_factory.mktemp("single"))),
        "SUITE": str(save_suite(tmp_path_factory.mktemp("suite"))),
        "WORK": str(tmp_path_factory.mktemp("work")),
    }


@pytest.mark.long
@pytest.mark.parametrize("name", RUNS)
def test_it_runs(
    name: str, inputs: dict[str, str], capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments, printed, module = RUNS[name]
    pytest.importorskip(module)
    monkeypatch.setattr(sys, "argv", [f"lab/bench/{name}.py"])
    if name == "focused":
        topic = ["were", "tea", "tea, cup", "Of tea"]
        monkeypatch.setitem(import_module("lab.bench.focused").WRITTEN, "tea", [topic])
    monkeypatch.setattr(twins, "STALLS", (50_000,))
    monkeypatch.setattr(measures, "gc", SimpleNamespace(collect=lambda: None))
    assert not _main(f"lab.bench.{name}")([inputs.get(word, word) for word in shlex.split(arguments)])
    shown = capfd.readouterr().out
    assert printed in shown
    assert shown.strip()


def test_every_benchmark_is_run_by_a_test() -> None:
    assert RUNS.keys() | OTHERWISE == {name.removeprefix("lab.bench.") for name in MODULES}


@pytest.mark.long
def test_make_bench_goes_on_after_a_failure(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "BRIEFLY", {"twins": "--nonsense", "poisoning": "--draws 1 --owned 0"})
    assert bench.main(["--only", "twins", "poisoning"]) == 1
    printed, errors = capfd.readouterr()
    assert "What the others lose" in printed
    assert "lab.bench.twins has failed" in errors
    assert "lab.bench.poisoning has failed" not in errors
    assert all(line.command in printed for line in bench.read_lines())

"""Every benchmark stands in the table once, with options that it takes; `make bench` runs some."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest

import benchmarks.__main__ as bench
from benchmarks import options, speed, timing
from benchmarks.saved_sites import corpus_sites

pytestmark = pytest.mark.exhaustive

FOLDER = Path(options.__file__).parent
README = (FOLDER / "README.md").read_text(encoding="utf-8")
MODULES = [line.module for line in bench.read_lines()]
MAIN = re.compile(r'^if __name__ == "__main__":$', re.MULTILINE)
DOOR = "benchmarks.__main__"


def _programs() -> list[str]:
    """Return the modules that can be run, as they are named after ``python -m``."""
    paths = [path for path in FOLDER.rglob("*.py") if MAIN.search(path.read_text(encoding="utf-8"))]
    names = [".".join(path.relative_to(FOLDER.parent).with_suffix("").parts) for path in paths]
    return [name if name == DOOR else name.removesuffix(".__main__") for name in names]


def _main(module: str):
    package = import_module(module)
    return import_module(f"{module}.__main__").main if hasattr(package, "__path__") else package.main


def test_every_program_stands_in_the_table_once_or_is_a_part_of_another() -> None:
    parts = re.findall(r"^- `(benchmarks\.[\w.]+)`", README, re.MULTILINE)
    assert Counter(MODULES + parts) == Counter(set(_programs()) - {DOOR})


def test_every_line_of_the_table_is_whole() -> None:
    rows = [row for row in README.splitlines() if row.startswith("|")][2:]
    assert len(rows) == len(MODULES)
    assert all(all(line) for line in bench.read_lines())


@pytest.mark.parametrize("module", [*MODULES, "benchmarks"])
def test_its_help_is_its_docstring(module: str, capsys: pytest.CaptureFixture[str]) -> None:
    main = _main(module)
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    printed = capsys.readouterr().out
    assert printed.startswith(f"usage: python -m {module} ")
    assert inspect.getmodule(main).__doc__.splitlines()[0] in printed


@pytest.mark.parametrize("line", bench.read_lines(), ids=MODULES)
def test_the_options_of_its_line_are_known(line: bench.Line, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        _main(line.module)(["--help"])
    known = set(re.findall(r"--[\w-]+", capsys.readouterr().out))
    assert set(re.findall(r"--[\w-]+", line.command)) <= known


def test_what_make_bench_runs_needs_nothing() -> None:
    free = {line.module for line in bench.read_lines() if line.needs == bench.NOTHING}
    assert {f"benchmarks.{name}" for name in bench.BRIEFLY} <= free


def test_make_bench_goes_on_after_a_failure(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "BRIEFLY", {"speed": "--nonsense", "soak": "--pages 10 --hosts 1"})
    assert bench.main(["--only", "speed", "soak"]) == 1
    printed, errors = capfd.readouterr()
    assert "10 pages of 1 hosts" in printed
    assert "benchmarks.speed has failed" in errors
    assert "benchmarks.soak has failed" not in errors
    assert all(line.command in printed for line in bench.read_lines())


def test_every_stage_of_a_page_is_timed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timing, "gc", SimpleNamespace(collect=lambda: None))
    for number in range(3):
        html = f"<ul><li><a href=/>Home</a></ul><h1>{number}</h1><p>Page {number} tells of tea.</p>"
        (tmp_path / f"{number}.html").write_text(html, encoding="utf-8")
    speed.main(["--folder", str(tmp_path)])
    printed = capsys.readouterr().out
    assert "Where the time goes, saved pages: 3 of 0 KB" in printed
    assert {"tokens", "page types", "index of fingerprints"} <= set(
        re.findall(r"│ ([a-z ]+?) +[│(]", printed)
    )


def test_the_host_of_a_saved_site_has_no_underscore(tmp_path: Path) -> None:
    (tmp_path / "tea_shop").mkdir()
    (tmp_path / "tea_shop" / "index.html").write_text("<p>tea", encoding="utf-8")
    sites = '{"tea_shop": {"start": "index.html", "content": ["//p"]}}'
    (tmp_path / "sites.json").write_text(sites, encoding="utf-8")
    (site,) = corpus_sites(tmp_path)
    assert site.name == "tea_shop"
    assert [page.url for page in site.pages(1)] == ["http://tea-shop.example/index.html"]

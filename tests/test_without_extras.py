"""Without the library of any extra: what needs none works, what needs one says so; what ``--bare`` skips."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from lab.sites.server import LocalSite
from templcrawl.errors import MissingExtra
from tests.crawl.crawls import ADDON, DEMO_SITE, run_crawl
from tests.missing_extras import DISTRIBUTIONS, FOR_DEVELOPERS, PACKAGE, extra_of, lack, required
from tests.parts import long_but
from tests.tools.readers.archives import html, write_folder

pytestmark = pytest.mark.exhaustive

ROOT = Path(__file__).parent.parent
FEW = {"CLOSESPIDER_PAGECOUNT": 20}
MODULES = {library.replace("-", "_"): module for module, library in DISTRIBUTIONS.items()}
IMPORT_ALL = """
import importlib, pkgutil, templcrawl, warnings
for module in pkgutil.walk_packages(templcrawl.__path__, "templcrawl."):
    importlib.import_module(module.name)
    print(module.name)
"""


def libraries() -> list[str]:
    """Return the modules that the extras bring which add a feature, and that Scrapy does not load itself."""
    plugins = {entry.module.partition(".")[0] for entry in metadata.entry_points(group="scrapy.commands")}
    names = {library for library, extra in required() if extra not in FOR_DEVELOPERS} - {"templcrawl"}
    of_scrapy = " ".join(metadata.requires("scrapy") or ()).replace("-", "_")
    return sorted({MODULES.get(name, name) for name in names if name not in of_scrapy} - plugins)


def python(code: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own in which these libraries cannot be imported."""
    without = f"import sys; sys.modules.update(dict.fromkeys({libraries()!r}))\n"
    return subprocess.run(
        [sys.executable, "-c", without + code], cwd=folder, capture_output=True, text=True, check=False
    )


def test_every_module_is_imported() -> None:
    done = python(IMPORT_ALL)
    assert done.stderr == ""
    assert {"templcrawl.tools.engines.spark", "templcrawl.outputs.report.html"} <= set(done.stdout.split())
    assert python("import pyarrow").returncode == 1


@pytest.mark.parametrize(
    ("command", "said"),
    long_but(
        [("strip pages -o -", '"content_text"'), ("detect pages", "templcrawl[parquet]")],
        [
            ("strip pages -o -", '"content_text"'),
            ("cluster pages", "Page types: "),
            ("template pages", "<html>"),
            ("strip pages -o out.parquet", "templcrawl[parquet]"),
            ("strip pages -o - --markdown", "templcrawl[markdown]"),
            ("report pages", "templcrawl[report]"),
            ("tables pages -o out/ --parse", "templcrawl[tables]"),
            ("tables pages -o out/", "no tables: none of 1 page type has 8 pages"),
            ("rank pages --query shed", "pages: 3, hosts: 1"),
            ("detect pages", "templcrawl[parquet]"),
        ],
    ),
)
def test_a_command_answers_or_names_the_extra(command: str, said: str, tmp_path: Path) -> None:
    write_folder(tmp_path / "pages", {f"{number}.html": html(number) for number in range(3)})
    done = python(f"from scrapy.cmdline import execute; execute(['scrapy', *{command.split()!r}])", tmp_path)
    if said.startswith("templcrawl["):
        assert done.returncode == 2
        assert f"pip install '{said}'" in done.stderr
    else:
        assert done.returncode == 0
        assert said in done.stdout
    assert "Traceback" not in done.stderr


def test_a_crawl_has_its_texts_and_with_an_archive_it_names_the_extra(tmp_path: Path) -> None:
    asked = {**ADDON, "TEMPLCRAWL_ARCHIVE": str(tmp_path / "archive")}
    with LocalSite(DEMO_SITE.html) as site:
        crawl, refused = (
            run_crawl("plain", site.url, tmp_path / name, {**settings, **FEW}, without=libraries())
            for name, settings in (("texts", ADDON), ("refused", asked))
        )
    assert "Traceback" not in crawl.log
    assert len(crawl.items) > 10
    assert any(crawl.texts().values())
    assert "pip install 'templcrawl[parquet]'" in refused.log


def test_libraries_are_those_of_extras_that_add_a_feature() -> None:
    some = {"duckdb", "jinja2", "pyarrow", "rich", "sklearn", "fastwarc"}
    assert some <= set(libraries())
    assert not {"pytest", "ruff", "scrapy", "templcrawl"} & set(libraries())
    assert extra_of("pyarrow.parquet") == "parquet"
    assert extra_of("scrapy") == extra_of("nosuch") == ""


def test_a_lack_is_that_of_an_extra_which_a_test_has_met() -> None:
    def raised(code: str, file: Path) -> BaseException:
        with pytest.raises(ModuleNotFoundError) as error:
            exec(compile(code, str(file), "exec"), {})
        return error.value

    gone = "raise ModuleNotFoundError(name={!r})".format
    assert lack(MissingExtra("reading", "warc")) == "without templcrawl[warc]"
    assert (
        lack(raised(gone("fastwarc.warc"), ROOT / "tests" / "a.py"))
        == "without fastwarc.warc of templcrawl[warc]"
    )
    assert lack(raised(gone("fastwarc.warc"), PACKAGE / "page" / "a.py")) == ""
    assert lack(raised(gone("nosuch"), ROOT / "tests" / "a.py")) == ""
    assert lack(ValueError()) == lack(None) == ""


@pytest.mark.parametrize(
    ("options", "counts"), [(["--bare"], "1 failed, 2 skipped"), ([], "2 failed, 1 error")]
)
def test_a_run_skips_what_lacks_an_extra(options: list[str], counts: str, tmp_path: Path) -> None:
    tests = "def test_it():\n    import duckdb\n\ndef test_other():\n    import nosuch\n"
    (tmp_path / "test_module.py").write_text("import duckdb\n", encoding="utf-8")
    (tmp_path / "test_tests.py").write_text(tests, encoding="utf-8")
    options = [*options, "-p", "tests.conftest", "-p", "no:cacheprovider", "--continue-on-collection-errors"]
    arguments = ["-c", os.devnull, "--rootdir", str(tmp_path), *options, str(tmp_path)]
    done = python(f"import pytest; sys.exit(pytest.main({arguments!r}))")
    assert counts in done.stdout

"""docs/commands.md shows what the commands print, and the options that they have."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from docs.build.commands import PAGE, WIDTH, output, run_block, shown, with_options, with_real_output
from docs.build.example_crawls import save_example_crawls
from tests.tools.commands.test_frame import COMMANDS

pytestmark = pytest.mark.exhaustive

TEXT = PAGE.read_text(encoding="utf-8")


def test_every_command_is_there_with_the_options_that_it_has() -> None:
    assert sorted(line[10:] for line in TEXT.splitlines() if line.startswith("## scrapy ")) == COMMANDS
    for command in COMMANDS:
        assert f"\n$ scrapy {command} " in TEXT
        assert f"\n<!-- options: {command} -->\n\n    scrapy {command} [options] " in TEXT
    assert with_options(TEXT) == TEXT, "run: make commands"


def test_an_option_that_is_gone_leaves_the_page() -> None:
    page = "<!-- options: report -->\n| `--gone` | never was |\n<!-- end -->\n"
    assert "gone" not in with_options(page)
    assert "| `-o`, `--output FILE` | file of the report" in with_options(page)


@pytest.mark.long
def test_the_output_is_what_the_commands_print() -> None:
    for library in ("duckdb", "jinja2", "scipy", "turbohtml"):
        import_module(library)
    assert with_real_output(TEXT).splitlines() == TEXT.splitlines(), "run: make commands"


def test_a_block_is_run_anew_line_by_line(tmp_path: Path) -> None:
    block = "$ echo one > file\n$ cat file \\\n  file\nan older output\n$ echo last >&2\n"
    written = "$ echo one > file\n\n$ cat file \\\n  file\none\none\n\n$ echo last >&2\n"
    assert run_block(block, tmp_path) == written
    assert run_block(written, tmp_path) == written


def test_a_command_that_fails_is_not_written_down(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"(?s)exit status 2.*give one INPUT"):
        output("scrapy cluster", tmp_path)


def test_long_lines_and_long_outputs_are_cut() -> None:
    assert shown("x" * WIDTH) == "x" * WIDTH + "\n"
    assert shown("x" * (WIDTH + 1)) == "x" * (WIDTH - 3) + "...\n"
    assert shown("\n\n  indented\n\n") == "  indented\n"


def test_the_crawls_differ_as_they_are_said_to(tmp_path: Path) -> None:
    save_example_crawls(tmp_path)
    january, february = (
        {path.relative_to(folder): path.read_text() for path in folder.rglob("*.html")}
        for folder in (tmp_path / "january" / "example.org", tmp_path / "february" / "example.org")
    )
    assert len(january) == 85
    assert {path.as_posix() for path in {*january} ^ {*february}} == {
        "news/article-37.html",
        "shop/product-7.html",
    }
    assert all("We are moving" in html for html in february.values())
    assert [path.name for path, html in february.items() if "A reader has written" in html] == [
        "article-9.html"
    ]
    article = Path("news/article-5.html")
    old, new = (re.findall("(?s)<main.*See also", crawl[article])[0].split() for crawl in (january, february))
    assert old == [word for word in new if word != "never"]
    assert len(new) == len(old) + 1

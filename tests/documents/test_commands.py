"""The documents show what the commands print, and the options that they have."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from docs.build.commands import PAGES, WIDTH, fill_options, fill_real_output, output, run_block, shown
from docs.build.example_crawls import save_example_crawls
from tests.tools.commands.test_frame import COMMANDS

pytestmark = pytest.mark.exhaustive

USES, RECIPES, REFERENCE = (path.read_text(encoding="utf-8") for path in PAGES)


def test_every_command_is_there_with_the_options_that_it_has() -> None:
    assert sorted(line[10:] for line in USES.splitlines() if line.startswith("## scrapy ")) == COMMANDS
    for command in COMMANDS:
        assert f"\n$ scrapy {command} " in USES
        assert f"\n<!-- options: {command} -->\n\n    scrapy {command} [options] " in REFERENCE
    assert fill_options(REFERENCE) == REFERENCE, "run: make commands"
    page = "<!-- options: report -->\n| `--gone` | never was |\n<!-- end -->\n"
    assert "gone" not in fill_options(page)


@pytest.mark.long
def test_the_output_is_what_the_commands_print() -> None:
    for library in ("duckdb", "jinja2", "turbohtml"):
        import_module(library)
    assert fill_real_output(USES).splitlines() == USES.splitlines(), "run: make commands"


def test_the_recipes_show_what_the_commands_print() -> None:
    assert "\n$ scrapy tables shop/ " in RECIPES
    assert fill_real_output(RECIPES).splitlines() == RECIPES.splitlines(), "run: make commands"


def test_a_block_is_run_anew_long_lines_are_cut_and_failures_not_written_down(tmp_path: Path) -> None:
    block = "$ echo one > file\n$ cat file \\\n  file\nan older output\n$ echo last >&2\n"
    written = "$ echo one > file\n\n$ cat file \\\n  file\none\none\n\n$ echo last >&2\n"
    assert run_block(block, tmp_path) == written
    assert run_block(written, tmp_path) == written
    assert shown("x" * WIDTH) == "x" * WIDTH + "\n"
    assert shown("x" * (WIDTH + 1)) == "x" * (WIDTH - 3) + "...\n"
    with pytest.raises(RuntimeError, match=r"(?s)exit status 2.*give one INPUT"):
        output("scrapy cluster", tmp_path)


def test_two_articles_differ_in_the_crawls_beside_the_notice(tmp_path: Path) -> None:
    save_example_crawls(tmp_path)
    for name, word in (("article-5.html", "never"), ("article-9.html", "lantern")):
        old, new = (
            (tmp_path / month / "example.org" / "news" / name).read_text()
            for month in ("january", "february")
        )
        assert new.count(word) == old.count(word) + 1
        assert "We are moving" in new

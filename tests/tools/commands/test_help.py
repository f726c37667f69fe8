"""``scrapy COMMAND --help`` of every command: what a person reads first."""

from __future__ import annotations

import re
from importlib.metadata import entry_points

import pytest

from tests.tools.commands.running import run

COMMANDS = sorted(
    entry.name for entry in entry_points(group="scrapy.commands") if entry.value.startswith("templcrawl.")
)
HEADINGS = ["Usage", "Options", "Global Options"]


def headings(text: str) -> list[str]:
    """Return the lines that are underlined."""
    return re.findall(r"^(.+)\n(?:=+|-+)$", text, re.MULTILINE)


def test_there_are_commands() -> None:
    assert COMMANDS == [
        "archive",
        "changes",
        "cluster",
        "detect",
        "rank",
        "report",
        "strip",
        "template",
    ]


@pytest.mark.parametrize("command", COMMANDS)
def test_at_80_columns_no_line_of_a_text_becomes_a_heading(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    found = run(capsys, command, "--help")
    assert (found.code, headings(found.out)) == (0, HEADINGS)
    assert all(len(line) <= 80 for line in found.out.splitlines())


@pytest.mark.parametrize("command", COMMANDS)
def test_nor_at_any_width(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scrapy makes a heading of every line that ends in a colon: no word of an option's text does."""
    monkeypatch.setenv("COLUMNS", "10000")
    ours = run(capsys, command, "--help").out.partition("Options\n")[2].partition("Global Options")[0]
    assert "  -o" in ours or "  --json" in ours
    assert re.findall(r"\S+:(?=\s)", ours) == []


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "template"])
def test_the_exit_status_of_damaged_input_is_said(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "the exit status is 3" in " ".join(run(capsys, command, "--help").out.split())

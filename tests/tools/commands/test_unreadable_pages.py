"""A page on which our own work fails is counted, named and skipped by every command."""

from __future__ import annotations

from pathlib import Path

import pytest

from templcrawl.errors import TemplcrawlError
from templcrawl.page import page as page_module
from templcrawl.page.native_page import NativePage, read_natively
from templcrawl.page.records import Unreadable
from templcrawl.page.tokens import Limits
from tests.tools.commands.running import run
from tests.tools.readers.archives import write_folder

HOST = "tea.example"
NEEDED = {"detect": "duckdb", "rank": "scipy", "report": "jinja2"}
COMMANDS = {
    "strip": ["-o", "out.jsonl"],
    "strip by etdm": ["-o", "out.jsonl", "--detector", "etdm"],
    "strip by dom": ["-o", "out.jsonl", "--detector", "dom"],
    "cluster": ["--duplicates"],
    "report": ["-o", "report.html"],
    "rank": ["--query", "tea"],
    "detect": ["--method", "dom"],
}


def read_unless_cursed(text: str, limits: Limits) -> NativePage | None:
    if "cursed" in text:
        raise ValueError("a page like no other")
    return read_natively(text, limits)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_page_that_cannot_be_worked_on_is_skipped(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if name in NEEDED:
        pytest.importorskip(NEEDED[name])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(page_module, "read_natively", read_unless_cursed)
    words = " ".join(f"tea{number}" for number in range(50))
    pages = {f"{HOST}/{at}.html": f"<ul><li><a href=/>tea</a></ul><p>{at} {words}" for at in ("a", "b", "d")}
    folder = write_folder(tmp_path / "saved", {**pages, f"{HOST}/c.html": "<p>cursed"})
    found = run(capsys, name.partition(" ")[0], folder, *COMMANDS[name])
    assert found.code == 3
    assert f"http://{HOST}/c.html" in found.err
    assert "ValueError: a page like no other" in found.err
    if name.startswith("strip"):
        assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 3
        assert "pages: 3" in found.out


@pytest.mark.parametrize("error", [OSError("no room"), TemplcrawlError("option"), KeyboardInterrupt()])
def test_what_is_no_fault_of_the_page_is_raised(error: BaseException) -> None:
    unreadable = Unreadable()
    with pytest.raises(type(error)), unreadable.skipping("a"):
        raise error
    assert len(unreadable) == 0

"""A library is loaded only whole, and used only if it fits; whatever comes between, a page is read right."""

from __future__ import annotations

import os
import runpy
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from templcrawl.errors import InvalidOption
from templcrawl.page import kernel
from templcrawl.page.kernel import LIBRARY
from templcrawl.page.kernel_columns import Task
from templcrawl.page.native_page import NativePage
from templcrawl.page.page import Page
from templcrawl.page.render import html_of, text_of
from templcrawl.page.text import text_key
from templcrawl.page.tokens import Limits
from tests.page_readers import checked, needs_kernel, using

GENERATOR = Path(__file__).parent.parent.parent / "kernel" / "columns.py"
READ = """
import sys
from pathlib import Path
from templcrawl.page import kernel_columns, kernel, kernel_tables, page
kernel.LIBRARY = Path(sys.argv[1])
exec(sys.argv[2])
print(type(page.Page("<p>tea", "").native).__name__)
"""


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A copy of the library with its length."""
    for name in (LIBRARY.name, f"{LIBRARY.name}.length"):
        shutil.copy(LIBRARY.with_name(name), tmp_path)
    return tmp_path / LIBRARY.name


def read_by(library: Path, setting: str, before: str = "") -> str:
    """Return by which class another process reads a page, or its error.

    before  what it does first
    """
    command = [sys.executable, "-c", READ, str(library), before]
    environment = {**os.environ, kernel.SETTING: setting}
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert run.returncode in (0, 1), run
    return run.stdout.strip() or run.stderr


def is_refused(library: Path, why: str, before: str = "") -> bool:
    """Return whether Python reads instead, and where the kernel is demanded the error says why."""
    return read_by(library, "auto", before) == "NoneType" and why in read_by(library, "on", before)


@needs_kernel
def test_a_library_that_is_cut_short_ends_no_process(library: Path) -> None:
    assert read_by(library, "auto") == "NativePage"
    with library.open("r+b") as file:
        file.truncate(library.stat().st_size // 2)
    assert is_refused(library, "is not as long as it was built (make kernel)")


@pytest.mark.exhaustive
@needs_kernel
def test_a_library_of_another_version_is_not_used(library: Path) -> None:
    assert is_refused(library, "is of another version (make kernel)", "kernel.ABI += 1")
    assert is_refused(library, "does not know the tables", "kernel.encode_tables = lambda: bytes(9)")


@pytest.mark.exhaustive
def test_what_is_no_library_is_not_loaded(tmp_path: Path) -> None:
    library = tmp_path / "none.so"
    assert is_refused(library, "none was built (make kernel)")
    library.write_bytes(b"no library")
    library.with_name("none.so.length").write_text("10")
    assert is_refused(library, "cannot be loaded (make kernel)")


def test_what_rust_names_is_generated_from_the_table() -> None:
    generator = runpy.run_path(str(GENERATOR))
    assert generator["FILE"].read_text(encoding="utf-8") == generator["rust"](), "python kernel/columns.py"


@needs_kernel
@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="this system has no such signal")
@pytest.mark.parametrize("task", [Task.READ, Task.TEXT])
def test_a_page_that_a_signal_handler_reads_inside_a_call_changes_no_answer(
    task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    html = "<title>Tea</title><h1>Tea</h1><ul><li><a href=/a>Green</a><li><a href=/b>Black</a></ul><p>Hot."

    def answers(html: str) -> list[object]:
        page = Page(html, "https://h.org/a/b")
        mask = b"\1" * len(page.tokens)
        from templcrawl.algorithms.similarity.near_duplicates import content_of
        from templcrawl.page.separation import Separation

        said = [page.tokens.forms, page.links.urls, text_of(page, mask, 1), html_of(page, mask, 1)]
        return [*said, content_of(Separation(page, ((0, len(page.tokens)),))).terms]

    with using("off"):
        expected = answers(html), answers("<p>Milk<a href=/c>is cold")
    with using("on"):
        assert kernel.is_native()
        library, _ = kernel._loaded()
        assert library is not None
        real = library.templcrawl_run_task
        handled: list[object] = []

        def interrupted(*args: object) -> int:
            outcome: int = real(*args)
            if args[1] == task:
                monkeypatch.setattr(library, "templcrawl_run_task", real)
                signal.raise_signal(signal.SIGUSR1)
            return outcome

        before = signal.signal(
            signal.SIGUSR1, lambda *_: handled.append(answers("<p>Milk<a href=/c>is cold"))
        )
        monkeypatch.setattr(library, "templcrawl_run_task", interrupted)
        busy = kernel.REFUSED["busy"]
        try:
            assert answers(html) == expected[0]
        finally:
            signal.signal(signal.SIGUSR1, before)
        assert handled == [expected[1]]
        assert kernel.REFUSED["busy"] > busy
        assert Page(html, "").native


@needs_kernel
def test_the_kernel_is_handed_what_is_read_of_a_page_and_no_more() -> None:
    rest = "<b>\u8336</b>" * 50_000
    page = Page("<p>Tea \u8336" + rest, "https://h.org/", Limits(max_characters=8, kernel="on"))
    assert isinstance(page.native, NativePage)
    assert page.native.written == "<p>Tea \u8336".encode()
    assert len(page.native.table.content) < 4_000
    assert page.tokens.forms == ["<p>", "Tea \u8336", rest]
    assert page.tokens.starts == [0, 3, 8, len(page.text)]
    assert page.links.urls == []
    assert page.terms.hashes.tolist() == [text_key("Tea"), text_key("\u8336")]
    assert "texts" not in vars(page.tokens)  # Python has read none
    mask = bytes((0, 0, 1))
    assert text_of(page, mask, 0) == "Tea \u8336"
    assert text_of(page, mask, 1).split() == ["\u8336"] * 50_000
    assert html_of(page, mask, 1) == rest


@needs_kernel
@pytest.mark.parametrize("rest", ["", "<", "<b>\u8336 </b>\n x", "&amp; &am"])
@pytest.mark.parametrize("start", ["", "<pre>\n a ", "<p>\u8336", "<title>a", "<p>a<b", "<p>\ud83d"])
def test_both_readers_read_the_same_of_a_page_that_is_cut_anywhere(start: str, rest: str) -> None:
    for characters in range(1, len(start + rest) + 2):
        for noise in (b"\0", b"\1", b"\0\1"):
            checked(start + rest, limits=Limits(characters), noise=noise)


@pytest.mark.parametrize("name", ["max_tags", "max_characters"])
def test_the_limits_of_a_page_have_limits(name: str) -> None:
    for value in (2**63, 2**64, 0, -1, 1.5, "9"):
        with pytest.raises(InvalidOption, match="a whole number from 1 to"):
            Limits(**{name: value})  # type: ignore[arg-type]
    page = Page("<p>tea<p>milk", "", Limits(**{name: sys.maxsize}))
    assert page.tokens.forms == ["<p>", "tea", "milk"]
    assert page.truncated == ()


@needs_kernel
def test_a_page_is_read_the_same_whatever_was_read_before_it() -> None:
    html = "<svg><![CDATA[<b class=x>"  # a text that is a tag elsewhere
    pages = ["<b class=x>tea</b>", html, "<b class=x><new-name>tea <new-name>", "<other><new-name>tea <b>"]
    many = "".join(f"<i id=n{number}>{number}" for number in range(11_000))  # more than the kernel remembers
    for page in (*pages, *reversed(pages), many, *pages):
        checked(page)

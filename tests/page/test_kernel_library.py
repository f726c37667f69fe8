"""A library is loaded only whole and as it was built; whatever comes between, a page is read right."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import templcrawl
from templcrawl.errors import InvalidOption
from templcrawl.page import kernel, kernel_library
from templcrawl.page.kernel_library import INTERFACE, LIBRARY, digests_of, fault_of, write_digests
from templcrawl.page.page import Page
from templcrawl.page.readers import NativeColumns
from templcrawl.page.render import html_of, text_of
from templcrawl.page.tokens import Limits
from tests.page_readers import checked, needs_kernel, using

PACKAGE = Path(templcrawl.__file__).parent
READ = """
import sys
from pathlib import Path
from templcrawl.page import kernel, page
kernel.LIBRARY = Path(sys.argv[1])
print(type(page.Page("<p>tea", "").columns).__name__)
"""


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A copy of the library with its digests."""
    for path in (LIBRARY, digests_of(LIBRARY)):
        shutil.copy(path, tmp_path / path.name)
    return tmp_path / LIBRARY.name


def read_by(library: Path, setting: str) -> str:
    """Return by which class another process reads a page."""
    command = [sys.executable, "-c", READ, str(library)]
    environment = {**os.environ, kernel.SETTING: setting}
    run = subprocess.run(command, capture_output=True, text=True, cwd=PACKAGE.parent, env=environment)
    assert run.returncode in (0, 1), run
    return run.stdout.strip() or run.stderr


@needs_kernel
def test_a_library_that_is_cut_short_ends_no_process(library: Path) -> None:
    assert read_by(library, "auto") == "NativeColumns"
    with library.open("r+b") as file:
        file.truncate(library.stat().st_size // 2)
    assert read_by(library, "auto") == "PageColumns"
    assert "is not as it was built" in read_by(library, "on")


@needs_kernel
@pytest.mark.parametrize("name", ["library", "interface", "source"])
def test_a_library_of_another_digest_is_not_loaded(name: str, library: Path) -> None:
    assert fault_of(library) == ""
    path = digests_of(library)
    written = path.read_text()
    path.write_text(re.sub(rf"^\w(\w+  {name})$", r"x\1", written, flags=re.MULTILINE))
    assert path.read_text() != written
    assert str(library) in fault_of(library)
    assert read_by(library, "auto") == "PageColumns"
    path.unlink()
    assert "make kernel" in fault_of(library)


@needs_kernel
@pytest.mark.parametrize("changed", ["kernel/src/page.rs", "kernel/Cargo.toml", f"templcrawl/{INTERFACE[0]}"])
def test_a_change_of_the_sources_puts_the_library_out_of_use(
    changed: str, library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("kernel/src", "templcrawl/page", "templcrawl/algorithms", "templcrawl/memory"):
        shutil.copytree(PACKAGE.parent / folder, tmp_path / folder)
    shutil.copy(PACKAGE.parent / "kernel" / "Cargo.toml", tmp_path / "kernel")
    monkeypatch.setattr(kernel_library, "_PACKAGE", tmp_path / "templcrawl")
    monkeypatch.setattr(kernel_library, "_SOURCES", tmp_path / "kernel")
    assert fault_of(library) == ""
    with (tmp_path / changed).open("a") as file:
        file.write(" ")
    assert "make kernel" in fault_of(library)
    write_digests(library)
    assert fault_of(library) == ""
    shutil.rmtree(tmp_path / "kernel")
    assert fault_of(library) == ""


def test_every_module_that_calls_the_kernel_is_of_its_interface() -> None:
    calls = re.compile(rb"^@native\(|^(?:_\w+ = )?library\.templcrawl_|\.work_out\(", re.MULTILINE)
    modules = [
        path for folder in ("page", "algorithms", "memory") for path in (PACKAGE / folder).rglob("*.py")
    ]
    calling = {path.relative_to(PACKAGE).as_posix() for path in modules if calls.search(path.read_bytes())}
    assert calling - {"page/kernel_library.py"} <= set(INTERFACE)
    assert all((PACKAGE / module).is_file() for module in INTERFACE)


@needs_kernel
@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="this system has no such signal")
@pytest.mark.parametrize("call", ["read", "work_out"])
def test_a_page_that_a_signal_handler_reads_inside_a_call_changes_no_answer(
    call: str, monkeypatch: pytest.MonkeyPatch
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
        library = kernel._library()
        assert library is not None
        real = getattr(library, f"templcrawl_{call}")
        handled: list[object] = []

        def interrupted(*args: object) -> int:
            outcome: int = real(*args)
            monkeypatch.setattr(library, f"templcrawl_{call}", real)
            signal.raise_signal(signal.SIGUSR1)
            return outcome

        before = signal.signal(
            signal.SIGUSR1, lambda *_: handled.append(answers("<p>Milk<a href=/c>is cold"))
        )
        monkeypatch.setattr(library, f"templcrawl_{call}", interrupted)
        busy = kernel.REFUSED["busy"]
        try:
            assert answers(html) == expected[0]
        finally:
            signal.signal(signal.SIGUSR1, before)
        assert handled == [expected[1]]
        assert kernel.REFUSED["busy"] > busy
        assert Page(html, "").columns.is_native


@needs_kernel
def test_the_kernel_is_handed_what_is_read_of_a_page_and_no_more() -> None:
    rest = "<b>\u8336</b>" * 50_000
    page = Page("<p>Tea \u8336" + rest, "https://h.org/", Limits(max_characters=8, kernel="on"))
    assert isinstance(page.columns, NativeColumns)
    assert page.columns.written == "<p>Tea \u8336".encode()
    assert len(page.columns.table.content) < 4_000
    assert page.tokens.forms == ["<p>", "Tea \u8336", rest]
    assert page.tokens.starts == [0, 3, 8, len(page.text)]
    assert page.links.written
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
    for value in (2**63, 2**64, 0, -1, 1.5):
        with pytest.raises(InvalidOption, match="a whole number from 1 to"):
            Limits(**{name: value})  # type: ignore[arg-type]
    page = Page("<p>tea<p>milk", "", Limits(**{name: sys.maxsize}))
    assert page.tokens.forms == ["<p>", "tea", "milk"]
    assert page.truncated == ()


def test_python_reads_where_there_is_no_library(tmp_path: Path) -> None:
    assert read_by(tmp_path / "none.so", "auto") == "PageColumns"
    assert "none was built (make kernel)" in read_by(tmp_path / "none.so", "on")

"""A command that a signal stops leaves nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from templcrawl.tools.commands.base import Stopped, StopSignals
from tests.outputs.archive.tables import Written, write_tables
from tests.tools.readers.archives import html, write_folder

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="signals")


@pytest.fixture(autouse=True)
def _signals_end_a_process() -> Iterator[None]:
    """Let the signals do what they do by themselves, also where the tests run in the background."""
    usual = {
        signal.SIGTERM: signal.SIG_DFL,
        signal.SIGHUP: signal.SIG_DFL,
        signal.SIGINT: signal.default_int_handler,
    }
    before = {number: signal.signal(number, handler) for number, handler in usual.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


_STUCK = """
import signal, sys
from importlib import import_module
from scrapy.cmdline import execute
from scrapy.settings import Settings

def stuck(*_, **__):
    print("working", flush=True)
    while True:
        signal.pause()

module, owner, method = sys.argv[1].split()
owner = getattr(import_module("templcrawl." + module), owner)
setattr(owner, method, stuck)
{more}
execute(["scrapy", *sys.argv[2:]], settings=Settings())
"""


def stopped(folder: Path, where: str, *arguments: object, by: int = signal.SIGTERM, more: str = "") -> int:
    """Run a command until it gets somewhere, send it a signal; return its exit code.

    where  module, class and method that never end
    """
    (folder / "tmp").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-c", _STUCK.format(more=more), where, *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder / "tmp")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "working\n"
            assert len(list(folder.rglob("*"))) > len(before(folder)), "it had not begun anything"
            process.send_signal(by)
            _, err = process.communicate()
        finally:
            process.kill()
    assert err == ""
    return process.returncode


def before(folder: Path) -> list[Path]:
    """Return what a stopped command may leave: its input."""
    saved = [path for path in folder.rglob("*") if "saved" in path.parts]
    return sorted([*saved, folder / "tmp"])


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "saved", {f"{n % 3}.example/{n}.html": html(n) for n in range(6)})


@pytest.mark.exhaustive
@pytest.mark.parametrize("target", ["out.jsonl", "out.parquet", "out"])
def test_strip_leaves_nothing_beside_its_output(target: str, saved: Path, tmp_path: Path) -> None:
    if target == "out.parquet":
        pytest.importorskip("pyarrow")
    where = "tools.commands.strippers SiteStripper observe"
    assert stopped(tmp_path, where, "strip", saved, "-o", target) == 128 + signal.SIGTERM
    assert sorted(tmp_path.rglob("*")) == before(tmp_path)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("detector", "by"), [("dom", "SIGTERM"), ("sandwich", "SIGHUP")])
def test_strip_leaves_no_temporary_files(detector: str, by: str, saved: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    where = f"tools.commands.strippers {'SiteStripper' if detector == 'dom' else 'SiblingStripper'} observe"
    number = getattr(signal, by)
    code = stopped(tmp_path, where, "strip", saved, "-o", "out", "--detector", detector, by=number)
    assert code == 128 + number
    assert sorted(tmp_path.rglob("*")) == sorted([*before(tmp_path), tmp_path / "out"])


@pytest.mark.exhaustive
def test_detect_leaves_neither_tables_nor_temporary_files(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    write_tables(tmp_path / "saved", [Written(page, [7], targets=[1], sketch=[page]) for page in (1, 2, 3)])
    where = "tools.engines.duckdb DuckDBEngine save"
    assert stopped(tmp_path, where, "detect", tmp_path / "saved") == 128 + signal.SIGTERM
    assert sorted(tmp_path.rglob("*")) == before(tmp_path)


def test_the_first_signal_ends_the_context_and_those_after_it_are_dropped() -> None:
    cleaned = []
    with StopSignals() as signals:
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            signal.raise_signal(signal.SIGTERM)
            signal.raise_signal(signal.SIGHUP)
            cleaned.append(True)
    assert (signals.received, cleaned) == (signal.SIGTERM, [True])
    assert signal.getsignal(signal.SIGTERM) is signal.getsignal(signal.SIGHUP) is signal.SIG_DFL


def test_ctrl_c_ends_a_command_without_a_word(saved: Path, tmp_path: Path) -> None:
    where = "tools.commands.strippers SiteStripper observe"
    code = stopped(tmp_path, where, "strip", saved, "-o", "out.jsonl", by=signal.SIGINT)
    assert code == 128 + signal.SIGINT
    assert sorted(tmp_path.rglob("*")) == before(tmp_path)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with StopSignals() as signals:
        signal.raise_signal(signal.SIGINT)
    assert signals.received == signal.SIGINT
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_it_ends_there_too_where_a_library_makes_another_error_of_it() -> None:
    with StopSignals() as signals:
        try:
            signal.raise_signal(signal.SIGTERM)
        except Stopped as error:
            raise RuntimeError("query interrupted") from error
    assert signals.received == signal.SIGTERM


def test_without_a_signal_errors_go_on() -> None:
    with pytest.raises(ValueError, match="why"), StopSignals():
        raise ValueError("why")
    with StopSignals() as signals:
        pass
    assert signals.received is None


def test_a_signal_that_is_ignored_or_handled_stays_so(monkeypatch) -> None:
    came = []
    for handler in (signal.SIG_IGN, lambda number, _: came.append(number)):
        former = signal.signal(signal.SIGHUP, handler)
        try:
            with StopSignals() as signals:
                signal.raise_signal(signal.SIGHUP)
            assert signals.received is None
            assert signal.getsignal(signal.SIGHUP) is handler
        finally:
            signal.signal(signal.SIGHUP, former)
    assert came == [signal.SIGHUP]


def test_in_a_thread_nothing_is_handled() -> None:
    handlers = []

    def work() -> None:
        with StopSignals():
            handlers.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert handlers == [signal.SIG_DFL]

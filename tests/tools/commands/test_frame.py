"""What all commands do alike: help, options, inputs that are not accepted, pages that cannot be read."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from templcrawl.errors import TemplcrawlError
from templcrawl.page import page as page_module
from templcrawl.page.native_page import NativePage, read_natively
from templcrawl.page.saved_pages import Unreadable
from templcrawl.page.tokens import Limits
from tests.outputs.archive.tables import Written, write_tables
from tests.tools.commands.running import run
from tests.tools.readers.archives import Answer, answers, html, write_folder, write_warc

ENTRIES = {
    entry.name: entry.value
    for entry in entry_points(group="scrapy.commands")
    if entry.value.startswith("templcrawl.")
}
COMMANDS = sorted(ENTRIES)
HOST = "tea.example"
# A command line on which every command reads pages.
READING = {
    "strip": "-o out.jsonl",
    "strip by sandwich": "-o out.jsonl --detector sandwich",
    "strip by dom": "-o out.jsonl --detector dom",
    "cluster": "--kinds",
    "report": "-o report.html",
    "rank": "--like http://example.org/0.html",
    "detect": "--method dom",
}
NEEDED = {"detect": "duckdb", "report": "jinja2"}

REFUSED = """
strip saved                                           name the output
strip saved -o there.jsonl                            there is a folder of that name
strip saved -o out.csv                                if that is the folder
strip saved -o example.org                            example.org/
strip saved -o no/such/out.jsonl                      in a folder that exists
strip saved -o saved                                  there is something of that name
strip saved -o out --html                             --html needs an OUTPUT that ends in
strip saved -o out --markdown                         --markdown needs an OUTPUT that ends in
strip saved -o out.jsonl --siblings nearest           --siblings is for
strip saved -o out.jsonl --strip site --detector dom  --strip 'site' is for
strip saved -o out.jsonl --extractor none.such        none.such
strip saved -o out.jsonl --detector none              --detector
strip empty -o out.jsonl                              no pages in empty
strip missing.warc -o out.jsonl                       there is no such file
cluster none                                          there is no such file
cluster empty                                         no pages in empty
cluster text                                          no pages in text
cluster no.warc                                       no pages in no.warc
cluster pages.zip                                     .warc, .warc.gz, .warc.zst or .wacz
cluster                                               give one INPUT
cluster saved saved                                   give one INPUT
cluster saved --bogus                                 unknown option: --bogus
cluster saved --top 0                                 --top
cluster saved --top x                                 --top
cluster saved --pages                                 --pages needs --json
cluster saved --train none                            a folder of pages for each page type
cluster saved --train saved --across                  --across leaves out
cluster saved --by fingerprint                        --by needs --train
cluster saved --train saved --by shape                --by
cluster saved --split 25                                --split
cluster saved --kinds --across                        --across leaves out
cluster saved --json none/a.json                      cannot write to none/a.json
changes empty                                         give two crawls
changes empty empty --no-such                         unknown option
changes empty empty                                   no pages in empty and empty
changes empty none                                    there is no such file
changes empty empty -o changes.csv                    ends in .html
changes empty empty --top 0                           --top
detect crawl --method magic                           --method
detect crawl --engine sqlite                          --engine
detect crawl --min-links -1                           --min-links
detect crawl --lower 0.5                              --lower is for dom
detect saved --method text --frequency 1.5            --frequency: give above 0, at most 1
detect saved --method mdl --window 3                  --window is for text
detect crawl --memory much                            memory
detect crawl --engine spark --memory 4GB              memory = '4GB' is not accepted: give none for spark
detect crawl --engine spark --max-temp 4GB            max_temp = '4GB' is not accepted: give none for spark
detect crawl -o pages.zip                             is a file
detect crawl -o tables.csv                            write tables.csv/
detect crawl -o -                                     --json -
detect crawl --method dom --min-links 0               local and global
detect crawl --method dom                             an archive with bodies
detect crawl --method dom --engine spark              an archive with bodies
detect empty                                          give a crawl archive
detect none                                           give a crawl archive
detect saved --method text --engine spark             --engine spark reads crawl archives
detect saved --method text --memory much              memory
detect saved --method text --temp none                temp = 'none' is not accepted
detect saved --method text --max-temp 1KB             would take more than 1KB: allow them more
detect empty --method text -o out                     no pages in empty
detect none --method text                             there is no such file
rank saved                                            --query, --like or both
rank saved --query !                                  one word or more
rank saved --query tea --top 0                        --top
rank saved --query tea --version pages                --version
rank saved --query tea --template-pages 1             --template-pages
rank saved --query tea --min-links 0                  --min-links
rank saved --query tea --json no/such/folder.json     --json
rank saved --like http://other.example/               no page http://other.example/
rank saved --like http://tea.example/ --page-weight 2 --page-weight
rank saved --query tea another                        one INPUT
rank empty --like http://a.example/                   no pages
report                                                give one INPUT
report /no/such                                       there is no such file
report empty                                          no pages in empty
report saved --open -o -                              --open needs a file
report saved -o no/such/folder.html                   cannot write
report saved -o saved                                 cannot write
report saved -o report.csv                            ends in .html
template                                              give one SITE
template a b                                          give one SITE
template /no/such                                     does not exist
template saved --no-such                              unknown option
template saved --open                                 --open needs a file
template saved -o no/such/folder.html                 cannot write
template saved -o template.json                       ends in .html
template saved --size 0                               size
template saved --equality tag                         --equality is for --way etdm
template saved --way etdm --equality none             --equality
template saved --most-pages x                         --most-pages
"""


@pytest.mark.parametrize("line", REFUSED.strip().splitlines())
def test_what_is_not_accepted_is_refused_with_a_word(line: str, tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    command, message = re.split(r" {2,}|(?<=weight 2) ", line, maxsplit=1)
    for name in ("empty", "there.jsonl"):
        Path(name).mkdir()
    for name in ("pages.zip", "no.warc"):
        Path(name).write_bytes(b"PK")
    write_folder(tmp_path / "text", {"a.txt": "words", "b": "words"})
    write_folder(tmp_path / "saved", {f"{HOST}/{number}.html": html(number) for number in range(2)})
    if command.startswith("detect"):
        write_tables(tmp_path / "crawl", [Written(1, [7]), Written(2, [7])])
    before = sorted(tmp_path.rglob("*"))
    found = run(capsys, *command.split())
    assert (found.code, message in found.err) == (2, True), found.err
    assert "Traceback" not in found.err
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("command", "module", "extra"),
    [
        ("detect crawl", "duckdb", "duckdb"),
        ("detect crawl --engine spark", "pyspark.sql", "spark"),
        ("changes saved saved -o changes.html", "jinja2", "report"),
        ("report saved", "jinja2", "report"),
        ("strip crawl.warc -o out.jsonl", "fastwarc.warc", "warc"),
    ],
)
def test_without_a_library_it_is_said_what_to_install(
    command: str, module: str, extra: str, tmp_path: Path, capsys, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_tables(tmp_path / "crawl", [Written(1, [7])])
    write_folder(tmp_path / "saved", {f"{HOST}/1.html": html(1)})
    Path("crawl.warc").write_bytes(b"WARC/1.0")
    monkeypatch.setitem(sys.modules, module, None)
    found = run(capsys, *command.split())
    assert (found.code, f"templcrawl[{extra}]" in found.err) == (2, True)


def test_a_start_loads_nothing_that_scrapy_does_not() -> None:
    modules = ", ".join(value.partition(":")[0] for value in ENTRIES.values())
    code = (
        f"import sys, {modules};"
        "needed = {'numpy', 'scipy', 'pyarrow', 'duckdb', 'sqlite3', 'rapidfuzz', 'fastwarc', 'rich'};"
        "sys.exit(' '.join(needed & set(sys.modules)) or 0)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (0, "")


@pytest.mark.parametrize("name", READING)
def test_what_cannot_be_read_is_counted_and_named(name: str, tmp_path: Path, capsys, monkeypatch) -> None:
    """A record that the file ends inside, and one without an address."""
    if name in NEEDED:
        pytest.importorskip(NEEDED[name])
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "crawl.warc.gz"
    starts = write_warc(path, [*answers(4), Answer("", html(8)), *answers(1)])
    path.write_bytes(path.read_bytes()[: starts[5] + 40])
    found = run(capsys, name.partition(" ")[0], path, *READING[name].split())
    assert (found.code, "pages: 4" in found.out) == (3, True)
    cut = f"crawl.warc.gz, byte {starts[5]}: the file ends inside it"
    assert f"could not be read: 2\n  {cut}\n  record 5: it has no URL\n" in found.err


def read_unless_cursed(text: str, url: str, limits: Limits, utf8: bytes | None) -> NativePage | None:
    if "cursed" in text:
        raise ValueError("a page like no other")
    return read_natively(text, url, limits, utf8)


@pytest.mark.parametrize("name", READING)
def test_a_page_that_cannot_be_worked_on_is_skipped(name: str, tmp_path: Path, capsys, monkeypatch) -> None:
    if name in NEEDED:
        pytest.importorskip(NEEDED[name])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(page_module, "read_natively", read_unless_cursed)
    pages = {f"example.org/{at}.html": html(at) for at in range(3)}
    folder = write_folder(tmp_path / "saved", {**pages, "example.org/c.html": "<p>cursed"})
    found = run(capsys, name.partition(" ")[0], folder, *READING[name].split())
    assert (found.code, "pages: 3" in found.out) == (3, True)
    assert "http://example.org/c.html: ValueError: a page like no other" in found.err


@pytest.mark.parametrize("error", [OSError("no room"), TemplcrawlError("option"), KeyboardInterrupt()])
def test_what_is_no_fault_of_the_page_is_raised(error: BaseException) -> None:
    unreadable = Unreadable()
    with pytest.raises(type(error)), unreadable.skipping("a"):
        raise error
    assert len(unreadable) == 0


@pytest.mark.exhaustive
@pytest.mark.parametrize("command", ["strip {} -o - --html", "cluster {} --json - --pages"])
def test_nobody_need_read_the_output_to_its_end(command: str, folder: Path) -> None:
    """In any folder: there is no project here."""
    arguments = [sys.executable, "-m", "scrapy", *command.format(folder).split()]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


def headings(text: str) -> list[str]:
    """Return the lines that are underlined."""
    return re.findall(r"^(.+)\n(?:=+|-+)$", text, re.MULTILINE)


def test_there_are_commands() -> None:
    assert "changes cluster detect rank report strip tables template".split() == COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_is_readable_at_any_width(command: str, capsys, monkeypatch) -> None:
    """Scrapy makes a heading of every line that ends in a colon: no word of an option's text does."""
    monkeypatch.setenv("COLUMNS", "80")
    found = run(capsys, command, "--help")
    assert (found.code, headings(found.out)) == (0, ["Usage", "Options", "Global Options"])
    assert all(len(line) <= 80 for line in found.out.splitlines())
    assert ("the exit status is 3" in " ".join(found.out.split())) == (command != "template")
    monkeypatch.setenv("COLUMNS", "10000")
    ours = run(capsys, command, "--help").out.partition("Options\n")[2].partition("Global Options")[0]
    assert "  -o" in ours or "  --json" in ours
    assert re.findall(r"\S+:(?=\s)", ours) == []

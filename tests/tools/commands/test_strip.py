"""``scrapy strip`` on the demo site, and on inputs and outputs that fail."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any

import pytest

from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.memory.detectors import ARRIVING, WHOLE_SITE
from templcrawl.page.markdown import markdown_of
from templcrawl.page.page import Page
from templcrawl.tools.commands import strip_outputs
from tests.parts import exhaustive_but
from tests.tools.commands.running import run
from tests.tools.readers.archives import HOST, Answer, demo_pages, write_folder, write_warc

PAGES = demo_pages()
ALL_DETECTORS = (*ARRIVING, *WHOLE_SITE)


def rows_of(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def left_over(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.endswith(".part")]


def test_every_page_is_judged_by_all_that_is_known(folder: Path, capsys, tmp_path: Path) -> None:
    found = run(capsys, "strip", folder, "-o", "out.jsonl", "--html")
    assert (found.code, found.err) == (0, "")
    rows = rows_of(tmp_path / "out.jsonl")
    assert {tuple(row) for row in rows} == {tuple(strip_outputs.COLUMNS)}
    memory = CrawlMemory()
    pages = [Page(PAGES[row["url"].removeprefix(f"http://{HOST}/")][1], row["url"]) for row in rows]
    earlier = [memory.observe(page) for page in pages]
    again_all = [memory.reclassify(one) for one in earlier]
    kept, whole_text = (sum(lengths) for lengths in zip(*(again.text_lengths for again in again_all)))
    assert (
        found.out
        == f"pages: {len(PAGES)}, kept: {kept / whole_text:.0%} of their text, written to out.jsonl\n"
    )
    for row, one, again in zip(rows, earlier, again_all):
        assert row["content_text"] == again.content_text
        assert row["content_html"] == again.content_html
        assert row["leaf_id"].startswith(f"{HOST}#")
        assert memory.resolve(row["leaf_id"]) == memory.resolve(one.leaf_id)
        assert row["article_text"] is row["content_markdown"] is row["content_headings"] is None
        assert row["title"]
        assert not row["truncated"]
    assert left_over(tmp_path) == []


@pytest.mark.parametrize("detector", exhaustive_but(["vote"], ALL_DETECTORS))
def test_every_detector_strips_what_pages_share(detector: str, warc: Path, capsys, tmp_path: Path) -> None:
    found = run(capsys, "strip", warc, "-o", "out.jsonl", "--detector", detector)
    assert (found.code, found.err) == (0, "")
    rows = rows_of(tmp_path / "out.jsonl")
    assert [row["url"] for row in rows] == [f"http://{HOST}/{at}" for at in PAGES]
    kept = sum(len(row["content_text"]) for row in rows)
    whole = sum(len(Page(html, "").text) for _, html in PAGES.values())
    assert 0 < kept < 0.6 * whole


def test_siblings_by_arrival_read_the_input_once(warc: Path, capsys, tmp_path: Path) -> None:
    arguments = ("strip", warc, "-o", "out.jsonl", "--detector", "sandwich")
    run(capsys, *arguments, "--siblings", "arrival")
    by_arrival = rows_of(tmp_path / "out.jsonl")
    run(capsys, *arguments)
    by_name = rows_of(tmp_path / "out.jsonl")
    assert by_arrival[0]["content_text"] == _whole_text(by_arrival[0]["url"])
    assert len(by_name[0]["content_text"]) < len(by_arrival[0]["content_text"])


def _whole_text(url: str) -> str:
    return (
        CrawlMemory(detector="sandwich")
        .observe(Page(PAGES[url.removeprefix(f"http://{HOST}/")][1], url))
        .content_text
    )


def test_a_folder_mirrors_the_input_folder(folder: Path, capsys, tmp_path: Path) -> None:
    assert run(capsys, "strip", folder, "-o", "out").code == 0
    files = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    assert {path.relative_to(tmp_path / "out") for path in (tmp_path / "out").rglob("*.html")} == files
    some = next(iter(sorted(files)))
    html = (tmp_path / "out" / some).read_text(encoding="utf-8")
    assert html.startswith('<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>')
    assert run(capsys, "strip", folder, "-o", "out").code == 2
    assert left_over(tmp_path) == []


def test_a_page_whose_path_is_too_long_or_refused_is_named_by_a_hash(
    tmp_path: Path, capsys, monkeypatch
) -> None:
    """However long addresses are; what a file system refuses (a letter that it lacks) is written, too."""
    urls = ["/a", "/" + "deep/" * 1_500, "/" + "deep/" * 1_500 + "b?c", "/" + "long" * 400, "/odd", "/odd"]
    warc = tmp_path / "crawl.warc"
    body = b"<!doctype html><html><body><p>words of a page"
    write_warc(warc, [Answer(f"http://a.example{url}", body) for url in urls])
    plain = strip_outputs._write_at

    def refusing(path: Path, content: bytes) -> None:
        if path.name == "odd.html":
            raise OSError(errno.EILSEQ, "Illegal byte sequence")
        plain(path, content)

    monkeypatch.setattr(strip_outputs, "_write_at", refusing)
    assert run(capsys, "strip", warc, "-o", tmp_path / "out").code == 0
    names = [path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.html")]
    assert len(names) == len(urls)
    assert "a.example/a.html" in names
    assert max(map(len, names)) < 200


def parquet_rows(parquet: Any, file: Path) -> list[dict[str, Any]]:
    """Return the rows of a file; metadata are text of JSON there."""
    rows = parquet.read_table(file).to_pylist()
    return [{**row, "metadata": json.loads(row["metadata"])} for row in rows]


def test_parquet_holds_the_same_rows(folder: Path, capsys, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    run(capsys, "strip", folder, "-o", "out.jsonl", "--extractor", "article")
    run(capsys, "strip", folder, "-o", "out.parquet", "--extractor", "article")
    rows = parquet_rows(parquet, tmp_path / "out.parquet")
    assert rows == rows_of(tmp_path / "out.jsonl")
    assert all(row["article_text"] for row in rows[5:8])
    assert left_over(tmp_path) == []


def test_markdown_is_that_of_the_content_with_its_sections(folder: Path, capsys, tmp_path: Path) -> None:
    pytest.importorskip("turbohtml")
    run(capsys, "strip", folder, "-o", "out.jsonl", "--html", "--markdown")
    rows = rows_of(tmp_path / "out.jsonl")
    for row in rows:
        written = markdown_of(row["content_html"], row["url"])
        assert row["content_markdown"] == written.text
        if "/shelf-" not in row["url"]:  # goods that stand behind the text of a shelf are a section
            assert row["content_headings"] == written.sections
    assert sum(len(row["content_headings"]) for row in rows) > len(rows)
    parquet = pytest.importorskip("pyarrow.parquet")
    run(capsys, "strip", folder, "-o", "out.parquet", "--html", "--markdown")
    assert parquet_rows(parquet, tmp_path / "out.parquet") == rows


@pytest.mark.exhaustive
def test_a_folder_may_have_a_dot_in_its_name(folder: Path, capsys, tmp_path: Path) -> None:
    (tmp_path / "there.org").mkdir()
    for target in ("example.org/", "out.jsonl/", "there.org"):
        assert run(capsys, "strip", folder, "-o", target).code == 0
        assert len(list((tmp_path / target).rglob("*.html"))) == len(PAGES)


def test_letters_of_any_script_stand_in_the_lines_as_they_are(tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_folder(tmp_path / "saved", {"1.html": "<title>茶</title><p>绿茶和红茶 café &#x2028; 😀 \\u00e9"})
    assert run(capsys, "strip", "saved", "-o", "out.jsonl").code == 0
    line = (tmp_path / "out.jsonl").read_text(encoding="utf-8")
    assert "绿茶和红茶 café" in line
    assert "😀" in line
    (row,) = rows_of(tmp_path / "out.jsonl")
    assert row["content_text"].endswith("😀 \\u00e9")


def test_a_hyphen_is_stdout(folder: Path, capsys, tmp_path: Path) -> None:
    run(capsys, "strip", folder, "-o", "out.jsonl", "--html")
    found = run(capsys, "strip", folder, "-o", "-", "--html")
    assert (found.code, found.out) == (0, (tmp_path / "out.jsonl").read_text(encoding="utf-8"))
    assert found.err.startswith(f"pages: {len(PAGES)}, kept: ")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.jsonl", "saved"]


@pytest.mark.exhaustive
def test_it_is_said_which_of_two_readings_goes_on(folder: Path, capsys) -> None:
    arguments = ("strip", folder, "-o", "out.jsonl", "--detector")
    told = run(capsys, *arguments, "dom", told_after=0.0).err.splitlines()
    assert told[0].startswith("learning, 1 of 2: 1 page, ")
    assert told[-1] == f"stripping, 2 of 2: {len(PAGES)} pages, 100% of the files"
    told = run(capsys, *arguments, "sandwich", "--siblings", "arrival", told_after=0.0).err.splitlines()
    assert {line.partition(":")[0] for line in told} == {"stripping"}


@pytest.mark.parametrize(
    ("detector", "option"), [("dom", ("--lower", 0.99)), ("text", ("--window", 3)), ("mdl", ("--support", 2))]
)
def test_a_parameter_of_a_paper_changes_what_is_template(
    detector: str, option: tuple[object, ...], folder: Path, capsys, tmp_path: Path
) -> None:
    arguments = ("strip", folder, "-o", "out.jsonl", "--detector", detector)
    run(capsys, *arguments)
    by_default = [row["content_text"] for row in rows_of(tmp_path / "out.jsonl")]
    assert run(capsys, *arguments, *option).code == 0
    assert [row["content_text"] for row in rows_of(tmp_path / "out.jsonl")] != by_default

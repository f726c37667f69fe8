from __future__ import annotations

import os
from itertools import product
from pathlib import Path

import pytest

from templcrawl.errors import InvalidOption
from templcrawl.page.saved_pages import ExampleReader, FolderReader, is_host_name, page_url
from tests.tools.readers.archives import html, write_folder


def test_pages_come_in_order_with_the_urls_they_stand_for(tmp_path: Path) -> None:
    folder = write_folder(
        tmp_path / "My Mirror",
        {
            "start.html": html(0),
            "example.org/b/page.htm": html(1),
            "example.org/a/index.html?page=2": html(2),
            "example.org/c#d.xhtml": html(3),
            "Example.org+8080/x.HTML": html(4),
            "notes/über.html": html(5),
        },
    )
    assert [record.url for record in FolderReader(folder)] == [
        "http://my-mirror/start.html",
        "http://example.org:8080/x.HTML",
        "http://example.org/c%23d.xhtml",
        "http://example.org/a/index.html?page=2",
        "http://example.org/b/page.htm",
        "http://my-mirror/notes/%C3%BCber.html",
    ]


@pytest.mark.parametrize(
    ("name", "content", "is_page"),
    [
        ("page.html", b"words", True),
        ("page", b"\xef\xbb\xbf<!-- saved -->\n<!DOCTYPE html><p>x", True),
        ("page", b"<HTML><p>x", True),
        ("page", b"<?xml version='1.0'?><html>", True),
        ("page", b"\x89PNG <html>", False),
        ("page", b"<svg><html>", False),
        ("page", b"<!-- a > - -- b --> <!----><!-- c --> <p>x", True),
        ("page", b"<!----><!-- <html> ", False),
        ("page", b"<!---->" * 140, False),
        ("page", b"<!-- --> " * 100 + b"<p>", True),
        ("page", b"", False),
        ("page.css", b"<html>", False),
        ("page.jpg", b"<html>", False),
    ],
)
def test_a_page_is_told_by_its_ending_or_its_first_bytes(
    tmp_path: Path, name: str, content: bytes, is_page: bool
) -> None:
    write_folder(tmp_path, {name: content})
    assert [record.html for record in FolderReader(tmp_path)] == [content] * is_page


@pytest.mark.parametrize("name", ["index.php", "a.b.HTML", "logo.png", "feed.xml"])
def test_a_folder_that_is_named_like_a_file_is_no_host(name: str, tmp_path: Path) -> None:
    assert page_url(tmp_path / "saved", tmp_path / "saved" / name / "a.html") == f"http://saved/{name}/a.html"
    assert not is_host_name(name)


def test_links_out_of_the_folder_and_what_is_no_file_are_not_followed(tmp_path: Path) -> None:
    write_folder(tmp_path, {"out/secret.html": html(1), "in/a.html": html(2), "in/deep/b.html": html(3)})
    folder = tmp_path / "in"
    (folder / "secret.html").symlink_to(tmp_path / "out/secret.html")
    (folder / "out").symlink_to(tmp_path / "out")
    (folder / "round").symlink_to(folder)
    (folder / "self.html").symlink_to(folder / "self.html")
    (folder / "same.html").symlink_to(folder / "deep/b.html")
    os.mkfifo(folder / "pipe.html")
    found = [record.url for record in FolderReader(folder)]
    assert found == [f"http://in/{name}.html" for name in ("a", "same", "deep/b")]


def test_it_says_how_much_there_is_and_how_far_it_is(tmp_path: Path) -> None:
    write_folder(tmp_path, {f"{number}.html": html(number) for number in range(3)})
    reader = FolderReader(tmp_path)
    assert reader.unit == "files"
    assert [(reader.done, reader.total) for _ in reader] == [(1, 3), (2, 3), (3, 3)]
    assert len(list(reader)) == 3


def test_a_large_page_is_cut_and_counted(tmp_path: Path) -> None:
    write_folder(tmp_path, {"a.html": b"x" * 10, "b.html": b"x" * 11})
    reader = FolderReader(tmp_path, max_bytes=10)
    assert [len(record.html) for record in reader] == [10, 10]
    assert reader.capped == 1


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_folder(tmp_path, {f"{number:02}.html": html(number) for number in range(15)})
    reader = FolderReader(tmp_path)

    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(reader, "_read", refuse)
    assert list(reader) == []
    assert len(reader.unreadable) == 15
    assert reader.unreadable.first == [(f"{number:02}.html", "Permission denied") for number in range(10)]


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, match="a folder of saved pages"):
        FolderReader(tmp_path / "none")


def test_examples_come_type_by_type(tmp_path: Path) -> None:
    write_folder(
        tmp_path,
        {"list/a.html": html(1), "article/b.html": html(2), "article/x/a.html": html(3), "c.html": html(4)},
    )
    reader = ExampleReader(tmp_path)
    assert reader.types == ["article", "list"]
    found = [(name, page.text.encode()) for name, page in reader]
    assert found == [("article", html(2)), ("article", html(3)), ("list", html(1))]
    assert not reader.unreadable


def test_of_a_type_so_many_examples_are_read_and_the_others_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("templcrawl.page.saved_pages._MAX_EXAMPLES", 2)
    write_folder(
        tmp_path, {f"{kind}/{number}.html": html(number) for kind, number in product("ab", range(3))}
    )
    write_folder(tmp_path, {"c/0.html": html(0), "c/1.html": html(1)})
    reader = ExampleReader(tmp_path)
    for _ in range(2):
        assert [name for name, _ in reader] == ["a", "a", "b", "b", "c", "c"]
        assert reader.unreadable.first == [
            (kind, "the first 2 pages of this type are enough") for kind in "ab"
        ]


def test_a_folder_of_too_many_files_is_refused_before_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_folder(tmp_path, {"a/0.html": html(0), "b/1.txt": b"x"})
    monkeypatch.setattr("templcrawl.page.saved_pages._MAX_ENTRIES", 4)
    assert len(list(ExampleReader(tmp_path))) == 1
    monkeypatch.setattr("templcrawl.page.saved_pages._MAX_ENTRIES", 3)
    with pytest.raises(InvalidOption, match="with 3 files at most"):
        ExampleReader(tmp_path)


def test_examples_need_a_folder_a_type(tmp_path: Path) -> None:
    write_folder(tmp_path, {"a.html": html(1)})
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(InvalidOption, match="a folder of pages for each page type"):
            ExampleReader(folder)

"""A saved site is answered from its folder alone: each page once, nothing from beside it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request, Spider
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.utils.test import get_crawler

from templcrawl.crawl.saved_site import SavedSite, SavedSiteFingerprinter, saved_names, saved_start

HTML = "<html><p>text"


def crawler(folder: Path | None) -> Any:
    return SimpleNamespace(spider=SimpleNamespace(saved_folder=folder))


def answer(folder: Path, path: str) -> Response:
    found = SavedSite(crawler(folder)).process_request(Request(f"http://tea.example/{path}"))
    assert found is not None
    return found


def test_without_a_saved_folder_requests_go_on_to_the_web() -> None:
    assert SavedSite(crawler(None)).process_request(Request("http://tea.example/")) is None


@pytest.mark.parametrize(
    ("saved", "asked"),
    [
        ("index.html", ""),
        ("green/index.htm", "green/"),
        ("green.html", "green"),
        ("green.htm", "green"),
        ("a b.html", "a%20b.html"),
        ("a%20b.html", "a%20b.html"),
        ("tea?kind=1.html", "tea?kind=1"),
        ("tea?kind=a b", "tea?kind=a%20b"),
        ("tea", "tea?kind=1"),
    ],
)
def test_a_page_is_found_under_the_names_that_it_may_have(saved: str, asked: str, tmp_path: Path) -> None:
    (tmp_path / saved).parent.mkdir(exist_ok=True)
    (tmp_path / saved).write_text(HTML)
    found = answer(tmp_path, asked)
    assert (found.status, type(found), found.body) == (200, HtmlResponse, HTML.encode())


def test_a_page_with_its_query_comes_before_one_without(tmp_path: Path) -> None:
    (tmp_path / "tea").write_text("<html>all")
    (tmp_path / "tea?kind=1").write_text("<html>one")
    assert answer(tmp_path, "tea?kind=1").body == b"<html>one"


def test_what_was_not_saved_is_not_found(tmp_path: Path) -> None:
    (tmp_path / "green").mkdir()
    for path in ("none", "green", "x" * 5_000, "%00"):
        assert answer(tmp_path, path).status == 404


def test_nothing_outside_the_folder_is_answered(tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    folder.mkdir()
    (tmp_path / "secret.html").write_text(HTML)
    (folder / "link.html").symlink_to(tmp_path / "secret.html")
    for path in ("../secret.html", "%2e%2e/secret.html", "link.html", "//secret.html"):
        assert answer(folder, path).status == 404


def test_the_kind_of_a_response_goes_by_its_name_or_by_what_it_holds(tmp_path: Path) -> None:
    (tmp_path / "style.css").write_text("p {}")
    (tmp_path / "page.css").write_text(" " * 1_990 + "<HTML>")
    (tmp_path / "late.css").write_text(" " * 2_000 + "<html>")
    found = {name: answer(tmp_path, name) for name in ("style.css", "page.css", "late.css")}
    kinds = {name: response.headers["Content-Type"] for name, response in found.items()}
    assert kinds == {"style.css": b"text/css", "page.css": b"text/html", "late.css": b"text/css"}
    assert [type(response) for response in found.values()] == [TextResponse, HtmlResponse, TextResponse]


@pytest.mark.parametrize(("folder", "is_one"), [(Path("saved"), True), (None, False)])
@pytest.mark.parametrize(
    ("one", "same", "others"),
    [
        ("http://tea.example/a", "https://tea.example/a", ["ftp://tea.example/a"]),
        (
            "http://tea.example",
            "https://tea.example/index.html#main",
            ["http://tea.example/index.html?page=2"],
        ),
        ("http://tea.example/a/", "http://tea.example/a/index.html", ["http://tea.example/a/an-index.html"]),
    ],
)
def test_both_schemes_and_a_folder_and_its_index_are_one_page_of_a_saved_site_alone(
    one: str, same: str, others: list[str], folder: Path | None, is_one: bool
) -> None:
    crawling = get_crawler(Spider)
    crawling.spider = crawler(folder).spider
    fingerprinter = SavedSiteFingerprinter(crawling)
    prints = {fingerprinter.fingerprint(Request(url)) for url in (one, same)}
    assert len(prints) == (1 if is_one else 2)
    assert not prints & {fingerprinter.fingerprint(Request(url)) for url in others}


def test_a_crawl_starts_from_the_index_the_first_page_or_the_first_below(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "deep.html").write_text(HTML)
    assert saved_start(tmp_path) == (tmp_path, "b/deep.html")
    (tmp_path / "c.html").write_text(HTML)
    (tmp_path / "a.htm").write_text(HTML)
    assert saved_start(tmp_path) == (tmp_path, "a.htm")
    (tmp_path / "index.html").write_text(HTML)
    assert saved_start(tmp_path) == (tmp_path, "index.html")


def test_the_folder_of_a_page_is_named_after_a_host_or_given_or_its_own(tmp_path: Path) -> None:
    page = tmp_path / "mirror" / "tea.example" / "green" / "a.html"
    page.parent.mkdir(parents=True)
    page.write_text(HTML)
    host = tmp_path / "mirror" / "tea.example"
    assert saved_start(page) == (host, "green/a.html")
    assert saved_start(page, tmp_path / "mirror") == (tmp_path / "mirror", "tea.example/green/a.html")
    plain = tmp_path / "plain" / "a.html"
    plain.parent.mkdir()
    plain.write_text(HTML)
    assert saved_start(plain) == (plain.parent, "a.html")


def test_names_are_tried_in_the_order_of_their_likeness() -> None:
    assert [*saved_names("http://x.example/a?b=%20")] == [
        *("a?b=%20", "a?b=%20.html", "a?b=%20.htm", "a?b= ", "a?b= .html", "a?b= .htm"),
        *("a", "a.html", "a.htm", "a/index.html", "a/index.htm"),
    ]

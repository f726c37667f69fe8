"""The template spider on a local site, and on a saved one."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.sites.menu_site import GUIDE_MENU, MENU, TEMPLATE, guide_site, page, pages, path_of
from lab.sites.server import LocalSite
from templcrawl.crawl.template_spider import TemplateSpider, separate_by_pages
from templcrawl.memory.memory_options import MemoryOptions
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation
from tests.spider_runs import run_spider


def crawl(output: Path, **arguments: object) -> tuple[list[dict], str]:
    """Run ``scrapy crawl template``; return the items and what it logged."""
    given = [word for name, value in arguments.items() for word in ("-a", f"{name}={value}")]
    return run_spider("template", *given, output=output)


def text(html: str) -> tuple[str, ...]:
    found = Page(html, "")
    return tuple(Separation(found, [(0, len(found.tokens))]).content_text.split("\n"))


def test_a_site_on_the_web(tmp_path: Path) -> None:
    with LocalSite(pages()) as site:
        (item,), log = crawl(tmp_path / "item.jsonl", url=f"{site.url}article.html", way="etdm")
        assert site.targets == [f"/{name}" for name in ("article.html", *(f"{one}.html" for one in MENU[:4]))]
    assert " ERROR: " not in log
    assert item["url"] == f"{site.url}article.html"
    assert item["pages_loaded"] == item["pages_compared"] == len(item["subdigraph"]) == 4
    assert text(item["template_html"]) == TEMPLATE
    assert f'<base href="{site.url}article.html">' in item["template_html"]
    assert "<script" not in item["template_html"]
    assert item["template_nodes"] > item["content_nodes"] > 5
    assert [link["text"] for link in item["menu_links"]] == [name.title() for name in MENU]
    assert item["menu_links"][0]["url"] == f"{site.url}home.html"


def test_a_saved_site_in_plain_order_with_its_scripts(tmp_path: Path) -> None:
    saved = tmp_path / "tea.example"
    saved.mkdir()
    for path, html in pages().items():
        (saved / (path[1:] or "index.html")).write_text(html, encoding="utf-8")
    (item,), _ = crawl(
        tmp_path / "item.jsonl", url=saved / "article.html", order="plain", size=3, way="etdm", scripts=1
    )
    assert item["url"] == "http://tea.example.saved/article.html"
    assert (item["pages_loaded"], len(item["subdigraph"]), item["pages_compared"]) == (5, 3, 3)
    assert "<script" in item["template_html"]
    assert text(item["template_html"]) == TEMPLATE
    assert f'<base href="{(saved / "article.html").as_uri()}">' in item["template_html"]


@pytest.mark.exhaustive
def test_pages_like_the_key_page_have_what_those_of_the_menu_lack(tmp_path: Path) -> None:
    with LocalSite(guide_site()) as site:
        (item,), _ = crawl(tmp_path / "item.jsonl", url=f"{site.url}guide/0.html")
        (mapped,), _ = crawl(tmp_path / "mapped.jsonl", url=f"{site.url}guide/0.html", way="etdm")
        (few,), _ = crawl(tmp_path / "few.jsonl", url=f"{site.url}guide/0.html", pages=6)
    assert text(item["template_html"]) == (*TEMPLATE[:-1], *GUIDE_MENU, TEMPLATE[-1])
    assert (item["pages_loaded"], item["pages_compared"]) == (10, 10)
    assert not set(GUIDE_MENU) & set(text(mapped["template_html"]))
    assert (few["pages_loaded"], len(few["subdigraph"])) == (6, 4)


def test_a_page_is_separated_by_a_few_others() -> None:
    key = Page(page("article"), "http://tea.example/article.html")
    siblings = [Page(page(name), f"http://tea.example{path_of(name)}") for name in MENU]
    assert tuple(separate_by_pages(key, siblings, MemoryOptions()).template_text.split("\n")) == TEMPLATE
    assert separate_by_pages(key, [], MemoryOptions()).template_text == ""


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        ({}, "name the page"),
        ({"url": "/no/such"}, "does not exist"),
        ({"url": "http://a.example/", "order": "best"}, "one of menu, plain"),
        ({"url": "http://a.example/", "way": "best"}, "one of vote, etdm"),
        ({"url": "http://a.example/", "pages": "0"}, "pages"),
        ({"url": "http://a.example/", "size": "four"}, "size"),
        ({"url": "http://a.example/", "most_pages": "0"}, "most_pages"),
        ({"url": "http://a.example/", "most_pages": "3"}, "or more, the size"),
    ],
)
def test_arguments_that_are_not_accepted(arguments: dict[str, str], advice: str) -> None:
    with pytest.raises(ValueError, match=advice):
        TemplateSpider(**arguments)


def test_a_page_outside_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.html").write_text("<p>x")
    (tmp_path / "saved").mkdir()
    with pytest.raises(ValueError, match="is not in"):
        TemplateSpider(url=str(tmp_path / "x.html"), folder=str(tmp_path / "saved"))
    with pytest.raises(ValueError, match="no HTML page"):
        TemplateSpider(url=str(tmp_path / "saved"))


def test_a_page_that_is_none_is_explained(tmp_path: Path) -> None:
    with LocalSite({"/a.pdf": (200, "application/pdf", b"%PDF")}) as site:
        for path, reason in (("a.pdf", "is not an HTML page"), ("none", "cannot load")):
            items, log = crawl(tmp_path / "item.jsonl", url=site.url + path)
            assert items == []
            assert reason in log

"""What the tables hold of a page."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from hypothesis import given, settings

from templcrawl.algorithms.pagelets.partition import pagelet_shingles, partition_pagelets
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.outputs.archive.tables import (
    MAX_NAME,
    MAX_PATH,
    TABLES,
    PageRows,
    content_keys,
    page_rows,
    record_batches,
    tag_path,
)
from templcrawl.page.arrays import signed
from templcrawl.page.page import Page
from templcrawl.page.text import unforgeable_key
from tests.memory.values import content_of_text
from tests.strategies import soups

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
URL = "http://tea.example/a/b.html"
HTML = (
    "<html><body><ul><li><a href=/1>One &amp; only</a><li><a href=/2>Two</a><li><a href=/3>Three</a></ul>"
    "<p>Some  tea <a href=c.html>more</a></p><script>var tea</script></body></html>"
)


def rows_of(html: str, url: str = URL) -> PageRows:
    return page_rows(CrawlMemory().observe(Page.from_html(html, url)), NOW)


def named(table: str, row: tuple[Any, ...]) -> dict[str, Any]:
    return dict(zip(TABLES[table], row, strict=True))


def test_keys_of_pages_are_not_those_that_a_page_of_another_host_can_be_given(monkeypatch) -> None:
    monkeypatch.setattr("templcrawl.page.page.text_key", lambda text: 7)
    urls = ("http://tea.example/a", "http://evil.example/a")
    pages = [Page.from_html(HTML, url) for url in urls]
    rows = [page_rows(CrawlMemory().observe(page), NOW) for page in pages]
    assert [page.key for page in pages] == [7, 7]
    assert [one["pages"][0][0] for one in rows] == [signed(unforgeable_key(url)) for url in urls]
    assert not {row[0] for row in rows[0]["pagelets"]} & {row[0] for row in rows[1]["pagelets"]}


def test_anchors_are_bounded() -> None:
    rows = rows_of(f"<body><ul>{''.join(f'<li><a href=/{n}>{str(n) * 201}</a>' for n in range(3))}")
    assert [named("links", row)["anchor"] for row in rows["links"]] == [
        str(number) * 200 for number in range(3)
    ]


def test_a_page_by_hand() -> None:
    rows = rows_of(HTML)
    page = named("pages", rows["pages"][0])
    assert page["page"] == rows["pages"][0][0] == signed(unforgeable_key(URL))
    assert (page["url"], page["host"], page["fetched_at"]) == (URL, "tea.example", NOW)
    assert (page["characters"], page["words"], page["links"], page["pagelets"]) == (len(HTML), 8, 4, 3)
    assert page["leaf"].startswith("tea.example#")
    pagelets = [named("pagelets", row) for row in rows["pagelets"]]
    assert [one["tag_path"] for one in pagelets] == [
        "html > body > ul",
        "html > body > p",
        "html > body > script",
    ]
    assert [one["text"] for one in pagelets] == ["One & only Two Three", "Some tea more", ""]
    assert [(one["words"], one["links"], one["ordinal"]) for one in pagelets] == [
        (5, 3, 0),
        (3, 1, 1),
        (0, 0, 2),
    ]
    assert {one["page"] for one in pagelets} == {rows["pages"][0][0]}
    assert len({one["pagelet"] for one in pagelets}) == 3
    links = [named("links", row) for row in rows["links"]]
    assert [link["anchor"] for link in links] == ["One & only", "Two", "Three", "more"]
    assert links[3]["target"] == signed(unforgeable_key("http://tea.example/a/c.html"))
    assert [link["pagelet"] for link in links] == [pagelets[0]["pagelet"]] * 3 + [pagelets[1]["pagelet"]]
    assert rows["bodies"][0] == (rows["pages"][0][0], HTML)


def test_what_is_in_no_pagelet_and_what_says_nothing_are_null() -> None:
    rows = rows_of(
        "<div><a href=/0>0</a><p></p><ul><li><a href=/1>1<li><a href=/2>2<li><a href=/3>3</ul></div>"
    )
    assert [named("pagelets", row)["shingle"] is None for row in rows["pagelets"]].count(True) == 1
    direct = rows_of("<a href=/0>0</a>")
    assert named("links", direct["links"][0])["pagelet"] is not None


def test_a_content_is_known_by_sixteen_bands_or_by_its_words() -> None:
    long, short = " ".join(map(str, range(100))), "only a few words"
    assert len(content_keys(content_of_text(long))) == 16
    assert len(content_keys(content_of_text(short))) == 1
    assert content_keys(content_of_text(" ")) == []


@settings(deadline=None)
@given(soups)
def test_every_page_fits_the_tables_and_its_shingles_are_the_crawl_s(html: str) -> None:
    page = Page.from_html(html, URL)
    rows = page_rows(CrawlMemory().observe(page), NOW)
    for table in TABLES:
        batches = [*record_batches(table, rows[table])]
        assert sum(map(len, batches)) == len(rows[table])
        for batch in batches:
            batch.validate(full=True)
    pagelets = partition_pagelets(page)
    expected = pagelet_shingles(page, pagelets)
    found = [named("pagelets", row)["shingle"] for row in rows["pagelets"]]
    assert [one if pagelet.links else 0 for one, pagelet in zip(found, pagelets)] == list(
        map(signed, expected)
    )
    assert sum(named("pagelets", row)["links"] for row in rows["pagelets"]) <= len(rows["links"])
    assert (
        sum(named("pagelets", row)["words"] for row in rows["pagelets"])
        <= named("pages", rows["pages"][0])["words"]
    )


def test_a_tag_path_is_capped_in_steps_in_characters_and_in_each_name() -> None:
    deep = Page("<body>" + "<div>" * 40 + "<ul>", "")
    assert tag_path(deep, len(deep.elements) - 1) == " > ".join(["div"] * 31 + ["ul"])
    wide = Page(f"<x{'y' * 1_000}>" * 20, "")
    steps = tag_path(wide, len(wide.elements) - 1).split(" > ")
    assert steps == ["x" + "y" * (MAX_NAME - 1)] * 6
    assert len(" > ".join(steps)) <= MAX_PATH < len(" > ".join([*steps, steps[0]]))
    assert tag_path(wide, 0) == ""

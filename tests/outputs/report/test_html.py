"""The report is one inert document, whatever the pages were; its numbers are those of the figures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timezone
from functools import cache
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.outputs.report.contents import Contents, CrawlFacts, report_contents
from templcrawl.outputs.report.figures import CrawlFigures, template_share
from templcrawl.outputs.report.greyed_page import own_file
from templcrawl.outputs.report.html import load_template, report_html, write_report
from templcrawl.page.page import Page
from tests.algorithms.page_kinds import pages as shop
from tests.crawl.crawls import DEMO_SITE
from tests.outputs.report.reading import assert_inert
from tests.strategies import soups

pytest.importorskip("jinja2")

HOSTILE = [
    "</iframe><script>alert(1)</script>",
    '"><img src=http://e.org onerror=alert(1)>',
    "<p>\ud800 half",
    "<nav>{{ 123456 * 7 }} {% raw %}</nav>",
    "<svg/onload=alert(1)>" * 3,
]
URLS = [
    "http://a.example/<script>",
    "javascript:alert(1)",
    'http://"><script>/x',
    "http://a.example/\ud800?a=1&b=<b>",
    "",
    "data:text/html,<script>alert(1)</script>",
]
RUN = CrawlFacts("a test", datetime(2026, 11, 21, 14, 5, tzinfo=timezone.utc), 75.0)


Observed = tuple[CrawlFigures, CrawlMemory]


def observed(pages: Iterable[tuple[str, str]], **options: int) -> Observed:
    memory, figures = CrawlMemory(link_evidence=True, **options), CrawlFigures()
    for url, html in pages:
        figures.count_page(memory.observe(Page(html, url)))
    return figures, memory


@cache
def observed_demo() -> Observed:
    return observed((f"http://demo.example{path}", page.html) for path, page in DEMO_SITE.pages.items())


def contents_of(pages: list[tuple[str, str]], run: CrawlFacts = RUN, **options: int) -> Contents:
    return report_contents(*observed(pages, **options), run)


def demo(run: CrawlFacts = RUN) -> Contents:
    return report_contents(*observed_demo(), run)


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(st.sampled_from(URLS) | st.text(max_size=20), st.sampled_from(HOSTILE) | soups), max_size=4
    )
)
def test_it_is_inert(pages: list[tuple[str, str]]) -> None:
    html = report_html(contents_of(pages))
    html.encode("utf-8")
    reader = assert_inert(html)
    assert "864192" not in html
    assert len(reader.pictures) <= 30


def test_what_is_said_of_the_run_is_text_too() -> None:
    evil = "<script>alert('x')</script>"
    run = CrawlFacts(evil, RUN.made, 1.0, errors=3, waited=1_204, settings={"TEMPLCRAWL_X": evil})
    reader = assert_inert(report_html(contents_of([("http://a.example/", "<p>a")], run)))
    assert reader.text.count(evil) == 3
    assert "1,204" in reader.text


def test_the_numbers_of_the_demo_site() -> None:
    run = CrawlFacts("the demo", RUN.made, 75.0, waited=7, by_role=True)
    contents = demo(run)
    html = report_html(contents)
    reader = assert_inert(html)
    text = re.sub(r"\s+", " ", reader.text)
    assert contents.total.pages == len(DEMO_SITE.pages)
    assert f"{len(DEMO_SITE.pages)} pages of 1 site: {contents.total.template_share:.0%} of the text" in text
    assert "2026-11-21 14:05 UTC, after 1 min 15 s, by templcrawl" in text
    assert "links that waited" in text
    (site,) = contents.sites
    assert sum(row.tally.pages for row in site.types) == contents.total.pages
    assert len(reader.pictures) == min(3, len(site.types))
    assert 1 <= len(site.roles) <= 8
    assert any(row.place and row.url for row in site.roles)
    assert all(row.standing for row in site.roles)
    assert "Calendar" in [found.text for found in site.figures.texts.largest("removed")]
    for found in site.figures.texts.largest("kept"):
        assert f"kept on {found.kept} of {len(DEMO_SITE.pages)} pages" in text
        assert found.kept >= 3
    assert {row.part for row in site.types if row.path} != {""}


def test_a_page_type_has_the_kind_of_most_of_its_pages_where_kinds_are_told() -> None:
    pages = [shop.product(number) for number in range(8)] + [shop.article(number) for number in range(9)]
    contents = contents_of([(page.url, page.text) for page in pages], sections={"kinds": {}})
    (site,) = contents.sites
    found = {row.kind: row.tally.pages for row in site.types}
    assert found == {"product": 8, "article": 9}
    text = assert_inert(report_html(contents)).text
    assert all(f"{row.name} {row.kind}" in text for row in site.types)
    assert {row.kind for row in demo().sites[0].types} == {""}


def test_the_columns_of_a_page_type_are_shown_with_their_share_and_values() -> None:
    pages = [
        (f"http://a.example/{n}", f"<h1>Book {n}</h1><dl><dt>Price</dt><dd>{n}.50 €</dd></dl>")
        for n in range(9)
    ]
    contents = contents_of(pages)
    (row,) = contents.sites[0].types
    assert {name: column.share for name, column in row.columns.items()} == {
        "title": 1.0,
        "Price": 1.0,
    }
    assert all(re.fullmatch(r"\d\.50 €", text) for text in row.columns["Price"].examples)
    text = re.sub(r"\s+", " ", assert_inert(report_html(contents)).text)
    assert "What differs from page to page of a page type" in text
    assert f"Price100%{' · '.join(row.columns['Price'].examples)}" in text
    assert "What differs" not in assert_inert(report_html(contents_of(pages[:4]))).text


def test_the_typical_page_of_a_type_has_nearly_the_share_of_template_of_its_pages() -> None:
    menu = f"<nav>{'menu ' * 10}</nav>"
    pages = [
        (f"http://a.example/{n}", f"{menu}<p>{f'word{n} ' * words}")
        for n, words in enumerate((90, 1, 40, 30, 9))
    ]
    figures, memory = observed(pages)
    row = report_contents(figures, memory, RUN).sites[0].types[0]
    kept = [memory.reclassify(page.observation()) for page in figures.details["a.example"].sample()]
    shares = {page.page.url: template_share(*page.text_lengths) for page in kept}
    assert len(shares) == 5
    typical = min(shares, key=lambda url: abs(shares[url] - row.tally.mean_share))
    assert (row.example, row.share) == (typical, shares[typical])
    assert typical != pages[0][0]


def test_the_words_of_the_tables_are_explained() -> None:
    html = report_html(demo(CrawlFacts("the demo", RUN.made, 75.0, waited=7, by_role=True)))
    explained = re.findall("<dt>([^<]*)</dt><dd>[A-Z]", html)
    for word in (
        "template",
        "pagelet",
        "near-duplicate",
        "tag path",
        "role",
        "place",
        "yield",
        "link that waited",
    ):
        assert word in explained
    assert "The first page of a site is judged by itself alone" in html


def test_one_page_is_said_as_one() -> None:
    text = re.sub(r"\s+", " ", assert_inert(report_html(contents_of([("http://a.example/", "<p>a")]))).text)
    assert "1 page of 1 site: " in text
    assert "1 page, 0% of the text" in text
    assert not re.search(r"\b1 (pages|sites|page types|near-duplicates)\b", text)


def test_without_a_crawl_nothing_is_said_of_links_that_wait() -> None:
    contents = demo()
    assert not contents.sites[0].roles
    assert "links that waited" not in report_html(contents)


def test_each_page_is_listed_once_with_its_page_type() -> None:
    contents = demo()
    html = report_html(contents)
    reader = assert_inert(html)
    listed = html.partition('<table id="listed">')[2].partition("</table>")[0]
    urls = re.findall(r'<tr><td><a href="([^"]*)"', listed)
    assert urls == sorted(f"http://demo.example{path}" for path in DEMO_SITE.pages)
    sizes = {row.name: row.tally.pages for row in contents.sites[0].types}
    assert Counter(re.findall(r'<code class="label">([^<]*)<', listed)) == sizes
    assert f"All {len(urls)} listed pages" in reader.text
    assert '<div id="search" hidden>' in html


def test_a_script_or_style_that_a_page_writes_is_not_the_one_that_the_policy_allows() -> None:
    script = f"<script>{own_file('report.js')}</script>"
    html = report_html(contents_of([("http://a.example/", f"<p>{script}</p>" * 2)]))
    assert_inert(html)
    assert "unsafe-inline" not in html


def test_no_page_was_seen() -> None:
    assert "No pages were seen" in assert_inert(report_html(contents_of([]))).text


def test_of_many_sites_the_rest_is_summed_up() -> None:
    contents = contents_of([(f"http://site-{n}.example/", f"<p>words {n}</p>") for n in range(40)])
    reader = assert_inert(report_html(contents))
    assert "and 10 more sites" in reader.text
    assert (len(contents.bars), contents.rest.pages, len(contents.sites)) == (30, 10, 20)


def test_sites_that_memory_has_forgotten_are_shown_as_they_were_seen() -> None:
    pages = [
        (f"http://{host}.example/{n}", f"<nav>Menu</nav>{'<div><ul>' * n}<p>{host} {n}")
        for n in range(3)
        for host in "abc"
    ]
    contents = contents_of(pages, max_sites=1)
    assert [site.host for site in contents.sites] == ["a.example", "b.example", "c.example"]
    assert all(site.types and site.types[0].picture for site in contents.sites)


def test_the_file_is_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("before")
    write_report(demo(), path)
    assert path.read_text(encoding="utf-8").rstrip().endswith("</html>")
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(OSError, match="no"):
        write_report(demo(), tmp_path / "no" / "such.html")


_shares = st.floats(0, 1)


@given(_shares)
def test_a_bar_says_and_shows_the_share(share: float) -> None:
    svg = ET.fromstring(load_template("drawings.html.j2").module.bar(share))
    content, template = svg
    assert float(content.attrib["width"]) == 100
    assert abs(float(template.attrib["width"]) - 100 * share) <= 0.05
    assert svg.attrib["aria-label"].startswith(f"{100 * share:.0f} % template")


@given(st.lists(st.tuples(st.integers(1, 10**7), _shares), min_size=1, max_size=100))
def test_a_curve_stays_in_its_frame(found: list[tuple[int, float]]) -> None:
    points = sorted(found)
    svg = ET.fromstring(load_template("drawings.html.j2").module.curve(points))
    line = svg.find("polyline")
    assert line is not None
    places = [tuple(map(float, pair.split(","))) for pair in line.attrib["points"].split()]
    assert len(places) == len(points)
    assert all(40 <= x <= 330 and 10 <= y <= 105 for x, y in places)
    last = points[-1][0]
    assert svg.attrib["aria-label"].endswith("after 1 page" if last == 1 else f"after {last:,} pages")


def test_on_a_narrow_screen_each_cell_says_what_it_is() -> None:
    """There a row is a block, and no heading stands above its cells."""
    body = re.findall(r"(?s)<tbody>(.*?)</tbody>", report_html(demo()))
    rows = [row for rows in body for row in re.findall(r"(?s)<tr>(.*?)</tr>", rows) if "colspan" not in row]
    assert len(rows) > 20
    for row in rows:
        first, *others = re.findall(r"<(?:td|th)\b([^>]*)>", row)
        assert "data-head" not in first
        assert all('data-head="' in cell for cell in others), row
    narrow = own_file("report.css").split("@media (max-width: 640px)")[1]
    assert "td[data-head]:not(:empty)::before { content: attr(data-head)" in narrow

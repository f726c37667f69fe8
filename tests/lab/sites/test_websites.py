"""The generated site is what tests and demos take it for: its truth, its links, its habits."""

from __future__ import annotations

import html
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.sites.areas import words_of, written
from lab.sites.generated import GeneratedPage, GeneratedSite, generate_demo_site
from lab.sites.hard_sites import generate_hard_site
from lab.sites.words import Writer
from tests.lab.sites.reader import Reader

ROOT = Path(__file__).parents[3]
DIGEST = """
import hashlib
from lab.sites.generated import generate_demo_site
from lab.sites.hard_sites import HARD_SITES, generate_hard_site
site = generate_demo_site(seed="x", articles=12, products=9, chapters=2)
pages = [*site.pages.values(), site.find("/calendar/2030/2.html")]
print(hashlib.sha256(repr(pages).encode()).hexdigest())
print([generate_hard_site(name, seed="x").digest for name in HARD_SITES])
"""


@pytest.fixture(scope="module")
def site() -> GeneratedSite:
    return generate_demo_site()


@pytest.fixture(scope="module")
def read(site: GeneratedSite) -> dict[str, Reader]:
    return {path: Reader(page) for path, page in site.pages.items()}


def of_kind(site: GeneratedSite, kind: str) -> list[GeneratedPage]:
    return [page for page in site.pages.values() if page.kind == kind]


@given(st.text())
def test_written_text_reads_as_it_was_and_fits_into_quotes_and_lines(text: str) -> None:
    assert html.unescape(written(text)) == text
    assert not set(written(text)) & set('<>"\n')


def test_prose_is_varied_and_the_same_for_the_same_seed() -> None:
    first = [Writer("a").paragraph(40), Writer("b").paragraph(40)]
    assert first == [Writer("a").paragraph(40), Writer("b").paragraph(40)]
    assert not set(first[0].split(". ")) & set(first[1].split(". "))
    writer = Writer(1)
    sentences = {writer.sentence() for _ in range(1000)}
    assert len(sentences) == 1000
    assert {sentence[0].isupper() or sentence[0] in "“0123456789" for sentence in sentences} == {True}
    assert {sentence[-1] for sentence in sentences} == {".", "?"}
    assert all(4 <= len(sentence.split()) <= 30 for sentence in sentences)
    assert len({word for sentence in sentences for word in words_of(sentence)}) > 1500


def test_equal_seeds_make_equal_sites_in_every_process(monkeypatch: pytest.MonkeyPatch) -> None:
    digests = set()
    for hash_seed in ("1", "2"):
        monkeypatch.setenv("PYTHONHASHSEED", hash_seed)
        run = subprocess.run([sys.executable, "-c", DIGEST], cwd=ROOT, capture_output=True, check=True)
        digests.add(run.stdout)
    assert len(digests) == 1
    assert generate_demo_site(seed=1, articles=3).pages == generate_demo_site(seed="1", articles=3).pages
    assert generate_demo_site(seed=1).pages["/"] != generate_demo_site(seed=2).pages["/"]
    assert generate_hard_site("news", 1).digest == generate_hard_site("news", "1").digest
    assert generate_hard_site("news", 1).digest != generate_hard_site("news", 2).digest


def test_the_site_has_three_templates_and_the_pages_that_are_promised(site: GeneratedSite) -> None:
    assert Counter(page.kind for page in site.pages.values()) == {
        "start": 1,
        "list": 6,
        "article": 60,
        "print": 12,
        "service": 3,
        "shop": 1,
        "shelf": 4,
        "product": 36,
        "manual": 1,
        "chapter": 30,
    }
    templates = Counter(page.template for page in site.pages.values())
    assert templates == {"magazine": 82, "shop": 41, "manual": 31}
    assert next(iter(site.pages)) == "/"
    assert all(4_000 <= len(page.html.encode()) <= 25_000 for page in site.pages.values())


def check_truth(page: GeneratedPage, reader: Reader) -> None:
    """The words of a page are its template's with its content's in one piece between them."""
    content, template = list(page.content_words), list(page.template_words)
    assert Counter(reader.words) == Counter(content + template)
    place = next(n for n in range(len(template) + 1) if reader.words[n : n + len(content)] == content)
    assert reader.words[:place] + reader.words[place + len(content) :] == template
    assert Counter(reader.links) == Counter(page.content_links + page.template_links)


def test_the_truth_about_words_and_links_is_what_is_in_the_page(
    site: GeneratedSite, read: dict[str, Reader]
) -> None:
    for path, page in site.pages.items():
        assert page.path == path
        assert min(len(page.content_words), len(page.template_words)) > 60
        check_truth(page, read[path])


@pytest.mark.exhaustive
@given(st.integers(1, 25), st.integers(1, 20), st.integers(1, 4))
@settings(max_examples=12, deadline=None)
def test_at_any_size_every_link_resolves_and_every_page_is_reached(
    articles: int, products: int, chapters: int
) -> None:
    site = generate_demo_site(articles=articles, products=products, chapters=chapters)
    reached, waiting = {"/"}, ["/"]
    while waiting:
        page = site.find(waiting.pop())
        assert page is not None
        assert set(Reader(page).turns.values()) <= page.links
        new = page.links - reached if page.kind != "month" else frozenset()
        assert [path for path in page.links if site.find(path) is None] == []
        reached |= new
        waiting += sorted(new)
    assert set(site.pages) == {path for path in reached if not path.startswith("/calendar/")}


def test_a_site_without_pages_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one article"):
        generate_demo_site(articles=0)


def test_an_article_says_the_same_on_a_smaller_site(site: GeneratedSite) -> None:
    small = generate_demo_site(articles=2, chapters=1)
    ours, theirs = (s.pages["/news/article-1.html"].content_words for s in (site, small))
    assert ours[:300] == theirs[:300]


def test_the_list_is_turned_page_by_page_and_shows_every_article_once(
    site: GeneratedSite, read: dict[str, Reader]
) -> None:
    turned, path = ["/news/"], "/news/"
    while "a next" in read[path].turns:
        after = read[path].turns["a next"]
        assert read[after].turns["a prev"] == read[after].turns["link prev"] == path
        assert read[path].turns["link next"] == after
        path = after
        turned.append(path)
    assert turned == [page.path for page in of_kind(site, "list")]
    shown = [link for page in turned for link in site.pages[page].content_links if "article" in link]
    assert shown == [f"/news/article-{number}.html" for number in range(1, 61)]
    assert all(set(turned) - {page} <= set(site.pages[page].content_links) for page in turned)


def test_a_version_for_print_nearly_repeats_its_article(site: GeneratedSite) -> None:
    assert [page.path for page in of_kind(site, "print")][:2] == [
        "/print/article-3.html",
        "/print/article-8.html",
    ]
    changed = 0
    for page in of_kind(site, "print"):
        ours, theirs = (Counter(p.content_words) for p in (page, site.pages[page.original]))
        assert 0 < (ours - theirs).total() <= 20
        assert (ours & theirs).total() > 0.95 * ours.total()
        assert page.path in site.pages[page.original].links
        assert page.original in page.links
        changed += ours["that"] > theirs["that"]
    assert changed > 8


@given(year=st.integers(1, 10**17), month=st.integers(1, 12))
@settings(max_examples=30, deadline=None)
def test_the_calendar_goes_on_from_any_month_with_few_new_words(year: int, month: int) -> None:
    site = generate_demo_site(articles=1, products=1, chapters=1)
    page = site.find(f"/calendar/{year}/{month}.html")
    assert page is not None
    reader = Reader(page)
    check_truth(page, reader)
    after = site.find(reader.turns["a next"])
    assert after is not None
    assert Reader(after).turns["a prev"] == page.path
    new = set(after.content_words) - set(page.content_words)
    assert 3 <= len(new) <= 80


def test_what_is_no_page_is_not_found(site: GeneratedSite) -> None:
    for name in ("calendar/2026/13", "calendar/0/1", "calendar/x", "calendar/2026/01", "nothing"):
        assert site.find(f"/{name}.html") is None
        assert site.html(f"/{name}.html") is None


@pytest.mark.parametrize(
    ("year", "month", "empty", "days"),
    [(2026, 11, 6, 30), (2026, 2, 6, 28), (2028, 2, 1, 29), (2100, 2, 0, 28), (12026, 11, 6, 30)],
)
def test_a_month_has_its_days_under_their_weekdays(
    site: GeneratedSite, year: int, month: int, empty: int, days: int
) -> None:
    page = site.find(f"/calendar/{year}/{month}.html")
    assert page is not None
    assert page.html.count("<td>&nbsp;") == empty
    assert page.content_words[2 : 2 + days] == tuple(map(str, range(1, days + 1)))
    assert page.content_words[2 + days] != str(days + 1)
    assert page.html.count("<tr>") == -(-(empty + days) // 7)

"""The hard sites are what the floors take them for: their truth, their order, and what makes each hard."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from lxml import etree, html

from lab.sites.areas import words_of
from lab.sites.generated import GeneratedPage
from lab.sites.hard.menus import LINKS
from lab.sites.hard.sheets import Sheet, in_link_order
from lab.sites.hard_sites import HARD_SITES, generate_hard_site
from tests.lab.sites.reader import INLINE

ROOT = Path(__file__).parents[3]
UNSEEN = {"head", "script", "style", "noscript", "template"}
DIGESTS = """
from lab.sites.hard_sites import HARD_SITES, generate_hard_site
print([generate_hard_site(name, seed="x").digest for name in HARD_SITES])
"""
MARKED = "header nav main aside footer article section".split()


@cache
def pages_of(name: str) -> tuple[GeneratedPage, ...]:
    return generate_hard_site(name).pages


@cache
def tree_of(page: GeneratedPage) -> html.HtmlElement:
    return html.document_fromstring(page.html)


def visible_text(element: html.HtmlElement) -> str:
    """Return the text of an element as lxml reads it; inline elements do not divide a word."""
    inside = [element.text or ""]
    for child in element:
        seen = isinstance(child.tag, str) and child.tag not in UNSEEN
        inside += [visible_text(child) if seen else "", child.tail or ""]
    gap = "" if element.tag in INLINE | {"small"} else " "
    return gap + "".join(inside) + gap


def tags_of(page: GeneratedPage) -> set[str]:
    return {str(element.tag) for element in tree_of(page).body.iter(etree.Element)}


def runs_of(page: GeneratedPage) -> list[str]:
    """Return the runs of visible text of a page, in order."""
    found = tree_of(page).body.xpath(".//text()[not(ancestor::script)]")
    return [run for run in found if run.strip()]


@pytest.mark.parametrize("name", HARD_SITES)
def test_the_words_and_links_of_content_and_template_are_all_that_a_page_shows(name: str) -> None:
    for page in pages_of(name):
        seen = Counter(words_of(visible_text(tree_of(page))))
        assert seen == Counter(page.content_words + page.template_words), page.path
        assert min(len(page.content_words), len(page.template_words)) > 20, page.path
        targets = Counter(tree_of(page).xpath("//body//a/@href[not(starts-with(., '#'))]"))
        assert targets == Counter(page.content_links + page.template_links), page.path


@pytest.mark.parametrize("name", HARD_SITES)
def test_a_site_has_about_20_pages_in_the_order_of_their_links(name: str) -> None:
    pages = pages_of(name)
    assert 19 <= len(pages) <= 21
    assert pages[0].path == "/"
    linked = {"/"}
    for page in pages:
        assert page.path in linked
        linked |= page.links
    assert len({page.path for page in pages}) == len({page.html for page in pages}) == len(pages)


def test_a_page_that_no_link_leads_to_is_refused() -> None:
    with pytest.raises(ValueError, match="/lost"):
        in_link_order([Sheet("/", "home").press("x"), Sheet("/lost", "page").press("x")])


def test_equal_seeds_make_equal_sites_in_every_process(monkeypatch: pytest.MonkeyPatch) -> None:
    printed = set()
    for hash_seed in ("1", "2"):
        monkeypatch.setenv("PYTHONHASHSEED", hash_seed)
        run = subprocess.run([sys.executable, "-c", DIGESTS], cwd=ROOT, capture_output=True, check=True)
        printed.add(run.stdout)
    assert len(printed) == 1
    assert generate_hard_site("news", 1).digest == generate_hard_site("news", "1").digest
    assert generate_hard_site("news", 1).digest != generate_hard_site("news", 2).digest


def test_nothing_marks_a_part_of_div_soup() -> None:
    for page in pages_of("div-soup"):
        small = {"a", "b", "br", "img", "form", "input", "button", "script", "body"}
        assert tags_of(page) <= {"div", "span", "table", "tbody", "tr", "td"} | small
        assert all(re.fullmatch(r"[a-z]\d", name) for name in tree_of(page).xpath("//body//@class"))


def test_everything_is_marked_where_nav_tags_are() -> None:
    for page in pages_of("nav-tags"):
        assert tags_of(page) >= {"header", "nav", "main", "aside", "footer"}
        roles = set(tree_of(page).xpath("//@role"))
        assert roles == {"banner", "complementary", "contentinfo", "dialog", "main", "search"}


def test_a_minified_page_is_one_line_without_what_can_go() -> None:
    for page in pages_of("minified"):
        assert "\n" not in page.html
        assert not re.search(r"</(li|p|td|tr|dt|dd|option|body|html)>", page.html)
        assert not re.search(r'<[a-z][^<>]*="[\w/.-]+"', page.html)


def test_a_heavy_template_is_constant_and_many_times_as_long_as_the_content() -> None:
    pages = pages_of("heavy-template")
    assert len({page.template_words for page in pages}) == len({page.template_links for page in pages}) == 1
    template = pages[0]
    assert len(template.template_words) >= 1_200
    assert len(template.template_links) == LINKS == 200
    assert len(runs_of(template)) >= 2 * LINKS
    assert max(len(page.content_words) for page in pages) < 150


def test_the_active_entry_moves_and_its_section_alone_is_open() -> None:
    actives = set()
    for page in pages_of("moving-active"):
        tree = tree_of(page)
        (active,) = tree.xpath("//li[contains(@class, 'active')]")
        actives.add(active.xpath("string(span)"))
        assert not active.xpath("./a")
        opened = tree.xpath("//ul[contains(@class, 'level-2')]")
        assert len(opened) == len(tree.xpath("//li[contains(@class, 'open')]")) == (page.path != "/")
        assert (len(tree.xpath("//ol[@class='crumbs']/li")) >= 2) == (page.path != "/")
    assert len(actives) > 15


def test_variants_and_versions_for_print_nearly_repeat_their_original() -> None:
    pages = {page.path: page for page in pages_of("near-duplicates")}
    copies = [page for page in pages.values() if page.original]
    assert Counter(page.kind for page in copies) == {"variant": 10, "print": 5}
    for page in copies:
        ours, theirs = (Counter(p.content_words) for p in (page, pages[page.original]))
        assert (ours - theirs).total() <= 8
        assert ours != theirs or page.kind == "print"


def test_half_of_the_mixed_pages_have_the_side_bar() -> None:
    pages = pages_of("mixed-types")
    assert len({page.kind for page in pages}) == 5
    with_side_bar = [page for page in pages if tree_of(page).xpath("//div[@class='side']")]
    assert 0.4 < len(with_side_bar) / len(pages) < 0.6


def test_what_a_directory_lists_is_links_and_its_template_too() -> None:
    for page in pages_of("link-lists"):
        linked = Counter(words_of(" ".join(tree_of(page).xpath("//a//text()"))))
        assert (linked & Counter(page.content_words)).total() > 0.75 * len(page.content_words)
        assert len(page.template_links) > 60


def test_documentation_lists_the_whole_book_and_repeats_its_phrases() -> None:
    pages = pages_of("documentation")
    for page in pages:
        assert {other.path for other in pages} <= set(page.template_links)
        assert len(tree_of(page).xpath("//li[contains(@class, 'current')]")) == 1
        for phrase in ("Parameters", "Returns", "Raises", "Examples", "ValueError"):
            assert page.content_words.count(phrase) >= 3
        assert tree_of(page).xpath("//pre")


def test_news_show_other_teasers_on_each_page() -> None:
    related = set()
    for page in pages_of("news"):
        if page.kind == "story":
            boxes = tree_of(page).xpath("//div[@class='box n4']")
            related.add(boxes[0].text_content())
            assert len(boxes[0].xpath(".//a")) == 4
    assert len(related) == 16

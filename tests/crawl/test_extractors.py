"""Extractors: chosen by name, run on what the separation leaves, never in the way of an item."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.sites.server import LocalSite
from templcrawl.errors import InvalidOption
from templcrawl.outputs.extractors import extractor
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation
from tests.crawl.crawls import ONE_LINE, run_crawl
from tests.parts import exhaustive_but

OWN = "lab.sites.shop.extractors"
TEXT = " ".join(f"The {n}th sentence of the story tells of rain, wind and a long road." for n in range(12))
STORY = (
    f"<html><head><title>x</title></head><body><div>{TEXT}</div>"
    f"<div><h1>A story</h1><p>{TEXT}</p></div>"
    "<ul><li><a href=/b>another story that is told elsewhere</a></ul>"
    "</body>"
)
ROOMY = 3
"""Kinds of the shop's items that have room for an article: ``dict``, ``AskingDict`` and ``PageItem``."""
ASKED = {**ONE_LINE, "TEMPLCRAWL_ITEM_FIELDS": ["content_text", "article_text"]}


def separated(html: str) -> Separation:
    """A page whose second sentence-rich element alone is content."""
    page = Page(html, "https://example.org/a")
    start = page.tokens.form_names.index("h1")
    place = page.tokens.form_of.index(start)
    return Separation(page, ((place - 1, len(page.tokens)),))


def test_ours_is_the_article_mode() -> None:
    assert extractor("article")(separated(STORY)) == f"A story\n{TEXT}"


def test_a_function_of_a_library_is_given_what_is_left_of_the_page() -> None:
    pytest.importorskip("trafilatura")
    found = extractor("trafilatura.extract")(separated(STORY))
    assert found.count("The 3th sentence") == 1
    assert extractor("trafilatura.extract")(Separation(Page("", ""), ())) == ""


def test_a_function_of_one_s_own_is_named_by_its_path() -> None:
    separation = separated(STORY)
    document = f"<!DOCTYPE html>\n<html><body>{separation.content_html}</body></html>"
    assert extractor(f"{OWN}.shout")(separation) == f"https://example.org/a: {len(document)} CHARACTERS"
    assert extractor(f"{OWN}.nothing")(separation) == ""


@pytest.mark.parametrize("name", ["toast", "no.such.module", f"{OWN}.missing", f"{OWN}.not_callable", "."])
def test_what_is_no_extractor_is_refused_with_what_is_accepted(name: str) -> None:
    with pytest.raises(InvalidOption, match="'article', or the path of a function"):
        extractor(name)


@pytest.mark.parametrize(
    ("name", "stat"),
    exhaustive_but(
        [("failing", "errors/RuntimeError")],
        [("failing", "errors/RuntimeError"), ("nothing", "articles/none_found"), ("shout", "")],
    ),
)
def test_in_a_crawl_each_item_has_its_article_or_else_its_content(
    name: str, stat: str, site: LocalSite, tmp_path: Path
) -> None:
    settings = {**ASKED, "TEMPLCRAWL_EXTRACTOR": f"{OWN}.{name}", "CLOSESPIDER_PAGECOUNT": 9}
    crawl = run_crawl("plain", site.url, tmp_path, settings)
    items = [item for kind, item in crawl.items if kind == "dict"]
    assert len(items) > 5
    if stat:
        assert all(item["article_text"] == item["content_text"] for item in items)
        assert crawl.stats[f"templcrawl/{stat}"] == ROOMY * len(items)
    else:
        assert all(item["article_text"].endswith(" CHARACTERS") for item in items)
        assert not [stat for stat in crawl.stats if stat.startswith("templcrawl/errors")]

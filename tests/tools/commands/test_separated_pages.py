"""The detectors of a whole site over an archive, by DuckDB; how much of a page is template."""

from __future__ import annotations

from hypothesis import given, settings

from templcrawl.memory.observation import Observation
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation
from templcrawl.tools.commands.detect_tables import (
    COLUMNS,
    SEPARATED_PAGES,
    SITE_TABLES,
    Amounts,
    page_row,
    template_amounts,
)
from templcrawl.tools.whole_site import SITE_DETECTORS
from tests.strategies import mask_of, noises, soups, spans_of

MOST = 2**24


def test_there_are_tables_for_every_detector() -> None:
    assert tuple(SITE_TABLES) == tuple(SITE_DETECTORS)
    assert set(COLUMNS) == {table for tables in SITE_TABLES.values() for table in tables}


def test_a_row_by_hand() -> None:
    page = Page("<p>Tea and milk<p><a href=/b>B</a>", "http://a.example/x")
    row = page_row(Observation(Separation(page, [(0, 2)]), leaf_id="3"), max_bytes=MOST)
    one = dict(zip(COLUMNS[SEPARATED_PAGES], row))
    assert (one["url"], one["host"], one["template"]) == ("http://a.example/x", "a.example", "3")
    assert (one["bytes"], one["template_bytes"]) == (34, len("<p><a href=/b>B</a>"))
    assert (one["words"], one["template_words"]) == (4, 1)
    assert (one["links"], one["template_links"]) == (1, 1)
    assert one["truncated"] is False
    assert -(2**63) <= one["page"] < 2**63
    assert page_row(Observation(Separation(page, [(0, 2)])), max_bytes=34)[-1] is True


def test_an_address_that_is_no_text_is_made_one() -> None:
    page = Page("<p>Tea", "http://a.example/\ud800")
    assert page_row(Observation(Separation(page, [])), max_bytes=MOST)[1] == "http://a.example/\ufffd"


def test_amounts_are_those_of_the_template_spans() -> None:
    page = Page("<ul><li><a href=/é>Tea</a></ul><p>Two words <a href=/b>more</a>", "http://a.example/")
    template, whole = template_amounts(Separation(page, [(6, len(page.tokens))]))
    assert template == Amounts(len("<ul><li><a href=/é>Tea</a></ul>".encode()), 1, 1)
    assert whole == Amounts(len(page.text.encode()), 4, 2)


@settings(deadline=None)
@given(soups, noises)
def test_template_and_content_add_up(html, noise) -> None:
    page = Page(html, "http://a.example/")
    mask = mask_of(noise, len(page.tokens))
    one, whole = template_amounts(Separation(page, spans_of(mask)))
    other, again = template_amounts(Separation(page, spans_of(bytes(1 - value for value in mask))))
    assert tuple(a + b for a, b in zip(one, other)) == whole == again
    assert whole.html == len(html.encode("utf-8", "replace"))

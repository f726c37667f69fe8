"""The template of a page as a page: what is in it, its base, its scripts."""

from __future__ import annotations

import pytest
from hypothesis import given

from templcrawl.page.page import Page
from templcrawl.page.render import text_of
from templcrawl.page.separation import Separation
from templcrawl.page.template_page import template_page
from tests.strategies import mask_of, noises, trees, word_soups, written

URL = "http://example.org/a/b"


def write(html: str, url: str = URL, **options: object) -> str:
    """Write the template of a page; what stands between [ and ] is content."""
    page = Page(html.replace("[", "<!--[-->").replace("]", "<!--]-->"), url)
    mask, side = bytearray(), 0
    for form in page.tokens.form_of:
        side = {"<!--[-->": 1, "<!--]-->": 0}.get(page.tokens.forms[form], side)
        mask.append(side)
    return template_page(page, bytes(mask), **options)  # type: ignore[arg-type]


def test_the_body_is_written_less_its_content() -> None:
    found = write(
        "<!DOCTYPE html><html lang=en><head><title>x</title></head><body class=b><!-- c -->"
        "<nav>Menu</nav>[<div><p>Text</p></div>]<i id=i></i><p>Foot [note] er</p></body></html>"
    )
    assert found.startswith("<!DOCTYPE html><html lang=en><head><meta charset")
    assert found.endswith(
        "<title>x</title></head><body class=b><nav>Menu</nav> <i id=i></i><p>Foot   er</p></body></html>"
    )


def test_an_element_with_template_in_it_stays() -> None:
    assert write("[<div id=x>Text]<p>Menu</p>[</div>]").endswith("<div id=x> <p>Menu</p></div>")


def test_a_title_that_is_content_goes_and_the_rest_of_the_head_stays() -> None:
    found = write("<head>[<title>x</title><link href=s.css><style>p {}</style>]</head>")
    assert "<title>" not in found
    assert found.endswith("<link href=s.css><style>p {}</style></head>")


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ("", "http://example.org/a/b"),
        ("<base href='/c/'>", "http://example.org/c/"),
        ("<base href='http://cdn.example.org/'>", "http://cdn.example.org/"),
    ],
)
def test_relative_links_start_from_where_they_did(base: str, expected: str) -> None:
    assert f'<base href="{expected}">' in write(f"<head>{base}</head><a href=x>x</a>")


def test_the_base_can_be_given_and_is_escaped() -> None:
    assert '<base href="file:///x?a=1&amp;b=&quot;">' in write("<p>x", base='file:///x?a=1&b="')


def test_scripts_are_off_unless_asked_for() -> None:
    html = "<head><script>a()</script></head><body onload='b()'>Menu<script src=x></script></body>"
    off, on = write(html), write(html, scripts=True)
    assert "<script" not in off
    assert "script-src 'none'" in off
    assert "<script>a()</script>" in on
    assert "<script src=x></script>" in on
    assert "Content-Security-Policy" not in on


@pytest.mark.parametrize("scripts", [False, True])
def test_nobody_is_sent_elsewhere(scripts: bool) -> None:
    html = "<head><meta http-equiv=Refresh content='0; url=/x'><meta name=y></head>Menu"
    found = write(html, scripts=scripts)
    assert "efresh" not in found
    assert "<meta name=y>" in found


@pytest.mark.parametrize("html", ["", "Menu", "<!doctype html>Menu", "<html><p>Menu", "<head></head>Menu"])
def test_the_head_is_first_whatever_the_page_has(html: str) -> None:
    found = write(html)
    assert found.count('<meta charset="utf-8">') == 1
    assert found.index("<meta charset") < (found.find("Menu") + 1 or len(found))


def text(page: Page, mask: bytes, side: int) -> str:
    return "".join(text_of(page, mask, side).split())


@given(word_soups | trees.map(lambda tree: written(tree, optional_ends=False)), noises)
def test_it_says_what_the_template_says(html: str, noise: bytes) -> None:
    page = Page(html, URL)
    mask = mask_of(noise, len(page.tokens))
    again = Page(template_page(page, mask), URL)
    assert text(again, bytes([1]) * len(again.tokens), 1) == text(page, mask, 0)


@given(trees.map(lambda tree: written(tree, optional_ends=False)))
def test_a_page_that_is_all_template_is_written_as_it_is(html: str) -> None:
    page = Page(html, URL)
    separation = Separation(page, [])
    found = template_page(page, separation.content_mask)
    head, _, body = found.partition("</head>")
    assert head.startswith("<head>")
    assert Page(body, URL).elements.names == Page(html.strip(), URL).elements.names

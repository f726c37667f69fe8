"""The template of a page as a page: what is in it, its base, its scripts."""

from __future__ import annotations

import re

import pytest
from hypothesis import given

from templcrawl.page.page import Page
from templcrawl.page.render import text_of
from templcrawl.page.separation import Separation
from templcrawl.page.template_page import template_page
from tests.strategies import mask_of, noises, trees, word_soups, written

pytestmark = pytest.mark.usefixtures("reader")

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


def test_the_skeleton_of_a_page_stays_that_is_all_content() -> None:
    found = write("[<html lang=en><head><title>x</title></head><body class=b><p>Text</p></body></html>]")
    assert found.startswith("<html lang=en><head>")
    assert found.endswith("</head><body class=b> </body></html>")


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
    assert "default-src 'none'; style-src" in off
    assert "script-src" not in off
    assert "<script>a()</script>" in on
    assert "<script src=x></script>" in on
    assert "Content-Security-Policy" not in on


def test_links_that_fetch_ahead_go_with_the_scripts() -> None:
    html = (
        "<head><link rel='icon PREFETCH' href=x><link href=y rel=preload><link rel=stylesheet href=z></head>"
    )
    assert re.findall("<link.*?>", write(html)) == ["<link rel=stylesheet href=z>"]
    assert len(re.findall("<link.*?>", write(html, scripts=True))) == 3


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


@pytest.mark.parametrize(
    "before", ["", "<!-- c -->", "<!doctype html>", "<html lang=en>", " \n<!doctype html>\n<html>\n"]
)
def test_the_policy_stands_in_the_head_of_the_page_where_browsers_open_one(before: str) -> None:
    found = write(f"{before}<head class=a><title>x</title></head><p>Menu")
    assert "<head class=a><meta charset" in found
    assert found.count("<head") == 1


@pytest.mark.parametrize(
    "before",
    [
        "<p>x</p>",
        "<body onload=a()>",
        "x",
        "\N{NO-BREAK SPACE}",
        "\v",
        "\ufeff",
        "<html><br>",
        "<svg>",
        "</br>",
        "\0",
    ],
)
def test_the_policy_stands_before_what_opens_the_body(before: str) -> None:
    found = write(f"<!doctype html><!-- c -->{before}<html><head><title>x</title></head><p>Menu")
    policy = found.index("Content-Security-Policy")
    assert found[:policy].removeprefix("<!doctype html>").removeprefix("<html>").startswith("<head><meta")


@pytest.mark.parametrize(
    "html",
    [
        "<iframe srcdoc='<img src=/x>'></iframe>",
        "<iframe a SRCDOC = '<img src=/x>'></iframe>",
        "<iframe/srcdoc='<img src=/x>'></iframe>",
        "<iframe id='a'srcdoc='<img src=/x>'></iframe>",
        "<svg><title><iframe srcdoc='<img src=/x>'></iframe></title></svg>",
        "<noscript><p title=\"</noscript><iframe srcdoc='<img src=/x>'>\">x</p></noscript>",
    ],
)
def test_no_frame_brings_a_document_of_its_own_unless_scripts_may_run(html: str) -> None:
    of_its_own = re.compile(r"""(?<![\w-])srcdoc\s*=""", re.IGNORECASE).search
    assert not of_its_own(write(f"<body>Menu {html}"))
    assert of_its_own(write(f"<body>Menu {html}", scripts=True))


@pytest.mark.parametrize("scripts", [False, True])
@pytest.mark.parametrize(
    "html",
    [
        "<svg><title><meta http-equiv=refresh content='0; url=/x'></title></svg>",
        "<noscript><p title=\"</noscript><meta http-equiv='refresh' content='0; url=/x'>\">x</p></noscript>",
        "<meta HTTP-EQUIV='refre&#115;h' content='0; url=/x'>",
    ],
)
def test_nobody_is_sent_elsewhere_by_what_browsers_read_otherwise(html: str, scripts: bool) -> None:
    found = write(f"<body>Menu {html}", scripts=scripts).replace('<meta http-equiv="Content-Sec', "")
    assert not re.search(r"""(?<![\w-])http-equiv""", found, re.IGNORECASE)


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

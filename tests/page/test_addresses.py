"""Links and addresses: where Scrapy would go from here, and what the page says about it."""

from __future__ import annotations

import subprocess
import sys
from html import escape
from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor

from templcrawl.page.addresses import Link, directory_of, host_of, link_resolver, path_and_query, url_key
from templcrawl.page.page import Page
from templcrawl.page.text import attribute_text
from templcrawl.page.tokens import attribute
from tests.strategies import plain_hrefs, soups

pytestmark = pytest.mark.usefixtures("reader")

BASE = "https://example.org/a/b.html?c=d/e"

RESOLVED = [
    (" c.html\n", "https://example.org/a/c.html"),
    ("http://other.org", "http://other.org"),
    ("HTTP://Other.org:80/C", "http://other.org:80/C"),
    ("https://example.org/c#d", "https://example.org/c"),
    ("file:///c", "file:///c"),
    # what needs writing another way
    ("c d", "https://example.org/a/c%20d"),
    ("Zoë?ä", "https://example.org/a/Zo%C3%AB?%C3%A4"),
    ("c|d", "https://example.org/a/c%7Cd"),
    ("?a[]='b'", "https://example.org/a/b.html?a%5B%5D=%27b%27"),
    ("c\nd", "https://example.org/a/cd"),
    ("//bücher.example/", "https://xn--bcher-kva.example/"),
    # character references, by the rules for attributes
    ("c?a=1&amp;b=2", "https://example.org/a/c?a=1&b=2"),
    ("c?a=1&region=eu", "https://example.org/a/c?a=1&region=eu"),
    ("c?a=1&copy=2&para;", "https://example.org/a/c?a=1&copy=2%C2%B6"),
    ("c?a&copy", "https://example.org/a/c?a%C2%A9"),
    ("c&#x2F;d&#47e", "https://example.org/a/c/d/e"),
    ("java&#115;cript:void(0)", None),
    ("&#35;top", None),
    # no other page
    ("", None),
    ("#top", None),
    ("javascript:void(0)", None),
    ("mailto:me@example.org", None),
    ("data:text/html,<p>", None),
    ("ftp://example.org/c", None),
    ("httpx://example.org/c", None),
    ("http://[c", None),
]


@pytest.mark.parametrize(("href", "url"), RESOLVED)
def test_where_a_link_leads(href: str, url: str | None) -> None:
    assert link_resolver(BASE)(attribute_text(href)) == url


@pytest.mark.parametrize(
    ("base", "href", "url"),
    [
        ("http://example.org", "a", "http://example.org/a"),
        ("http://example.org?a/b", "c", "http://example.org/c"),
        ("http://example.org/a/../b/c", "d", "http://example.org/b/d"),
        ("http://example.org/a//b", "c", urljoin("http://example.org/a//b", "c")),
        ("http://example.org/é/", "a", "http://example.org/%C3%A9/a"),
        ("http://example.org:8080/a", "/b", "http://example.org:8080/b"),
        ("file:///saved/a.html", "b.html", "file:///saved/b.html"),
        ("file:///saved/a.html", "/b.html", "file:///b.html"),
        ("", "a.html", "a.html"),
        ("", "/a.html", "/a.html"),
        ("", "//example.org/a", "//example.org/a"),
        ("/saved/a.html", "b.html", "/saved/b.html"),
        ("http://[", "a", "a"),
        ("http://[", "http://example.org/", "http://example.org/"),
    ],
)
def test_where_a_link_leads_from_elsewhere(base: str, href: str, url: str | None) -> None:
    assert link_resolver(base)(href) == url


BASES = [
    *(BASE, "http://example.org", "http://example.org/a/../b//c/d?e", "http://e_x.org/a/b/"),
    *("http://example.org:080/", "http://example.org?a/b", "http://example.org/a/b.html?c=/d"),
]

climbing_hrefs = st.lists(
    st.sampled_from(
        ["../", "./", "..", ".", "a", "a/", "/", "//", "?b", ";c", "b:c", "mailto:d", "%20", "é"]
    ),
    max_size=5,
).map("".join)


@given(
    st.sampled_from(BASES),
    plain_hrefs | climbing_hrefs,
)
@example("http://example.org/a/b", "c?")
@example("http://example.org/a/b", "http://c/d?")
@example("http://example.org/a/b", "c;")
@example("http://example.org/a/b", "c;?d")
@example("http://example.org/a/b", "c//d")
@example("http://example.org/a/b", "http:c")
@example("http://example.org/a/b", "http:///c")
@example("http://example.org/a/b/c", "..//d")
@example("http://example.org/a/b/c", "../..")
@example("http://example.org/a/b/c", "./d:e")
@example("http://example.org/a/b/c", "//d.org/e:f?g")
def test_a_link_leads_where_scrapy_would_go(base: str, href: str) -> None:
    written = href.partition("#")[0]
    try:
        expected = Request(urljoin(base, written)).url if written else None
    except ValueError:
        expected = None
    if expected and expected.partition(":")[0] not in ("http", "https", "file"):
        expected = None
    assert link_resolver(base)(href) == expected
    assert Page(f"<a href='{escape(href)}'>", base).links.urls == ([expected] if expected else [])


@given(st.text(max_size=20))
def test_any_text_is_a_link_or_none(href: str) -> None:
    url = link_resolver(BASE)(href)
    assert url is None or url.startswith(("http", "file"))
    assert url is None or "#" not in url


@pytest.mark.parametrize(
    ("url", "host", "directory"),
    [
        ("https://example.org/blog/2026/post.html?page=2/3#x/y", "example.org", "/blog/2026/"),
        ("https://Example.ORG:8080", "example.org:8080", "/"),
        ("https://me:secret@example.org/a", "example.org", "/"),
        ("file:///saved/site/a.html", "file", "/saved/site/"),
        ("", "", "/"),
        ("http://[", "", "/"),
    ],
)
def test_the_host_and_the_directory_of_a_page(url: str, host: str, directory: str) -> None:
    assert (host_of(url), directory_of(url)) == (host, directory)


@given(
    st.sampled_from(["http://a.b", "https://x-1.org:80", "HTTP://a", "//a", ""]),
    st.text("/?#\t\n a.:=[\u00e9"),
)
def test_the_path_and_the_query_are_those_of_the_standard_library(start: str, rest: str) -> None:
    try:
        parts = urlsplit(start + rest)
    except ValueError:
        assert path_and_query(start + rest) == ("", "")
    else:
        assert path_and_query(start + rest) == (parts.path, parts.query)


def test_a_url_key_leaves_the_fragment_out_and_is_equal_in_another_process() -> None:
    url = "https://example.org/Zoë"
    assert url_key(f"{url}#top") == url_key(url) != url_key(f"{url}?")
    code = f"from templcrawl.page.addresses import url_key; print(url_key({url!r}))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(run.stdout) == url_key(url)


def links_of(html: str, url: str = BASE) -> list[Link]:
    return list(Page(html, url).links)


def test_a_link_has_an_anchor_text_and_a_rel() -> None:
    html = (
        "<a href=c rel='Next nofollow'> 1 &gt;\n <b>two</b> </a><a href=#top>top</a><map><area href=/d></map>"
    )
    page = Page(html, BASE)
    assert list(page.links) == [
        Link("https://example.org/a/c", "1 > two", 1, "next nofollow"),
        Link("https://example.org/d", "", 5, ""),
    ]
    assert [page.elements.names[link.element] for link in page.links] == ["a", "area"]
    assert page.links[1].url == page.links.urls[1]
    assert page.links.keys == list(map(url_key, page.links.urls))
    assert len(page.links) == 2


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        ("<b>T</b>ea", "Tea"),
        ("t<wbr>e<!-- -->a", "tea"),
        ("<span>tea</span> <i>pot</i>", "tea pot"),
        ("tea<br>pot", "tea pot"),
        ("tea<img src=x>pot", "tea pot"),
        ("<div>tea</div>pot", "tea pot"),
        ("a&am<b>p;</b>", "a&amp;"),
        ("tea &#" + "9" * 5_000 + ";", "tea \ufffd"),
    ],
)
def test_an_anchor_text_is_as_a_reader_sees_it(inside: str, text: str) -> None:
    assert links_of(f"<a href=c>{inside}</a>")[0].text == text


def test_an_anchor_text_ends_with_its_link_and_has_no_scripts_and_comments() -> None:
    html = "<a href=c>tea<script>'milk'</script><!-- sugar --><img alt=cup></a>pot"
    assert links_of(html)[0].text == "tea"
    assert links_of("<p><a href=c>tea</p>milk")[0].text == "tea"
    assert links_of("<a href=c>tea<a href=d>milk")[0].text == "tea"


def test_an_anchor_text_is_read_for_two_hundred_tokens() -> None:
    text = links_of("<a href=c>" + "<b>tea </b>" * 100_000)[0].text
    assert text.split() == ["tea"] * 66


@pytest.mark.parametrize(
    "url", ["https://example.org/Zoë", "https://Example.org/a b?c#d", "http:///a", "x:y", ""]
)
def test_the_key_of_a_page_is_that_of_links_to_it(url: str) -> None:
    page = Page(f"<a href='{url}'>", BASE)
    assert page.links.keys in ([Page("", url).key], [])
    assert Page("", url).key == Page("", f"{url}#top").key


def test_a_base_longer_than_any_address_that_is_requested_is_passed_over() -> None:
    for base, url in (("/" + "z" * 2_000 + "/", "/" + "z" * 2_000 + "/c"), ("/" + "z/" * 5_000, "/a/c")):
        page = Page(f"<base href='{base}'><a href=c>c</a>", BASE)
        assert page.links.urls == [f"https://example.org{url}"]


def test_from_a_long_address_only_what_names_no_directory_leads_elsewhere() -> None:
    resolve = link_resolver("https://example.org/" + "z/" * 5_000)
    found = [resolve(href) for href in ("c", "../c", "?c", "/c", "//other.org/c", "http://other.org/", "#c")]
    assert found == [None] * 3 + ["https://example.org/c", "https://other.org/c", "http://other.org/", None]
    resolve = link_resolver("https://" + "z" * 50_000 + "/")
    assert [resolve(href) for href in ("c", "http://other.org/")] == [None, "http://other.org/"]


def test_the_first_base_with_an_address_is_where_links_start_from() -> None:
    html = (
        "<base target=x><base href='/z/&amp;/'><base href=/y/><a href=c>c</a><a href=/d>d</a><a href=?e>e</a>"
    )
    assert [link.url for link in links_of(html)] == [
        "https://example.org/z/&/c",
        "https://example.org/d",
        "https://example.org/z/&/?e",
    ]
    assert links_of("<!-- <base href=/z/> --><a href=c>")[0].url == "https://example.org/a/c"
    assert links_of("<base href='//[z/'><a href=c>")[0].url == "https://example.org/a/c"
    assert links_of("<base href=//other.org/z/><a href=c>")[0].url == "https://other.org/z/c"


@given(soups)
def test_links_are_the_anchors_that_lead_to_another_page(text: str) -> None:
    page = Page(text, BASE)
    resolve = link_resolver(page.base_url)
    tags = [
        (element, page.tokens.forms[page.tokens.form_of[page.elements.opens[element]]])
        for element, name in enumerate(page.elements.names)
        if name in ("a", "area")
    ]
    raw = [(element, attribute(tag, "href")) for element, tag in tags]
    expected = [(element, resolve(href)) for element, href in raw if resolve(href) is not None]
    assert list(zip(page.links.elements, page.links.urls)) == expected
    assert [link.element for link in page.links] == page.links.elements


PAGE = """<!doctype html><html><head><base href="https://example.org/z/"><title>t</title></head><body>
<a href="c.html">one</a> <a href=d>two</a> <a href='/e?f=1&amp;g=2'>three</a> <a href="?h">four</a>
<A HREF="../i">five</A> <a href="//other.org/j">six</a> <a href="https://other.org/k#l">seven</a>
<a class=x title="a > b" href="m n">eight</a> <a href="Zo&euml;">nine</a> <a rel=nofollow href=o/>ten</a>
<a href="/p?q=1&region=2&copy=3">eleven</a> <a name=here>twelve</a> <a href="mailto:me@example.org">mail</a>
<a href="javascript:go()">go</a> <map><area href="/r" alt=r></map> <!-- <a href=s>s</a> -->
<script>document.write('<a href="t">t</a>')</script> <a title='href=u' href=v>v</a> <a href="w|x[]">w</a>
<a href=" y ">y</a> <a href="aa;b=1/./cc">z</a> <a href="TEL:1">tel</a></body></html>"""


def test_the_links_of_a_page_are_those_that_scrapy_extracts() -> None:
    response = HtmlResponse(BASE, body=PAGE.encode(), encoding="utf-8")
    extractor = LinkExtractor(unique=False, deny_extensions=())
    expected = [link.url.partition("#")[0] for link in extractor.extract_links(response)]
    assert Page(PAGE, BASE).links.urls == expected
    assert len(expected) == 16

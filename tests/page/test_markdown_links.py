"""No link or image of the Markdown of any page runs anything where the Markdown is shown."""

from __future__ import annotations

import re
from html import escape
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from templcrawl.page.markdown import markdown_of
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation, whole
from templcrawl.page.tokens import Limits
from tests.parts import exhaustive_but
from tests.strategies import soups

pytest.importorskip("turbohtml")
markdown_it = pytest.importorskip("markdown_it")

BASE = "https://tea.example/shop/green.html"
ALLOWED = frozenset("ftp ftps geo http https irc ircs mailto news sftp sms tel xmpp".split())
CLEANED = ["java\nscript:x", "java\tscript:x", "java\rscript:x", "javascript\n:x", "\n\tjava\r\n\tscript:x"]
LED = [chr(number) + "javascript:x" for number in range(0x21)] + [" \x01\x1f JavaScript:x", "\x0bvbscript:x"]
SCHEMES = """javascript:x¦JAVASCRIPT:x¦vbscript:x¦data:text/html,x¦DATA:text/html;base64,eA==¦data:,¦x:y
data:image/svg+xml,x¦blob:https://a.example/x¦view-source:x¦file:///etc/x¦about:blank¦livescript:x¦mocha:x
filesystem:https://a.example/x¦jar:https://a.example!/x¦intent:x""".replace("\n", "¦").split("¦")
HARMLESS = """\xa0javascript:x¦\x85javascript:x¦\u2028javascript:x¦\u3000javascript:x¦\ufeffjavascript:x
javascript\\:x¦&#106;avascript:x¦java&Tab;script:x¦java&NewLine;script:x¦javascript&colon;x¦%6aavascript:x
java%0ascript:x¦java\x00script:x¦java\x7fscript:x¦java script:x¦java\\script:x¦java\u017fcript:x
\uff4aavascript:x¦./javascript:x¦?javascript:x¦#javascript:x¦/javascript:x¦1javascript:x¦+data:text/html,x
<javascript:x>¦x> (javascript:x)¦x) [a](javascript:x¦x](y¦x "t") [a](javascript:x¦x 't' [a]: javascript:x
`javascript:x`¦x`y¦x|y¦x\\¦x\\)¦//x:y@z""".replace("\n", "¦").split("¦")
PAYLOADS = [*CLEANED, *LED, *SCHEMES, *HARMLESS]
PLACES = [
    "<a href='{}'>t</a>",
    "<img src='{}' alt=t>",
    "<a href='{0}'><img src='{0}' alt='[t]' title=']({0})'></a>",
    "<a href='{}'><h2>t</h2>u</a>",
    "<h2><a href='{}'>t</a></h2>",
    "<code>l<a href='{}'>t</a></code>",
    "<pre><a href='{0}'>t</a><img src='{0}'></pre>",
    "<table><tr><td><a href='{0}'>t</a><td><img src='{0}' alt=t></table>",
    "<template><a href='{0}'>t</a><code><a href='{0}'>t</a></code><h2><a href='{0}'>t</a></h2></template>",
    "<svg><a href='{0}' xlink:href='{0}'>t</a><image href='{0}'/></svg>",
    "<a href=x title='{}'>t</a>",
    "<img src=x alt='{}'>",
    "{}",
    "[t]({})",
    "&lt;{}&gt;",
    "[t]: {}<p>[t]",
    "<pre><code class='language-`{}'>[t](javascript:x)</code></pre>",
    "<math alttext='{0}'></math><math alttext='[t]({0})'></math>",
    "<math><annotation encoding='application/x-tex'>{0} [t]({0}) &lt;a href={0}></annotation></math>",
    "<script type='math/tex'>[t]({0}) <a href={0}> `</script>",
    "<iframe src='{0}' title='](javascript:x)'></iframe><object data='{0}'>t</object>",
    "<video><source src='{0}'></video><embed data-src='{0}'>",
    "<picture><source srcset='{0} 2x'><img data-src='{0}' srcset='a, {0} 3x' alt=t></picture>",
    "<table><tr><td>t<ul><li>{0}<li>[t]({0})</ul><td><sup>2{0}</sup></table>",
]


class _Addresses(HTMLParser):
    """Collects what a document links to and shows, and fails on what Markdown does not write."""

    def __init__(self) -> None:
        super().__init__()
        self.of: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = {name for name, _ in attrs}
        assert names <= {"href", "src", "alt", "title", "class", "start"}, (tag, attrs)
        assert tag not in ("script", "style", "iframe", "object", "embed", "svg", "form"), tag
        self.of += [(tag, value or "") for name, value in attrs if name in ("href", "src")]


def in_attribute(text: str) -> str:
    return escape(text).replace("\x00", "&#0;")


def shown(markdown: str, *flavours: str) -> list[tuple[str, str]]:
    """Return (tag, address) of what a reader of Markdown links to and shows; it leaves nothing out itself."""
    of = []
    for flavour in flavours or ("commonmark", "js-default"):
        reader = markdown_it.MarkdownIt(flavour, {"html": True, "linkify": False})
        reader.validateLink = lambda url: True
        document = _Addresses()
        document.feed(reader.render(markdown))
        of += document.of
    return of


def runs(_: str, address: str, allowed: frozenset[str] = ALLOWED) -> bool:
    """Say whether a browser may run what an address says: its scheme is none that is allowed."""
    cleaned = re.sub(r"[\t\n\r]", "", address.strip("".join(map(chr, range(0x21)))))
    scheme = re.match(r"([a-z][a-z0-9+.\-]*):", cleaned, re.IGNORECASE | re.ASCII)
    return scheme is not None and scheme[1].lower() not in allowed


def markdown_in(html: str, base: str = BASE, limits: Limits = Limits()) -> str:  # noqa: B008
    page = Page(html, base, limits)
    return Separation(page, whole(page.tokens)).content_markdown


@pytest.mark.parametrize("base", exhaustive_but([BASE], [BASE, "", "javascript:x", "data:text/html,x"]))
@pytest.mark.parametrize("place", PLACES)
def test_no_payload_is_live_anywhere(place: str, base: str) -> None:
    for payload in PAYLOADS:
        written = markdown_of(place.format(in_attribute(payload)), base).text
        live = [address for address in shown(written, "js-default") if runs(*address)]
        assert not live, (payload, written)


def test_the_words_of_a_link_and_of_an_image_that_run_something_stay() -> None:
    for payload in (*CLEANED, *LED[1:], *SCHEMES[:6]):
        written = in_attribute(payload)
        html = f"a <a href='{written}'>b</a> <img src='{written}' alt='c [d]'>"
        assert markdown_of(html, BASE).text == "a b c \\[d\\]", payload


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<a href=' &#1;\n/b&#31; '>x</a>", "[x](https://tea.example/b)"),
        ("<a href='/b\nc'>x</a>", "[x](https://tea.example/bc)"),
        ("<a href='/a<b>c\"d`e f'>x</a>", "[x](https://tea.example/a%3Cb%3Ec%22d%60e%20f)"),
        ("<a href='/a(b)c)'>x</a>", "[x](https://tea.example/a\\(b\\)c\\))"),
        ("<a href='&nbsp;javascript:x'>x</a>", "[x](https://tea.example/shop/%C2%A0javascript:x)"),
        ("<a href='mailto:a@b.example'>x</a> <a href='TEL:+1'>y</a>", "[x](mailto:a@b.example) [y](TEL:+1)"),
        ("<img src='data:image/png;base64,eA==' alt=x>", "x"),
        ("<a href='data:image/png;base64,eA=='>x</a>", "x"),
        ("<img src='i j.png' alt=x>", "![x](https://tea.example/shop/i%20j.png)"),
        ("<pre class=language-objective-c>x</pre>", "```objective-c\nx\n```"),
        ("<pre><code class='language-a`b'>x</code></pre>", "```\nx\n```"),
    ],
)
def test_addresses_are_cleaned_and_escaped(html: str, markdown: str) -> None:
    assert markdown_of(html, BASE).text == markdown


def test_a_link_of_a_saved_page_leads_to_its_folder_and_no_page_of_the_web_does() -> None:
    html = "<a href=b.html>x</a> <a href='file:///c'>y</a>"
    assert markdown_of(html, "file:///saved/a.html").text == "[x](file:///saved/b.html) [y](file:///c)"
    assert markdown_of(html, BASE).text == "[x](https://tea.example/shop/b.html) y"


@pytest.mark.parametrize(
    "tag", ["<a href=/x>", "<h2>", "<code><a href=/x>", "<table><tr><td rowspan=2>", "<pre>"]
)
def test_what_stands_beyond_a_limit_in_a_template_is_written(tag: str) -> None:
    html = f"<p>Tea</p><template><template>{tag}b</template>{tag}c</template><p>d"
    assert markdown_in(html, limits=Limits(max_tags=2)) == "Tea\n\nd"


_addresses = st.lists(
    st.sampled_from([*PAYLOADS, "javascript", ":", "x", "//", "data:image/png,", "https:"])
    | st.text("\x00\t\n\r \xa0\x85javscriptdt:;&#10()<>[]\\\"'`|!/%?", max_size=12),
    max_size=3,
).map(lambda parts: escape("".join(parts)))
_placed = st.builds(lambda place, address: place.format(address), st.sampled_from(PLACES), _addresses)
_markup = st.sampled_from(
    r"""<p>¦[¦](¦](javascript:x)¦[t](javascript:x)¦)¦`¦```¦~~~¦\¦!¦&lt;¦&gt;¦:¦|¦ ¦<pre>¦</pre>¦<code>¦</code>
<code class='language-a``` x'>¦<b>¦</b>¦<q>¦<table><tr><td>¦</table>¦<li>¦<ol>¦<base href='javascript:x'>
<base href=//[>¦<sup>¦<sub>2¦<math alttext='¦<iframe src='¦<li>¦<template>
</template>¦<noscript>¦<h2>¦</h2>¦<a href=x>¦</a>""".replace("\n", "¦\n¦").split("¦")
)


@settings(max_examples=400)
@given(
    st.lists(_placed | _markup | soups, max_size=8).map("".join),
    st.sampled_from([BASE, "", "no address", "http://[bad", "mailto:x", "file:///a/b"]),
    st.sampled_from([Limits(), Limits(max_tags=3), Limits(max_characters=40)]),
)
def test_no_page_has_a_link_that_runs_anything(html: str, base: str, limits: Limits) -> None:
    allowed = ALLOWED | {"file"} if base.startswith("file:") else ALLOWED
    for written in (markdown_of(html, base).text, markdown_in(html, base, limits)):
        assert not [address for address in shown(written) if runs(*address, allowed)], written


@pytest.mark.parametrize(
    "anchor",
    [
        *("<a>", "<a href>", "<a href=''>", "<a href=' '>", "<a href='#'>", "<a href='#!'>", "<a href='#0'>"),
        *("<a href='javascript:void(0)'>", "<a href='mailto:'>", "<a href='http://'>", "<a data-href=/x>"),
    ],
)
def test_a_link_that_leads_nowhere_is_its_words(anchor: str) -> None:
    assert markdown_of(f"<p>ask {anchor}Mei</a> and {anchor}<img src=/i.png alt=Uji></a>", BASE).text == (
        "ask Mei and ![Uji](https://tea.example/i.png)"
    )
    assert markdown_of("<a href='#t'>t</a> <a href='?a'>a</a>", BASE).text == f"[t]({BASE}#t) [a]({BASE}?a)"

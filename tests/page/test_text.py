"""From bytes to text as Scrapy reads them.

Character references: as the standard library reads them, and of any length.
"""

from __future__ import annotations

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.http import HtmlResponse

from templcrawl.page.page import Page
from templcrawl.page.text import attribute_text, decode, unescape

DECODED = [
    (b"", None, ""),
    (b"tea", None, "tea"),
    ("café".encode(), None, "café"),
    ("café".encode("cp1252"), None, "café"),
    (b"\x93tea\x94", None, "“tea”"),
    ("\ufeffcafé".encode(), "text/html; charset=latin-1", "café"),
    ("\ufeffcafé".encode("utf-16-le"), None, "café"),
    ("\ufeffcafé".encode("utf-16-be"), "text/html; charset=utf-8", "café"),
    ("чай".encode("koi8-r"), "text/html; charset=KOI8-R", "чай"),
    ("чай".encode("koi8-r"), "text/html;CHARSET=koi8-r ", "чай"),
    (b"\x93tea\x94", "text/html; charset=iso-8859-1", "“tea”"),
    (b'<meta charset="koi8-r">' + "чай".encode("koi8-r"), None, '<meta charset="koi8-r">чай'),
    (b'<meta charset="koi8-r">' + "чай".encode(), "text/html; charset=utf-8", '<meta charset="koi8-r">чай'),
    ("茶".encode("gbk"), "text/html; charset=gb2312", "茶"),
    ("café".encode(), "text/html; charset=no-such", "café"),
    ("café".encode(), "text/html", "café"),
    (b"caf\xe9", "text/html; charset=utf-8", "caf\ufffd"),
    (b"caf\xe9 \x81", None, "caf\ufffd \ufffd"),
    *(
        ("café".encode(), f"text/html; charset={name}", "café")
        for name in ("hex", "idna", "Punycode", "undefined")
    ),
    (b"<meta charset=rot13>tea", None, "<meta charset=rot13>tea"),
    (b"<meta charset=punycode>tea-", None, "<meta charset=punycode>tea-"),
    (b"<meta charset=koi8-r>punycode " + "чай".encode("koi8-r"), None, "<meta charset=koi8-r>punycode чай"),
]


@pytest.mark.parametrize(("body", "content_type", "text"), DECODED)
def test_the_text_of_some_bytes(body: bytes, content_type: str | None, text: str) -> None:
    assert decode(body, content_type) == text
    assert Page.from_html(body, content_type=content_type).text == text


def test_text_is_taken_as_it_is() -> None:
    assert Page.from_html("\ufeff<meta charset=koi8-r>é").text == "\ufeff<meta charset=koi8-r>é"


_headers = st.sampled_from(
    [None, "text/html", *(f"text/html; charset={name}" for name in "utf-8 latin1 gbk x".split())]
)
_starts = st.sampled_from(
    [b"", b"\xef\xbb\xbf", b"\xff\xfe", b"<meta charset=cp1251>", b"<meta charset=utf-8>"]
)


@given(
    _starts,
    st.binary(max_size=12) | st.text(max_size=8).map(lambda text: text.encode("utf-8", "replace")),
    _headers,
)
def test_bytes_of_a_declared_encoding_and_utf_8_are_read_as_scrapy_reads_them(
    start: bytes, rest: bytes, content_type: str | None
) -> None:
    body = start + rest
    headers = {"Content-Type": content_type} if content_type else {}
    response = HtmlResponse("http://example.org/", body=body, headers=headers)
    is_utf_8 = body.decode("utf-8", "ignore").encode() == body
    if response._declared_encoding() or is_utf_8:
        assert decode(body, content_type) == response.text
    else:
        replaced = body.decode("utf-8", "replace")
        assert decode(body, content_type) in (body.decode("cp1252", "ignore"), replaced)
        assert (decode(body, content_type) == replaced) == bool(set(body) & {0x81, 0x8D, 0x8F, 0x90, 0x9D})


references = st.lists(
    st.sampled_from(
        ["&", "#", "x", "X", ";", "0", "65", "41", "1114111", "1114112", "amp", "copy", "notit", "="]
    )
).map("".join)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("tea", "tea"),
        ("&amp;&lt&#65;&#x41", "&<AA"),
        ("&#" + "0" * 9_000 + "65;", "A"),
        ("&#X" + "0" * 9_000 + "41;", "A"),
        ("&#" + "0" * 9_000 + ";", "\ufffd"),
        ("&#" + "1" * 5_000 + ";tea", "\ufffdtea"),
        ("&#" + "1" * 5_000 + " tea", "\ufffd tea"),
        ("&#x" + "f" * 100_000, "\ufffd"),
    ],
)
def test_what_a_reference_stands_for(written: str, text: str) -> None:
    assert unescape(written) == text
    assert attribute_text(written) == text


@given(references)
def test_text_is_read_as_the_standard_library_reads_it(written: str) -> None:
    assert unescape(written) == html.unescape(written)

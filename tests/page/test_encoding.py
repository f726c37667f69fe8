"""From bytes to text as Scrapy reads them, and labels of encodings as the Encoding standard has them."""

from __future__ import annotations

import pytest
import scrapy
from hypothesis import given
from hypothesis import strategies as st
from scrapy.http import HtmlResponse

from templcrawl.page import encoding
from templcrawl.page.encoding import decode, utf8_of
from templcrawl.page.page import Page

DECODED = [
    (b"", None, ""),
    (b"tea", None, "tea"),
    ("café".encode(), None, "café"),
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
    *(
        ("café".encode(), f"text/html; charset={name}", "café")
        for name in ("hex", "idna", "Punycode", "undefined")
    ),
    (
        b"<?xml version='1.0' encoding = 'KOI'?>" + "чай".encode("koi8-r"),
        None,
        "<?xml version='1.0' encoding = 'KOI'?>чай",
    ),
    (b"<meta charset=rot13>tea", None, "<meta charset=rot13>tea"),
    (b"<meta charset=punycode>tea-", None, "<meta charset=punycode>tea-"),
    (b"<meta charset=koi8-r>punycode " + "чай".encode("koi8-r"), None, "<meta charset=koi8-r>punycode чай"),
]


@pytest.mark.parametrize(("body", "content_type", "text"), DECODED)
def test_the_text_of_some_bytes(body: bytes, content_type: str | None, text: str) -> None:
    assert decode(body, content_type)[1] == text
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
def test_bytes_are_read_as_scrapy_reads_them(start: bytes, rest: bytes, content_type: str | None) -> None:
    body = start + rest
    headers = {"Content-Type": content_type} if content_type else {}
    response = HtmlResponse("http://example.org/", body=body, headers=headers)
    is_utf_8 = body.decode("utf-8", "ignore").encode() == body
    if scrapy.version_info >= (2, 19) or response._declared_encoding() or is_utf_8:
        name, decoded = decode(body, content_type)
        assert decoded == response.text
        assert utf8_of(body, name, decoded) in (None, decoded.encode())


TEXTS = {
    "cp1251": "Мельница стоит на холме за рекой, и осенью ветер приносит к ней сухие листья с дороги.",
    "shift_jis": "丘の上の古い水車小屋は、秋になると風が運ぶ枯れ葉で屋根まで埋まってしまいます。",
    "koi8-r": "Мельница стоит на холме за рекой, и осенью ветер приносит к ней сухие листья с дороги.",
    "iso8859-7": "Ο μύλος στέκεται στον λόφο πίσω από το ποτάμι και ο άνεμος φέρνει ξερά φύλλα.",
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("before", ["", f"<!--{'-' * 5_000}--><meta charset=utf-8>"])
def test_an_encoding_that_is_declared_late_or_not_is_guessed_as_scrapy_does(name: str, before: str) -> None:
    body = f"<title>x</title>{before}<p>{TEXTS[name]}</p>".encode(name)
    text = Page.from_html(body).text
    assert text == HtmlResponse("http://example.org/", body=body).text or scrapy.version_info < (2, 19)


def test_without_a_guesser_a_page_is_western(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "from_bytes", None)
    assert decode("“café”".encode("cp1252"))[1] == "“café”"
    assert decode(b"caf\xe9 \x81")[1] == "café \ufffd"


@pytest.mark.parametrize(
    ("label", "python", "text"),
    [
        ("utf-16", "utf-8", "Mühle"),
        ("UTF-16LE", "utf-8", "水車"),
        ("unicode", "utf-8", "Mühle"),
        ("iso-8859-8-i", "iso8859-8", "טחנה"),
        ("Logical", "iso8859-8", "טחנה"),
        ("visual", "iso8859-8", "טחנה"),
        ("x-gbk", "gbk", "水车"),
        ("dos-874", "cp874", "กังหัน"),
        ("x-cp1251", "cp1251", "мельница"),
        ("x-mac-cyrillic", "mac_cyrillic", "мельница"),
        ("ks_c_5601-1989", "cp949", "물레방아"),
        ("x-x-big5", "big5", "水車"),
    ],
)
def test_a_label_is_that_of_the_encoding_standard(label: str, python: str, text: str) -> None:
    for declared in (
        f'<meta charset="{label}">',
        f"<meta http-equiv=content-type content='text/html; charset={label}'>",
    ):
        assert decode((declared + text).encode(python))[1] == declared + text
    if label.lower() not in ("utf-16", "utf-16le", "unicode"):
        assert decode(text.encode(python), f"text/html; charset={label}")[1] == text


def test_a_byte_order_mark_counts_more_than_what_is_declared() -> None:
    text = '<meta charset="utf-16">水車'
    assert decode(("\ufeff" + text).encode("utf-16-le"))[1] == text
    assert decode(text.encode("utf-16-be"), "text/html; charset=utf-16be")[1] == text


@pytest.mark.parametrize(
    ("body", "is_utf8"),
    [
        ("<meta charset=utf-8>café".encode(), True),
        (b"tea", True),
        ("\ufeffcafé".encode(), False),  # the mark is no part of the text
        ("<meta charset=utf-8>café".encode() + b"\xff", False),
        ("café".encode("cp1252"), False),
    ],
)
def test_a_body_that_is_its_text_in_utf8_is_not_encoded_again(body: bytes, is_utf8: bool) -> None:
    assert (utf8_of(body, *decode(body)) is body) == is_utf8
    page = Page.from_html(body)
    assert page.native is None or (page.native.written is body) == is_utf8
    assert page.native is None or page.native.written == page.text.encode()

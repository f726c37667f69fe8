"""What texts can hold; character references: as the standard library reads them, and of any length."""

from __future__ import annotations

import html
import unicodedata
from importlib.util import find_spec
from xml.dom import minidom

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.page.page import Page
from templcrawl.page.separation import Separation, whole
from templcrawl.page.text import attribute_text, storable, unescape

references = st.lists(
    st.sampled_from(
        ["&", "#", "x", "X", ";", "0", "65", "41", "1114111", "1114112", "amp", "copy", "notit", "="]
    )
).map("".join)


@given(st.text(st.characters(codec=None, categories=None) | st.sampled_from("\0\x0b\x85\ud800\ufffe")))
def test_a_storable_text_is_one_of_xml_and_of_utf_8(text: str) -> None:
    stored = storable(text)
    assert len(stored) == len(text)
    stored.encode()
    minidom.parseString(f"<text>{html.escape(stored)}</text>".encode())
    assert not any(
        unicodedata.category(character) == "Cc" for character in stored if character not in "\t\n\r"
    )
    kept = [(before, after) for before, after in zip(text, stored) if before != after]
    assert {after for _, after in kept} <= {" ", "\ufffd"}
    assert {unicodedata.category(before) for before, _ in kept} <= {"Cc", "Cs", "Cn"}


def test_what_is_written_of_a_page_is_storable() -> None:
    """References included: those that HTML reads as control characters."""
    bad = "\0 \x01 \x9b \ufffe &#0; &#1; &#x9b; &#xfffe; &#xd800;"
    page = Page(
        f"<title>{bad}</title><h2>{bad}</h2><p>{bad}<pre>a\f{bad}</pre><a href=x>{bad}</a>", "http://h/"
    )
    separation = Separation(page, whole(page.tokens))
    texts = [page.title, separation.content_text, separation.content_html, separation.template_html]
    if find_spec("turbohtml"):
        texts += [separation.content_markdown, *separation.content_headings[-1]["path"]]
    assert [storable(text) for text in texts] == texts
    assert page.title == "\ufffd \ufffd \ufffd \ufffd \ufffd \u203a \ufffd"
    assert "a \ufffd \ufffd" in separation.content_text


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

"""Character references: as the standard library reads them, and of any length."""

from __future__ import annotations

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.page.text import attribute_text, unescape

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

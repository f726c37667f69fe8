"""Tags: attributes by the standard's rules, and what is derived of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.page.ancestors import MIX
from templcrawl.page.encoding import key_bytes, text_key
from templcrawl.page.entities import attribute_text
from templcrawl.page.scan import tag_end
from templcrawl.page.tags import (
    MOST_ATTRIBUTES,
    MOST_CLASSES,
    START,
    VOID,
    Tag,
    attributes,
    raw_text,
    read_tag,
)
from templcrawl.page.vocabulary import FURNITURE, LINKED, NAMED

WHITE = " \t\n\f\r"


def by_the_standard(tag: str) -> dict[str, str]:
    """The states of the HTML standard's tokeniser behind a tag name, character by character."""
    values: dict[str, str] = {}
    at = next(position for position, character in enumerate(tag) if character in WHITE + "/>")
    while at < len(tag) and tag[at] != ">":
        if tag[at] in WHITE + "/":
            at += 1
            continue
        start = at
        at += 1
        while at < len(tag) and tag[at] not in WHITE + "/>=":
            at += 1
        name, value = tag[start:at].lower(), ""
        behind = at
        while behind < len(tag) and tag[behind] in WHITE:
            behind += 1
        if tag[behind : behind + 1] == "=":
            at = behind + 1
            while at < len(tag) and tag[at] in WHITE:
                at += 1
            if tag[at : at + 1] in ("'", '"'):
                stop = tag.find(tag[at], at + 1)
                stop = len(tag) if stop < 0 else stop
                value, at = tag[at + 1 : stop], stop + 1
            else:
                start = at
                while at < len(tag) and tag[at] not in WHITE + ">":
                    at += 1
                value = tag[start:at]
        values.setdefault(name, attribute_text(value))
    return values


heads = st.text("aB=/\"' \n\f>&;<é", max_size=30).map(lambda inner: f"<a {inner.rstrip('>')}>")


@given(heads)
def test_attributes_are_those_of_the_standard(tag: str) -> None:
    tag = tag[: tag_end(tag)]
    assert attributes(tag) == by_the_standard(tag)


@pytest.mark.parametrize(
    ("tag", "values"),
    [
        ("<a b>", {"b": ""}),
        ("<a B=C>", {"b": "C"}),
        ("<a b=c b=d>", {"b": "c"}),
        ("<a b=c/>", {"b": "c/"}),
        ("<a b = 'c d'>", {"b": "c d"}),
        ("<a b='c'd=e>", {"b": "c", "d": "e"}),
        ("<a =b=c>", {"=b": "c"}),
        ('<a "b"=c>', {'"b"': "c"}),
        ("<a b= >", {"b": ""}),
        ("<a\xa0b=c d=e>", {"d": "e"}),
        ("<a b=&amp;&lt>", {"b": "&<"}),
        ("<a b='x", {"b": "x"}),
        ("<textarea a=1>x b=2 c=3", {"a": "1"}),
        ("<!-- a=b -->", {}),
    ],
)
def test_attributes_of_a_tag(tag: str, values: dict[str, str]) -> None:
    assert attributes(tag) == values


def words_of(tag: Tag) -> list[int]:
    words: list[int] = np.frombuffer(tag.words, dtype=np.uint64).tolist()
    return words


def test_a_tag_says_what_any_layer_asks_of_it() -> None:
    tag = read_tag('<A id="x 9" class="navbar item-7 navbar" HREF="/a?b&amp;c" REL=Next role=navigation>')
    assert (tag.kind, tag.name, tag.key) == (START, "a", key_bytes(text_key("a")))
    assert (tag.id, tag.href, tag.rel) == ("x 9", "/a?b&c", "next")
    assert tag.classes == ("navbar", "item-7", "navbar")
    assert tag.step == text_key("a.navbar")
    assert tag.hints == LINKED | FURNITURE | NAMED
    assert words_of(tag) == [text_key(".navbar"), text_key(".item-#"), text_key("#x #")]
    assert tag.whole == key_bytes((text_key("a") + MIX * sum(words_of(tag))) % 2**64)


@pytest.mark.parametrize(
    ("tag", "words"),
    [
        ("<meta name=og property=og:type id=1>", ["##", "@og", "@og:type"]),
        ("<link rel=Next name=x>", ["@Next"]),
        ("<input name=q value=v>", ["@q"]),
        ("<body class=home id=top>", []),
        ("<div name=x>", []),
        ("<div class='a a'>", [".a"]),
    ],
)
def test_words_of_a_tag(tag: str, words: list[str]) -> None:
    assert words_of(read_tag(tag)) == list(map(text_key, words))


def test_of_a_tag_a_first_part_is_read() -> None:
    tag = "<img " + " ".join(f"a{number}=1" for number in range(100_000)) + " class=late>"
    assert len(attributes(tag)) == MOST_ATTRIBUTES
    assert read_tag(tag).classes == ()
    assert read_tag(tag).kind == VOID
    many = " ".join(f"c{number}" for number in range(100))
    assert read_tag(f"<p class='{many}'>").classes == tuple(many.split()[:MOST_CLASSES])


def test_what_stands_behind_a_tag_in_its_piece() -> None:
    assert raw_text("<title>Tea > milk") == "Tea > milk"
    assert raw_text("<title a='>'/>x") == "x"
    assert raw_text("<title a='>") == ""

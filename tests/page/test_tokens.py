"""Tags: attributes by the standard's rules, and what is derived of them.

The token stream: every character is in one token, equal pieces are one form, caps are told.
"""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from templcrawl.page.arrays import MIX
from templcrawl.page.page import Page
from templcrawl.page.scan import tag_end
from templcrawl.page.text import as_seen, attribute_text, key_bytes, text_key, unescape
from templcrawl.page.tokens import (
    COMMENT,
    END,
    MAX_ATTRIBUTES,
    MAX_CLASSES,
    SPACE,
    START,
    TEXT,
    UNREAD,
    VOID,
    Limits,
    Tag,
    TokenStream,
    attributes,
    read_tag,
)
from templcrawl.page.vocabulary import FURNITURE, LINKED, NAMED
from tests.strategies import soups

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
@example("<a ='>;>")
@example("<a b /= '>;>")
@example('<a b="" ="d>;">')
@example("<a = ='>' b>")
def test_attributes_are_those_of_the_standard(tag: str) -> None:
    tag = tag[: tag_end(tag)]
    assert attributes(tag) == by_the_standard(tag)


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


def test_of_a_tag_a_first_part_is_read() -> None:
    tag = "<img " + " ".join(f"a{number}=1" for number in range(100_000)) + " class=late>"
    assert len(attributes(tag)) == MAX_ATTRIBUTES
    assert read_tag(tag).classes == ()
    assert read_tag(tag).kind == VOID
    many = " ".join(f"c{number}" for number in range(100))
    assert read_tag(f"<p class='{many}'>").classes == tuple(many.split()[:MAX_CLASSES])


pytestmark = pytest.mark.usefixtures("reader")


def stream(text: str, **caps: int) -> TokenStream:
    return Page(text, "", Limits(**caps)).tokens


def pieces(tokens: TokenStream) -> list[str]:
    return [tokens.forms[form] for form in tokens.form_of]


def test_titles() -> None:
    assert stream("<head><title lang=en> A &lt; B\n</title></head>").title == "A < B"
    assert stream("</title><title></title><p>x").title == ""
    assert (
        stream("<TITLE lang=en>\n Reed &amp; rush </TITLE><svg><title>Icon</title></svg>").title
        == "Reed & rush"
    )
    assert stream("<p>x").title == ""


KINDS = [
    ("tea", TEXT, ""),
    ("&nbsp;", TEXT, ""),
    ("1 < 2", TEXT, ""),
    (" \n\t", SPACE, ""),
    ("\xa0", SPACE, ""),
    ("<P>", START, "p"),
    ("<p\nclass=x>", START, "p"),
    ("<p/>", START, "p"),
    ("<a href=/x/>", START, "a"),
    ("<a" + "\n" * 50 + "b>", START, "a"),
    ("<X-Y>", START, "x-y"),
    ("<BR>", VOID, "br"),
    ("<br/>", VOID, "br"),
    ("<img src='>'>", VOID, "img"),
    ("<path d='M0'/>", VOID, "path"),
    ("<path d='M0'>", START, "path"),
    ("</P >", END, "p"),
    ("</br>", VOID, "br"),
    ("<!-- a -->", COMMENT, ""),
    ("<!DOCTYPE html>", COMMENT, ""),
    ("<?xml version='1.0'?>", COMMENT, ""),
    ("</ p>", COMMENT, ""),
    ("<script>a<b</script", START, "script"),
    ("<title>a/>", START, "title"),
    ("<xmp>a/>", START, "xmp"),
    ("<noframes>a/>", START, "noframes"),
    ("<noembed/>a/>", START, "noembed"),
    ("<style a='/>'/>", VOID, "style"),
    ("<style>a/>", START, "style"),
    ("<listing/>", START, "listing"),
]


@pytest.mark.parametrize(("text", "kind", "name"), KINDS, ids=[text for text, _, _ in KINDS])
def test_kind_and_name_of_a_token(text: str, kind: int, name: str) -> None:
    tokens = stream(text)
    assert pieces(tokens) == [text]
    assert (tokens.form_kinds, tokens.form_names) == ([kind], [name])
    assert list(tokens.kinds) == [kind]


def test_the_tokens_of_a_page() -> None:
    tokens = stream("<ul> <li>tea</li> <li>tea</li></ul>\n")
    assert pieces(tokens) == ["<ul>", " ", "<li>", "tea", "</li>", " ", "<li>", "tea", "</li>", "</ul>", "\n"]
    assert tokens.forms == ["<ul>", "<li>", "</li>", "</ul>", " ", "tea", "\n"]
    assert tokens.form_of == [0, 4, 1, 5, 2, 4, 1, 5, 2, 3, 6]
    assert tokens.starts == [0, 4, 5, 9, 12, 17, 18, 22, 25, 30, 35, 36]
    assert len(tokens) == 11


def test_a_run_that_reads_like_a_tag_is_a_form_of_its_own() -> None:
    tokens = stream("<svg><![CDATA[tea]]></svg>]]><b>")
    assert pieces(tokens) == ["<svg>", "<![CDATA[", "tea", "]]>", "</svg>", "]]>", "<b>"]
    assert list(tokens.kinds) == [START, COMMENT, TEXT, COMMENT, END, TEXT, START]


@given(soups)
def test_every_character_is_in_one_token_and_all_arrays_agree_with_the_text(text: str) -> None:
    tokens = stream(text)
    starts = tokens.starts
    assert (starts[0], starts[-1], tokens.truncated) == (0, len(text), ())
    assert [text[start:stop] for start, stop in pairwise(starts)] == pieces(tokens)
    assert len(set(tokens.forms)) == len(tokens.forms) == len(tokens.form_kinds) == len(tokens.form_names)
    assert set(tokens.form_of) == set(range(len(tokens.forms)))
    assert "" not in tokens.forms
    assert tokens.lengths.tolist() == list(map(len, pieces(tokens)))
    assert tokens.form_array.tolist() == tokens.form_of
    assert tokens.kind_array.tolist() == list(tokens.kinds)
    assert list(tokens.kinds) == [tokens.form_kinds[form] for form in tokens.form_of]
    for form, kind, name in zip(tokens.forms, tokens.form_kinds, tokens.form_names):
        assert bool(name) == (kind in (START, VOID, END))
        assert not name or form.lower().startswith((f"</{name}", f"<{name}"))
        assert (kind == SPACE) == (not form.strip())


@given(soups, st.integers(1, 40), st.integers(1, 8))
def test_a_page_beyond_a_cap_loses_nothing_and_says_so(text: str, max_characters: int, max_tags: int) -> None:
    tokens = stream(text, max_characters=max_characters, max_tags=max_tags)
    assert "".join(pieces(tokens)) == text
    tags = sum(kind in (START, VOID, END, COMMENT) for kind in tokens.kinds)
    assert tags <= max_tags
    assert ("max_characters" in tokens.truncated) == (len(text) > max_characters)
    unread = [position for position, kind in enumerate(tokens.kinds) if kind == UNREAD]
    assert bool(unread) == bool(tokens.truncated)
    assert unread in ([], [len(tokens) - 1])
    whole = stream(text)
    if unread:
        assert tokens.starts[-2] <= max_characters
        if tokens.truncated == ("max_tags",):
            assert tags == max_tags
            assert pieces(tokens)[:-1] == pieces(whole)[: len(tokens) - 1]
    else:
        assert pieces(tokens) == pieces(whole)


def test_the_caps_by_an_example() -> None:
    assert pieces(stream("<p>tea<b>", max_characters=5)) == ["<p>", "te", "a<b>"]
    tokens = stream("<p>tea<b>milk</b> cup", max_tags=2)
    assert pieces(tokens) == ["<p>", "tea", "<b>", "milk</b> cup"]
    assert tokens.form_names[tokens.form_of[-1]] == ""
    assert tokens.truncated == ("max_tags",)
    assert stream("<p>tea<b> cup", max_tags=2).truncated == ()
    tokens = stream("<p><b><i>1", max_characters=9, max_tags=1)
    assert pieces(tokens) == ["<p>", "<b><i>1"]
    assert tokens.truncated == ("max_characters", "max_tags")


def test_unread_text_equal_to_a_form_is_a_form_of_its_own() -> None:
    tokens = stream("<p>tea<b>", max_characters=6)
    assert pieces(tokens) == ["<p>", "tea", "<b>"]
    assert list(tokens.kinds) == [START, TEXT, UNREAD]
    tokens = stream("<p><p>", max_tags=1)
    assert pieces(tokens) == ["<p>", "<p>"]
    assert list(tokens.kinds) == [START, UNREAD]


PAGE = "<p class=x>Zoë  drinks\n茶</p> <!-- a -->\ud800<P>"


def test_keys_are_equal_in_another_process() -> None:
    code = f"from templcrawl.page.page import Page;print(Page({PAGE!r}, '').tokens.keys.tolist())"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == str(stream(PAGE).keys.tolist())


def test_white_space_inside_text_does_not_matter_to_keys_and_alone_its_key_is_zero() -> None:
    one, two = stream("<p> black  tea\n</p>\n "), stream("<p>black tea</p> ")
    assert one.keys.tolist() == two.keys.tolist()
    assert one.keys[-1] == 0
    assert stream("blacktea").keys[0] != stream("black tea").keys[0]
    assert stream("<a  b>").keys[0] != stream("<a b>").keys[0]


@given(soups, soups)
def test_tokens_have_equal_keys_exactly_when_they_are_equal_but_for_white_space(one: str, two: str) -> None:
    a, b = stream(one), stream(two)

    def folded(tokens: TokenStream) -> list[str | int]:
        return [
            piece if kind not in (TEXT, SPACE) else " ".join(as_seen(unescape(piece)).split()) or kind
            for piece, kind in zip(pieces(tokens), tokens.kinds)
        ]

    same = np.equal.outer(a.keys, b.keys).tolist()
    assert same == [[left == right for right in folded(b)] for left in folded(a)]

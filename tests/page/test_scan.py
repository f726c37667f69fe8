"""Cutting HTML into pieces: nothing is lost, and every piece ends where the HTML standard ends it."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from templcrawl.page import scan
from templcrawl.page.scan import cut, iter_tag_names
from templcrawl.page.vocabulary import RAW_TEXT_NAMES

closed_pieces = st.sampled_from(
    [
        "<p>",
        "</p>",
        "<a title='>'>",
        '<a b="\'>" c>',
        "<br/>",
        "<!-- <p> > -->",
        "<!-->",
        "<!doctype html>",
        "</ >",
    ]
)
plain_runs = st.text(alphabet="ab >\"'=/!-&;\n", max_size=6)


@given(st.lists(st.tuples(plain_runs, closed_pieces)), plain_runs)
def test_closed_pieces_between_runs_of_text_are_found_as_they_were_put_together(
    pairs: list[tuple[str, str]], last: str
) -> None:
    pieces = [piece for pair in pairs for piece in pair] + [last]
    assert cut("".join(pieces)) == pieces


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", [""]),
        ("words", ["words"]),
        ("1 < 2 <3 <", ["1 < 2 <3 <"]),
        ("<<b>>", ["<", "<b>", ">"]),
        ("<P Class=x>", ["", "<P Class=x>", ""]),
        ('<a b="x>y">z', ["", '<a b="x>y">', "z"]),
        ("<a b='x>y'>z", ["", "<a b='x>y'>", "z"]),
        ("<a b = '>'>z", ["", "<a b = '>'>", "z"]),
        ("<a b=it's>z", ["", "<a b=it's>", "z"]),
        ('<a b="c"">z', ["", '<a b="c"">', "z"]),
        ('<a b="c"d=">">z', ["", '<a b="c"d=">">', "z"]),
        ("</p x>z", ["", "</p x>", "z"]),
        ("</p x='>'>z", ["", "</p x='>'>", "z"]),
        ("a</", ["a</"]),
        ('<a b="x" ">y<i z="">', ["", '<a b="x" ">', "y", '<i z="">', ""]),
        ("<a b ' c>y'>z", ["", "<a b ' c>", "y'>z"]),
        ('<a b=c"d e=">">z', ["", '<a b=c"d e=">">', "z"]),
        ('<a b=/?c="d>y">z', ["", '<a b=/?c="d>', 'y">z']),
        ('<a b="c"="d>y">z', ["", '<a b="c"="d>', 'y">z']),
        ("<a b=>'c'>z", ["", "<a b=>", "'c'>z"]),
        ("<a ='>'>z", ["", "<a ='>", "'>z"]),
        ('<a ="b>">z', ["", '<a ="b>', '">z']),
        ('<a b="c" ="d>">z', ["", '<a b="c" ="d>', '">z']),
        ('<a b="c" d="e"/ ="f>">z', ["", '<a b="c" d="e"/ ="f>', '">z']),
        ("<a b / = '>'>z", ["", "<a b / = '>", "'>z"]),
        ("<a = ='>'>z", ["", "<a = ='>'>", "z"]),
        ("</p ='>'>z", ["", "</p ='>", "'>z"]),
        ("<title ='>'>z", ["", "<title ='>'>z", ""]),
        ("<!-->a-->", ["", "<!-->", "a-->"]),
        ("<!--->a-->", ["", "<!--->", "a-->"]),
        ("<!---->a", ["", "<!---->", "a"]),
        ("<!--a--->b", ["", "<!--a--->", "b"]),
        ("<!--a--!>b", ["", "<!--a--!>", "b"]),
        ("<!-- <p> - -- > -->b", ["", "<!-- <p> - -- > -->", "b"]),
        ("<!doctype html><?php 1 ?></3>", ["", "<!doctype html>", "", "<?php 1 ?>", "", "</3>", ""]),
    ],
)
def test_where_pieces_end(text: str, pieces: list[str]) -> None:
    assert cut(text) == pieces


@pytest.mark.parametrize("opened", ['<a b="', "<a b='x", "<!-- a", "<title>", "<textarea x='>'>", "<SCRIPT>"])
def test_tags_inside_what_is_never_closed_are_part_of_it(opened: str) -> None:
    text = f"{opened}<p>{'<b>tea</b>' * 3}"
    assert cut(f"x{text}") == ["x", text, ""]


@pytest.mark.parametrize("name", sorted(RAW_TEXT_NAMES))
@pytest.mark.parametrize("raw", ["", "a<b", "<p></p>", "'</b>", "<!--", f"</{'x' * 9}>"])
def test_raw_text_stays_with_its_start_tag_until_its_end_tag(name: str, raw: str) -> None:
    for start in (f"<{name}>", f"<{name.upper()} a='>' b>"):
        for end in (f"</{name}>", f"</{name.title()} >"):
            assert cut(f"{start}{raw}</{name}s>{end}c") == ["", f"{start}{raw}</{name}s>", "", end, "c"]


@pytest.mark.parametrize("root", ["svg", "math", "SVG"])
@pytest.mark.parametrize(
    "inside",
    [
        ["<title/>"],
        ["<style/>"],
        ["<script src='a>'/>"],
        ["<title>", "<g>", "</title>"],
        ["<style>", "p", "<b>", "</style>"],
        ["<desc>", "<style>i<b</i>", "</style>", "</desc>"],
        ["<desc>", "<svg>", "<style/>", "</svg>", "<style><b>", "</style>", "</desc>", "<style/>"],
        ["<x a='</svg>'>", "<!-- </math> -->", "<style/>"],
        ["<![CDATA[", "a > b", "]]>"],
        ["<![CDATA[", "]]>"],
        ["<![CDATA[ <b> ]]>", "<style/>"],
        ["<svg/>", "<style/>"],
        ["<svg>", "</svg>", "<style/>"],
    ],
    ids="".join,
)
def test_there_is_no_raw_text_in_svg_and_math(root: str, inside: list[str]) -> None:
    text = "".join([f"<{root}>", *inside, f"</{root}>", "<style><i>", "</style>", "tea"])
    assert list(filter(None, cut(text))) == [
        f"<{root}>",
        *inside,
        f"</{root}>",
        "<style><i>",
        "</style>",
        "tea",
    ]


def test_some_elements_of_html_end_svg() -> None:
    for ending in ("<p>", "<div>", "<img>", "<TABLE>"):
        text = f"<svg><g><style/>{ending}<title><b></title>"
        assert list(filter(None, cut(text))) == [
            "<svg>",
            "<g>",
            "<style/>",
            ending,
            "<title><b>",
            "</title>",
        ]


@pytest.mark.parametrize(
    ("script", "rest"),
    [
        ("<!--<script></script>-->", ""),
        ("<!--<script></script>", "</script>--></script>"),
        ("<!-- <SCRIPT a>'</script >' --><b>", "</script>"),
        ("<!--<script>-->", "</script>"),
        ("<!-- -->", "</script>-->"),
        ("<!-->", "<script></script>"),
        ("<!--<scripts>", "</script>-->"),
        ("<script>", "</script>"),
        ("<!--<script><script></script>", "</script></script>"),
    ],
)
def test_where_a_script_ends_that_holds_a_script(script: str, rest: str) -> None:
    text = f"<script>{script}"
    if "</script>" in rest:
        end = rest.index("</script>")
        assert cut(text + rest + "tea")[1] == text + rest[:end]
    else:
        assert cut(text + "</script>tea") == ["", text, "", "</script>", "tea"]


parts = st.sampled_from(
    "<svg> </svg> <math/> <title> <title/> <style> </style> <style/> <script> </script> <!-- --> <!--- <p> "
    "</p> <desc> </desc> <g> tea < ' \" = <![CDATA[ ]]> <a> <textarea> </title>".split()
)
foreign_soups = st.lists(parts, max_size=30).map("".join)
SCRIPTS = """<script¦<script>¦<script ¦</script>¦</script ¦<script/¦<SCRIPT ="¦<script a="¦<script a='¦"¦'¦>¦=
<!--¦-->¦--!>¦<!¦<a ¦<a x="¦<template>¦</template>¦<textarea>¦</textarea>¦<title¦<svg>¦</svg>¦<math ¦<p>¦x¦ ¦/
</scriptx>¦<style>¦</style>¦<![CDATA[¦]]>¦<¦-""".replace("\n", "¦").split("¦")
script_soups = st.lists(st.sampled_from(SCRIPTS), max_size=14).map("".join)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        (
            '<script ="</script>"><!--<script </script>',
            ["", '<script ="</script>"><!--<script </script>', ""],
        ),
        ("<script a='</script>'>b</script>", ["", "<script a='</script>'>b", "", "</script>", ""]),
        ("</script <!---->a", ["", "</script <!---->", "a"]),
        ("</script a='<!--'>b<i>", ["", "</script a='<!--'>", "b", "<i>", ""]),
    ],
)
def test_what_looks_like_an_end_of_a_script_in_its_values_is_none(text: str, pieces: list[str]) -> None:
    assert cut(text) == pieces == scan._walked(text, len(text))


@given(script_soups, st.integers(1, 6))
def test_scripts_are_cut_as_they_are_walked(text: str, max_tags: int) -> None:
    assert cut(text) == scan._walked(text, len(text) + 1)
    assert cut(text, max_tags=max_tags) == scan._walked(text, max_tags)


@given(foreign_soups, st.integers(1, 12))
@example("<tea<svg>", 1)
def test_walked_or_cut_the_pieces_are_the_same(text: str, max_tags: int) -> None:
    pieces = cut(text)
    assert "".join(pieces) == text
    assert pieces == scan._walked(text, len(text) + 1)
    capped = cut(text, max_tags=max_tags)
    is_cut_off = len(pieces) > 2 * max_tags
    assert capped == ([*pieces[: 2 * max_tags], "".join(pieces[2 * max_tags :])] if is_cut_off else pieces)
    names = [re.match(r"</?([a-z][^\s/>]*)", piece) for piece in pieces[1::2]]
    assert list(iter_tag_names(text)) == [name[1] for name in names if name]


def test_the_text_after_the_last_tag_wanted_stays_whole() -> None:
    assert cut("a<b>c</b>d<i>e", max_tags=2) == ["a", "<b>", "c", "</b>", "d<i>e"]

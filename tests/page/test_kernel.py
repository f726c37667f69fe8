"""The kernel reads and writes what Python reads and writes, and is asked only where it may be."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.sites.generated import generate_demo_site
from lab.sites.mutated import damaged_pages
from templcrawl import CrawlMemory
from templcrawl.page import kernel
from templcrawl.page.kernel_columns import Task
from templcrawl.page.native_page import NativePage
from templcrawl.page.page import Page
from templcrawl.page.render import text_of
from templcrawl.page.text import text_key
from templcrawl.page.tokens import Limits
from templcrawl.page.vocabulary import NAMED, names_furniture
from tests.page_readers import WHOLE, by_both, checked, needs_kernel, using
from tests.parts import exhaustive_but
from tests.strategies import noises, panel_soups, soups

COUNT = int(os.environ.get("FUZZ_PAGES", "400"))
COUNTS = exhaustive_but([40], [40, COUNT])
SEED = os.environ.get("FUZZ_SEED", "0")

TAGS = """
<div class='nav bar2' id=' a1 '>¦<div role='Menu x'>¦<div role=dialog class=headerx>¦<div id=NavBar>
<footer class="Navi">¦<div class=naVigation><p>¦<div CLASS=x class=y id>¦<div class= id=a>¦<div class="a""b">
<p =x>¦<p = 'y' z>¦<b><p></b>¦<mark\u0130>¦<bloc\u212aquote>¦<茶>¦<a\ud83d>¦<a"b='c>¦<li\0>¦<a href='a:b'>
<a href='../x?a=1'>¦<a href=?page=2>¦<a href='x y'>¦<A HREF=//h.x/y>¦<a href=mailto:a@b>¦<a href=/a:b.c/;d?x>
<a href='./../../q/'>¦<a href='http://X.org/é'>¦<a href='java\tscript:x'>¦<a href='#a'>¦<base href=' '>
<base href='http://b.org/c/d'>¦<meta property=og:x2 name=>¦<link rel='a b'>¦<input name=n3>¦<article>¦<header>
<title>A | b - c: d</title><h1>A</h1><p>b - c<p>d¦<title>a:b| c</title><h2>a</h2><p>b<i>c
<pre><pre>x\r y</pre>\t\tz¦</title>¦<textarea>¦<nav>¦<pre>¦</pre>¦<svg>¦</svg>¦<mi>¦<desc>¦<math>
<![CDATA[a]]>¦<![CDATA[<b>]]>¦<![CDATA[¦]]>¦<script><!--<script>¦</script>¦-->¦<!--¦<style/>¦<noscript>¦<template>
<table><form>¦<a\0 href=q>¦<td>¦<li>¦</ul>¦<nobr>¦<ruby><rt>¦<option>¦<head>¦<body class=q>
<script ="</script>">¦<script <!--¦</script <!--¦<script a='¦<a ='>¦<b c="" ="d>¦<i / = '>¦</p ='>
"""
PIECES = TAGS.strip().replace("\n", "¦").split("¦")
CHARACTERS = [
    "日本語 x",
    "\xa0",
    "\u3000",
    "\x1c",
    "\x85",
    "\ud83d",
    "\ude00",
    "\U0001f600",
    "a²٣",
    "\n\n ",
    "\n a  b\n",
    "x1",
]
REFERENCES = [
    *("&notit;", "&no", "&#12a;", "&#99999999a1;", "&#x000000041;", "&#0000000000000065;", "&#x110000;"),
    *("&#128;", "&#xd800", "&#;", "&#x", "&ampx=", "&", "&copy2"),
]
PAGES = soups | st.lists(st.sampled_from(PIECES + CHARACTERS + REFERENCES) | soups, max_size=12).map("".join)
ADDRESSES = [
    *("", "https://h.org/a/b/c.html", "file:///a/b.html", "https://h.org/a//b/c?d=1#e", "ftp://q.org/a"),
    *("https://H_x.org/é/x", "https://h.org:80/a;b/c?x;y", "no address", "https://[::1/x"),
    *("https://h.org/" + "a" * 2100 + "/b", "http://u:p@h.org/x/", "http://x-y.org"),
]
CAPS = [WHOLE, WHOLE, WHOLE, Limits(max_tags=3), Limits(20), Limits(30, 5)]


@needs_kernel
@settings(max_examples=600)
@given(PAGES, st.sampled_from(ADDRESSES), st.sampled_from(CAPS), noises)
def test_both_readers_read_the_same_of_any_page(html: str, url: str, limits: Limits, noise: bytes) -> None:
    checked(html, url, limits, noise)


@needs_kernel
@settings(max_examples=400)
@given(panel_soups, noises)
def test_both_readers_open_the_same_panels(html: str, noise: bytes) -> None:
    checked(html, noise=noise)


pieces = "nav Nav NAV header HEADer footer bar LINK list menu lin k i s S I B x z - _ 1".split()
odd_cases = ("\u0130", "\u0131", "\u017f", "\u212a", "\u00e9", "\U0001f375", " ", "")
class_names = st.lists(st.sampled_from((*pieces, *odd_cases)), max_size=6).map("".join)


@needs_kernel
@settings(max_examples=600)
@given(class_names, class_names)
def test_both_readers_tell_furniture_by_the_same_names(classes: str, name: str) -> None:
    html = f"<div class='{classes}' id='{name}'>two words</div><p>and some more that are not in it"
    runs = checked(html).text_runs
    is_named = names_furniture(f"{classes} {name}")
    assert (runs.hints & NAMED > 0).tolist() == [is_named, False][: len(runs)]


@needs_kernel
@pytest.mark.parametrize("count", COUNTS)
def test_both_readers_read_the_same_of_pages_of_awkward_pieces(count: int) -> None:
    chance = Random(SEED)
    pieces = PIECES + CHARACTERS + REFERENCES
    for _ in range(6 * count):
        html = "".join(chance.choices(pieces, k=chance.randint(1, 40)))
        checked(html, chance.choice(ADDRESSES), chance.choice(CAPS), chance.randbytes(24))


@needs_kernel
@pytest.mark.parametrize("count", COUNTS)
def test_both_readers_read_the_same_of_damaged_pages(count: int) -> None:
    chance = Random(SEED)
    read = [
        checked(html, noise=chance.randbytes(24)).native for html in damaged_pages(count, f"{SEED} kernel")
    ]
    assert read.count(None) < 0.1 * len(read)


@needs_kernel
def test_both_readers_read_the_same_of_a_site() -> None:
    for page in islice(generate_demo_site().pages.values(), 40):
        assert checked(page.html, f"https://site.example{page.path}", noise=b"\1\1\0\0\0").native


@needs_kernel
def test_what_one_reader_has_learned_serves_the_other() -> None:
    pages = [(page.html, f"https://site.example{path}") for path, page in generate_demo_site().pages.items()][
        :60
    ]

    def observed(settings: tuple[str, str]) -> list[object]:
        memory, said = CrawlMemory(sample_salt=0), []
        for number, (html, url) in enumerate(pages):
            with using(settings[number >= 30]):
                separation = memory.observe(Page(html, url))
                said.append((separation.content_spans, separation.leaf_id, separation.content_text))
        return [said, memory.open("site.example").snapshot()]

    ways = [("off", "off"), ("on", "on"), ("off", "on"), ("on", "off")]
    first, *others = map(observed, ways)
    assert all(other == first for other in others)


@needs_kernel
@pytest.mark.parametrize("size", [0, 1, 3, 4, 8, 9, 16, 17, 128, 129, 240, 241, 256, 1024, 1025, 5000])
def test_keys_are_those_of_xxh3(size: int) -> None:
    word = "".join(chr(97 + number % 23) for number in range(size))
    with using("on"):
        assert Page(f"<p>{word}", "").text_runs.texts.tolist() == ([text_key(word)] if word else [])


@needs_kernel
def test_a_name_that_is_oddly_cased_is_read_by_python_and_counted() -> None:
    before = kernel.REFUSED["read"]
    assert not checked("<p>a<b\u0130>c<bloc\u212aquote>").native
    assert kernel.REFUSED["read"] == before + 1


@needs_kernel
@pytest.mark.exhaustive
def test_more_names_than_the_kernel_remembers_are_asked_about() -> None:
    tags = "".join(f"<div class='nav-{number} x'>a</div>" for number in range(20_100))
    assert checked(tags).native
    assert checked(tags[: len(tags) // 2]).native


@needs_kernel
def test_each_thread_has_a_kernel_of_its_own() -> None:
    pages = [page.html for page in generate_demo_site().pages.values()][:24]

    def read(html: str) -> list[int]:
        page = Page(html, "https://h.org/")
        assert page.native
        return [*page.text_runs.keys.tolist(), *page.terms.hashes.tolist()]

    with using("on"), ThreadPoolExecutor(4) as threads:
        assert list(threads.map(read, pages)) == list(map(read, pages))


@needs_kernel
def test_a_rendering_of_another_page_is_refused() -> None:
    with using("on"):
        page, mask = Page("<p>tea<p>milk", ""), b"\1" * 6
        asked, table = kernel.kernel_of("on"), page.native.table.content
        assert asked is not None
        assert table is not None

        def text(written: bytes, content: bytes, mask: bytes) -> bytes | None:
            return asked.run_task(Task.TEXT, written, content, mask, b"\1")

        assert text(b"<p>tea<p>milk", table, mask[: len(page.tokens)]) == b"tea\nmilk"
        assert text(b"<p>tea<p>milk", table, mask[: len(page.tokens) - 1]) is None
        assert text(b"<p>tea", table, mask[: len(page.tokens)]) is None
        assert text(b"<p>tea<p>milk", b"\0" * len(table), mask[: len(page.tokens)]) is None


@needs_kernel
def test_a_difference_in_what_is_worked_out_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NativePage, "run_task", lambda *_, **__: b"milk")
    with pytest.raises(AssertionError, match="the kernel says 'milk', Python 'tea'"):
        by_both(lambda page: text_of(page, b"\1\1", 1), "<p>tea")

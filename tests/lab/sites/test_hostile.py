"""The hostile pages are as hostile as they say, and the same each time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lab.sites import hostile
from lab.sites.hostile import ACCENTED, AFTER, BEFORE, HOSTILE_PAGES

WITHOUT_WORDS = {"binary_body", "empty_page", "utf16_page"}


def inside(page: bytes) -> str:
    """Return what stands between the words before the trouble and those after it."""
    return page.decode().partition(f"<p>{BEFORE}</p>")[2].rpartition(f"<p>{AFTER}</p>")[0]


@pytest.mark.parametrize(("name", "make"), HOSTILE_PAGES.items(), ids=HOSTILE_PAGES)
def test_a_page_is_the_same_each_time_and_has_words_around_the_trouble(
    name: str, make: Callable[[], bytes]
) -> None:
    page = make()
    assert page == make()
    assert make is getattr(hostile, name)
    assert (BEFORE.encode() in page and AFTER.encode() in page) == (name not in WITHOUT_WORDS)


@pytest.mark.parametrize(
    ("page", "trouble"),
    [
        (hostile.nested_elements(3), "<div><div><div>"),
        (hostile.attributes_on_one_tag(2), '<div name0="0" name1="1">Inside</div>'),
        (hostile.unclosed_comments(2), "<!--<!--"),
        (hostile.unclosed_formatting(2), "<font color=i><p><font color=i><p>"),
        (hostile.stray_less_than(4), "<<<<"),
        (hostile.nested_tables(2), "<table><tr><td><table><tr><td>"),
        (hostile.many_scripts(1), "<script>if (1 < 2) { go('<p>') }</script>"),
        (hostile.many_list_items_in_depth(2, 2), "<div><div><ul><li>Item <li>Item "),
        (hostile.unclosed_quote(1), "<a title=\"<p class=x>it's 1 > 0</p>"),
    ],
)
def test_the_trouble_is_as_large_as_asked_for(page: bytes, trouble: str) -> None:
    assert inside(page) == trouble


def test_the_default_sizes_are_those_that_hurt() -> None:
    line = hostile.ten_megabytes_in_one_line()
    assert len(line) >= 10_000_000
    assert b"\n" not in line
    for make, trouble, count in (
        (hostile.nested_elements, b"<div>", 200_000),
        (hostile.attributes_on_one_tag, b" name", 50_000),
        (hostile.unclosed_comments, b"<!--", 200_000),
        (hostile.unclosed_formatting, b"<font color=i><p>", 10_000),
        (hostile.stray_less_than, b"<", 1_000_000),
        (hostile.nested_tables, b"<table>", 20_000),
        (hostile.many_scripts, b"<script>", 50_000),
        (hostile.many_list_items_in_depth, b"<div>", 100_000),
        (hostile.many_list_items_in_depth, b"<li>", 100_000),
    ):
        assert inside(make()).encode().count(trouble) == count


def test_what_never_ends_never_ends() -> None:
    assert b"-->" not in hostile.unclosed_comments()
    assert b"</script" not in hostile.unclosed_script()
    assert hostile.unclosed_quote().count(b'"') == 1


def test_encodings_are_as_they_say() -> None:
    assert hostile.utf16_page()[:2] in {b"\xff\xfe", b"\xfe\xff"}
    assert ACCENTED in hostile.utf16_page().decode("utf-16")
    wrong = hostile.wrong_encoding_page()
    assert b"utf-8" in wrong
    assert ACCENTED in wrong.decode("latin-1")
    with pytest.raises(UnicodeDecodeError):
        wrong.decode()
    assert ACCENTED in hostile.no_declared_encoding().decode()
    assert b"charset" not in hostile.no_declared_encoding()


def test_what_is_no_text_is_none() -> None:
    assert hostile.nul_bytes().count(b"\0") > 10_000
    assert hostile.empty_page() == b""
    assert hostile.binary_body().startswith(b"\x89PNG")
    assert len(set(hostile.binary_body())) == 256

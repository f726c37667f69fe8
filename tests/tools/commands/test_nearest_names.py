"""The page with the nearest name."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from templcrawl.page.addresses import directories_above
from templcrawl.page.page import Page
from templcrawl.tools.commands.strippers import SiblingStripper
from tests.oracles import edit_distance

paths = st.lists(st.text("ab/", min_size=1, max_size=6), min_size=1, max_size=12, unique=True)


def page(path: str, words: object = "") -> Page:
    """Return a page that is compared by a number."""
    return Page(str(words), f"http://a.example/{path}")


def keys(page: Page) -> array[int]:
    return array("Q", [int(page.text)])


def stripper(pages: Sequence[Page], *, any_directory: bool) -> SiblingStripper:
    view: Any = SimpleNamespace(any_directory=any_directory, keys=keys)
    names = SiblingStripper(view)
    for one in pages:
        names.learn(one)
    return names


@settings(deadline=None)
@given(paths, st.booleans())
def test_no_page_of_the_directory_has_a_nearer_name(found, any_directory) -> None:
    pages = [page(path, number) for number, path in enumerate(found)]
    with stripper(pages, any_directory=any_directory) as names:
        for one in pages:
            same = [other for other in pages if other is not one and other.directory == one.directory]
            rest = [other for other in pages if other is not one]
            above = [one.directory, *directories_above(one.directory)]
            near = [[other for other in rest if other.directory.startswith(name)] for name in above]
            others = next(filter(None, [same, *([rest] if any_directory else near)]), [])
            sibling = names.sibling(one, keys(one))
            if not others:
                assert sibling is None
                continue
            assert sibling is not None
            nearest = min(edit_distance(one.url, other.url) for other in others)
            assert edit_distance(one.url, pages[sibling[0]].url) == nearest
            assert pages[sibling[0]] in others


def test_a_page_that_says_the_same_is_passed_over() -> None:
    pages = [page(path, view) for path, view in (("a1", 1), ("a2", 1), ("b", 2), ("a1", 3))]
    with stripper(pages, any_directory=True) as names:
        assert names.sibling(page("a1"), array("Q", [1])) == array("Q", [2])
        assert names.sibling(Page("", "http://b.example/a1"), array("Q", [1])) is None


@pytest.mark.parametrize(("equal", "found"), [(5, array("Q", [2])), (6, None)])
def test_five_names_are_asked_and_no_more(equal: int, found: array[int] | None) -> None:
    pages = [page(f"a{number}", 1) for number in range(equal)]
    with stripper([*pages, page("bbbb", 2)], any_directory=False) as names:
        assert names.sibling(page("a0"), array("Q", [1])) == found

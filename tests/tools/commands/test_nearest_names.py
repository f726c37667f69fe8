"""The page with the nearest name."""

from __future__ import annotations

from array import array

from hypothesis import given, settings
from hypothesis import strategies as st

from templcrawl.page.page import Page
from templcrawl.tools.commands.strippers import NearestNames
from tests.oracles import edit_distance

paths = st.lists(st.text("ab/", min_size=1, max_size=6), min_size=1, max_size=12, unique=True)


def page(path: str) -> Page:
    return Page("", f"http://a.example/{path}")


def known(pages: list[Page], *, any_directory: bool) -> NearestNames:
    names = NearestNames(any_directory=any_directory)
    for number, one in enumerate(pages):
        names.insert(one, array("Q", [number]))
    return names


@settings(deadline=None)
@given(paths, st.booleans())
def test_no_page_of_the_directory_has_a_nearer_name(found, any_directory) -> None:
    pages = list(map(page, found))
    names = known(pages, any_directory=any_directory)
    for number, one in enumerate(pages):
        same = [other for other in pages if other is not one and other.directory == one.directory]
        others = same or ([other for other in pages if other is not one] if any_directory else [])
        sibling = names.sibling(one, array("Q", [number]))
        if not others:
            assert sibling is None
            continue
        assert sibling is not None
        nearest = min(edit_distance(one.url, other.url) for other in others)
        assert edit_distance(one.url, pages[sibling[0]].url) == nearest
        assert pages[sibling[0]] in others
    names.close()


def test_a_page_that_says_the_same_is_passed_over() -> None:
    names = NearestNames(any_directory=True)
    for path, view in (("a1", [1]), ("a2", [1]), ("b", [2]), ("a1", [3])):
        names.insert(page(path), array("Q", view))
    assert names.sibling(page("a1"), array("Q", [1])) == array("Q", [2])
    assert names.sibling(Page("", "http://b.example/a1"), array("Q", [1])) is None
    names.close()


def test_five_names_are_asked_and_no_more() -> None:
    for equal, found in ((5, array("Q", [2])), (6, None)):
        names = NearestNames(any_directory=False)
        for number in range(equal):
            names.insert(page(f"a{number}"), array("Q", [1]))
        names.insert(page("bbbb"), array("Q", [2]))
        assert names.sibling(page("a0"), array("Q", [1])) == found
        names.close()

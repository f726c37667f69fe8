"""The sandwiches in a site's memory: what is compared, what is remembered, and what comes back.

Which page a page is compared with.
"""

from __future__ import annotations

from array import array

import pytest

from templcrawl.memory.detectors import DETECTORS
from templcrawl.memory.detectors.detector import AnyDetector
from templcrawl.memory.detectors.sibling_sandwich import SiblingPage, SiblingPages
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.place import ALONE
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation
from tests.memory.invariants import check
from tests.memory.pages import article, prose

BOTH = pytest.mark.parametrize("name", ["sandwich", "sandwich-lines"])


def new(name: str, limit: int = 8) -> AnyDetector:
    return DETECTORS[name](MemoryOptions(max_siblings=limit))


def separate(known: AnyDetector, page: Page, *, learn: bool = True) -> Separation:
    asked = known.query(page, ALONE)
    separation = known.classify(asked)
    if learn:
        known.update(asked)
    check(known)
    return separation


def copy_of(page: Page, number: int) -> Page:
    """Return a page that nearly repeats another, under another address of the same directory."""
    return Page(page.text.replace("Title", "Print"), f"https://example.org/articles/copy{number}.html")


def lines(number: int) -> Page:
    """Return an article of 400 words, with a line for each element."""
    page = article(number, text=prose(number, 400))
    return Page(page.text.replace("><", ">\n<"), page.url)


def known_pages(known: AnyDetector) -> list[int]:
    snapshot = known.snapshot()
    pages: list[int] = snapshot.numbers("siblings/pages").tolist()
    assert set(snapshot.numbers("texts/keys").tolist()) >= set(pages)
    return pages


@BOTH
def test_a_page_without_anything_has_no_span_of_content(name: str) -> None:
    known = new(name)
    assert separate(known, Page("", "https://example.org/nothing")).content_spans == ()
    assert separate(known, article(1)).content_spans


@BOTH
def test_a_page_is_compared_with_the_one_before_it(name: str) -> None:
    known = new(name)
    assert separate(known, lines(1)).template_spans == ()
    assert separate(known, lines(2)).template_text.startswith("Home\nNews")


@BOTH
def test_a_page_is_not_compared_with_what_it_nearly_repeats(name: str) -> None:
    known = new(name)
    first, other = lines(1), lines(2)
    separate(known, first)
    assert separate(known, copy_of(first, 1)).template_spans == ()
    separate(known, other)
    copied = separate(known, copy_of(other, 2))
    assert prose(2, 400) in copied.content_text
    assert copied.template_text.startswith("Home\nNews")


@BOTH
def test_what_repeats_another_page_is_not_remembered(name: str) -> None:
    known = new(name)
    first = lines(1)
    separate(known, first)
    for number in range(5):
        separate(known, copy_of(first, number))
    assert known_pages(known) == [first.key]
    assert separate(known, lines(2)).template_text.startswith("Home\nNews")


@BOTH
def test_a_page_is_never_compared_with_itself_nor_learned_when_it_is_not_to_be(name: str) -> None:
    known = new(name)
    separate(known, lines(1), learn=False)
    assert known_pages(known) == []
    separate(known, lines(1))
    assert separate(known, lines(1)).template_spans == ()
    assert known_pages(known) == [lines(1).key]


def sibling(number: int, directory: str, leaf: int) -> SiblingPage:
    return SiblingPage(number, directory, leaf, array("Q", [number]))


def known(*pages: SiblingPage, limit: int = 10) -> SiblingPages:
    siblings = SiblingPages(limit=limit)
    for page in pages:
        siblings.insert(page)
    return siblings


def chosen(siblings: SiblingPages, directory: str, leaf: int, **kwargs: object) -> int | None:
    page = siblings.choose(directory, lambda other: other == leaf, **kwargs)  # type: ignore[arg-type]
    return page and page.page


def test_the_same_directory_and_template_comes_first() -> None:
    siblings = known(sibling(1, "/a/", 1), sibling(2, "/b/", 1), sibling(3, "/a/", 2))
    assert chosen(siblings, "/a/", 1) == 1


def test_then_the_same_template_then_the_same_directory_then_any_page() -> None:
    siblings = known(sibling(2, "/b/", 1), sibling(3, "/a/", 2))
    assert chosen(siblings, "/a/", 1) == 2
    assert chosen(siblings, "/a/", 3) == 3
    assert chosen(siblings, "/c/", 3) == 3
    assert chosen(known(), "/c/", 3) is None


def test_the_previous_page_wins_among_equals() -> None:
    siblings = known(sibling(1, "/b/", 1), sibling(2, "/c/", 1))
    assert chosen(siblings, "/a/", 1) == 2
    siblings.insert(sibling(4, "/b/", 1))
    assert chosen(siblings, "/a/", 1) == 4


def test_as_printed_only_the_directory_counts() -> None:
    siblings = known(sibling(1, "/a/", 2), sibling(2, "/b/", 1))
    assert chosen(siblings, "/a/", 1, any_directory=False) == 1
    assert chosen(siblings, "/c/", 1, any_directory=False) is None


def test_two_pages_of_a_directory_and_leaf_are_kept_and_the_oldest_makes_room() -> None:
    siblings = known(*(sibling(n, "/a/", 1) for n in range(5)), sibling(9, "/b/", 1))
    assert list(siblings._pages) == [3, 4, 9]
    siblings.insert(sibling(3, "/a/", 1))
    assert list(siblings._pages) == [4, 9, 3]

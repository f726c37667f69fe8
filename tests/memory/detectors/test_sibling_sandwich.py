"""The sandwiches in a site's memory: what is compared, what is remembered, and what comes back.

Which page a page is compared with.
"""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.memory.detectors import AnyDetector, load_detector
from templcrawl.memory.detectors.sibling_sandwich import DirectoryPages, SiblingPage, SiblingPages
from templcrawl.memory.memory_options import MemoryOptions
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation
from tests.memory.invariants import check
from tests.memory.pages import article, prose
from tests.memory.values import ALONE

BOTH = pytest.mark.parametrize("name", ["sandwich", "sandwich-lines"])


def new(name: str, limit: int = 8) -> AnyDetector:
    return load_detector(name)(MemoryOptions(max_siblings=limit))


def separate(known: AnyDetector, page: Page, *, learn: bool = True) -> Separation:
    asked = known.query(page, ALONE)
    separation = known.separate(asked)
    if learn:
        known.learn(asked)
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
    return SiblingPage(number, directory, leaf, 8, array("Q", [number]))


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


def test_two_pages_of_a_directory_and_leaf_are_kept_and_the_oldest_makes_room() -> None:
    siblings = known(*(sibling(n, "/a/", 1) for n in range(5)), sibling(9, "/b/", 1))
    assert list(siblings._pages) == [3, 4, 9]
    siblings.insert(sibling(3, "/a/", 1))
    assert list(siblings._pages) == [4, 9, 3]


def by_directory(*directories: str, max_bytes: int = 10**6) -> DirectoryPages:
    siblings = DirectoryPages(max_bytes=max_bytes)
    for number, directory in enumerate(directories):
        siblings.insert(sibling(number, directory, 0))
        check(siblings)
    return siblings


def test_by_lines_the_previous_page_of_the_directory_comes_first_then_those_above() -> None:
    siblings = by_directory("/tea/", "/tea/green/", "/tea/black/", "/milk/")
    assert chosen(siblings, "/tea/", 9) == 0
    assert chosen(siblings, "/tea/green/", 9) == 1
    assert chosen(siblings, "/tea/green/", 9, avoid=[1]) == 2
    assert chosen(siblings, "/tea/white/", 9) == 2
    assert chosen(siblings, "/cake/", 9) == 3
    assert chosen(siblings, "/cake/sweet/", 9) == 3
    assert chosen(by_directory(), "/cake/", 9) is None


directories = st.lists(st.sampled_from(["/", "/a/", "/b/", "/a/b/", "/a/c/", "/a/b/c/"]), max_size=12)


@given(directories, st.integers(0, 12), st.integers(1, 10**4))
def test_by_lines_it_is_the_page_that_a_search_through_all_finds(
    of_pages: list[str], avoided: int, max_bytes: int
) -> None:
    pages = list(enumerate(of_pages))
    for directory in {*of_pages, "/z/", "/a/b/z/"}:
        above = [directory[: at + 1] for at in range(len(directory)) if directory[at] == "/"][::-1]
        groups = [[n for n, own in pages if own == directory]]
        groups += [[n for n, own in pages if own.startswith(name)] for name in above]
        found = [n for group in groups for n in group[-2:][::-1] if n != avoided]
        expected = found[0] if found else None
        assert chosen(by_directory(*of_pages), directory, 0, avoid=[avoided]) == expected
        few = by_directory(*of_pages, max_bytes=max_bytes)
        assert few.size <= max_bytes or len(few) == 1
        assert not of_pages or len(of_pages) - 1 in few._pages


@pytest.mark.parametrize("count", [40, 400, 4000])
def test_by_lines_every_page_finds_its_directory_breadth_first(count: int) -> None:
    siblings = DirectoryPages(max_bytes=MemoryOptions().max_sibling_bytes)
    view = array("Q", range(100))
    for round_ in range(3):
        for shelf in range(count):
            found = siblings.choose(f"/s{shelf}/", lambda leaf: False)
            assert found is None or round_ == 0 or found.directory == f"/s{shelf}/"
            assert round_ == 0 or found
            siblings.insert(SiblingPage(round_ * count + shelf, f"/s{shelf}/", 0, 1_000, view))


def test_a_page_that_leaves_takes_its_text_along() -> None:
    known = load_detector("sandwich-lines")(MemoryOptions(max_sibling_bytes=60_000))
    for number in range(20):
        separate(known, lines(number))
        snapshot = known.snapshot()
        pages = snapshot.numbers("siblings/pages").tolist()
        assert snapshot.numbers("texts/keys").tolist() == pages
        assert len(pages) <= 2


@BOTH
def test_a_page_without_a_sibling_has_no_voters(name: str) -> None:
    known = new(name)
    assert [separate(known, lines(number)).voters for number in range(3)] == [0, 1, 1]


def test_an_address_that_ends_in_a_slash_has_siblings_by_lines() -> None:
    known = new("sandwich-lines")
    pages = [Page(lines(n).text, f"https://example.org/2026/{n}/tea-{n}/") for n in range(3)]
    texts = [separate(known, page).content_text for page in pages]
    assert ["Home" in text for text in texts] == [True, False, False]


def test_by_lines_a_text_is_kept_whole_if_one_of_its_lines_is_new() -> None:
    known = new("sandwich-lines")
    html = "<p>Leaves of spring\n{}\nare dried</p>\n<p>Open daily</p>"
    first, other = (Page(html.format(word), f"https://example.org/{word}") for word in ("first", "other"))
    separate(known, first)
    assert separate(known, other).content_text == "Leaves of spring other are dried"

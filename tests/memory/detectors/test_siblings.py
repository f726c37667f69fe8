"""Which page a page is compared with."""

from __future__ import annotations

from array import array

from templcrawl.memory.detectors.siblings import SiblingPage, SiblingPages


def sibling(number: int, directory: str, leaf: int) -> SiblingPage:
    return SiblingPage(number, directory, leaf, array("Q", [number]))


def known(*pages: SiblingPage, limit: int = 10) -> SiblingPages:
    siblings = SiblingPages(limit=limit)
    for page in pages:
        siblings.add(page)
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
    siblings.add(sibling(4, "/b/", 1))
    assert chosen(siblings, "/a/", 1) == 4


def test_a_page_is_never_compared_with_itself_nor_with_what_it_repeats() -> None:
    siblings = known(sibling(1, "/a/", 1), sibling(2, "/a/", 2))
    assert chosen(siblings, "/a/", 1, avoid=[1]) == 2
    assert chosen(siblings, "/a/", 1, avoid=[1, 2]) is None


def test_as_printed_only_the_directory_counts() -> None:
    siblings = known(sibling(1, "/a/", 2), sibling(2, "/b/", 1))
    assert chosen(siblings, "/a/", 1, any_directory=False) == 1
    assert chosen(siblings, "/c/", 1, any_directory=False) is None


def test_old_pages_leave_and_a_snapshot_restores_the_order() -> None:
    siblings = known(*(sibling(n, f"/{n}/", 1) for n in range(5)), limit=3)
    siblings.check()
    assert len(siblings) == 3
    again = SiblingPages(limit=3)
    again.restore(siblings.snapshot())
    assert again.snapshot() == siblings.snapshot()
    assert chosen(again, "/none/", 1) == 4


def test_two_pages_of_a_directory_and_leaf_are_kept_and_the_oldest_makes_room() -> None:
    siblings = known(*(sibling(n, "/a/", 1) for n in range(5)), sibling(9, "/b/", 1))
    assert [page["page"] for page in siblings.snapshot()["pages"]] == [3, 4, 9]
    siblings.add(sibling(3, "/a/", 1))
    assert [page["page"] for page in siblings.snapshot()["pages"]] == [4, 9, 3]

"""Which page a page is compared with."""

from __future__ import annotations

from array import array

from templcrawl.memory.siblings import SiblingPage, SiblingPages


def sibling(number: int, directory: str, fingerprint: bytes) -> SiblingPage:
    return SiblingPage(number, directory, fingerprint, array("Q", [number]))


def known(*pages: SiblingPage, limit: int = 10) -> SiblingPages:
    siblings = SiblingPages(limit=limit)
    for page in pages:
        siblings.add(page)
    return siblings


def chosen(siblings: SiblingPages, directory: str, fingerprint: bytes, **kwargs: object) -> int | None:
    page = siblings.choose(directory, lambda other: other == fingerprint, **kwargs)  # type: ignore[arg-type]
    return page and page.page


def test_the_same_directory_and_cluster_comes_first() -> None:
    siblings = known(sibling(1, "/a/", b"x"), sibling(2, "/b/", b"x"), sibling(3, "/a/", b"y"))
    assert chosen(siblings, "/a/", b"x") == 1


def test_then_the_same_cluster_then_the_same_directory_then_none() -> None:
    siblings = known(sibling(2, "/b/", b"x"), sibling(3, "/a/", b"y"))
    assert chosen(siblings, "/a/", b"x") == 2
    assert chosen(siblings, "/a/", b"z") == 3
    assert chosen(siblings, "/c/", b"z") is None


def test_the_previous_page_wins_among_equals() -> None:
    siblings = known(sibling(1, "/b/", b"x"), sibling(2, "/c/", b"x"))
    assert chosen(siblings, "/a/", b"x") == 2
    siblings.add(sibling(4, "/b/", b"x"))
    assert chosen(siblings, "/a/", b"x") == 4


def test_a_page_is_never_compared_with_itself_nor_with_what_it_repeats() -> None:
    siblings = known(sibling(1, "/a/", b"x"), sibling(2, "/a/", b"y"))
    assert chosen(siblings, "/a/", b"x", avoid=[1]) == 2
    assert chosen(siblings, "/a/", b"x", avoid=[1, 2]) is None


def test_as_printed_only_the_directory_counts() -> None:
    siblings = known(sibling(1, "/a/", b"y"), sibling(2, "/b/", b"x"))
    assert chosen(siblings, "/a/", b"x", any_directory=False) == 1
    assert chosen(siblings, "/c/", b"x", any_directory=False) is None


def test_old_pages_leave_and_a_snapshot_restores_the_order() -> None:
    siblings = known(*(sibling(n, f"/{n}/", b"x") for n in range(5)), limit=3)
    siblings.check()
    assert len(siblings) == 3
    again = SiblingPages(limit=3)
    again.restore(siblings.snapshot())
    assert again.snapshot() == siblings.snapshot()
    assert chosen(again, "/none/", b"x") == 4

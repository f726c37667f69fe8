"""Rows: whose share counts.  Outsiders: which pages are some, and what their own kind says.

Section menus: lists of links that the same pages have, and what is none.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.extraction.shares import (
    MIN_PAGES,
    Frame,
    is_outsider,
    lower_to_row_shares,
    outsider_shares,
    raise_section_menus,
)
from templcrawl.page.page import Page

SHARES = st.lists(st.floats(0, 1), max_size=30).map(np.array)


def lacking() -> Frame:
    return Frame(20, 9, 60)


def test_a_page_is_an_outsider_if_fewer_than_a_tenth_of_its_runs_are_common() -> None:
    assert not is_outsider(np.array([1.0] + 9 * [0.0]), 8, lacking)
    assert is_outsider(np.array([1.0] + 10 * [0.0]), 8, lacking)
    assert is_outsider(np.array(20 * [0.49]), 8, lacking)


@pytest.mark.parametrize(
    ("frame", "is_one"),
    [
        (Frame(20, 9, 60), True),
        (Frame(20, 10, 60), False),
        (Frame(0, 0, 60), True),
        (Frame(5, 5, 60), True),
        (Frame(6, 6, 60), False),
        (Frame(7, 7, 500), True),
        (Frame(8, 8, 500), False),
        (Frame(8, 3, 500), True),
    ],
)
def test_a_page_that_has_the_frame_of_its_site_is_none(frame: Frame, is_one: bool) -> None:
    assert is_outsider(np.zeros(20), 8, lambda: frame) == is_one


def test_too_few_pages_say_nothing_and_a_page_without_runs_is_none() -> None:
    assert not is_outsider(np.zeros(20), MIN_PAGES - 1, lacking)
    assert is_outsider(np.zeros(20), MIN_PAGES, lacking)
    assert not is_outsider(np.zeros(0), 8, lacking)


def test_its_own_kind_is_believed_the_more_the_more_pages_there_are() -> None:
    shares, own = np.array([0.25, 0.25]), np.array([1.0, 0.0])
    assert outsider_shares(shares, own, 4).tolist() == [0.8, 0.25]
    assert outsider_shares(shares, own, 9).tolist() == [0.9, 0.25]


@given(SHARES, st.integers(0, 20))
def test_its_own_kind_never_makes_a_run_rarer(shares: np.ndarray, pages: int) -> None:
    found = outsider_shares(shares, 1 - shares, pages)
    assert (found >= shares).all()
    assert (found <= 1).all()


FOUR = 0b1111


def after(html: str, masks: list[int], share: float = 0.25) -> list[float]:
    """Return the shares of the runs of a page, all of which had the same."""
    runs = Page(html, "").text_runs
    assert len(runs) == len(masks)
    found = raise_section_menus(runs, np.full(len(runs), share), np.array(masks, dtype=np.uint32))
    return [round(float(one), 3) for one in found]


LINK, TEXT = "<li><a href=/x>entry</a>", "<li>entry"


@pytest.mark.parametrize(
    ("html", "masks", "share"),
    [
        (LINK * 8, [FOUR] * 8, 0.8),
        (LINK * 8, [0b1100011] * 8, 0.8),
        (LINK * 8, [0b11111] * 8, 0.833),
        (LINK * 8, [0b111] * 8, 0.25),
        (LINK * 7, [FOUR] * 7, 0.25),
        (TEXT * 8, [FOUR] * 8, 0.25),
        (LINK * 18 + TEXT * 2, [FOUR] * 20, 0.8),
        (LINK * 17 + TEXT * 3, [FOUR] * 20, 0.25),
    ],
)
def test_a_long_list_of_links_that_the_same_four_pages_have(
    html: str, masks: list[int], share: float
) -> None:
    assert after(html, masks) == [share] * len(masks)


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0, 0b111, FOUR, 0b11110])), max_size=40))
def test_a_run_is_in_a_menu_if_its_whole_stretch_is(runs: list[tuple[bool, int]]) -> None:
    found = after("".join(LINK if linked else TEXT for linked, _ in runs), [mask for _, mask in runs])
    for number, (_, mask) in enumerate(runs):
        start = stop = number
        while start and runs[start - 1][1] == mask:
            start -= 1
        while stop < len(runs) and runs[stop][1] == mask:
            stop += 1
        linked = sum(one for one, _ in runs[start:stop])
        is_menu = stop - start >= 8 and linked >= 0.9 * (stop - start) and mask.bit_count() >= 4
        assert found[number] == (0.8 if is_menu else 0.25)


@pytest.mark.parametrize(
    ("row", "shares", "expected"),
    [
        ("<b>Sauna</b> yes", [1.0, 1.0], [0.5, 0.5]),
        ("<b>Sauna</b> yes", [0.25, 1.0], [0.25, 0.5]),
        ("<a href=/>Ann</a> wrote on Monday", [0.25, 1.0], [0.25, 0.5]),
        ("<a href=/>Home</a> &gt; the old lamp", [1.0, 1.0], [1.0, 1.0]),
        ("<a href=/>a link of words</a> few", [0.25, 1.0], [0.25, 1.0]),
    ],
)
def test_the_share_of_a_row_counts_but_not_of_a_trail_or_a_row_of_links(
    row: str, shares: list[float], expected: list[float]
) -> None:
    page = Page(f"<table><tr><td>{row}</td></tr><tr><td>one<td>two</tr><tr><td>3<td>4</tr></table>", "")
    found = lower_to_row_shares(page.text_runs, page.rows, np.array([*shares, 1, 1, 1, 1]), np.full(3, 0.5))
    assert found.tolist() == [*expected, 0.5, 0.5, 0.5, 0.5]

"""The cells of a page: by hand, against all of its text, and on pages of any shape."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.columns.cells import (
    LONGEST_PLACE,
    MOST_CELLS,
    MOST_DEPTH,
    MOST_PLACES,
    MOST_TEXT,
    SAMPLED_CELLS,
    SAMPLED_CHARACTERS,
    Cell,
    pack,
    read_cells,
    unpack,
)
from templcrawl.page.page import Page

pytestmark = pytest.mark.usefixtures("reader")
_PIECES = st.sampled_from(
    """<div class=a>|</div>|<ul>|<li>|</ul>|<p>|<b>|</b>|<a href=x>|</a>|<h2>|tea |<td>|<tr>|<table>|</table>
    |some more words of text that run on |<img src=y>|&amp; |<""".split("|")
)


def cells(html: str) -> list[tuple[str, str]]:
    page = Page(html, "http://h.example/")
    return [(cell.place, cell.text) for cell in read_cells(page, bytes(len(page.tokens)))]


def test_a_label_and_its_value_are_two_cells_and_a_heading_is_one() -> None:
    html = '<div class="item even"><h1>Green <em>tea</em> <span>of Wells</span></h1><p><b>Price:</b> £4</p>'
    assert cells(html) == [
        ("div.item/h1", "Green tea of Wells"),
        ("div.item/p/b", "Price:"),
        ("div.item/p", "£4"),
    ]


def test_running_text_is_one_cell_with_its_links() -> None:
    html = "<p>The harbour of <a href=/w>Wells</a> has been <b>closed</b> since the great storm.</p>"
    assert cells(html) == [("p", "The harbour of Wells has been closed since the great storm.")]


def test_a_number_in_a_heading_and_a_picture_are_cells_of_their_own() -> None:
    assert cells("<h2 class=replies><span>12</span> comments</h2><img data-src=a.png src=b.png>") == [
        ("h2.replies/span", "12"),
        ("h2.replies", "12 comments"),
        ("img", "a.png"),
    ]


def test_the_sign_of_a_currency_stands_with_its_amount() -> None:
    assert cells("<b class=price><span class=Price-currencySymbol>$</span>12.50</b>") == [
        ("b.price", "$ 12.50")
    ]


def test_records_repeat_under_one_parent_with_the_same_places_inside() -> None:
    item = "<li class=entry><h3>{0}</h3><i class=when>{0} May</i></li>"
    html = f"<ul>{''.join(map(item.format, range(4)))}</ul><div><h3>x</h3><i>y</i></div>"
    page = Page(html, "")
    found = read_cells(page, bytes(len(page.tokens)))
    assert [cell.row for cell in found] == ["ul/li.entry"] * 8 + ["", ""]
    assert len({cell.record for cell in found}) == 5
    known = read_cells(page, bytes(len(page.tokens)), lambda place: place == "div")
    assert [cell.row for cell in known] == [""] * 8 + ["div"] * 2


def test_records_share_the_class_word_that_most_siblings_have() -> None:
    item = "<li class='{1}'><h3>{0}</h3><i class=when>{0} May</i></li>"
    kinds = ["wide entry", "entry", "entry tall", "wide entry", "advert"]
    page = Page(f"<ul>{''.join(map(item.format, range(5), kinds))}</ul>", "")
    found = read_cells(page, bytes(len(page.tokens)))
    assert [cell.row for cell in found] == ["ul/li.entry"] * 8 + [""] * 2
    known = read_cells(page, bytes(len(page.tokens)), lambda row: row == "ul/li.wide")
    assert [bool(cell.record) for cell in known] == [True, True, *[False] * 4, True, True, False, False]


@given(st.lists(_PIECES, max_size=60))
def test_cells_hold_every_visible_word_once_in_reading_order(pieces: list[str]) -> None:
    page = Page("".join(pieces), "")
    mask = bytes(len(page.tokens))
    said = [cell for cell in read_cells(page, mask) if not cell.is_picture]
    runs = [page.tokens.texts_of([page.tokens.form_of[at]])[0] for at in page.text_runs.positions.tolist()]
    assert " ".join(cell.text for cell in said).split() == " ".join(runs).replace("&amp;", "&").split()
    assert all(cell.text and cell.place.count("/") < MOST_DEPTH for cell in said)


def test_what_a_page_can_hold_is_bounded() -> None:
    deep = Page("<div class=x>" * 3_000 + "tea", "")
    (cell,) = read_cells(deep, bytes(len(deep.tokens)))
    assert cell.place.count("/") == MOST_DEPTH - 1
    long = Page("<p>tea" * (MOST_CELLS + 10), "")
    assert len(read_cells(long, bytes(len(long.tokens)))) == MOST_CELLS
    wide = Page(
        f"<div class={'x' * 30}>" * 35 + "".join(f"<b class={letters(at)}>" for at in range(12_000)), ""
    )
    places = {cell.place for cell in read_cells(wide, bytes(len(wide.tokens)))}
    assert max(map(len, places), default=0) < LONGEST_PLACE
    flat = Page("".join(f"<p class={letters(at)}>{at}</p>" for at in range(MOST_PLACES + 5)), "")
    assert len({cell.place for cell in read_cells(flat, bytes(len(flat.tokens)))}) <= MOST_CELLS
    (odd,) = read_cells(page := Page("<o:p class=price>5", ""), bytes(len(page.tokens)))
    assert odd.place == "*.price"


def test_what_a_sample_keeps_of_a_page_is_bounded() -> None:
    cells = [
        Cell("p.a", "tea", (3, 2, 1), True),
        Cell("ul/li/b", "x" * 999, (2, 1, 0), False, "y" * 999, 7, "ul/li"),
    ]
    first, second = unpack(pack(cells))
    assert (first, tuple(first.above)) == (cells[0]._replace(above=first.above), (3, 2, 1))
    assert (second.text, second.link, *second[5:]) == ("x" * MOST_TEXT, "y" * MOST_TEXT, 7, "ul/li")
    assert len(unpack(pack(cells[:1] * 5_000))) == SAMPLED_CELLS
    long = unpack(pack([Cell("p" * LONGEST_PLACE, "tea", (1, 0, 0), True)] * 5_000))
    assert len(long) == SAMPLED_CHARACTERS // (LONGEST_PLACE + 3)


def letters(number: int) -> str:
    """Return a number as a class word without digits."""
    return "".join("abcdefghij"[int(digit)] for digit in str(number))

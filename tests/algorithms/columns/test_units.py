"""The units of a page: by hand, against all of its text, and on pages of any shape."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.columns.headed_tables import HEADED
from templcrawl.algorithms.columns.reading import (
    SAMPLED_CHARACTERS,
    SAMPLED_UNITS,
    PageUnits,
    pack,
    read_page,
    unpack,
)
from templcrawl.algorithms.columns.units import (
    FIRST,
    LABEL,
    LONGEST_PLACE,
    MAX_DEPTH,
    MAX_PLACES,
    MAX_TEXT,
    MAX_UNITS,
    PAIR,
    Unit,
)
from templcrawl.page.page import Page

pytestmark = pytest.mark.usefixtures("reader")
_PIECES = st.sampled_from(
    """<div class=a>|</div>|<ul>|<li>|</ul>|<p>|<b>|</b>|<a href=x>|</a>|<h2>|tea |<td>|<tr>|<table>|</table>
    |some more words of text that run on |<img src=y>|&amp; |<""".split("|")
)
_NO_MARKS = re.compile(r"[\s<]").sub  # white space, and the separators among the pieces


def units(html: str) -> list[tuple[str, str]]:
    return [(unit.place, unit.text) for unit in read_page(Page(html, "http://h.example/")).units]


def test_a_label_and_its_value_are_two_units_and_a_heading_is_one() -> None:
    html = '<div class="item even"><h1>Green <em>tea</em> <span>of Wells</span></h1><p><b>Price:</b> £4</p>'
    assert units(html) == [
        ("div.item/h1", "Green tea of Wells"),
        ("div.item/p/b", "Price:"),
        ("div.item/p", "£4"),
    ]


def test_a_button_that_opens_a_panel_is_its_summary_and_another_is_no_part_of_a_heading() -> None:
    html = "<h3><button aria-expanded=false>When?</button></h3><h3>Tea <button>Edit</button></h3>"
    toggle = '<div id=q-1><button class=q onclick="toggle()">Why?</button><button class=q>Buy</button></div>'
    assert units(html + toggle) == [
        ("h3/summary", "When?"),
        ("h3", "Tea"),
        ("div/summary.q", "Why?"),
        ("div/button.q", "Buy"),
    ]


def test_running_text_is_one_unit_with_its_links() -> None:
    html = "<p>The harbour of <a href=/w>Wells</a> has been <b>closed</b> since the great storm.</p>"
    assert units(html) == [("p", "The harbour of Wells has been closed since the great storm.")]


def test_a_first_line_in_bold_is_a_unit_and_words_in_bold_are_none() -> None:
    said = "The harbour has been <b>closed</b><br> since the great storm."
    whole = "The harbour has been closed since the great storm."
    assert units(f"<p> <b>Ann Wells</b> <br>{said}</p>") == [("p/b", "Ann Wells"), ("p", whole)]
    assert units(f"<p><b>Ann Wells</b> said:<br>{said}</p>") == [("p", f"Ann Wells said: {whole}")]
    assert units(f"<p>{said}") == [("p", whole)]


def test_code_is_one_unit_and_a_button_is_no_part_of_a_text() -> None:
    code = "<pre><span class=kw>let</span> <span class=id>tea</span><div>;</div></pre>"
    button = "<h1>Green <i>tea</i><button><span>Copy</span> it</button></h1><button>Copy</button>"
    assert units(code + button) == [("pre", "let tea ;"), ("h1", "Green tea"), ("button", "Copy")]


def test_the_sign_of_a_link_to_a_heading_is_no_part_of_it() -> None:
    assert units("<h2 id=b>Green tea<a class=headerlink href=#b>#</a></h2><p>C<a href=/x>#</a>") == [
        ("h2#b", "Green tea"),
        ("p", "C"),
        ("p/a", "#"),
    ]


def test_a_number_in_a_heading_and_a_picture_are_units_of_their_own() -> None:
    assert units("<h2 class=replies><span>12</span> comments</h2><img data-src=a.png src=b.png>") == [
        ("h2.replies/span", "12"),
        ("h2.replies", "12 comments"),
        ("img", "http://h.example/a.png"),
    ]


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("<li><a>Tea</a> » <li><a>Green</a> > <a>Mild</a>", ["Tea", "Green", "Mild"]),
        ("<div>« <b>on:</b> 5 May »</div>", ["«", "on:", "5 May »"]),
        ("<div>« Tea » (<a>12</a>)</div>", ["« Tea » (", "12", ")"]),
        ("<table><tr><th><a href=x>Age</a> : <td>12", ["Age:", "12"]),
        ("<h1>Ann</h1><div>: <a>Tea</a></div>", ["Ann", "Tea"]),
        (
            "<b>Tea -</b><i>-5</i><u>—</u><img src='/a.gif'><em>:-)</em>",
            ["Tea -", "-5", "—", "/a.gif", ":-)"],
        ),
    ],
)
def test_separators_are_no_units(html: str, texts: list[str]) -> None:
    assert [text for _, text in units(html)] == texts


def test_the_sign_of_a_currency_stands_with_its_amount() -> None:
    assert units("<b class=price><span class=Price-currencySymbol>$</span>12.50</b>") == [
        ("b.price", "$12.50")
    ]


def test_records_repeat_under_one_parent_with_the_same_places_inside() -> None:
    item = "<li class=entry><h3>{0}</h3><i class=when>{0} May</i></li>"
    html = f"<ul>{''.join(map(item.format, range(4)))}</ul><div><h3>x</h3><i>y</i></div>"
    page = Page(html, "")
    found = read_page(page).units
    assert [unit.row for unit in found] == ["ul/li.entry"] * 8 + ["", ""]
    assert len({unit.record for unit in found}) == 5
    known = read_page(page, b"", lambda place: place == "div").units
    assert [unit.row for unit in known] == [""] * 8 + ["div"] * 2


def test_records_share_the_class_word_that_most_siblings_have() -> None:
    item = "<li class='{1}'><h3>{0}</h3><i class=when>{0} May</i></li>"
    kinds = ["wide entry", "entry", "entry tall", "wide entry", "advert"]
    page = Page(f"<ul>{''.join(map(item.format, range(5), kinds))}</ul>", "")
    found = read_page(page).units
    assert [unit.row for unit in found] == ["ul/li.entry"] * 8 + [""] * 2
    known = read_page(page, b"", lambda row: row == "ul/li.wide").units
    assert [bool(unit.record) for unit in known] == [True, True, *[False] * 4, True, True, False, False]


@given(st.lists(_PIECES, max_size=60))
def test_units_hold_every_visible_word_once_in_reading_order(pieces: list[str]) -> None:
    page = Page("".join(pieces), "")
    mask = bytes(len(page.tokens))
    said = [unit for unit in read_page(page, mask).units if not unit.is_picture]
    runs = [page.tokens.texts_of([page.tokens.form_of[at]])[0] for at in page.text_runs.positions.tolist()]
    words = [_NO_MARKS("", text) for text in ("".join(unit.text for unit in said), "".join(runs))]
    assert words[0] == words[1].replace("&amp;", "&")
    assert all(unit.text and unit.place.count("/") < MAX_DEPTH for unit in said)
    assert all(unit.lone < len(unit.above) for unit in said)


def test_what_a_page_can_hold_is_bounded() -> None:
    deep = Page("<div class=x>" * 3_000 + "tea", "")
    (unit,) = read_page(deep).units
    assert unit.place.count("/") == MAX_DEPTH - 1
    long = Page("<p>tea" * (MAX_UNITS + 10), "")
    assert len(read_page(long).units) == MAX_UNITS
    wide = Page(
        f"<div class={'x' * 30}>" * 35 + "".join(f"<b class={letters(at)}>" for at in range(12_000)), ""
    )
    places = {unit.place for unit in read_page(wide).units}
    assert max(map(len, places), default=0) < LONGEST_PLACE
    flat = Page("".join(f"<p class={letters(at)}>{at}</p>" for at in range(MAX_PLACES + 5)), "")
    assert len({unit.place for unit in read_page(flat).units}) <= MAX_UNITS
    (odd,) = read_page(Page("<o:p class=price>5", "")).units
    assert odd.place == "*.price"


def test_what_a_sample_keeps_of_a_page_is_bounded() -> None:
    units = [
        Unit("p.a", "tea", (3, 2, 1), 0, True),
        Unit("ul/li/b", "x" * 999, (2, 1), 1, False, "y" * 999, 7, "ul/li", LABEL, "Head"),
    ]
    first, second = unpack(pack(PageUnits(units))).units
    assert first == units[0]
    assert (second.text, second.link) == ("x" * MAX_TEXT, "y" * MAX_TEXT)
    assert second[2:5] + second[6:] == units[1][2:5] + units[1][6:]
    assert len(unpack(pack(PageUnits(units[:1] * 5_000))).units) == SAMPLED_UNITS
    long = unpack(pack(PageUnits([Unit("p" * LONGEST_PLACE, "tea", (1,), 0, True)] * 5_000)))
    assert len(long.units) == SAMPLED_CHARACTERS // (LONGEST_PLACE + 3)


def test_lines_of_facts_are_units_and_parts_of_a_price_are_one() -> None:
    assert units("<p>Maker: Hill<br>Age: 12 <i>years</i><br>Land: Norland</p><p>One<br>two lines</p>") == [
        ("p", "Maker: Hill"),
        ("p", "Age: 12 years"),
        ("p", "Land: Norland"),
        ("p", "One two lines"),
    ]
    assert units("<td>24 Replies<br>7,779 Views<td>May 12, 2009, 03:28:42 pm<br>by <a>Ann</a>") == [
        ("td", "24 Replies"),
        ("td", "7,779 Views"),
        ("td", "May 12, 2009, 03:28:42 pm"),
        ("td", "by"),
        ("td/a", "Ann"),
    ]
    assert units(
        "<p>By: Ann <i>Lee</i><i>&nbsp;</i>&nbsp; &nbsp;Seen: 12&nbsp;times</p><p>One&nbsp;&nbsp;two</p>"
    ) == [
        ("p", "By: Ann Lee"),
        ("p", "Seen: 12 times"),
        ("p", "One two"),
    ]
    assert units("<p>12 Hill Road<br>Norland<br>Phone: 40 12</p><p>12 Hill Road<br>Norland</p>") == [
        ("p", "12 Hill Road"),
        ("p", "Norland"),
        ("p", "Phone: 40 12"),
        ("p", "12 Hill Road Norland"),
    ]
    assert units("<td><a>2</a> Replies<br>40 Views</td><p>Joined: May<br>All posts</p>") == [
        ("td/a", "2"),
        ("td", "Replies"),
        ("td", "40 Views"),
        ("p", "Joined: May"),
        ("p", "All posts"),
    ]
    parts = (
        "<div class=price><span>€</span><span>1.204</span><sup class=cents>,50</sup></div><b>4</b><b>/ 5</b>"
    )
    assert units(parts) == [("div.price", "€1.204,50"), ("b", "4"), ("b", "/ 5")]


def test_the_first_and_the_last_day_are_one_unit() -> None:
    days = "<h2>Tea</h2><div class=when><span>{}</span> {} <span>{}</span></div>"
    whole = units(days.format("May 3, 2026", "to", "May 5, 2026"))
    assert whole == [("h2", "Tea"), ("div.when", "May 3, 2026 to May 5, 2026")]
    assert len(units(days.format("May 3, 2026", "edited on", "May 5, 2026"))) == 4
    assert len(units(days.format("May 3, 2026", "to", "the end"))) == 4


@pytest.mark.parametrize(
    ("attributes", "source"),
    [
        ("src=/a.png", "/a.png"),
        ("src=grey.gif data-lazyload=/a.png", "/a.png"),
        ("src=data:image/gif;base64,xx srcset='/a.png 1x, /b.png 2x'", "/a.png"),
        ("src=/a.png data-id=77 data-title='A b.png'", "/a.png"),
    ],
)
def test_the_source_of_a_picture_is_what_a_reader_would_see(attributes: str, source: str) -> None:
    assert units(f"<img {attributes}>") == [("img", source)]


def test_the_markup_says_what_is_a_label() -> None:
    html = (
        "<dl><dt><b>Age</b><dd>12</dl><table><tr><th>Land<td>Wells</tr><tr><td>Size<td>4</tr>"
        "<tr><td>a<td>b<td>c</tr></table>"
    )
    found = read_page(Page(html, "")).units
    assert [(unit.text, unit.sign) for unit in found if unit.sign] == [
        ("Age", LABEL),
        ("Land", LABEL),
        ("Size", PAIR),
        ("a", FIRST),
    ]


def test_the_rows_of_a_table_with_headings_are_records_and_spans_count() -> None:
    html = """<table><thead><tr><th rowspan=2>Model<th colspan=2>Size</tr>
    <tr><th>Length<th>Weight</tr></thead>
    <tr><td rowspan=2>A1<td>4 m<td>2 kg</tr><tr><td colspan=2>none</tr><tr><td>B2<td>5 m<td>3 kg</tr></table>
    <table><tr><td><table><tr><th>x<th>y</tr></table></tr></table><table><tr><td>1<td>2</tr></table>"""
    found = [unit for unit in read_page(Page(html, "")).units if unit.row.startswith(HEADED)]
    assert {unit.row for unit in found} == {f"{HEADED}Model|Size Length|Size Weight"}
    assert [(unit.head, unit.text) for unit in found if unit.head] == [
        ("Model", "A1"),
        ("Size Length", "4 m"),
        ("Size Weight", "2 kg"),
        ("Model", "A1"),
        ("Size Length", "none"),
        ("Model", "B2"),
        ("Size Length", "5 m"),
        ("Size Weight", "3 kg"),
    ]
    assert len({unit.record for unit in found if unit.head}) == 3


def test_a_cell_alone_in_its_row_is_of_the_next_row_that_it_spans_and_of_that_once() -> None:
    html = "<table><tr><th>Model<th>Size</tr><tr><td rowspan=3>A1<tr><td>4 m</tr><tr><td>5 m</tr></table>"
    found = [unit for unit in read_page(Page(html, "")).units if unit.head]
    assert [unit.text for unit in found] == ["A1", "4 m", "A1", "5 m"]


_OF_TABLES = "<tr> </tr> <td> <th> <td_rowspan=3> <td_colspan=2> <div> </div> <table> </table> a b".split()


@given(st.lists(st.sampled_from(_OF_TABLES), max_size=14))
def test_any_table_is_read_and_what_has_a_heading_is_in_a_record(parts: list[str]) -> None:
    html = f"<table><tr><th>Model<th>Size</tr>{' '.join(parts).replace('_', ' ')}</table>"
    assert all(unit.record for unit in read_page(Page(html, "")).units if unit.head)


def test_the_members_of_a_grid_are_records_not_its_lines() -> None:
    member = "<div class=col><h3>{0}</h3><i>{0} May</i></div>"
    lines = ["".join(map(member.format, range(at, at + 3))) for at in (0, 3, 6)] + [member.format(9)]
    html = "<div class=grid>" + "".join(f"<div class=line>{line}</div>" for line in lines) + "</div>"
    found = read_page(Page(html, "")).units
    assert {unit.row for unit in found} == {"div.grid/div.line/div.col"}
    assert len({unit.record for unit in found}) == 10


def test_the_cells_of_a_table_are_records_where_they_are_alike() -> None:
    def rows_in(*cells: str) -> set[str]:
        lines = [
            "".join(f"<td class=col-{at}>{cell.format(line, at)}" for at, cell in enumerate(cells))
            for line in range(4)
        ]
        table = "".join(f"<tr class=row-{at}>{line}" for at, line in enumerate(lines))
        return {unit.row for unit in read_page(Page(f"<table>{table}</table>", "")).units}

    card, text = "<h3>{0}{1}</h3><i>{0} May</i>", "<b>{0}</b><u>{0} May</u>"
    assert rows_in(card, card, card) == {"table/tr/td"}
    assert rows_in(card, text) == {"table/tr"}


@pytest.mark.parametrize("cell", ["<td>{}", "<td><p>{}", "<td><div><span>{}</span></div>"])
def test_the_rows_of_a_table_without_headings_are_records_whatever_is_around_their_texts(cell: str) -> None:
    table = "".join(f"<tr>{''.join(cell.format(f'{at} {line}') for at in 'abc')}" for line in range(4))
    found = read_page(Page(f"<div><table><tbody>{table}</table></div>", "")).units
    assert {unit.row for unit in found} == {"div/table/tbody/tr"}


def letters(number: int) -> str:
    """Return a number as a class word without digits."""
    return "".join("abcdefghij"[int(digit)] for digit in str(number))


def test_what_the_markup_of_a_part_of_a_heading_calls_otherwise_is_apart() -> None:
    html = "<h4>Ann <b>Lee</b> <span class=user-rank>Admin</span></h4><h2>Tea <i class=red>Cup</i></h2>"
    assert units(html) == [("h4", "Ann Lee"), ("h4/span.user-rank", "Admin"), ("h2", "Tea Cup")]

"""The records of page types, by hand: what is one, what of it is running text, what is one cell."""

from __future__ import annotations

from itertools import pairwise

import pytest

from templcrawl.algorithms.columns.choice import choose_columns
from templcrawl.algorithms.columns.reading import read_page
from tests.algorithms.columns.typed_pages import columns_of, pages_of, records_of, values_of

TEAS = ("Assam", "Ceylon", "Dooars", "Keemun", "Lapsang", "Nilgiri", "Oolong", "Sencha", "Yunnan", "Zheng")


def post(tea: str, at: int) -> str:
    """Return a post; each third one quotes another."""
    said = f"I was told that the {tea} of {at} weeks ago is the best that one can have at home."
    code = f"<div class=quote><div class=head>{tea}{at} wrote:</div><p>No {tea} at all.</p></div>"
    text = f"<div class=said><p>{said}</p>{code * (at % 3 == 0)}</div>"
    return f"<div class=post><b class=who>{tea}{at}</b>{text}</div>"


def test_the_running_text_of_a_record_is_one_value_with_the_quotes_that_some_have() -> None:
    bodies = [f"<h1>{tea}</h1>{''.join(post(tea, at) for at in range(3, 8))}" for tea in TEAS]
    (records,) = records_of(columns_of(bodies), bodies[0]).values()
    texts = [record["text"] for record in records]
    said = "I was told that the Assam of {} weeks ago is the best that one can have at home."
    quote = " Assam{} wrote: No Assam at all."
    assert texts == [said.format(at) + quote.format(at) * (at % 3 == 0) for at in range(3, 8)]


def test_what_half_of_the_records_have_in_their_text_is_a_column() -> None:
    bodies = [f"<h1>{tea}</h1>{''.join(post(tea, 3 * at) for at in range(1, 5))}" for tea in TEAS]
    (records,) = records_of(columns_of(bodies), bodies[0]).values()
    assert [record["text"].endswith("at home.") for record in records] == [True] * 4


def test_words_between_quotes_are_running_text_as_paragraphs_are() -> None:
    def said(tea: str, at: int) -> str:
        quote = f"<div class=quote>{tea}{at} said so, I think, and nobody knows of it.</div>"
        return f"{quote * (at % 3 == 0)}I was told that the {tea} of {at} weeks ago is the best one."

    bodies = [
        "".join(
            f"<div class=post><b>{tea}{at}</b><div class=said>{said(tea, at)}</div></div>"
            for at in range(1, 6)
        )
        for tea in TEAS
    ]
    (records,) = records_of(columns_of(bodies), bodies[0]).values()
    start = "Assam3 said so, I think, and nobody knows of it. "
    end = "I was told that the Assam of {} weeks ago is the best one."
    assert [record["text"] for record in records] == [
        start * (at == 3) + end.format(at) for at in range(1, 6)
    ]


def test_questions_in_buttons_and_answers_in_numbered_panels_are_records() -> None:
    question = "<h3><button aria-expanded=false>{0}?</button></h3>"
    asked = f"<div class=faq>{question}<div id=a{{1}}><p>{{0}}, yes.</p></div></div>"
    bodies = [
        f"<h1>{tea}</h1>" + "".join(asked.format(f"Is {tea} {at} good", at) for at in range(4))
        for tea in TEAS
    ]
    (records,) = records_of(columns_of(bodies), bodies[0]).values()
    assert [[*record.values()] for record in records] == [
        [f"Is {TEAS[0]} {at} good?", f"Is {TEAS[0]} {at} good, yes."] for at in range(4)
    ]


def test_the_members_of_a_grid_are_records_whatever_stands_around_its_lines() -> None:
    item = "<li class='item {2}'><b>{0}</b> <i class=note>{1}</i></li>"
    bodies = []
    for at, tea in enumerate(TEAS):
        turns = ("first odd", "even", "last odd")[: 2 + at % 2]
        lines = [
            "".join(
                item.format(f"{tea}{line}{number}", f"{number} of {tea}{line}", ("first", "", "last")[number])
                for number in range(3)
            )
            for line in range(len(turns))
        ]
        grid = "".join(f"<ul class='grid {turn}'><div>{line}</div></ul>" for turn, line in zip(turns, lines))
        bodies.append(f"<h1>{tea}</h1><div class=all>{grid}</div>")
    columns = columns_of(bodies)
    (records,) = records_of(columns, bodies[1]).values()
    assert [row["note"] for row in records] == [f"{at % 3} of {TEAS[1]}{at // 3}" for at in range(9)]


def listings(above: str, item: str, below: str) -> list[str]:
    """Return the body of a page for each tea, with five items."""
    return [above.format(tea) + "".join(item.format(at, tea) for at in range(3, 8)) + below for tea in TEAS]


def test_the_text_of_the_link_that_leads_a_record_is_its_title() -> None:
    item = "<div class=row><h3>1{0}</h3><a href=/{0}{1}>{1} {0}</a><p class=when>{0} May 2022</p></div>"
    above = "<nav><h2>Menu</h2><a href=/>{0[0]}</a></nav><h1>{0}</h1><div><h4>All teas</h4>"
    bodies = listings(above, item, "</div>")
    columns = columns_of(bodies)
    ((name, records),) = records_of(columns, bodies[0]).items()
    assert name == "all_teas"
    assert set(records[0]) == {"title", "title_url", "number", "date"}
    assert records[0]["title"] == "Assam 3"


def test_records_are_not_called_after_a_heading_far_above_them() -> None:
    item = "<div class=row><a href=/{0}{1}>{1} {0}</a><p class=when>{0} May 2022</p></div>"
    above = "<div><nav><ul><h2>Menu</h2></ul></nav></div><main><h1>{0}</h1><div class=all>"
    bodies = listings(above, item, "</div></main>")
    assert list(columns_of(bodies).rows) == ["post"]


def test_the_cells_of_a_row_without_class_words_are_columns_in_their_order() -> None:
    def body(page: int) -> str:
        goods = range(5 * page, 5 * page + 4 + page % 2)
        says = "Made of clay and {} on the wheel of the old harbour mill by Ann of Wells."
        rows = (
            f"<tr><td><a href=/{n}>Cup {n}</a><td>{says.format(n)}<td nowrap>{n + 3}.50 crowns" for n in goods
        )
        return f"<h1>Shelf {page}</h1><table>{''.join(rows)}</table>"

    columns = columns_of([*map(body, range(9))])
    (rows,) = records_of(columns, body(3)).values()
    assert rows[1] == {
        "title": "Cup 16",
        "title_url": "http://h.example/16",
        "text": "Made of clay and 16 on the wheel of the old harbour mill by Ann of Wells.",
        "text_2": "19.50 crowns",
    }


@pytest.mark.parametrize("cell", ["<td>{}", "<td><p>{}</p>"])
def test_a_cell_without_a_heading_is_told_by_its_number_though_others_are_empty(cell: str) -> None:
    def cup(page: int, row: int) -> list[str]:
        at = 7 * page + row
        height = f"{at + 5} cm" if at % 3 else ""
        author = f"Ann {at % 5} Wells" if at % 2 else ""
        return [f"Cup {at}", "ABCD"[at % 4] + "1", height, author, str(1990 + at % 9)]

    def body(page: int) -> str:
        rows = ("".join(map(cell.format, cup(page, row))) for row in range(4 + page % 3))
        return f"<h1>Shelf {page}</h1><table>{''.join(f'<tr>{row}' for row in rows)}</table>"

    (rows,) = records_of(columns_of([*map(body, range(9))]), body(3)).values()
    assert [[row.get(name, "") for name in rows[2]] for row in rows] == [cup(3, row) for row in range(4)]


def test_rows_of_two_cells_with_other_labels_on_each_page_are_facts_of_their_own() -> None:
    parts, sizes = "handle rim foot spout lid".split(), "long wide thin round flat tall".split()

    def body(page: int, *, are_alike: bool) -> str:
        makers = parts if are_alike else [f"{part} of {'ABCDEFGHI'[page]}" for part in parts]
        rows = (f"<tr><td>{part}<td>{sizes[page % 6]}, {sizes[at]}" for at, part in enumerate(makers))
        return f"<h1>Cup {page}</h1><table>{''.join(rows)}</table>"

    columns = columns_of([body(page, are_alike=False) for page in range(9)])
    facts = records_of(columns, body(3, are_alike=False))["fact"]
    assert facts[4] == {"label": "lid of D", "text": "round, flat"}
    columns = columns_of([body(page, are_alike=True) for page in range(9)])
    assert values_of(columns, body(3, are_alike=True))["lid"] == "round, flat"
    assert not columns.rows


def test_texts_with_a_first_line_in_bold_are_records_though_some_pages_have_one() -> None:
    said = "I have had this cup for {} years and it has never let me down at all."

    def body(page: int) -> str:
        letters = (
            f"<div class=l><b>Ann {page}{n}</b><br>{said.format(n)}</div>" for n in range(1 + page % 6)
        )
        return f"<h1>Cup {page}</h1><div class=t>Made of clay {page}.</div>{''.join(letters)}"

    columns = columns_of([*map(body, range(18))])
    (rows,) = records_of(columns, body(7)).values()
    assert rows == [{"text": f"Ann 7{n}", "text_2": said.format(n)} for n in range(2)]
    in_two = columns_of([body(page - page % 6 + page % 6 // 4 * 5) for page in range(18)])  # a third has six
    assert not in_two.rows


def test_posts_in_full_that_are_all_of_the_running_text_are_records_and_parts_of_an_article_are_none() -> (
    None
):
    said = "<p>I was told that the {0} of {1} weeks ago is the best that one can have.</p>"
    whole = (
        f"<div class=post><h2>{{0}} {{1}}</h2>{said}<p>It has a colour of its own, as {{0}} has.</p></div>"
    )
    pages = [
        f"<h1>Blog</h1><div class=all>{''.join(whole.format(tea, n) for n in range(1 + at % 4))}</div>"
        for at, tea in enumerate(TEAS * 2)
    ]
    (records,) = records_of(columns_of(pages), pages[3]).values()
    assert [record["title"] for record in records] == [f"{TEAS[3]} {number}" for number in range(4)]
    assert all(record["text"].startswith("I was told that") for record in records)
    aside = "<div><h4>{0} {1}</h4><p>It is as good as {1} more.</p></div>"
    articles = [
        f"<h1>{tea}</h1><div class=all>{''.join((said + aside).format(tea, at) for at in range(4))}</div>"
        for tea in TEAS
    ]
    assert records_of(columns_of(articles), articles[0]) == {}


def test_siblings_from_one_heading_to_the_next_are_a_record_and_chapters_of_an_article_are_none() -> None:
    said = "<p>It is as good as {1} more, as {0} is, and so on.</p>"
    news = f"<h3>{{0}} {{1}}</h3>{said}{{1}} cups left<div class=byline>By Ann on May {{1}}, 2026</div>"
    pages = []
    for at, tea in enumerate(TEAS):
        whole = "".join(news.format(tea, number) for number in range(3 + at % 3))
        pages.append(f"<h1>News</h1><div id=main><p>What is new.</p>{whole}<p>More of it.</p></div>")
    columns = columns_of(pages)
    for at, page in enumerate(pages):
        (records,) = records_of(columns, page).values()
        assert [(one["title"], one["date"]) for one in records] == [
            (f"{TEAS[at]} {number}", f"By Ann on May {number}, 2026") for number in range(3 + at % 3)
        ]
        assert f"{len(records) - 1} cups left" in records[-1].values()
    linked = "<h3><a href=/{0}{1}>{0} {1}</a></h3><p>It is as good as {1} more.</p>"
    plain = linked.replace("<a href=/{0}{1}>", "<a href=#{1}>")
    for form, count in ((linked, 1), (plain, 0)):
        bodies = [f"<div id=main>{''.join(form.format(tea, n) for n in range(4))}</div>" for tea in TEAS]
        assert len(records_of(columns_of(bodies), bodies[0])) == count


def test_flat_records_are_one_kind_though_words_of_turns_and_of_their_table_stand_in_each_cell() -> None:
    words = "{0}-row-color summary-table summary-table-tab{1}"
    cell = f'<div class="col-{{2}} {words}">{{3}}</div>'

    def body(page: int) -> str:
        rows = ""
        for at in range(3 + page % 4):
            said = f"<div class=block>What tea {page}{at} is</div>" if (page + at) % 4 else "&nbsp;"
            link = f"<code><a href=/{page}/{at}>tea{at} of {page}</a></code>"
            for which, text in (("first", link), ("last", said)):
                rows += cell.format(("even", "odd")[at % 2], 1 + page % 2, which, text)
        heads = "<div class='head col-first'>Name</div><div class='head col-last'>What it is</div>"
        return f"<h1>Shelf {page}</h1><div class=table>{heads}{rows}</div>"

    (rows,) = records_of(columns_of([*map(body, range(12))]), body(6)).values()
    assert [list(row.values()) for row in rows] == [
        [f"tea{at} of 6", f"http://h.example/6/{at}", *([f"What tea 6{at} is"] if (6 + at) % 4 else [])]
        for at in range(5)
    ]


def test_rows_are_alike_of_which_the_cells_take_turns_in_a_class_word() -> None:
    def row(tea: str, at: int) -> str:
        word = f"trow{at % 2 + 1}"
        return f"<tr><td class={word}><div><b>{tea}{at}</b></div><td class={word}><i>{at} cups of {tea}</i>"

    head = "<tr><td colspan=2><a href=/new>New</a> <a href=/all>All</a><tr><td>Name<td>Cups"
    bodies = [f"<table>{head}{''.join(row(tea, at) for at in range(6))}</table>" for tea in TEAS]
    (records,) = records_of(columns_of(bodies), bodies[0]).values()
    (name,) = {name for record in records for name, value in record.items() if "cups of" in value}
    assert [record[name] for record in records] == [f"{at} cups of Assam" for at in range(6)]


def test_a_user_and_what_he_says_are_one_record_though_each_stands_in_a_cell() -> None:
    def message(tea: str, at: int) -> str:
        user = f"<div class=cell><b class=who>{tea}{at}</b><i class=rank>rank {at} of {tea}</i></div>"
        said = f"<div class=cell><time>{at} May 2026</time><em class=said>No {tea} before {at}.</em></div>"
        return f"<article class=message>{user}{said}</article>"

    bodies = [f"<h1>{tea}</h1>{''.join(message(tea, at) for at in range(1, 6))}" for tea in TEAS]
    (records,) = records_of(columns_of(bodies), bodies[0]).values()
    assert [(record["who"], record["said"]) for record in records] == [
        (f"Assam{at}", f"No Assam before {at}.") for at in range(1, 6)
    ]


def test_the_cells_of_a_grid_are_records_though_half_of_them_have_no_picture() -> None:
    def cell(tea: str, at: int) -> str:
        picture = f"<img src=/{tea}{at}.png>" * (at % 2)
        return f"<td><div class=name><a href=/{tea}{at}>{tea} {at}</a></div><div class=face>{picture}</div>"

    bodies = [
        "<table class=grid>"
        + "".join(f"<tr>{''.join(cell(tea, 4 * row + at) for at in range(4))}</tr>" for row in range(3))
        + "</table>"
        for tea in TEAS
    ]
    (records,) = records_of(columns_of(bodies), bodies[0]).values()
    assert [record["name"] for record in records] == [f"Assam {at}" for at in range(12)]


def test_a_record_that_stands_alone_on_a_page_leaves_the_records_in_it_to_themselves() -> None:
    note = (
        "<article class=event><h2><a href=/{0}{1}>{0} {1}</a></h2><i class=when>{1} May 2026</i>{2}</article>"
    )
    guest = "<li class=person><b class=who>{0} {1}</b> <em class=from>town {1} of {0}</em></li>"
    many = [f"<div>{''.join(note.format(tea, at, '') for at in range(4))}</div>" for tea in TEAS]
    guests = [f"<ul>{''.join(guest.format(tea, at) for at in range(5))}</ul>" for tea in TEAS]
    lone = [f"<div>{note.format(tea, 9, some)}</div>" for tea, some in zip(TEAS, guests)]
    columns = columns_of([*many, *lone])
    found = records_of(columns, lone[0])
    assert [record["title"] for record in found["event"]] == ["Assam 9"]
    assert [record["who"] for record in found["person"]] == [f"Assam {at}" for at in range(5)]
    several = f"<div>{''.join(note.format('Assam', at, guests[0]) for at in range(4))}</div>"
    assert {name: len(rows) for name, rows in records_of(columns, several).items()} == {
        "event": 4,
        "person": 0,
    }


@pytest.mark.parametrize(
    ("tag", "word", "is_own"),
    [
        ("article", "tea", True),
        ("section", "tea", True),
        ("article", "tea-review", False),
        ("div", "tea", False),
    ],
)
def test_an_article_alone_on_its_page_is_the_page_though_others_list_its_like(
    tag: str, word: str, *, is_own: bool
) -> None:
    body = "<h2>{0} {1}</h2><b class=origin>{1} {0}shire</b><div class=note>As {0} as {1}</div>"
    article = f"<{tag} class={word}>{body}</{tag}>"

    def page(*numbers: int) -> str:
        return "<div id=main>" + "".join(article.format(TEAS[at % 8], at) for at in numbers) + "</div>"

    columns = columns_of([*map(page, range(30)), *(page(*range(at, at + 4)) for at in range(5))])
    assert values_of(columns, page(3)).get("origin") == ("3 Keemunshire" if is_own else None)
    counts = [sum(map(len, records_of(columns, page(*numbers)).values())) for numbers in ((3,), (3, 4, 5, 6))]
    assert counts == [not is_own, 4]


def test_numbers_of_records_are_data_though_all_pages_have_the_same() -> None:
    item = "<div class=item><b class=tea>{1} {0}</b><i class=cups>{0} cups</i><u class=why>as {1}</u></div>"
    pages = pages_of(listings("", item, ""))
    read = []
    for page in pages:
        texts = [page.tokens.forms[form] for form in page.tokens.form_of]
        read.append(read_page(page, bytes("cups" not in text and "as " not in text for text in texts)))
    (records,) = choose_columns(read).rows.values()
    assert {one.name for one in records.columns} == {"tea", "cups"}


def test_the_links_of_records_lead_them_whatever_their_few_texts_say() -> None:
    more = (
        "<p class=more><a href=/{1}{0}>Read more</a></p><u class=flag><a href=/report/{1}{0}>Report</a></u>"
    )
    item = f"<div class=item><b class=tea>{{1}} {{0}}</b><i class=cups>{{0}} cups</i>{more}</div>"
    bodies = listings("", item, "")
    columns = columns_of(bodies)
    (records,) = records_of(columns, bodies[0]).values()
    assert [record["Read more"] for record in records] == [
        f"http://h.example/Assam{at}" for at in range(3, 8)
    ]
    (rows,) = columns.rows.values()
    assert not any("report" in one for column in rows.columns if column.shown for one in column.examples)


def test_a_thread_is_in_one_column_whether_it_is_new_and_its_link_leads_it() -> None:
    def row(tea: str, at: int) -> str:
        state = "subject_new" if at % 3 == 0 else "subject_old"
        link = f"<span class={state}><a href=/{tea}{at}>{tea} {at}</a></span>"
        return f"<tr class=line><td class=cell>{link}<i class=by>Ann{at % 4}</i><td class=cups>{at} of {tea}"

    bodies = [f"<table>{''.join(row(tea, at) for at in range(6))}</table>" for tea in TEAS]
    (records,) = records_of(columns_of(bodies), bodies[0]).values()
    assert [record["subject"] for record in records] == [f"Assam {at}" for at in range(6)]
    assert all("subject_url" in record for record in records)


def test_facts_are_no_records_though_some_of_their_fields_have_no_label() -> None:
    bodies = []
    for tea in TEAS:
        plain = (f"<p>{what} of {tea}</p>" for what in ("leaf", "town", "cup"))
        facts = (f"<b>{what}</b><i>{what} of {tea}</i>" for what in ("Grower", "Market"))
        many = f"<b>Sorts</b>{''.join(f'<i>{tea} {at}</i>' for at in range(5))}"
        fields = "".join(f"<div class=field>{one}</div>" for one in (*plain, *facts, many))
        bodies.append(f"<h1>{tea}</h1><div>{fields}</div>")
    columns = columns_of(bodies)
    assert records_of(columns, bodies[0]) == {}
    assert values_of(columns, bodies[0])["Grower"] == "Grower of Assam"


def test_a_first_row_in_bold_is_the_headings_of_a_table() -> None:
    head = "<tr><td><b>Tea</b><td><b>Cups</b><td><strong>Price</strong></tr>"
    lines = [
        "".join(f"<tr><td>{tea} {at}<td>{at}{row}<td>£{row}</tr>" for row in range(4))
        for at, tea in enumerate(TEAS)
    ]
    bodies = [f"<h1>{tea}</h1><table>{head}{some}</table>" for tea, some in zip(TEAS, lines)]
    (records,) = records_of(columns_of(bodies), bodies[1]).values()
    assert records[2] == {"Tea": "Ceylon 1", "Cups": "12", "Price": "£2"}
    assert len(records) == 4


def test_rows_below_the_same_headings_on_each_page_are_records_though_their_names_come_again() -> None:
    cells = "<div class=name>{0}</div><div class=says>{1}</div><div class=must>{2}</div>"
    row = f"<div class=property>{cells}</div>"

    def body(page: int) -> str:
        names = ["Name", "Comments", *("Host Port Path Method Delay".split()[page % 3 : page % 3 + 2])]
        rows = (row.format(name, f"What {name} is of {page}", "Yes" if page % 2 else "No") for name in names)
        heads = row.format("Attribute", "What it is", "Must")
        return f"<h1>Part {page}</h1><div>{heads}{''.join(rows)}</div>"

    columns = columns_of([*map(body, range(12))])
    (rows,) = records_of(columns, body(3)).values()
    assert [one["name"] for one in rows[1:]] == ["Name", "Comments", "Host", "Port"]
    assert "Comments" not in values_of(columns, body(3))


def test_names_that_come_again_on_each_page_are_records_of_a_table() -> None:
    head = "<tr><th>Maker<th>Cups<th>Price</tr>"
    makers = ("Ann Wells", "Bo Smith", "Cy Dale", "Di Moss")
    lines = [
        "".join(f"<tr><td>{maker}<td>{at}{row}<td>£{row + at}</tr>" for row, maker in enumerate(makers))
        for at in range(len(TEAS))
    ]
    bodies = [f"<h1>{tea}</h1><table>{head}{some}</table>" for tea, some in zip(TEAS, lines)]
    columns = columns_of(bodies)
    (records,) = records_of(columns, bodies[1]).values()
    assert records[2] == {"Maker": "Cy Dale", "Cups": "12", "Price": "£3"}


def test_a_heading_of_records_labels_nothing_behind_them() -> None:
    review = (
        "<div class=review><b>{0} {1}</b><i>{1} May</i><p>A {0} of {1} weeks, of which I had a cup.</p></div>"
    )
    bodies = []
    for at, tea in enumerate(TEAS):
        reviews = "".join(review.format(tea[::-1], 10 * at + number) for number in range(3))
        bodies.append(f"<h1>{tea}</h1><h2>Reviews</h2>{reviews}<p class=made>Made in {TEAS[at - 1]}</p>")
    columns = columns_of(bodies)
    assert values_of(columns, bodies[1]) == {"title": "Ceylon", "made": "Made in Assam"}
    ((_, records),) = records_of(columns, bodies[1]).items()
    assert len(records) == 3


def test_a_flat_record_begins_with_what_stands_first_though_some_lack_what_follows() -> None:
    def records(said: str) -> list[tuple[int, str]]:
        row = "<div class=tea><a href=/{0}>tea{0}</a></div><div class=about>{1}</div>"
        rows = "".join(row.format(at, f"What {at} is" * (one == "x")) for at, one in enumerate(said))
        (page,) = pages_of([f"<h1>Teas</h1><div class=all>{rows}</div>"])
        units = read_page(page).units
        return [(unit.record, unit.text) for unit in units if unit.record]

    found = records("xx-xx-xx")
    assert len({record for record, _ in found}) == 8
    assert all(found[at][0] == found[at - 1][0] for at, (_, text) in enumerate(found) if "What" in text)
    few = records("x-x-xx--x")
    assert not any(one[0] == other[0] for one, other in pairwise(few) if "What" in one[1])

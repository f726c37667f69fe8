"""Facts, running text, declared data, records: by hand, as columns of a type."""

from __future__ import annotations

import json

import pytest

from templcrawl.algorithms.columns.choice import choose_columns
from templcrawl.algorithms.columns.reading import PageUnits, read_page
from templcrawl.algorithms.columns.values import TypeColumns
from tests.algorithms.columns.typed_pages import columns_of, pages_of, records_of, values_of

WORDS = "amber birch cedar delta ember fjord grove harbour island juniper kelp lantern maple nectar".split()
FACTS = ("Maker", "Land", "Age", "Strength")


def facts(number: int) -> list[tuple[str, str]]:
    """Return the facts of a page: most have one land, and some have no age."""
    land = "Norland" if number % 5 else ("Ostry", "Vest")[number % 2]
    values = (f"{WORDS[number % 14]} {number}", land, f"{8 + number} years", f"{40 + number % 3}%")
    return [pair for pair in zip(FACTS, values) if pair[0] != "Age" or number % 3]


WAYS = {
    "th": ("<table>{}</table>", "<tr><th>{}</th><td>{}</td></tr>"),
    "td": ("<table>{}</table>", "<tr><td>{}</td><td>{}</td></tr>"),
    "dl": ("<dl>{}</dl>", "<dt>{}</dt><dd>{}</dd>"),
    "strong": ("<div>{}</div>", "<p><strong>{}:</strong> {}</p>"),
    "spans": ("<div>{}</div>", "<div><span class=k>{}</span> <span class=v>{}</span></div>"),
    "colon": ("<div>{}</div>", "<p>{}: {}</p>"),
    "lines": ("<p>{}</p>", "{}: {}<br>"),
    "wrapped": ("<div>{}</div>", "<div><div><p>{}</p></div></div><div><div><p>{}</p></div></div>"),
}


def body(way: str, number: int) -> str:
    around, line = WAYS[way]
    return f"<h1>Bottle {number}</h1>{around.format(''.join(line.format(*fact) for fact in facts(number)))}"


def test_the_markup_makes_a_label_however_it_ends() -> None:
    bodies = [f"<h1>{at}</h1><dl><dt>In shop No.</dt><dd>Rs. {at}.50</dd></dl>" for at in range(12)]
    assert values_of(columns_of(bodies), bodies[7]) == {"title": "7", "In shop No.": "Rs. 7.50"}


def test_a_text_beside_the_label_that_the_markup_makes_is_no_label() -> None:
    banner = "<div><em class=banner><b>Joined</b></em><div class=blurb>{0}</div></div>"
    bodies = [
        f"<h1>{WORDS[at]}</h1>{banner.format(at + 20)}<dl><dt>Joined</dt><dd>May {at + 1}, 2026</dd></dl>"
        for at in range(14)
    ]
    assert values_of(columns_of(bodies), bodies[3])["Joined"] == "May 4, 2026"


def test_a_heading_for_screen_readers_labels_nothing() -> None:
    neighbours = "<nav><h2 class=screen-reader-text>Post navigation</h2><div class=nav-links>{}</div></nav>"
    link = "<div class=nav-{}><a href=/{}>The {} post</a></div>"
    bodies = [
        f"<h1>{word}</h1><p>Of {word} we say {at} things</p>"
        + neighbours.format(
            link.format("previous", f"p{at}", WORDS[at - 1]) + link.format("next", f"n{at}", WORDS[at - 13])
        )
        for at, word in enumerate(WORDS)
    ]
    row = values_of(columns_of(bodies), bodies[3])
    assert (row["previous"], row["next"]) == ("The cedar post", "The ember post")
    assert "Post navigation" not in row


def test_an_abbreviation_is_a_label_and_a_fact_behind_an_empty_one_is_another_fact() -> None:
    bodies = [
        f"<h1>{word}</h1><p><b>Release No.:</b> {at + 30 if at % 3 else ''}</p><p>Date: May {at + 1}, 2026"
        for at, word in enumerate(WORDS)
    ]
    columns = columns_of(bodies)
    assert values_of(columns, bodies[1]) == {"title": WORDS[1], "Release No.": "31", "Date": "May 2, 2026"}
    assert values_of(columns, bodies[3]) == {"title": WORDS[3], "Date": "May 4, 2026"}


@pytest.mark.parametrize("way", WAYS)
def test_a_label_is_one_column_and_its_frequent_value_is_a_value(way: str) -> None:
    bodies = [body(way, number) for number in range(24)]
    columns = columns_of(bodies)
    for number, one in enumerate(bodies):
        assert values_of(columns, one) == {"title": f"Bottle {number}", **dict(facts(number))}


def test_one_label_in_several_kinds_of_markup_is_one_column() -> None:
    ways = ("th", "strong", "colon", "lines")
    bodies = [body(ways[number % 4], number) for number in range(32)]
    columns = columns_of(bodies)
    assert {column.name for column in columns.columns} == {"title", *FACTS}
    assert [values_of(columns, one)["Maker"] for one in bodies] == [
        facts(number)[0][1] for number in range(32)
    ]


@pytest.mark.parametrize(
    "shape",
    [
        "<div><b>{0}</b> {1}</div>",
        "<div><i class=n>{0}</i> <i class=l>{1}</i></div>",
        "<p><b>{0}</b><br>{1}</p>",
    ],
)
def test_a_number_before_its_unit_is_a_fact(shape: str) -> None:
    def counts(number: int) -> dict[str, str]:
        return {"followers": str(30 + number), "posts": str(3 * number), "likes": str(5 * number + 3)}

    bodies = []
    for at in range(16):
        lines = "".join(shape.format(value, unit) for unit, value in counts(at).items())
        bodies.append(f"<h1>{at}th</h1><div>{lines}</div>")
    columns = columns_of(bodies)
    assert values_of(columns, bodies[7]) == {"title": "7th", **counts(7)}


def test_what_is_labelled_with_another_text_each_time_is_no_label() -> None:
    bodies = [
        f"<h1>{at}</h1><dl><dt>{WORDS[at % 14]} {at}</dt><dd>said {at} things</dd></dl>" for at in range(20)
    ]
    assert {column.label for column in columns_of(bodies).columns} == {""}


def test_a_list_keeps_equal_values_and_its_order_beside_its_addresses() -> None:
    bodies = [
        f"<h1>{at}</h1><ul>"
        + "".join(
            f"<li class=n><a href=/{at % 3}{number}>{number}</a></li>" for number in (at % 3, 2, 2, at % 2)
        )
        + "</ul>"
        for at in range(20)
    ]
    columns = columns_of(bodies)
    row = values_of(columns, bodies[7])
    (name,) = (one.name for one in columns.columns if one.many and not one.attribute)
    assert row[name] == ["1", "2", "2", "1"]
    assert [url.rpartition("/")[2] for url in row[f"{name}_url"]] == ["11", "12", "12", "11"]


def test_the_running_text_is_one_column_whatever_is_inside_of_paragraphs() -> None:
    def sentence(at: int, number: int) -> str:
        return f"{WORDS[at % 14]} {number} " + " ".join(WORDS[(at + step) % 14] for step in range(12)) + "."

    shapes = ("<p>{}</p>", "<p><span style=x>{}</span></p>", "<p><b>{}</b></p>", "<div>{}</div>")
    bodies = []
    for at in range(16):
        story = "".join(shapes[(at + number) % 4].format(sentence(at, number)) for number in range(5))
        parts = "<ul class=parts>" + "".join(f"<li>{word} {at}</li>" for word in WORDS[:3]) + "</ul>"
        bodies.append(f"<article><h1>{at}</h1><div class=story>{story}</div>{parts}</article>")
    columns = columns_of(bodies)
    assert values_of(columns, bodies[3])["text"] == " ".join(sentence(3, number) for number in range(5))
    assert [f"{word} 3" for word in WORDS[:3]] in values_of(columns, bodies[3]).values()


def test_facts_and_rows_of_tables_in_a_text_are_a_part_of_it() -> None:
    rows = "<tr><th>Model<th>Length</tr><tr><td>A{0}<td>{0} mm</tr><tr><td>B<td>9 mm</tr>"
    said = f"{' '.join(WORDS)}."
    bodies = [
        f"<h1>{word}</h1><div class=body><p>Age: {at + 30}</p><p>{word} {said}</p>"
        f"{f'<p>Phone: 555-{at}</p>' * (at % 3 > 0)}"
        f"<div class=wide><table>{rows.format(at)}</table></div></div>"
        for at, word in enumerate(WORDS)
    ]
    columns = columns_of(bodies)
    row, records = values_of(columns, bodies[4]), records_of(columns, bodies[4])
    assert row["text"] == f"{WORDS[4]} {said} Phone: 555-4 Model Length A4 4 mm B 9 mm"
    assert (row["Age"], row["Phone"]) == ("34", "555-4")  # all pages have an age: it is of the template
    assert records == {"Model_Length": [{"Model": "A4", "Length": "4 mm"}, {"Model": "B", "Length": "9 mm"}]}


def test_a_text_is_one_column_though_some_pages_have_it_in_one_more_element() -> None:
    shapes = ("<p>{}</p>", "<div class=story><p>{}</p></div><p>The end.</p>")
    said = [f"{word} {' '.join(WORDS)}." for word in WORDS]
    bodies = [
        f"<h1>{at}</h1><div class=entry>{shapes[at % 2].format(f'{one}</p><p>{one}')}</div>"
        for at, one in enumerate(said)
    ]
    columns = columns_of(bodies)
    for at in (2, 3):
        assert values_of(columns, bodies[at]) == {"title": f"{at}", "text": f"{said[at]} {said[at]}"}


def test_the_same_text_on_the_few_pages_of_another_layout_is_in_the_column_of_texts() -> None:
    said = [f"{word} {' '.join(WORDS)}." for word in WORDS[:10]]
    bodies = [f"<h1>{at}</h1><div class=post><p>{one}</p></div>" for at, one in enumerate(said)]
    bodies += [f"<h1>{at}</h1><section class=note><p>{said[3]}</p></section>" for at in (10, 11)]
    assert values_of(columns_of(bodies), bodies[11]) == {"title": "11", "text": said[3]}


def test_code_is_no_reason_that_what_is_around_it_is_no_text() -> None:
    code = f"<div class=lit><pre class=sh>{{0}} {' '.join(WORDS * 3)}</pre></div>"
    said = [f"{word} {' '.join(WORDS[:11])}." for word in WORDS]
    bodies = [
        f"<h1>{at}</h1><div class=doc><p>{one}</p><p>{one}</p>{code.format(at)}</div>"
        for at, one in enumerate(said)
    ]
    assert values_of(columns_of(bodies), bodies[3])["text"] == f"{said[3]} {said[3]}"


def test_values_of_which_some_pages_have_several_are_lists() -> None:
    tag = "<p class=tag>{} {}</p>"
    bodies = [
        f"<h1>{word}</h1><div>{tag.format(word, 1)}{tag.format(word, 2) * (at < 3)}</div>"
        for at, word in enumerate(WORDS * 2)
    ]
    assert values_of(columns_of(bodies[:16]), bodies[1])["tag"] == ["birch 1", "birch 2"]


def test_headings_that_most_texts_have_are_labels_of_their_sections() -> None:
    def paragraph(at: int, number: int) -> str:
        return f"{WORDS[at % 14]} {number} " + " ".join(WORDS[(at + step) % 14] for step in range(12)) + "."

    bodies = []
    for at in range(16):
        abstract, own, life = (paragraph(at, number) for number in range(3))
        parts = f"<p>{abstract}</p><h3>On {WORDS[at % 14]}</h3><p>{own}</p><h3>Life</h3><p>{life}</p>"
        bodies.append(f"<h1>{at}</h1><h4>Shared</h4><div class=talk>{parts}<p>{at}</p></div>")
    row = values_of(columns_of(bodies), bodies[3])
    assert row["text"] == f"{paragraph(3, 0)} On {WORDS[3]} {paragraph(3, 1)} {paragraph(3, 2)} 3"
    assert row["Life"] == [paragraph(3, 2), "3"]
    assert "Shared" not in row  # it is outside of the text, and so no label of what is in it


def test_headings_that_some_texts_have_are_labels_of_their_sections() -> None:
    words = " ".join(WORDS)
    parts = [
        f"<p>{at} {words}.</p>" + f"<h3>Life</h3><p>{words} {at}</p>" * (at % 5 == 0) for at in range(40)
    ]
    bodies = [f"<h1>{at}</h1><div class=talk>{part}</div>" for at, part in enumerate(parts)]
    assert values_of(columns_of(bodies), bodies[5])["Life"] == f"{words} 5"


def test_texts_of_one_place_are_told_by_their_number() -> None:
    line = "<div class=by><span>{}</span><span>·</span><span>{} min</span></div>"
    bodies = [f"<h1>{at}</h1>{line.format('Ann' if at else 'Ben', at)}" for at in range(30)]
    row = values_of(columns_of(bodies), bodies[7])
    assert sorted(row.values()) == ["7", "7 min", "Ann"]


TABLE = "<h1>Range {0}</h1><table><thead><tr><th>Model<th>Length</tr></thead>{1}</table>"


def test_a_table_with_headings_is_a_table_of_records() -> None:
    def rows(at: int) -> str:
        return "".join(
            f"<tr><td>{WORDS[number]} {at}<td>{number}{at} mm</tr>" for number in range(at % 3 + 2)
        )

    bodies = [TABLE.format(at, rows(at)) for at in range(9)]
    columns = columns_of(bodies)
    assert [column.name for column in columns.columns] == ["title"]
    assert records_of(columns, bodies[4]) == {
        "Model_Length": [{"Model": f"{WORDS[number]} 4", "Length": f"{number}4 mm"} for number in range(3)]
    }


def test_a_table_with_headings_and_one_row_is_of_the_page() -> None:
    bodies = [TABLE.format(at, f"<tr><td>{WORDS[at]}<td>{at} mm</tr>") for at in range(9)]
    assert values_of(columns_of(bodies), bodies[4]) == {
        "title": "Range 4",
        "Model": WORDS[4],
        "Length": "4 mm",
    }


def declaring(at: int, is_shown: bool) -> str:
    data = {"@type": "Product", "name": f"Lamp {at}", "sku": f"s-{at}", "offers": {"price": f"{at}.00"}}
    price = f"<p class=amount>{at},- €</p>" if is_shown else ""
    return f"<script type=application/ld+json>{json.dumps(data)}</script><h1>Lamp {at}</h1>{price}"


def test_what_pages_declare_has_columns_and_names_those_that_show_it() -> None:
    bodies = [declaring(at, at % 4 > 0) for at in range(16)]
    pages = pages_of(bodies)
    columns = choose_columns([read_page(page, b"\1" * len(page.tokens)) for page in pages])
    assert values_of(columns, bodies[5]) == {"name": "Lamp 5", "price": "5,- €", "sku": "s-5"}
    assert values_of(columns, bodies[4])["price"] == "4.00"
    assert {one.name: bool(one.slots) for one in columns.columns} == {
        "name": True,
        "price": True,
        "sku": False,
    }
    without = choose_columns([read_page(page, b"\1" * len(page.tokens), declares=False) for page in pages])
    assert {one.name for one in without.columns} == {"title", "amount"}


def test_a_date_that_is_shown_is_the_one_that_is_declared() -> None:
    data = '<script type=application/ld+json>{{"@type": "Article", "datePublished": "2026-05-0{0}"}}</script>'
    bodies = [f"{data.format(at)}<h1>T{at}</h1><p class=on>May {at}, 2026</p>" for at in range(1, 10)]
    assert values_of(columns_of(bodies), bodies[2]) == {"title": "T3", "datePublished": "May 3, 2026"}


def test_the_best_columns_are_shown_and_copies_are_not() -> None:
    codes = "<b class=code>{1}</b><i class=code>{1}</i>"
    card = f"<h1>{{0}}</h1>{codes}<em class=note>{{2}}</em><dl><dt>Age<dd>{{1}}9</dl>"
    columns: TypeColumns = columns_of(
        [card.format(WORDS[at], at + 10, "same" if at else "other") for at in range(14)]
    )
    shown = {column.name for column in columns.columns if column.shown}
    assert {"title", "Age", "code"} <= shown
    assert len(shown) < len(columns.columns)


def test_a_cell_that_spans_rows_is_of_each_and_headings_that_come_again_are_of_none() -> None:
    def rows(at: int) -> str:
        again = "<tr><th>Model<th>Length</tr>"
        return f"<tr><td rowspan=2>{WORDS[at]}<td>{at} mm<tr><td>{at + 1} mm</tr>{again}<tr><td>oak<td>9 mm"

    bodies = [TABLE.format(at, rows(at)) for at in range(9)]
    (found,) = records_of(columns_of(bodies), bodies[4]).values()
    assert [tuple(record.values()) for record in found] == [
        (WORDS[4], "4 mm"),
        (WORDS[4], "5 mm"),
        ("oak", "9 mm"),
    ]


@pytest.mark.parametrize("icon", ["", "<i class=icon>{1}</i>", "<img class=icon src={2}.png>", "[<wbr>"])
def test_the_first_text_of_a_cell_has_the_heading_and_the_others_their_places(icon: str) -> None:
    def rows(at: int) -> str:
        cell = icon + "<a href=/t{1}>{0} {1}</a> <small class=by>{2}</small>"
        lines = (cell.format(WORDS[number], at, WORDS[at + number][:4]) for number in range(4))
        return "".join(f"<tr><td>{line}<td>{at} mm</tr>" for line in lines)

    bodies = [TABLE.format(at, rows(at)) for at in range(9)]
    (found,) = records_of(columns_of(bodies), bodies[4]).values()
    assert found[1]["Model"] == "birch 4"
    assert WORDS[5][:4] in found[1].values()


def test_a_heading_and_a_byline_that_stand_in_the_running_text_have_columns() -> None:
    words = WORDS[:12]

    def article(at: int) -> str:
        texts = [" ".join(words[(at + step) % 12] for step in range(start, start + 10)) for start in (0, 3)]
        paragraphs = "".join(f"<p>{text} {at}.</p>" for text in texts)
        heading = f"<h2>{words[at].title()} opens {at}</h2>"
        return (
            f"<h1>Torvik News</h1><div id=main>{f'<div>{heading}</div>' if at % 2 else heading}"
            f"<p class=byline>By {words[at % 5].title()} Oak</p>{paragraphs}</div>"
        )

    columns = columns_of([article(at) for at in range(12)])
    assert f"{words[5].title()} opens 5" in values_of(columns, article(5)).values()
    values = values_of(columns, article(4))
    assert "Ember opens 4" in values.values()
    assert "By Ember Oak" in values.values()
    assert values["text"].startswith("ember fjord")


def test_what_a_template_puts_into_the_running_text_is_no_part_of_it() -> None:
    def article(at: int) -> str:
        text = " ".join(WORDS[(at + step) % 14] for step in range(20))
        link = f"<a href=/{at}>{WORDS[at - 2]}</a>"
        more = f"<div><span><a href=/{at}>{WORDS[at - 1]}</a></span></div>"
        return f"<h1>{at}</h1><div class=main><p>{text}.</p><p>{link}</p>{more}</div>"

    bodies = [*map(article, range(14))]
    values = values_of(columns_of(bodies), bodies[4])
    assert values["text"].endswith("juniper. cedar")
    assert "delta" in values.values()


def shelf(at: int, goods: int) -> str:
    """Return a page of goods, each of which stands on two pages or three."""
    cards = "".join(
        f"<li class=card><a href=/goods/{good}>Lamp {WORDS[good % 14]} {WORDS[good // 14]}</a>"
        f"<b class=price>£{good + 3}.50</b><i class=maker>Maker {WORDS[good % 4]}</i></li>"
        for good in range(2 * at, 2 * at + goods)
    )
    return f"<h1>Shelf {WORDS[at]}</h1><ul class=goods>{cards}</ul>"


def test_the_link_of_a_record_is_kept_where_records_stand_on_several_pages() -> None:
    (rows,) = columns_of([shelf(at, 5) for at in range(12)]).rows.values()
    assert [column.shown for column in rows.columns if column.attribute == "href"] == [True]


def test_a_record_that_stands_alone_on_some_pages_leaves_no_columns_in_the_table_of_pages() -> None:
    columns = columns_of([shelf(at, 5 if at % 3 else 1) for at in range(14)])
    assert columns.rows
    assert [column.name for column in columns.columns] == ["title"]


def test_what_repeats_in_a_record_that_stands_alone_leaves_no_columns_in_the_table_of_pages() -> None:
    def card(at: int) -> str:
        inner = "".join(f"<li class=part><b>{one}:</b><i>{value}</i>" for one, value in facts(at))
        return f"<div class=card><h3>{WORDS[at % 13]}</h3><p class=size>{at} g</p><ul>{inner}</ul></div>"

    bodies = [
        f"<h1>Box {at}</h1><div class=box>{''.join(map(card, range(at, at + (4 if at % 3 else 1))))}</div>"
        for at in range(14)
    ]
    columns = columns_of(bodies)
    assert columns.rows
    assert [column.name for column in columns.columns] == ["title"]


def test_records_are_content_of_which_a_third_is_since_the_same_goods_stand_on_several_pages() -> None:
    pages = [
        read_page(page, b"\1" * len(page.tokens)) for page in pages_of([shelf(at, 5) for at in range(12)])
    ]

    def rows(content: int) -> int:
        """Return how many tables of records there are, with so many texts of ten that are content."""
        return len(
            choose_columns(
                [
                    PageUnits(
                        [unit._replace(content=at % 10 < content) for at, unit in enumerate(page.units)]
                    )
                    for page in pages
                ]
            ).rows
        )

    assert [rows(0), rows(2), rows(4), rows(10)] == [0, 0, 1, 1]


def test_the_same_records_on_a_few_pages_are_no_furniture() -> None:
    others = [f"<h1>Note {WORDS[at]}</h1><p class=note>About {WORDS[at - 1]}</p>" for at in range(14)]
    assert len(columns_of(others + [shelf(3, 6)] * 4).rows) == 1
    assert len(columns_of(others[:4] + [shelf(3, 6)] * 4).rows) == 0


def test_commas_between_the_texts_of_a_list_are_no_values() -> None:
    def post(at: int) -> str:
        tags = "".join(f"<a href=/{word}>{word}</a>, " for word in (WORDS[at], WORDS[at - 1], WORDS[at - 2]))
        return (
            f"<h1>Re: {WORDS[at]}</h1><p><b>Reply on:</b> <i>{at + 1} May 2024</i></p>"
            f"<div class=tags>{tags}</div>"
        )

    values = values_of(columns_of([post(at) for at in range(14)]), post(5))
    assert values["Reply on"] == "6 May 2024"
    assert ["fjord", "ember", "delta"] in values.values()
    assert not any("," in value for value in values.values())


def test_the_headings_of_a_text_are_a_part_of_it_whatever_ids_they_have() -> None:
    words = WORDS[:12]
    text = "<h2 id=s{0}>{1} and {2}</h2><p>{3} in the evening of a long day at home.</p>"

    def chapter(at: int) -> str:
        parts = (text.format(number, words[at], words[at - number], words[at - 3]) for number in range(2))
        return f"<h1>Chapter {words[at]}</h1><div class=text>{''.join(parts)}</div>"

    columns = columns_of([chapter(at) for at in range(12)])
    assert [column.name for column in columns.columns] == ["title", "text", "sections"]
    assert values_of(columns, chapter(4))["text"].startswith("ember and ember birch in the evening")


def test_the_sections_of_a_text_are_the_headings_of_which_most_texts_have_several() -> None:
    def chapter(at: int) -> str:
        parts = "".join(
            f"<h2>On {WORDS[at - more]}</h2><p>Of {WORDS[at]} we say that it grows well in the shade.</p>"
            f"<h3>More</h3><p>And of {WORDS[at - more]} that it does not, whatever the weather brings.</p>"
            for more in range(2 + at % 2)
        )
        return f"<h1>Chapter {at}</h1><div class=text>{parts}</div>"

    bodies = [chapter(at) for at in range(12)]
    assert values_of(columns_of(bodies), bodies[3])["sections"] == ["On delta", "On cedar", "On birch"]
    plain = [body.replace("h2>", "p>").replace("h3>", "p>") for body in bodies]
    assert "sections" not in values_of(columns_of(plain), plain[3])


def test_a_heading_with_a_named_element_around_it_has_a_column_where_few_pages_have_it() -> None:
    def note(at: int) -> str:
        head = f"<div class=page-header><h2>{WORDS[at].title()} opens</h2></div>" if at % 3 == 0 else ""
        texts = "".join(f"<p>{' '.join(WORDS[(at + step) % 12] for step in range(10))} {at}.</p>" * 2)
        return f"<h1>Torvik News</h1><div id=main>{head}{texts}</div>"

    columns = columns_of([note(at) for at in range(12)])
    assert "Delta opens" in values_of(columns, note(3)).values()
    assert values_of(columns, note(3))["text"].startswith("delta ember")


def test_a_fact_of_which_some_pages_have_several_values_is_a_list() -> None:
    def talk(at: int) -> str:
        second = f"<dd><a href=/s/x>{WORDS[at + 1]} hill</a>" if at % 6 == 0 else ""
        return f"<h1>Talk {at}</h1><dl><dt>By<dd><a href=/s/{at}>{WORDS[at]} field</a>{second}</dl>"

    columns = columns_of([talk(at) for at in range(13)])
    assert values_of(columns, talk(6))["author"] == ["grove field", "harbour hill"]
    assert values_of(columns, talk(1))["author"] == ["birch field"]


@pytest.mark.parametrize("heads", ["<tr><th><th>Amount<th>Share", ""])
def test_the_rows_of_a_table_of_three_cells_are_facts_of_the_page_where_pages_have_the_same(
    heads: str,
) -> None:
    def food(at: int) -> str:
        rows = "".join(
            f"<tr><td>{name}<td>{at + step} g<td>{at}%" for step, name in enumerate(("Fat", "Salt", "Iron"))
        )
        return f"<h1>{WORDS[at]}</h1><table>{heads}{rows}</table>"

    columns = columns_of([food(at) for at in range(12)])
    assert not columns.rows
    assert values_of(columns, food(5)).items() >= {"Fat": "5 g", "Salt": "6 g", "Iron": "7 g"}.items()


def test_a_label_may_be_a_link_with_a_colon_beside_it() -> None:
    body = "<h1>{0}</h1><table><tr><th><a href=/help>State</a>:<td><b>{0} {1}</b></table>"
    bodies = [body.format(word, ("open", "shut")[at % 2]) for at, word in enumerate(WORDS)]
    assert values_of(columns_of(bodies), bodies[3]) == {"title": "delta", "State": "delta shut"}


@pytest.mark.parametrize("around", ["pre", "code", "h3 class=code-header", "div class=my-signature"])
def test_what_stands_in_code_is_no_label(around: str) -> None:
    body = "<h1>{0}</h1><{2}><div><span>where:</span> <i>{0}{1}</i></div></{3}>"
    bodies = [body.format(word, at, around, around.split()[0]) for at, word in enumerate(WORDS)]
    assert not any(column.label for column in columns_of(bodies).columns)


def test_a_short_line_in_italics_before_the_text_is_a_column_and_a_marked_line_in_it_is_none() -> None:
    def spell(at: int) -> str:
        text = f"<p>{' '.join(WORDS[(at + step) % 14] for step in range(12))}.</p>"
        kind = ("Fire", "Water")[at % 2]
        return (
            f"<h1>{WORDS[at]}</h1><article class=text><p><em>{kind} magic</em>{text}<p><b>So {at}</b>{text}"
        )

    columns = columns_of([spell(at) for at in range(12)])
    assert [column.joined for column in columns.columns] == [False, False, True]
    found = list(values_of(columns, spell(3)).values())
    assert (found[1], found[2].count("So 3"), found[2].count("magic")) == ("Water magic", 1, 0)


def test_values_have_no_separators_at_their_ends_and_running_text_has_all_its_marks() -> None:
    def note(at: int) -> str:
        more = f" (no. <a href=/x>{at}</a>)." if at % 2 else "."
        text = f"<p>{' '.join(WORDS[at:] + WORDS[:at])}.<p>See <a href=/{at}>{WORDS[at]}</a>{more}"
        return (
            f"<h1>{WORDS[at]}</h1><p class=when>| {at} May (<p>From: {at} hills »<article class=text>{text}"
        )

    found = values_of(columns_of([note(at) for at in range(12)]), note(3))
    assert (found["when"], found["From"]) == ("3 May", "3 hills")
    assert "".join(found["text"].split()).endswith("cedar.delta(no.3).")


@pytest.mark.parametrize("fact", ["<h2>Related</h2><div class=box>{}</div>", "<dl><dt>Related<dd>{}</dl>"])
def test_all_links_behind_the_label_that_the_markup_makes_are_its_values(fact: str) -> None:
    links = fact.format("<a href=/{0}>{0}</a>, <a href=/{1}>{1}</a>")
    body = f"<h1>No. {{2}}</h1><div class=side>{links}</div>"
    bodies = [body.format(word, WORDS[at - 1], at) for at, word in enumerate(WORDS)]
    assert values_of(columns_of(bodies), bodies[2])["Related"] == ["cedar", "birch"]


@pytest.mark.parametrize("mark", ["|", "-", ",", "/", "«"])
def test_a_mark_between_two_links_ends_a_fact(mark: str) -> None:
    body = "<h1>{0}</h1><p class=meta>by <a href=/u/{0}>{0}</a> {2} <a href=/c/{1}>{1}</a></p>"
    bodies = [body.format(word, ("News", "Sports")[at % 2], mark) for at, word in enumerate(WORDS)]
    found = values_of(columns_of(bodies), bodies[2])
    assert (found["author"], "News" in found.values()) == ("cedar", True)


def test_the_value_beside_a_label_is_no_part_of_the_text_around_the_two() -> None:
    sentence = f"{' '.join(WORDS)}."
    bodies = [
        f"<h1>{word}</h1><div class=body><p class=nr><b>Number:</b> {at + 30}</p><p>{word} {sentence}</p>"
        f"<p>{sentence} {word}</p></div>"
        for at, word in enumerate(WORDS)
    ]
    assert values_of(columns_of(bodies), bodies[3]) == {
        "title": WORDS[3],
        "Number": "33",
        "text": f"{WORDS[3]} {sentence} {sentence} {WORDS[3]}",
    }


def test_a_fixed_text_among_values_of_the_same_markup_labels_none_of_them() -> None:
    line = "<h1>{0}</h1><p class=meta><span>{0} City</span><span>Full time</span><span>{1} a week</span></p>"
    bodies = [line.format(word, 10 + at) for at, word in enumerate(WORDS)]
    assert "Full time" not in values_of(columns_of(bodies), bodies[3])
    assert "13 a week" in values_of(columns_of(bodies), bodies[3]).values()


def test_a_label_before_a_colon_may_stand_in_a_small_heading() -> None:
    def post(at: int) -> str:
        return f"<h2>{WORDS[at]}: a tea</h2><h5>By: {WORDS[at % 5]}</h5><h5>Cups: {at + 2}</h5>"

    values = values_of(columns_of([post(at) for at in range(14)]), post(6))
    assert (values["author"], values["Cups"], values["title"]) == (WORDS[1], "8", f"{WORDS[6]}: a tea")


def test_the_modifier_of_a_class_word_may_name_a_field() -> None:
    def event(at: int) -> str:
        field = '<div class="field field--name-field-{} field--type-text"><div class="item">{}</div></div>'
        return (
            f"<h1>{WORDS[at]}</h1>{field.format('venue', WORDS[at - 3])}{field.format('city', WORDS[at % 4])}"
        )

    values = values_of(columns_of([event(at) for at in range(14)]), event(6))
    assert (values["venue"], values["city"]) == (WORDS[3], WORDS[2])

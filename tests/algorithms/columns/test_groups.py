"""What stands above groups of records, by hand; the records in wrappers, and in grids of tables."""

from __future__ import annotations

import pytest

from tests.algorithms.columns.test_records import TEAS
from tests.algorithms.columns.typed_pages import columns_of, records_of

DAYS = ("Monday", "Tuesday", "Friday")
CUP = "<div class=cup><a href=/{0}{1}>{0} {1}</a><i class=when>{1} May 2022</i></div>"


def days(head: str, record: str, *, between: str = "") -> list[str]:
    """Return the body of a page for each tea: of each day the head, and two records or three."""
    return [
        f"<h1>{tea}</h1><div id=all>"
        + between.join(
            head.format(f"{day} of {tea}")
            + "".join(record.format(tea, 10 * number + one) for one in range(2 + (at + number) % 2))
            for number, day in enumerate(DAYS)
        )
        + "</div>"
        for at, tea in enumerate(TEAS)
    ]


@pytest.mark.parametrize("head", ["<h2>{}</h2>", "<h2><b>{}</b></h2>", "<p class=day><b>{}</b></p>"])
def test_the_head_of_a_group_is_a_value_of_each_record_below_it(head: str) -> None:
    bodies = days(head, CUP)
    (records,) = records_of(columns_of(bodies), bodies[1]).values()
    found = [next(value for value in record.values() if "of Ceylon" in value) for record in records]
    assert found == [f"{day} of Ceylon" for day, count in zip(DAYS, (3, 2, 3)) for _ in range(count)]


@pytest.mark.parametrize(
    ("end", "more"),
    [("", ""), (":", ""), ("", "<i>(2 cups)</i>")],
    ids=["links alone", "as labels", "with a number"],
)
def test_the_items_of_an_index_are_records_below_their_letter(end: str, more: str) -> None:
    def index(at: int) -> str:
        letters = (
            f"<div class=letter><h3>{tea[0]}{number}</h3><ul>"
            + "".join(
                f"<li><a href=/{tea}{at}{one}>{tea} {at}{one}{end}</a>{more}</li>"
                for one in range(1 + number % 2)
            )
            + "</ul></div>"
            for number, tea in enumerate(TEAS[at % 3 :])
        )
        return f"<h1>Index {at}</h1><main>{''.join(letters)}</main>"

    bodies = [index(at) for at in range(6)]
    (records,) = records_of(columns_of(bodies), bodies[0]).values()
    assert [(one["group"], one["title"]) for one in records] == [
        (f"{tea[0]}{number}", f"{tea} 0{one}{end}")
        for number, tea in enumerate(TEAS)
        for one in range(1 + number % 2)
    ]


def test_terms_that_are_links_are_records_with_what_is_said_of_them_below_their_letter() -> None:
    def index(at: int) -> str:
        letters = (
            f"<section><h2>{tea[0]}{number}</h2><dl>"
            + "".join(
                f"<dt><a href=/{tea}{at}{one}>{tea} {at}{one}</a><dd>{tea} of lot {one}" for one in range(3)
            )
            + "</dl></section>"
            for number, tea in enumerate(TEAS[at % 3 :])
        )
        return f"<h1>Index {at}</h1><main>{''.join(letters)}</main>"

    bodies = [index(at) for at in range(6)]
    (records,) = records_of(columns_of(bodies), bodies[0]).values()
    assert len(records) == 3 * len(TEAS)
    assert (records[4]["group"], records[4]["title"]) == (f"{TEAS[1][0]}1", f"{TEAS[1]} 01")


def test_a_group_may_be_called_by_its_markup() -> None:
    for head, name in (("<h2 class=shelf>{}</h2>", "shelf"), ("<h2>{}</h2>", "group")):
        bodies = days(head, CUP)
        (records,) = records_of(columns_of(bodies), bodies[0]).values()
        assert name in records[0]


def test_one_heading_above_all_records_is_no_group_and_a_paragraph_is_none() -> None:
    said = "<p>What we had of {} was better than what we had of others.</p>"
    one = [body.replace("<div id=all>", "<div id=all><h2>Cups</h2>") for body in days("", CUP)]
    for bodies in (one, days(said, CUP)):
        (records,) = records_of(columns_of(bodies), bodies[0]).values()
        assert set(records[0]) == {"title", "title_url", "date"}


def test_a_heading_above_those_of_flat_records_ends_them_and_heads_their_group() -> None:
    flat = "<h3><a href=/{0}{1}>{0} {1}</a></h3><p>It is as good as {1} more.</p>"
    bodies = days("<h2>{}</h2>", flat)
    alone = f"<h1>Assam</h1><div id=all><h2>Sunday</h2>{flat.format('Assam', 1)}</div>"
    columns = columns_of(bodies)
    (records,) = records_of(columns, bodies[1]).values()
    assert [record["group"] for record in records][2:4] == ["Monday of Ceylon", "Tuesday of Ceylon"]
    assert {record["text"] for record in records if record["title"] == "Ceylon 2"} == {
        "It is as good as 2 more."
    }
    ((record,),) = records_of(columns, alone).values()
    assert (record["title"], record["group"]) == ("Assam 1", "Sunday")


def test_the_record_alone_in_a_wrapper_is_the_same_as_one_without_a_wrapper() -> None:
    card = "<article class=post><h3><a href=/{0}{1}>{0} {1}</a></h3><i class=when>{1} May 2022</i></article>"
    forms = ["<div id=all>{}</div>", "<ul id=all>{}</ul>"]
    wrapped = (card, f"<li class=slide><div>{card}</div></li>")
    places = []
    for form, one in zip(forms, wrapped):
        bodies = [
            f"<h1>{tea}</h1>" + form.format("".join(one.format(tea, at) for at in range(4))) for tea in TEAS
        ]
        (rows,) = columns_of(bodies).rows.values()
        places.append(rows.places[0].rpartition("/")[2])
        (records,) = records_of(columns_of(bodies), bodies[0]).values()
        assert len(records) == 4
    assert places == ["article.post"] * 2


def test_the_cells_of_tables_that_repeat_are_records() -> None:
    cell = "<td class=col><b><a href=/{0}{1}>{0} {1}</a></b><i class=when>{1} May 2022</i></td>"
    bodies = []
    for tea in TEAS:
        tables = (
            f"<h3>{day} of {tea}</h3><table class=grid><tr>"
            + "".join(cell.format(tea, 10 * number + one) for one in range(1 + 2 * (number % 2)))
            + "</tr></table>"
            for number, day in enumerate(DAYS)
        )
        bodies.append(f"<h1>{tea}</h1><div id=all>{''.join(tables)}</div>")
    (records,) = records_of(columns_of(bodies), bodies[0]).values()
    assert [(one["title"], one["group"]) for one in records] == [
        ("Assam 0", "Monday of Assam"),
        *((f"Assam {at}", "Tuesday of Assam") for at in (10, 11, 12)),
        ("Assam 20", "Friday of Assam"),
    ]


def test_the_link_of_an_item_is_apart_from_the_words_beside_it_behind_marks() -> None:
    item = "<li>Ann of Wells, Bob of {0} and all of us - <a href=/{0}{1}>Cups of {0}</a> ({1}-9)</li>"
    bodies = [
        f"<h1>{tea}</h1><ul>{''.join(item.format(f'{tea}{at}', at) for at in range(4))}</ul>" for tea in TEAS
    ]
    (records,) = records_of(columns_of(bodies), bodies[0]).values()
    assert records[1] == {
        "text": "Ann of Wells, Bob of Assam1 and all of us",
        "title": "Cups of Assam1",
        "title_url": "http://h.example/Assam11",
        "text_2": "(1-9)",
    }
    said = "<li>The cups of {0} are told of in <a href=/{0}{1}>the book of {0}</a> by all {1} of us.</li>"
    bodies = [body.replace("<ul>", f"<ul>{said.format('tea', 1) * 9}") for body in bodies]
    assert not records_of(columns_of(bodies), bodies[0])

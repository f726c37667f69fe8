"""What elements say by attributes: ratings, labels of silent elements, dates; prices in parts."""

from __future__ import annotations

import pytest

from templcrawl.algorithms.columns.reading import read_page
from templcrawl.page.page import Page
from tests.algorithms.columns.typed_pages import columns_of, records_of, values_of

pytestmark = pytest.mark.usefixtures("reader")
TEAS = "Assam Darjeeling Keemun Lapsang Sencha Yunnan Oolong Matcha Pu-erh Rooibos".split()
WORDS = ("One", "Two", "Three", "Four", "Five")


def texts_of(html: str) -> list[str]:
    return [unit.text for unit in read_page(Page(html, "http://h.example/")).units]


@pytest.mark.parametrize(
    ("markup", "said"),
    [
        ('<p class="star-rating {word}"><i class=icon></i></p>', "Three"),
        ('<p class="rating rating-{word}"></p>', "Three"),
        ('<div role=img aria-label="{word} of five cups"><svg></svg></div>', "Three of five cups"),
        ("<meter min=0 max=5 value={number}></meter>", "3"),
        ('<span class="swatch {word}"></span>', "Three"),
    ],
)
def test_a_rating_that_no_text_says_is_a_value_and_no_label_and_splits_no_table(
    markup: str, said: str
) -> None:
    card = "<li class=card><h3>{tea} {page}</h3>{rating}<p class=price>£{number}.{page}0</p></li>"
    bodies = [
        f"<h1>Page {page}</h1><ul class=cards>"
        + "".join(
            card.format(
                tea=tea,
                page=page,
                number=1 + at % 5,
                rating=markup.format(word=WORDS[at % 5], number=1 + at % 5),
            )
            for at, tea in enumerate(TEAS[page % 4 : page % 4 + 5], start=page)
        )
        + "</ul>"
        for page in range(9)
    ]
    columns = columns_of(bodies)
    ((name, rows),) = columns.rows.items()
    third = records_of(columns, bodies[0])[name][2]
    (column,) = (key for key, value in third.items() if value == said)
    assert third == {"title": "Keemun 0", column: said, "price": "£3.00"}
    assert [one.share for one in rows.columns] == [1.0] * 3


def test_an_element_with_a_text_says_nothing_by_attributes_nor_does_a_button() -> None:
    html = '<p aria-label="4 of 5">four</p><p class="stars Five">five</p>'
    assert texts_of(html) == ["four", "five"]
    assert texts_of('<a aria-label="Read it" href=/x></a><button aria-label=Close></button>') == ["Read it"]
    assert texts_of('<p>A pot <span role=img aria-label="of tea"></span> stands on the table near us') == [
        "A pot stands on the table near us"
    ]


def test_the_date_for_machines_is_a_column_beside_a_date_without_its_year() -> None:
    body = (
        "<h1>{0}</h1><p>by <a href=/u/{1}>{0} Smith</a></p><a class=said href=/p{1}>"
        '<time datetime="2026-03-{1:02}T10:00">{1} days ago</time></a>'
        '<div class=made><abbr title="2025-04-{1:02}">April {1}</abbr></div>'
        '<div class=sold><time datetime="2024-05-{1:02}">May {1}, 2024</time></div>'
    )
    bodies = [body.format(tea, at + 1) for at, tea in enumerate(TEAS)]
    values = values_of(columns_of(bodies), bodies[2])
    dates = {name: value for name, value in values.items() if name.endswith("datetime")}
    assert sorted(dates.values()) == ["2025-04-03", "2026-03-03T10:00"]
    assert [values[name.removesuffix("_datetime")] for name in dates] == ["3 days ago", "April 3"]


def test_two_digits_behind_an_amount_in_parts_are_its_cents() -> None:
    assert texts_of("<div class=price><span>$</span><span>17</span><sup>99</sup></div>") == ["$17.99"]
    assert texts_of("<div class=price><b>1.299</b><i>50</i> <span>€</span></div>") == ["1.299,50€"]
    assert texts_of("<div class=price><span>$</span><span>17</span><span>.99</span></div>") == ["$17.99"]

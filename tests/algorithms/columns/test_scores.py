"""Which columns say what another one says, and what no person wants."""

from __future__ import annotations

from collections.abc import Iterable

from templcrawl.algorithms.columns.values import Column
from tests.algorithms.columns.typed_pages import columns_of

TEAS = ("Assam", "Darjeeling", "Keemun", "Lapsang", "Sencha", "Yunnan", "Oolong", "Matcha")
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August")


def named(columns: Iterable[Column], *features: str) -> set[str]:
    """Return the names of the columns that have any of these features."""
    return {one.name for one in columns if any(one.features.get(what) for what in features)}


def test_a_text_within_the_same_words_is_a_copy_unless_it_is_the_heading() -> None:
    body = "<p class=brand>{0} of Leaf</p><p class=name>{0}</p><p class=note>{1}</p>"
    columns = columns_of([body.format(tea, tea[::-1]) for tea in TEAS]).columns
    assert named(columns, "copy") == {"brand"}
    columns = columns_of([f"<h1>All of {tea}</h1><p class=brand>{tea}</p>" for tea in TEAS]).columns
    assert named(columns, "copy") == set()


def test_a_copy_is_not_shown_though_pages_declare_it() -> None:
    declared = (
        '<script type="application/ld+json">{{"@type": "Product", "name": "{0}", "headline": "{0}"}}</script>'
    )
    body = declared + "<p class=big>{0}</p><p class=brand>{0}</p><p class=note>{1}</p>"
    columns = columns_of([body.format(tea, tea[::-1]) for tea in TEAS]).columns
    assert sorted(one.declared for one in columns if one.declared and one.slots) == ["headline", "name"]
    assert {one.name for one in columns if one.shown} == {"name", "note"}


def test_a_date_is_a_copy_of_one_that_says_the_same_day() -> None:
    body = (
        "<p class=made>{0}</p><time class=sold>2022-0{1}-1{1}T09:00</time><p class=sent>1{1} {2} 2022</p>"
        "<p class=due>2{1} {2} 2022</p>"
    )
    bodies = [body.format(tea, at, MONTHS[at - 1]) for at, tea in enumerate(TEAS, start=1)]
    assert named(columns_of(bodies).columns, "copy") == {"sent_date"}


def test_the_numbers_of_pages_are_no_amounts() -> None:
    body = "<h1>{0}</h1><p class=leaf>{1}</p><p class=sizes>{2}</p>"
    bodies = []
    for at, tea in enumerate(TEAS):
        pages = "".join(f"<a href=/{tea}/{number}>{number}</a> " for number in range(1, 3 + at % 3))
        sizes = "".join(f"<i>{number}</i> " for number in (3, 2 - at % 2, 2))
        bodies.append(body.format(tea, pages, sizes))
    columns = columns_of(bodies).columns
    assert "leaf" in named(columns, "numbers of pages")
    assert "sizes" not in named(columns, "numbers of pages")
    assert "leaf" not in {one.name for one in columns if one.shown}


def test_a_sentence_that_several_pages_have_is_said_of_none() -> None:
    claims = ("We deliver to all shires within a week", "Half of the shop is sold for half the price")
    body = "<h1>{0}</h1><p class=claim>{1}</p><p class=taste>The taste of {0} is that of {2} leaves</p>"
    bodies = [body.format(tea, claims[at % 2], tea[::-1]) for at, tea in enumerate(TEAS)]
    columns = columns_of([f"<title>{tea}</title>{one}" for tea, one in zip(TEAS, bodies)]).columns
    assert {one.name: one.features["repeated sentences"] for one in columns}["claim"] == 1.0
    assert {one.name: one.features["repeated sentences"] for one in columns}["taste"] == 0.0
    assert {one.name for one in columns if one.shown} == {"title", "taste"}


def test_a_date_that_several_pages_have_is_no_sentence() -> None:
    said = "<title>{0}</title><h1>{0}</h1><p class=edited>edited on Sunday, 3 May 2026, at 10:{1} h</p>"
    bodies = [said.format(tea, 30 + (at == 0)) for at, tea in enumerate(TEAS)]
    assert "date" in {one.name for one in columns_of(bodies).columns if one.shown}


def test_a_picture_that_few_pages_have_is_not_shown() -> None:
    bodies = [f"<h1>{tea} {at}</h1><p class=note>{tea[::-1]}</p>" for at, tea in enumerate(TEAS * 5)]
    for few, shown in ((3, set[str]()), (4, {"image"})):
        more = [f"<div class=shot><img src=/s{at}.png></div>" * (at < few) for at in range(40)]
        columns = columns_of(list(map("".join, zip(bodies, more)))).columns
        assert {one.name for one in columns if one.kind == "picture" and one.shown} == shown


def test_a_link_of_two_texts_is_that_of_the_title() -> None:
    card = "<li class=card><a class=day href=/{0}>{1} ago</a><h3><a href=/{0}>{0}</a></h3><p>{2}</p></li>"
    bodies = []
    for at in range(9):
        teas = [f"{tea} {at}" for tea in TEAS[at % 3 : at % 3 + 4]]
        cards = (card.format(tea, f"{number} days", tea[::-1]) for number, tea in enumerate(teas))
        bodies.append(f"<h1>Page {at}</h1><ul class=cards>{''.join(cards)}</ul>")
    ((_, rows),) = columns_of(bodies).rows.items()
    assert [one.name for one in rows.columns if one.attribute and one.shown] == ["title_url"]


def test_columns_of_one_name_are_numbered_in_the_order_of_the_page() -> None:
    body = "<h1>{0}</h1><p class=p><i>{1}</i></p>{2}<ul class=u><li><i>{3}</i></ul>"
    bodies = [
        body.format(tea, MONTHS[at], f"<div class=d><i>{MONTHS[-at]}</i></div>" * (at % 2), tea[::-1])
        for at, tea in enumerate(TEAS)
    ]
    columns = columns_of(bodies).columns
    assert [(one.name, one.share) for one in columns] == [
        ("title", 1.0),
        ("text", 1.0),
        ("text_2", 0.5),  # it has a lower score than the one behind it
        ("text_3", 1.0),
    ]


def test_a_link_that_another_column_has_and_that_of_a_section_are_not_shown() -> None:
    line = "<tr><td><a href=/{0}>{0}</a><td><a href=/{0}>{1}</a><td><a href=/brand/{2}>{2}</a></tr>"
    head = "<tr><th>Tea<th>Spelled<th>Brand</tr>"
    bodies = []
    for at in range(9):
        teas = (TEAS[(at + number) % 8] + str(at) for number in range(4))
        lines = (line.format(tea, tea[::-1], MONTHS[len(tea) % 3]) for tea in teas)
        bodies.append(f"<h1>{at} teas</h1><table>{head}{''.join(lines)}</table>")
    ((_, rows),) = columns_of(bodies).rows.items()
    assert {one.name: one.shown for one in rows.columns} == {
        "Tea": True,
        "Tea_url": True,
        "Spelled": True,
        "Spelled_url": False,
        "Brand": True,
        "Brand_url": False,
    }

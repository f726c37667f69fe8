"""Which links are columns."""

from __future__ import annotations

import pytest

from templcrawl.algorithms.columns.choice import choose_columns
from templcrawl.algorithms.columns.reading import read_page
from templcrawl.page.page import Page
from tests.algorithms.columns.typed_pages import columns_of, values_of

TEAS = ("Assam", "Darjeeling", "Keemun", "Lapsang", "Sencha", "Yunnan", "Oolong", "Matcha")


def test_links_of_a_page_to_itself_and_addresses_of_no_page() -> None:
    card = (
        "<a class=name href=/{0}>{1}</a><a class=price href=/{0}>£{0}</a><b><a href=tel:{0}>{1} {0}</a></b>"
    )
    bodies = [card.format(number, tea) for number, tea in enumerate(TEAS)]
    assert {(one.name, one.kind) for one in columns_of(bodies).columns if one.shown} == {
        ("name", "text"),
        ("price", "money"),
        ("link", "text"),
        ("link_url", "text"),
    }


def test_a_text_that_is_always_the_same_has_the_addresses_of_several_hosts_as_values() -> None:
    frame = "<h1>{0}</h1><p><a class=home href=http://{0}.example/>website</a> <a href=/{0}>next</a></p>"
    columns = columns_of([frame.format(tea) for tea in TEAS])
    assert {one.name: one.shown for one in columns.columns} == {"title": True, "website": True}
    assert values_of(columns, frame.format("assam"))["website"] == "http://assam.example/"


@pytest.mark.parametrize(
    ("address", "is_data"),
    [
        ("/sheets/{0}.pdf", True),
        ("https://code.example/tea/{0}", True),
        ("https://code.example/tea/edit/{0}", False),
        ("https://share.example/?u=http%3A%2F%2Fh.example%2F{0}", False),
        ("http://www.h.example/{0}", False),
        ("/print/{0}", False),
    ],
)
def test_a_text_that_is_always_the_same_has_the_files_and_pages_of_another_host_as_values(
    address: str, *, is_data: bool
) -> None:
    body = f"<h1>{{0}}</h1><p><a class=more href='{address}'>Sheet</a></p>"
    columns = columns_of([body.format(tea) for tea in TEAS])
    shown = {one.name for one in columns.columns if one.shown}
    assert shown == ({"title", "Sheet"} if is_data else {"title"})


@pytest.mark.parametrize(
    ("text", "address", "is_data"),
    [
        ("Download", "/get/{0}", True),
        ("PDF", "/article/view/{0}/2", True),
        ("Source", "/src/{0}.html#12", True),
        ("View source", "/index.php?title={0}&action=edit", False),
        ("Resource", "/of/{0}", False),
        ("Download", "/get/all", False),
    ],
)
def test_a_text_that_says_so_has_files_as_values_whatever_their_addresses(
    text: str, address: str, *, is_data: bool
) -> None:
    body = f"<h1>{{0}}</h1><p><a class=more href='{address}'>{text}</a></p>"
    columns = columns_of([body.format(tea) for tea in TEAS])
    shown = {one.name for one in columns.columns if one.shown}
    assert shown == ({"title", text} if is_data else {"title"})


def test_the_address_of_a_file_is_data_whatever_its_text_says() -> None:
    link = "<p><a class=more href=/{0}.{1}>The {0} sheet</a></p>"
    for end, is_data in (("pdf", True), ("html", False)):
        bodies = [f"<h1>{tea}</h1>{link.format(tea, end)}" for tea in TEAS]
        shown = {one.name for one in columns_of(bodies).columns if one.shown}
        assert ("more_url" in shown) == is_data


def test_a_file_of_each_record_has_a_column_and_a_page_behind_a_fixed_text_has_none() -> None:
    card = "<li class=card><b>{0} {1}</b> <a href=/{0}/{1}.pdf>Sheet</a> <a href=/{0}/{1}/talk>Talk</a>"
    bodies = [f"<ul>{''.join(card.format(tea, at) for at in range(4))}</ul>" for tea in TEAS]
    (cards,) = columns_of(bodies).rows.values()
    assert {one.name for one in cards.columns if one.shown} == {"text", "Sheet"}


def test_the_titles_of_the_next_and_the_previous_page_are_columns() -> None:
    pager = (
        "<nav class=nav-links><span class=nav-previous><a href=/{0}>\N{LEFTWARDS ARROW} {0} tea</a></span>\
<span class=nav-next><a href=/{1}><b class=post-title>{1} tea</b></a></span></nav>"
    )
    bodies = [
        f"<h1>{tea}</h1>{pager.format(TEAS[at - 1], TEAS[(at + 1) % len(TEAS)])}"
        for at, tea in enumerate(TEAS)
    ]
    assert values_of(columns_of(bodies), bodies[1]) == {
        "title": "Darjeeling",
        "previous": "Assam tea",
        "previous_url": "http://h.example/Assam",
        "next": "Keemun tea",
        "next_url": "http://h.example/Keemun",
    }
    numbers = "<nav class=nav-links><a class=next href=/{0}>{0}</a></nav>"
    counted = [f"<h1>{tea}</h1>{numbers.format(at)}" for at, tea in enumerate(TEAS)]
    assert values_of(columns_of(counted), counted[1]) == {"title": "Darjeeling"}


def test_a_link_leads_to_the_next_page_by_its_relation_and_two_of_these_are_no_records() -> None:
    link = "<a class=link rel={} href=/{}><i class=go>Go to</i> <b class=what>{}</b></a>"
    bodies = [
        f"<h1>{tea}</h1><div class=single-author><main><div><div class=pages>"
        + link.format("prev", TEAS[at - 1], f"{TEAS[at - 1]} tea")
        + link.format("next", TEAS[(at + 1) % 8], f"{TEAS[(at + 1) % 8]} tea")
        for at, tea in enumerate(TEAS)
    ]
    columns = columns_of(bodies)
    row = values_of(columns, bodies[1])
    assert (row["previous"], row["next"], columns.rows) == ("Assam tea", "Keemun tea", {})


def test_a_link_to_a_place_on_its_own_page_is_none() -> None:
    frame = "<h1>{0}</h1><p>Go to <a href=http://h.example/{1}#menu>the menu of {0}</a></p>"
    bodies = [frame.format(tea, number) for number, tea in enumerate(TEAS)]
    assert not any(column.is_address for column in columns_of(bodies).columns)
    others = [body.replace("#menu", "/menu") for body in bodies]
    assert any(column.is_address for column in columns_of(others).columns)


def test_pictures_are_compared_by_their_whole_address() -> None:
    pages = [
        Page(
            f"<html><body><h1>{tea}</h1><a href=big.png><img src=view.png></a><img src=../sign.png>",
            f"http://h.example/teas/{tea}/",
        )
        for tea in TEAS
    ] + [Page(f"<html><body><h1>{tea}</h1><img src=sign.png>", f"http://h.example/{tea}") for tea in TEAS]
    assert len(pages) == 16
    reads = [read_page(page) for page in pages]
    pictures = [column for column in choose_columns(reads).columns if column.kind == "picture"]
    assert [column.examples[0] for column in pictures] == ["http://h.example/teas/Assam/view.png"]

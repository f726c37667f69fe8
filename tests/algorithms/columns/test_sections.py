"""Sections of a text and what leads around on a page: tables of contents, neighbours; by hand."""

from __future__ import annotations

import pytest

from tests.algorithms.columns.typed_pages import columns_of, records_of, values_of

TEAS = "assam ceylon darjeeling earlgrey keemun lapsang nilgiri oolong pekoe sencha yunnan gunpowder".split()
MORE = "It is grown on the hills behind the river, and nobody picks it before the month of May."


def parts(at: int, mark: str) -> str:
    """Return sections with these headings, each below a place that is linked to."""
    said = (TEAS[at], TEAS[at - 1], TEAS[at - 5])
    return "".join(
        f"<section id={tea} class=level2><{mark}>On {tea}</{mark}>"
        f"<p>Of {tea} we say much. {MORE}</p></section>"
        for tea in said
    )


def headings(at: int) -> list[str]:
    return [f"On {TEAS[number]}" for number in (at, at - 1, at - 5)]


def test_the_sections_of_a_document_are_its_text_and_no_records() -> None:
    bodies = [f"<h1>Chapter {at}</h1><main class=text>{parts(at, 'h2')}</main>" for at in range(12)]
    columns = columns_of(bodies)
    assert not columns.rows
    row = values_of(columns, bodies[3])
    assert row["text"].count("we say much") == 3
    assert row["sections"] == headings(3)
    cards = [body.replace("level2", "card") for body in bodies]
    assert columns_of(cards).rows


@pytest.mark.parametrize("address", ["", "http://h.example/{}"], ids=["fragment", "own address"])
def test_a_table_of_contents_says_nothing_that_the_headings_do_not_say(address: str) -> None:
    def chapter(at: int, text: str) -> str:
        teas = (TEAS[number] for number in (at, at - 1, at - 5))
        links = "".join(
            f"<li><a href={address.format(at)}#{tea}><i>{number}.</i> {text} {tea}</a>"
            for number, tea in enumerate(teas)
        )
        return f"<h1>Chapter {at}</h1><main class=text><ul>{links}</ul>{parts(at, 'h2')}</main>"

    bodies = [chapter(at, "On") for at in range(12)]
    columns = columns_of(bodies)
    assert {column.name for column in columns.columns} == {"title", "text", "sections"}
    assert values_of(columns, bodies[0])["text"].startswith("On assam Of assam")
    others = [chapter(at, "Buy") for at in range(12)]
    assert "Buy" in str(values_of(columns_of(others), others[3]))


def test_headings_of_the_first_level_behind_a_title_are_sections() -> None:
    def chapter(at: int) -> str:
        first = "".join(
            f"<h1>{said}</h1><p>{MORE}</p><h2>And so on</h2><p>{MORE}</p>" for said in headings(at)
        )
        return f"<header><h1>Chapter {TEAS[at]}</h1></header><div class=post-content>{first}</div>"

    bodies = [chapter(at) for at in range(12)]
    row = values_of(columns_of(bodies), bodies[3])
    assert (row["title"], row["sections"]) == ("Chapter earlgrey", headings(3))
    assert row["text"].startswith(headings(3)[0])


def test_sections_are_of_the_highest_level_that_a_text_has_several_of_and_one_may_be_in_all() -> None:
    def chapter(at: int) -> str:
        marks = ("h2", "h3") if at % 3 else ("h3", "h4")
        text = "".join(
            f"<{mark}>{said}</{mark}><p>{MORE}</p>" for said in (*headings(at), "Sources") for mark in marks
        )
        return f"<h1>Chapter {TEAS[at]}</h1><div class=text>{text}</div>"

    bodies = [chapter(at) for at in range(12)]
    columns = columns_of(bodies)
    for at in (3, 4):
        assert values_of(columns, bodies[at])["sections"] == [*headings(at), "Sources"]


def test_two_links_with_arrows_outside_are_the_neighbours_of_a_page() -> None:
    pager = "<ul><li><a href=/{0}>« The {0}</a></li><li><a href=/{1}>The {1} »</a></li></ul>"

    def post(at: int) -> str:
        around = pager.format(TEAS[at - 1], TEAS[(at + 1) % 12])
        text = f"<h2 id=next-steps>More of {TEAS[at]}</h2><p>{MORE} {TEAS[at]}</p>"
        return f"<main class=post>{around}<h1>The {TEAS[at]}</h1>{text}{around}</main>"

    bodies = [post(at) for at in range(12)]
    row = values_of(columns_of(bodies), bodies[3])
    assert (row["previous"], row["next"]) == ("The darjeeling", "The keemun")
    assert row["text"] == f"More of earlgrey {MORE} earlgrey"
    few = [body.replace("« ", "").replace(" »", "") if at % 3 else body for at, body in enumerate(bodies)]
    assert values_of(columns_of(few), few[3])["text"] == f"More of earlgrey {MORE} earlgrey"
    for old, new in (("« ", ""), ("</a></li><li>", " »</a></li><li>")):  # no arrow back, titles in quotes
        others = [body.replace(old, new) for body in bodies]
        assert "next" not in values_of(columns_of(others), others[3])


@pytest.mark.parametrize("more", [0, 1], ids=["two on a page", "two or three"])
@pytest.mark.parametrize("tags", ["<a class=tag {}", "<a rel=tag {}", "<a rel='category tag' {}"])
def test_tags_in_the_element_of_a_text_are_no_part_of_it_and_are_a_list(tags: str, more: int) -> None:
    def post(at: int) -> str:
        links = " ".join(f"{tags.format(f'href=/{tea}')}>{tea}</a>" for tea in kinds(at))
        text = f"<p>{MORE} {TEAS[at]}</p>" * (at % 3 > 0)
        return f"<h1>The {TEAS[at]}</h1><article class=post>{text}<div>{links}</div></article>"

    def kinds(at: int) -> list[str]:
        return [TEAS[at % 3], TEAS[3 + at % 4], TEAS[at]][: 2 + more * (at % 4 == 1)]

    bodies = [post(at) for at in range(12)]
    columns = columns_of(bodies)
    row = values_of(columns, bodies[4])
    name = "category" if "category" in tags else "tag"
    assert (row[name], row["text"]) == (kinds(4), f"{MORE} keemun")


def test_a_class_word_that_says_the_text_names_no_place_of_its_own() -> None:
    card = "<h1>The {}</h1><p><b class='kind of-{}'>{}</b></p>"
    kinds = ("green tea", "black", "white", "yellow")
    bodies = [card.format(TEAS[at], kinds[at % 4].replace(" ", "-"), kinds[at % 4]) for at in range(12)]
    columns = columns_of(bodies)
    assert [values_of(columns, body)["kind"] for body in bodies[:4]] == [*kinds]


def test_a_heading_in_a_text_that_is_a_link_and_called_a_title_is_one_where_most_records_have_another() -> (
    None
):
    ways = (
        "<h3 class=entry-title><a href=/{0}>The {0}</a></h3><div class=content><p>{1} {0}</p></div>",
        "<div class=content><a href=/{0}><h3 class=entry-title>The {0}</h3></a><p>{1} {0}</p></div>",
    )
    post = "<article class=post>{}</article>"
    bodies = [
        "".join(
            post.format(ways[at % 3 == 0].format(tea, MORE)) for tea in (TEAS[at], TEAS[at - 3], TEAS[at - 5])
        )
        for at in range(12)
    ]
    columns = columns_of(bodies)
    ((_, records),) = records_of(columns, bodies[3]).items()
    assert [(one["title"], one["text"]) for one in records] == [
        (f"The {tea}", f"{MORE} {tea}") for tea in (TEAS[3], TEAS[0], TEAS[-2])
    ]

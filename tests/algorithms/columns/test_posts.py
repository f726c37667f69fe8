"""Posts as journals, magazines and galleries print them: what stands around their text, and lists of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from templcrawl.algorithms.columns.reading import read_page
from templcrawl.page.page import Page
from tests.algorithms.columns.typed_pages import columns_of, columns_of_pages, records_of, values_of

WORDS = "ash birch cedar delta ember fjord grove harbour island juniper kelp lark moss north".split()
SAID = "The {} of the old mill was painted on a long day in the autumn of the year."


def texts(at: int) -> str:
    return "".join(f"<p>{SAID.format(WORDS[(at + step) % 14])}</p>" for step in range(3))


def listing(at: int, post: Callable[[int], str]) -> str:
    """Return a page that lists four posts."""
    return f"<h1>{WORDS[at]}</h1>{''.join(post(4 * at + one) for one in range(4))}"


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<p>Deer • 9 verses</p>", ["Deer", "9 verses"]),
        ("<small>• 9 May 2008 • Filed under: <a>Tea</a></small>", ["9 May 2008", "Filed under:", "Tea"]),
        ("<p>12 (3 a day | 4 in all)</p>", ["12 (3 a day | 4 in all)"]),
        ("<h2>Tea · Shop</h2>", ["Tea · Shop"]),
        ("<p><a>Ann</a> | <a>News</a></p>", ["Ann", "|", "News"]),
        (f"<p>{SAID} • {SAID}</p>", [f"{SAID} • {SAID}"]),
    ],
)
def test_a_mark_between_two_things_ends_a_unit(html: str, found: list[str]) -> None:
    assert [unit.text for unit in read_page(Page(html, "")).units] == found


def test_a_list_behind_a_label_goes_on_behind_commas_and_holds_what_all_lists_have() -> None:
    def post(at: int) -> str:
        kinds = (f"<a href=/k/{kind}>{kind}</a>" for kind in (WORDS[at], "Tea", WORDS[at - 1]))
        tags = (f"<a href=/t/{tag}>{tag}</a>" for tag in (WORDS[at - 2], WORDS[at - 3]))
        about = f"<small>by <a href=/a>Ann</a> • {at + 1} May 2008 • Filed under: {', '.join(kinds)}</small>"
        return f"<h1>Re: {WORDS[at]}</h1>{about}<p><b>Tags:</b> {', '.join(tags)}</p>"

    values = values_of(columns_of([post(at) for at in range(14)]), post(5))
    assert values["Filed under"] == ["fjord", "Tea", "ember"]
    assert values["Tags"] == ["delta", "cedar"]
    assert "6 May 2008" in values.values()


def test_the_headings_that_begin_a_text_are_columns_where_pages_have_no_title() -> None:
    def entry(at: int) -> str:
        heads = f"<h4>Archives</h4><h2>0{at % 9}.1{at % 7}.04</h2><h3>{WORDS[at].title()} opens</h3>"
        date = f"{('May', 'June')[at % 2]} {at + 1}, 2004"
        byline = f"<span class=byline>//Posted by annabelfairweather at {date} 8:1{at % 9} AM</span>"
        return f"<div id=main>{heads}{texts(at)}{byline}</div>"

    values = values_of(columns_of([entry(at) for at in range(14)]), entry(4))
    assert values["title"] == "Ember opens"
    assert values["date"] == "04.14.04"
    assert "May 5, 2004 8:14" in values.values()
    assert values["text"].startswith("The ember")
    assert "Posted" not in values["text"]


def test_the_first_picture_of_a_text_is_a_column_whatever_stands_around_it() -> None:
    def post(at: int) -> str:
        shown = f"<img class={('left', 'right', 'wide')[at % 3]} src=/{WORDS[at]}.jpg>"
        more = f"<p><img class=wide src=/more{at}.jpg></p>"
        return f"<h1>{WORDS[at]}</h1><div class=entry><p>{shown}</p>{texts(at)}{more}</div>"

    columns = columns_of([post(at) for at in range(14)])
    values = [values_of(columns, post(at)) for at in range(3)]
    assert [each["image"] for each in values] == [f"http://h.example/{word}.jpg" for word in WORDS[:3]]
    assert [one.name for one in columns.columns if one.kind == "picture" and one.shown] == ["image"]


def test_the_first_code_of_a_text_is_a_column() -> None:
    def chapter(at: int) -> str:
        code = "".join(
            f"<p>{WORDS[(at + step) % 14]}:</p><pre>brew({at}, {step})</pre>" for step in range(at % 3)
        )
        return f"<h1>{WORDS[at]}</h1><div class=entry>{texts(at)}{code}</div>"

    columns = columns_of([chapter(at) for at in range(14)])
    found = [values_of(columns, chapter(at)).get("code") for at in range(4)]
    assert found == [None, "brew(1, 0)", "brew(2, 0)", None]


def test_two_posts_on_each_page_are_records_and_two_columns_of_a_layout_are_none() -> None:
    def post(number: int) -> str:
        date = f"<i class=when>{number % 28 + 1} May 2024</i>"
        return f"<div class=post><h2><a href=/{number}>Lamp {number}</a></h2>{date}</div>"

    def month(at: int) -> str:
        side = "<div class='col side'><h3>About</h3><i>Ann</i></div>"
        return f"<div class='col wide'>{post(2 * at)}{post(2 * at + 1)}</div>{side}"

    columns = columns_of([month(at) for at in range(9)])
    (rows,) = records_of(columns, month(4)).values()
    assert [(row["title"], row["when" if "when" in row else "date"]) for row in rows] == [
        ("Lamp 8", "9 May 2024"),
        ("Lamp 9", "10 May 2024"),
    ]


def test_a_link_around_a_card_is_a_record() -> None:
    def shelf(at: int) -> str:
        cards = (
            f"<a class=card href=/{n}><div class=title>Lamp {n}</div><div class=price>£{n}.50</div></a>"
            for n in range(3 * at + 1, 3 * at + 5)
        )
        return f"<h1>Shelf {WORDS[at]}</h1><div class=all>{''.join(cards)}</div>"

    columns = columns_of([shelf(at) for at in range(9)])
    (rows,) = records_of(columns, shelf(4)).values()
    assert (rows[1]["title"], rows[1]["price"]) == ("Lamp 14", "£14.50")
    assert rows[1]["title_url"] == "http://h.example/14"


def test_records_are_a_table_though_other_pages_have_running_text_there() -> None:
    def page(at: int) -> str:
        posts = (
            f"<div class=post><h3><a href=/{n}>Lamp {n}</a></h3><p>{SAID.format(WORDS[n % 14])}</p></div>"
            for n in range(4 * at, 4 * at + 4)
        )
        return f"<div id=content>{''.join(posts) if at % 3 == 0 else texts(at)}</div>"

    columns = columns_of([page(at) for at in range(14)])
    (rows,) = records_of(columns, page(3)).values()
    assert [row["title"] for row in rows] == ["Lamp 12", "Lamp 13", "Lamp 14", "Lamp 15"]


def test_who_wrote_a_comment_is_one_column_with_a_link_or_without() -> None:
    def post(at: int) -> str:
        names = (WORDS[(at + step) % 14].title() for step in range(4))
        authors = (
            name if step % 2 else f"<a class=url href=/{name}>{name}</a>" for step, name in enumerate(names)
        )
        comments = (
            f"<li class=note><small class=about><cite>{author}</cite> on <b>{step + 1} May 2024</b></small>"
            f"<p>{SAID.format(at * step)}</p></li>"
            for step, author in enumerate(authors)
        )
        return f"<h1>{WORDS[at]}</h1><ol class=all>{''.join(comments)}</ol>"

    columns = columns_of([post(at) for at in range(9)])
    (rows,) = records_of(columns, post(2)).values()
    assert any([row.get(name) for row in rows] == ["Cedar", "Delta", "Ember", "Fjord"] for name in rows[0])


def test_a_reply_in_a_comment_is_a_record_as_that_is() -> None:
    def comment(tea: str, at: int, inside: str = "") -> str:
        said = f"<b class=who>{tea} {at}</b><i class=when>{at} May 2026</i>"
        return f"<li class='comment depth-{at}'><div class=body>{said}</div>{inside}</li>"

    def thread(tea: str, at: int, inside: str = "") -> str:
        return f"<li><a href=/{tea}{at}>{tea} {at}</a> <i>Ann {at} of {tea}</i>{inside}</li>"

    for one in (comment, thread):
        bodies = []
        for tea in WORDS:
            replies = f"<ul>{one(tea, 8, f'<ol>{one(tea, 7)}</ol>')}{one(tea, 9)}</ul>"
            bodies.append(
                f"<ol class=all>{''.join(one(tea, at, replies * (at == 2)) for at in range(4))}</ol>"
            )
        (records,) = records_of(columns_of(bodies), bodies[0]).values()
        said = [next(value for value in record.values() if value.startswith("ash")) for record in records]
        assert said == [f"ash {at}" for at in (0, 1, 2, 8, 7, 9, 3)]


def test_unlike_items_that_all_pages_have_are_no_records() -> None:
    def post(at: int) -> str:
        kind = f"<div class=item><a href=/k{at % 3}>{WORDS[at % 3]}</a></div>"
        date = f"<div class=item>{at + 1} May 2024</div>"
        author = f"<div class=item>by <a href=/a{at % 4}><img src=/{at % 4}.jpg>{WORDS[at % 4]}</a></div>"
        return f"<h1>{WORDS[at]}</h1><div>{kind}{date}{author}</div>{texts(at)}"

    columns = columns_of([post(at) for at in range(14)])
    values = values_of(columns, post(5))
    assert not columns.rows
    assert values["date"] == "6 May 2024"
    assert values["link"] == ["cedar", "birch"]


def test_the_link_in_the_heading_of_a_post_stands_apart_from_its_text() -> None:
    def post(one: int) -> str:
        kind = f"<div><a href=/k{one % 4}>{WORDS[one % 4]}</a></div>"
        title = f"<h3><a href=/{one}>Tea no. {one}</a></h3>"
        said = f"<div>{SAID.format(WORDS[one % 14])}</div>"
        return f"<div class=post><img src=/{one}.jpg><div class=words>{kind}{title}{said}</div></div>"

    columns = columns_of([listing(at, post) for at in range(14)])
    (posts,) = records_of(columns, listing(2, post)).values()
    assert [post["title"] for post in posts] == [f"Tea no. {one}" for one in range(8, 12)]


def test_a_date_that_begins_a_text_is_a_column_and_stays_in_the_text() -> None:
    def release(at: int) -> str:
        return f"<h1>{WORDS[at]}</h1><div class=content><p>{at + 1} May 2024</p>{texts(at)}</div>"

    values = values_of(columns_of([release(at) for at in range(14)]), release(5))
    assert values["date"] == "6 May 2024"
    assert values["text"].startswith("6 May 2024 The fjord")


def test_a_link_over_a_card_leads_it_though_it_has_no_text() -> None:
    def card(one: int) -> str:
        link = f"<a class=over aria-label='Read {WORDS[one % 14]} {one}' href=/{one}></a>"
        return f"<div class=card><h3>{WORDS[one % 14]} {one}</h3><p>Posted by: Ann</p>{link}</div>"

    columns = columns_of([listing(at, card) for at in range(14)])
    (cards,) = records_of(columns, listing(2, card)).values()
    (link,) = {name for name in cards[0] if name.endswith("_url")}
    assert [card[link] for card in cards] == [f"http://h.example/{one}" for one in range(8, 12)]
    assert "Ann" not in link


def test_titles_of_the_same_name_are_one_column_in_whatever_they_stand() -> None:
    def post(one: int) -> str:
        title = f"<h2 class=entry-title>{WORDS[one % 14]} {one}</h2>"
        if one % 9:
            return f"<div class=post><div class=content>{title}</div><i>{one} cups</i></div>"
        return (
            f"<div class=post><a href=/{one}><header class=head>{title}</header></a><i>{one} cups</i></div>"
        )

    columns = columns_of([listing(at, post) for at in range(14)])
    (posts,) = records_of(columns, listing(9, post)).values()
    assert [post["title"] for post in posts] == [f"{WORDS[one % 14]} {one}" for one in range(36, 40)]


def test_the_first_paragraph_of_a_text_with_sections_is_a_column() -> None:
    def manual(at: int) -> str:
        about = f"<p>{WORDS[at].title()} opens a gate.</p>"
        return f"<h1>{WORDS[at]}</h1><div class=content>{about}<h2>Usage</h2>{texts(at)}</div>"

    values = values_of(columns_of([manual(at) for at in range(14)]), manual(5))
    assert values["lead"] == "Fjord opens a gate."
    assert values["text"].startswith("Fjord opens a gate. ")


def test_what_stands_in_the_titles_of_pages_is_data_whatever_the_markup_around_it() -> None:
    def member(at: int, said: str) -> str:
        name = f"<label class=dropdown-button><b class=proname>{WORDS[at]}</b></label>"
        return f"<title>Profile of {said} at the mill</title>{name}<p>{SAID.format(WORDS[at])}</p>"

    for said, is_data in ((WORDS, True), (["a member"] * len(WORDS), False)):
        bodies = [member(at, said[at]) for at in range(len(WORDS))]
        columns = columns_of_pages([Page(f"<html><head>{body}", "http://h.example/") for body in bodies])
        assert ("title" in {column.name for column in columns.columns}) == is_data

"""The columns of a type: by hand, whatever the order of the pages, and on generated sites."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.bench.columns import generated_scores
from lab.sites.table_sites import KINDS
from templcrawl.algorithms.columns import candidates
from templcrawl.algorithms.columns.choice import choose_columns
from templcrawl.algorithms.columns.facts import prefixed
from templcrawl.algorithms.columns.names import name_of, rows_name
from templcrawl.algorithms.columns.reading import read_page
from templcrawl.algorithms.columns.units import Unit
from tests.algorithms.columns.typed_pages import columns_of, pages_of, records_of, values_of

TEAS = ("Assam", "Darjeeling", "Keemun", "Lapsang", "Sencha", "Yunnan", "Oolong", "Matcha")
TEA = '<nav>Shop</nav><h1 class="title">{0}</h1><table><tr><th>Weight</th><td>{1} g</td></tr>\
<tr><th>Origin</th><td>{0}shire</td></tr></table><p class="price">£{1}.50</p>\
<a href="/buy/{1}">Buy no. {1}</a>'
BODIES = [TEA.format(tea, number + 10) for number, tea in enumerate(TEAS)]


def test_what_differs_is_a_column_and_is_named_by_its_label_or_its_markup() -> None:
    columns = columns_of(BODIES)
    assert {(one.name, one.kind, one.many) for one in columns.columns} == {
        ("title", "text", False),
        ("Weight", "number", False),
        ("Origin", "text", False),
        ("price", "money", False),
        ("link", "text", False),
        ("link_url", "address", False),
    }
    assert all(one.share == 1 and len(one.examples) == 3 for one in columns.columns)
    assert values_of(columns, TEA.format("Gunpowder", 3)) == {
        "title": "Gunpowder",
        "Weight": "3 g",
        "Origin": "Gunpowdershire",
        "price": "£3.50",
        "link": "Buy no. 3",
        "link_url": "http://h.example/buy/3",
    }


def test_a_missing_value_is_left_out_and_rows_in_another_order_are_told_by_their_labels() -> None:
    columns = columns_of(BODIES)
    rows = "<tr><th>Origin</th><td>Wells</td></tr><tr><th>Weight</th><td>5 g</td></tr>"
    body = f"<h1 class=title>x</h1><table>{rows}</table>"
    assert values_of(columns, body) == {"title": "x", "Weight": "5 g", "Origin": "Wells"}
    assert values_of(columns, "") == {}


def test_a_reduced_price_is_a_price() -> None:
    reduced = '<p class="price"><del>£9.00</del> <ins>£{0}.50</ins></p>'
    plain = '<p class="price">£{0}.50</p>'
    bodies = [(reduced if number % 3 == 0 else plain).format(number) for number in range(12)]
    columns = columns_of(bodies)
    assert [values_of(columns, body)["price"] for body in bodies] == [f"£{number}.50" for number in range(12)]


def test_class_words_of_a_single_page_are_not_part_of_a_place() -> None:
    bodies = [f'<article class="post topic-{tea}"><h2 class="entry">{tea}</h2></article>' for tea in TEAS]
    columns = columns_of(bodies)
    assert [(one.slots[0].place, one.share) for one in columns.columns] == [("article.post/h2.entry", 1)]
    assert values_of(columns, '<article class="post topic-new"><h2 class="entry">New</h2>') == {
        "title": "New"
    }


def test_without_a_heading_the_title_is_the_text_that_the_page_is_titled_with() -> None:
    body = "<title>{0} - Teas</title><div class=q1>{1} of them</div><div class=q2>{0}</div>"
    bodies = [body.format(tea, number) for number, tea in enumerate(TEAS)]
    assert values_of(columns_of(bodies), bodies[0])["title"] == TEAS[0]
    same = [body.format("Tea", number) for number in range(8)]
    assert "title" not in values_of(columns_of(same), same[0])


def test_the_title_is_the_heading_that_the_page_is_titled_with() -> None:
    body = "<title>{0} - Teas</title><aside class=side><h2>Compare {1} teas</h2></aside><h2>{0}</h2>"
    bodies = [body.format(tea, number) for number, tea in enumerate(TEAS)]
    assert values_of(columns_of(bodies), bodies[0]) == {"side_title": "Compare 0 teas", "title": TEAS[0]}


@pytest.mark.parametrize(
    "block",
    [
        pytest.param('<p class="wp-block-paragraph">{}</p>', id="a class word on each paragraph"),
        pytest.param('<div class="paragraph"><p>{}</p></div>', id="a wrapper around each"),
        pytest.param('<div class="sect"><div class="body"><p>{}</p></div></div>', id="sections"),
    ],
)
def test_class_words_of_blocks_set_no_part_of_a_text_apart(block: str) -> None:
    body = '<h1>{0}</h1><div class="byline">Ann {0}</div><article class=post>{1}{2}<ul><li>{3}</ul></article>'
    said = "The {} of garden {} was picked in week {} of spring."
    lines = [[said.format(tea, number, week) for week in range(3, 6)] for number, tea in enumerate(TEAS)]
    bodies = [body.format(tea, *map(block.format, some[:2]), some[2]) for tea, some in zip(TEAS, lines)]
    columns = columns_of(bodies)
    for tea, some, text in zip(TEAS, lines, bodies):
        assert values_of(columns, text) == {"title": tea, "author": f"Ann {tea}", "text": " ".join(some)}


def test_a_text_is_content_by_most_of_its_units_not_by_its_first() -> None:
    lines = "<p>{0}, subscribe</p>" + "<p>{0} grows in the hills of the north.</p>" * 2
    pages = pages_of([f"<article class=post>{lines.format(tea)}</article>" for tea in TEAS])
    read = []
    for page in pages:
        forms, form_of = page.tokens.forms, page.tokens.form_of
        mask = bytes("subscribe" not in forms[form_of[at]] for at in range(len(page.tokens)))
        read.append(read_page(page, mask))
    assert "text" in {one.name for one in choose_columns(read).columns}


def test_an_author_of_nearly_all_pages_is_a_value() -> None:
    authors = ["Ann"] * 39 + ["Ben"]
    bodies = [f'<h1>{number}th</h1><span class="author">{name}</span>' for number, name in enumerate(authors)]
    assert values_of(columns_of(bodies), bodies[0]) == {"title": "0th", "author": "Ann"}


def test_what_a_page_lists_is_a_table_of_its_own() -> None:
    item = '<li class="entry"><a href="/{0}"><h3>{0}</h3></a><b class="cost">£{1}</b></li>'
    bodies = []
    for page in range(5):
        items = [item.format(f"{tea}{page}", page + number) for number, tea in enumerate(TEAS[: page + 3])]
        bodies.append(f"<h1>Part {page}</h1><ul>{''.join(items)}</ul>")
    columns = columns_of(bodies)
    assert [one.name for one in columns.columns] == ["title"]
    assert records_of(columns, f"<ul>{item.format('Earl', 7)}</ul>") == {
        "entry": [{"title": "Earl", "title_url": "http://h.example/Earl", "cost": "£7"}]
    }


def test_columns_that_repeat_another_and_names_that_are_taken() -> None:
    notes = "<b class=note>{1}!</b><div class=foot><b class=note>{1}?</b></div>"
    body = f"<h1 class=title>{{0}}</h1><p class=title>{{0}}</p>{notes}"
    columns = columns_of([body.format(tea, tea[::-1]) for tea in TEAS])
    assert [one.name for one in columns.columns if "copy" not in one.features] == [
        "title",
        "note",
        "foot_note",
    ]


def test_the_tables_of_records_and_the_comparisons_of_columns_are_bounded(monkeypatch) -> None:
    def rows(kind: str, page: int) -> str:
        return "".join(f"<div class={kind}><p>{page}{at}</p><em>{page}y{at}</em></div>" for at in range(3))

    kinds = [first + second for first in "abcde" for second in "fghij"]
    columns = columns_of(["".join(rows(kind, page) for kind in kinds) for page in range(4)])
    assert len(columns.rows) == 16
    asked = []
    monkeypatch.setattr(candidates, "_are_alternatives", lambda *slots: asked.append(slots))
    spans = ["".join(f"<p class={at}><b>{at}{page}</b></p>" for at in kinds) for page in range(4)]
    columns_of([f"<div class={'xyzw'[page]}>{body}</div>" for page, body in enumerate(spans)])
    assert len(asked) <= 20 * len(kinds)


@given(st.lists(st.lists(st.sampled_from(TEAS), min_size=3, max_size=3), min_size=3, max_size=12))
def test_columns_are_the_texts_of_each_place_that_are_not_the_same_on_all_pages(
    rows: list[list[str]],
) -> None:
    bodies = ["".join(f'<p class="c{"abc"[at]}">{tea}</p>' for at, tea in enumerate(row)) for row in rows]
    found = [values_of(columns_of(bodies), body) for body in bodies]
    several = [at for at in range(3) if len({row[at] for row in rows}) > 1]
    texts = {tuple(row[at] for row in rows) for at in several}
    common = {max(map(column.count, column)) >= max(3, 0.9 * len(rows)) for column in texts}
    labels = {rows[0][at] for at in range(3) if at not in several}
    if True not in common and not any(labels.intersection(column) for column in texts):  # no label is a value
        assert {tuple(one[name] for one in found) for name in found[0]} == texts


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", KINDS)
def test_all_columns_of_generated_sites_are_found(kind: str) -> None:
    assert min(score for *_, score in generated_scores(kind)) >= 0.98


def test_records_are_one_table_whatever_else_their_class_words_say() -> None:
    item = '<li class="post{3} kind{0}"><h3>{1}</h3><p class="said">{1} {2} and so on</p></li>'
    bodies = []
    for page in range(6):
        items = [item.format("abc"[at % 3], f"{tea} {page}", at, 1 + at % 2) for at, tea in enumerate(TEAS)]
        bodies.append(f"<h1>Part {page}</h1><ul>{''.join(items)}</ul>")
    columns = columns_of(bodies)
    assert [(name, rows.places) for name, rows in columns.rows.items()] == [("post", ("ul/li.post",))]
    assert [row["title"] for row in records_of(columns, bodies[0])["post"]] == [f"{tea} 0" for tea in TEAS]


def test_what_a_widget_repeats_on_most_pages_is_furniture_and_so_are_pagers() -> None:
    seen = "".join(f"<li><a href=/{tea}>{tea}</a> <b>{len(tea)}</b></li>" for tea in TEAS[:4])
    frame = '<h1>{0}</h1><p class="note">Review of {0}</p><p class="taste">{1} of {2}</p>'
    bodies = [
        frame.format(tea, tea[::-1], number)
        + f'<ul class="seen">{seen if number % 8 else ""}</ul>'
        + f'<div class="pager"><a href=/{tea}>{tea[1:]}</a></div>'
        for number, tea in enumerate(TEAS)
    ]
    columns = columns_of(bodies)
    assert ([one.name for one in columns.columns], columns.rows) == (["title", "note", "taste"], {})


def test_a_picture_is_the_declared_one_in_another_rendition() -> None:
    head = '<meta property="og:image" content="http://h.example/pic/{0}.jpg"><h1>{0}</h1>'
    bodies = [f"{head.format(tea)}<img src=/small/{tea}-300x200.jpg?v=2>" for tea in TEAS]
    columns = columns_of(bodies)
    assert values_of(columns, bodies[0])["image"] == f"http://h.example/small/{TEAS[0]}-300x200.jpg?v=2"


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Reply #1 on: May 3", None),
        ("Weight: [", None),
        ("Weight:3 kg", "Weight"),
        ("Weight : 3", "Weight"),
        ("12:30", None),
        ("http://x", None),
        ("a::b", None),
        ("Order No.: 3", "Order No."),
        ("It was late.", None),
    ],
)
def test_a_label_before_a_colon_needs_no_space_and_is_no_clock(text: str, label: str | None) -> None:
    match = prefixed(Unit("p", text, (1,), 0, True))
    assert (match and match[1]) == label


@pytest.mark.parametrize(
    ("name", "names"),
    [
        (name_of("", "div.product/p.price/del", "money"), "old_price"),
        (name_of("", "div.products-page-brands/a.view#test-slyle", "text"), "brand"),
        (name_of("", "div.col-md-9/div.inner.left", "text"), "text"),
        (name_of("", "div.hero-image/p", "text"), "text"),
        (name_of("", ":scope", "text"), "text"),
        (name_of("", "ul.m-hero-stats--big/li", "text"), "hero_stats"),
        (name_of("", "li.card/time.m-card__timestamp/b", "text"), "date"),
        (name_of("", "li.card/time.m-card__timestamp/b", "words"), "card"),
        (name_of("", "p", "date"), "date"),
        (rows_name("div.main-loop/article.comely-post-page", "", (), ()), "post"),
    ],
)
def test_names_are_what_a_person_would_take(name: str, names: str) -> None:
    assert name == names


def test_breadcrumbs_are_data_though_a_section_is_on_many_pages_and_a_menu_is_none() -> None:
    crumbs = "<title>{0}</title><ul class=path><li><a href=/{1}>{1}</a><li><a href=/{0}>{0}</a></ul>"
    named = "<p class=crumbs><a href=/of/{1}>of {1}</a>"
    bodies = [
        f"{crumbs}{named}<p class=menu><a href=/{{1}}>{{1}}</a><p class=note>{{0}} no. {at}".format(
            tea, "xyz"[at % 3] * 2
        )
        for at, tea in enumerate(TEAS)
    ]
    read = [read_page(page) for page in pages_of(bodies)]
    columns = choose_columns(
        [
            replace(page, units=[unit._replace(content="note" in unit.place) for unit in page.units])
            for page in read
        ]
    )
    lasts = {one.name: one.last for one in columns.columns}
    assert (lasts["section"], lasts["note"], "menu" in lasts) == (2, 0, False)
    assert "breadcrumbs" in lasts


@pytest.mark.parametrize(("place", "has"), [("div id=footer", False), ("div class=facts", True)])
def test_facts_in_a_footer_are_no_data_where_they_are_no_content(place: str, *, has: bool) -> None:
    bodies = [f"<h1>{tea}</h1><{place}><p>Time: {at} ms</p></div>" for at, tea in enumerate(TEAS)]
    columns = choose_columns([read_page(page) for page in pages_of(bodies)])
    assert [one.label for one in columns.columns if one.name != "title"] == ["Time"] * has


def test_what_each_page_has_of_its_own_is_data_though_it_is_no_content_but_links() -> None:
    shown = "<div class=shown><img src=/{0}.png></div><a class=menu href=/{0}>{0}</a>"
    ends = "<nav><p class=state>at {0}</p></nav><div id=footer><p class=edited>of {0}</p></div>"
    read = [read_page(page) for page in pages_of([f"{shown}{ends}".format(tea) for tea in TEAS])]
    assert [one.name for one in choose_columns(read).columns] == ["image", "edited"]


def test_a_picture_that_each_page_of_a_kind_has_of_its_own_is_data() -> None:
    shown = "<h1>{0} {1}</h1>" + "<p>{0} of the year {1}</p>" * 9
    bodies = [
        shown.format(TEAS[at % 8], at) + f"<div class=shown><img src=/{at}.png></div>" * (at % 3 == 0)
        for at in range(40)
    ]
    assert "image" in [
        one.name for one in choose_columns([read_page(page) for page in pages_of(bodies)]).columns
    ]


def test_what_the_markup_calls_tags_is_data_though_it_is_no_content() -> None:
    body = "<h1>{0}</h1><p>{0} is a tea</p><{1} class=tags><a href=/{2}>{2}</a></{1}>"
    found = {}
    for around in ("div", "nav"):
        read = []
        for page in pages_of([body.format(tea, around, f"{at % 2} cups") for at, tea in enumerate(TEAS)]):
            texts = [page.tokens.forms[form] for form in page.tokens.form_of]
            read.append(read_page(page, bytes("cups" not in text for text in texts)))
        found[around] = "tags" in {one.name for one in choose_columns(read).columns}
    assert found == {"div": True, "nav": False}


def test_what_begins_with_by_is_an_author_and_a_field_has_no_name_of_its_framework() -> None:
    byline = "<p class=info>By {0} {1}</p>"
    field = "<div class='field field-name-field-tea-room field-type-text'><p class=field-item>{1}</p></div>"
    bodies = [
        f"<h1>{number}</h1>{byline}{field}".format(tea.title(), tea[::-1]) for number, tea in enumerate(TEAS)
    ]
    columns = columns_of(bodies)
    assert [one.name for one in columns.columns if one.shown] == ["title", "author", "tea_room"]
    assert values_of(columns, bodies[1])["author"] == f"{TEAS[1].title()} {TEAS[1][::-1]}"


def test_the_facts_of_one_kind_of_pages_among_several_are_shown() -> None:
    kinds = [[f"{tea} {what}" for tea in TEAS[:6]] for what in ("age", "land", "maker", "size")]
    rows = "<tr><th>{0}</th><td>{0} of {1}</td></tr>"
    bodies = [
        f"<h1>{at}th</h1><table>{''.join(rows.format(label, at) for label in kinds[at % 4])}</table>"
        for at in range(40)
    ]
    shown = {one.label for one in columns_of(bodies).columns if one.shown}
    assert shown >= {label for labels in kinds for label in labels}


def test_the_code_that_a_page_has_once_is_data() -> None:
    bodies = [
        f"<h1>{at}th</h1><div class=code-highlight><pre>let {tea} = {at}</pre></div>"
        for at, tea in enumerate(TEAS)
    ]
    assert f"let {TEAS[2]} = 2" in values_of(columns_of(bodies), bodies[2]).values()


def test_a_price_that_is_struck_out_is_never_in_the_column_of_prices() -> None:
    def tea(at: int) -> str:
        price = f"<span class=amount>£{at + 3}.50</span>"
        old = f"<del><span class=amount>£{at + 90}.25</span></del><ins>{price}</ins>"
        return f"<h1>{TEAS[at % 8]} {at}</h1><p class=cost>{price if at % 3 else old}</p>"

    columns = columns_of([tea(at) for at in range(14)])
    for at in (3, 4):
        assert values_of(columns, tea(at))["amount"] == f"£{at + 3}.50"

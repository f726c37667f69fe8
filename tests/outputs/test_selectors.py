"""What selects the columns of tables: by hand, on generated sites, and as the printed spider uses it."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.http import HtmlResponse

from lab.bench.columns import by_type
from lab.sites.table_sites import LAYOUTS, TROUBLES, generate_table_site
from templcrawl.outputs.proposed_xpaths import Selection
from templcrawl.outputs.selectors import given_by, selections
from templcrawl.outputs.tried_pages import Scope, parse, scopes_of
from templcrawl.page.page import Page
from templcrawl.tools.commands.type_spider import spider_of
from tests.algorithms.columns.typed_pages import columns_of, columns_of_pages, pages_of
from tests.outputs.selected_columns import TEAS, selected
from tests.parts import exhaustive_but


def test_a_fact_is_selected_by_its_label_and_a_place_by_its_word() -> None:
    body = (
        "<h1>{0}</h1><dl><dt>Age<dd>{1} years<dt>From<dd>{0}shire</dl><p class=price>£{1}.50</p>"
        '<p class=note>Batch: no. {1}</p><a class=buy href="/buy/{1}">Buy {0}</a>'
    )
    found = selected([body.format(tea, 10 + number) for number, tea in enumerate(TEAS)])
    assert all(one.holds == 1 and not one.but for one in found.values())
    assert {name: one.xpath for name, one in found.items()} == {
        "title": "//h1",
        "Age": "//dt[normalize-space()='Age']/following-sibling::dd[1]",
        "From": "//dt[normalize-space()='From']/following-sibling::dd[1]",
        "price": '//p[has-class("price")]',
        "Batch": "//p[starts-with(normalize-space(), 'Batch')]",
        "buy": '//a[has-class("buy")]',
        "buy_url": '//a[has-class("buy")]/@href',
    }
    assert found["Batch"].regex == r"^Batch\b[\s:：]*(.*)"


def test_a_value_is_selected_where_it_stands_though_a_menu_says_the_same_more_shortly() -> None:
    menu = "".join(f"<a class={{at[{number}]}} href=/{tea}>{tea}</a>" for number, tea in enumerate(TEAS))
    bodies = [
        "<h1>All teas</h1>"
        + menu.format(at=["on" if tea == own else "off" for tea in TEAS])
        + f"<div class=tea-page><div><h1><a>{own}</a></h1></div></div>"
        for own in TEAS
    ]
    assert selected(bodies)["title"].xpath == "//h1/a"


def test_the_id_of_one_page_selects_nothing() -> None:
    bodies = [
        f"<h1>{tea}</h1><div id=node-{at}><div>{tea}{at}</div></div>" for at, tea in enumerate(TEAS, 20)
    ]
    columns = columns_of(bodies)
    page = pages_of(bodies)[4]
    row = columns.values(columns.read(page), page.base_url)
    found = selections(columns.columns, (), [(parse(page.text, page.base_url), [row])])[1]
    assert all(one.holds == 1 and "node-24" not in one.xpath for one in found.values())


def test_a_list_and_running_text_are_selected_whole_and_records_one_by_one() -> None:
    posts = "".join(f"<li class=post><b>{{0}} no. {at}</b><i>by {{1}}{at}</i></li>" for at in range(4))
    text = "".join(
        f"<p>The {{0}} was picked in {day}, by hand and by many people.</p>" for day in ("May", "June")
    )
    bodies = [
        f"<h1>{tea}</h1><div class=story>{text.format(tea)}</div>"
        f"<ul class=posts>{posts.format(tea, tea[::-1])}</ul>"
        for tea in TEAS
    ]
    found = selected(bodies)
    assert found["text"].xpath in ('//div[has-class("story")]', '//div[has-class("story")]/p')
    (table,) = {name.partition(".")[0] for name in found if "." in name}
    assert found[table].xpath == '//li[has-class("post")]'
    assert all(one.holds == 1 for name, one in found.items() if name != table)


def test_running_text_with_other_white_space_is_selected_and_rows_are_known_without_it() -> None:
    def post(tea: str, at: int) -> str:
        said = f"The <a href=/{at}>{tea}</a>({at}) was picked in May, by hand and by many people."
        quote = f"<div class=quote><b>{tea}{at}</b>: no, in June, as we have all seen and heard.</div>"
        more = f"<p>It was sold on day {at} of the month, and nobody has seen it since.</p>" * (at == 4)
        body = f"{quote * (at % 3 == 0)}<p>{said}</p>{more}"
        return f"<div class=post><i class=who>{tea}{at}</i><div class=said>{body}</div></div>"

    found = selected(["".join(post(tea, at) for at in range(1, 6)) for tea in TEAS])
    (name,) = {name for name in found if name.endswith(".text")}
    assert found[name].holds == 1
    assert '[has-class("said")]' in found[name].xpath


def test_a_title_in_the_element_of_the_text_is_left_out_though_the_text_says_the_same() -> None:
    said = "<p>{0} tea was picked by the hands of {1} people.</p><p>It was sold in June, {1} days later.</p>"
    bodies = [
        f"<div class=story><h1>{tea} tea</h1><i class=by>{at} May</i>{said.format(tea, at)}</div>"
        for at, tea in enumerate(TEAS)
    ]
    text = selected(bodies)["text"]
    assert (text.holds, text.but) == (1, ())
    assert text.xpath == '//div[has-class("story")]/p'


def test_a_comment_that_an_xpath_selects_has_no_text() -> None:
    page = parse("<div><!-- a -->b</div>", "http://h.example/")
    assert [page.words(node) for node in page.whole.root.xpath("//div/node()")] == ["", "b"]


def test_rows_that_take_turns_and_headings_with_line_breaks_are_selected() -> None:
    turns = "".join(f"<div class=row{1 + at % 2}><b>{{0}} {at}</b><i>{{1}}{at}</i></div>" for at in range(4))
    found = selected([f"<h1>{tea}</h1><div class=rows>{turns.format(tea, tea[::-1])}</div>" for tea in TEAS])
    (table,) = {name.partition(".")[0] for name in found if "." in name}
    assert found[table].xpath == '//div[has-class("row") or has-class("row1") or has-class("row2")]'
    rows = "".join(f"<tr><td>{{0}} {at}<td>{{1}}{at}" for at in range(4))
    heads = ["<tr><th>Tea /\n  leaf<th>By", "<tr><th>Tea / leaf<th>By"]
    found = selected(
        [f"<table>{heads[at % 2]}{rows.format(tea, tea[::-1])}</table>" for at, tea in enumerate(TEAS)]
    )
    (table,) = {name.partition(".")[0] for name in found if "." in name}
    assert "[normalize-space()='Tea / leaf']" in found[table].xpath
    assert all(one.holds == 1 for name, one in found.items() if "." in name)


def test_a_value_of_few_records_and_one_of_many_are_selected_and_so_is_a_line_of_an_element() -> None:
    def post(tea: str, at: int) -> str:
        picked = f"<time>{1 + at % 28} May 20{10 + at % 11}</time>" * (at % 10 == 3)
        kind = ("leaf", "bud")[at % 2]
        return (
            f"<div class=post><b>{tea} {at}</b><i>{kind}</i><p>{at} cups<br>{at + 7} pots</p>{picked}</div>"
        )

    found = selected([f"<h1>{tea}</h1>" + "".join(post(tea, at) for at in range(20)) for tea in TEAS])
    xpaths = {one.xpath for name, one in found.items() if "." in name}
    assert {".//time", ".//i"} <= xpaths
    assert any("text()[normalize-space()][2]" in xpath for xpath in xpaths)
    assert all(one.holds == 1 for name, one in found.items() if "." in name)


def test_what_records_repeat_in_their_running_text_is_left_out() -> None:
    said = (
        "<p>{0} no. {1} was picked in May, by hand and by many people.</p><p>It was sold {1} days later.</p>"
    )
    post = f"<div class=post><b>{{0}} {{1}}</b><div class=said>{said}<p>Read on</p></div></div>"
    found = selected(
        [f"<h1>{tea}</h1>" + "".join(post.format(tea, at) for at in range(1, 6)) for tea in TEAS]
    )
    (text,) = (one for name, one in found.items() if name.endswith(".text"))
    assert (text.holds, text.but) == (1, ())
    assert (text.xpath, text.without) == ('./div[has-class("said")]', ".//p[normalize-space()='Read on']")


def test_rows_are_found_in_their_records_though_one_differs_one_has_none_and_one_is_none() -> None:
    record = "<p><b>{0}</b> <i>{1} May</i> <u>no. {1}</u></p>"
    page = parse("".join(record.format(tea, at) for at, tea in enumerate(TEAS)), "")
    rows = [{"title": tea, "date": f"{at} May", "no": f"no. {at}"} for at, tea in enumerate(TEAS)]
    rows[2]["date"] = "2010-05-02"
    rows.insert(8, {"title": "Tea", "date": "June"})
    del rows[5]
    found = [scope.row.get("title", "") for scope in scopes_of(page, "//p", rows)]
    assert found == [*TEAS[:5], "", *TEAS[6:]]


def test_what_stands_between_marks_is_selected() -> None:
    post = (
        "<article><h2>{0}</h2><p class=meta>{1} May 20{1} · {2} Oak</p><p><a href=/{2}>{2}</a></p>"
        "<small>&bull; {2} Ash &bull; Filed: <a href=/{0}>{0}</a>, <a href=/{1}>{1}</a></small></article>"
    )
    found = selected([post.format(tea, at, tea[::-1]) for at, tea in enumerate(TEAS, 11)])
    assert (found["date"].xpath, found["date"].regex) == ("//article/p", r"^([^•·|]*[^\s•·|])")
    assert all(one.holds == 1 for one in found.values())


@pytest.mark.parametrize(
    ("element", "xpath"),
    [
        ("<li>{}</li>", "//li"),  # a reply is a record as the item around it
        ("<div class=box>{}</div>", '//div[has-class("box")][not(ancestor::div[has-class("box")])]'),
    ],
)
def test_records_in_others_are_selected_if_the_table_has_them(element: str, xpath: str) -> None:
    reply = element.format("<b>{0} {1}</b> <i>no. {1}</i>{2}")
    bodies = [
        f"<h1>{tea}</h1><ul>"
        + "".join(
            reply.format(tea, at, f"<ul>{reply.format(tea, at + 7, '')}</ul>" * (at > 3)) for at in range(6)
        )
        + "</ul>"
        for tea in TEAS
    ]
    found = selected(bodies)
    (table,) = {name.partition(".")[0] for name in found if "." in name}
    assert found[table].xpath == xpath
    assert all(one.holds == 1 for name, one in found.items() if "." in name)


def test_what_no_xpath_gives_is_not_selected_and_not_in_the_spider() -> None:
    bodies = [f"<p class=tea>{tea}</p>" for tea in TEAS]
    columns = columns_of(bodies).columns
    tried = [parse(page.text, page.base_url) for page in pages_of(bodies)]
    (column,) = columns
    _, found = selections(columns, (), [(page, [{column.name: "none of the page"}]) for page in tried])
    assert found == {column.name: Selection()}
    described = {"name": "tea", "xpath": "", "regex": "", "but": (), "without": "", "holds": 0.8}
    table = {
        "host": "h.example",
        "page_types": ["/"],
        "table": "teas",
        "records": None,
        "example": "http://h.example/",
    }
    text = spider_of({"tables": [{**table, "columns": [described]}]})
    assert "# 'tea': no XPath" in text
    assert "'tea': text" not in text


PARTS = st.lists(
    st.sampled_from(
        ["<li>Size: 4", "<li title=x>New", "<li><b>a</b> c<br>d", "<p title='/x y'>Size 5", " e ", "<li>"]
    ),
    max_size=6,
)


@given(PARTS, st.sampled_from(["//li", "//li/b", "//p/@title", "//ul"]), st.booleans())
def test_a_selector_is_tried_as_the_spider_uses_it(parts: list[str], xpath: str, is_link: bool) -> None:
    namespace: dict[str, Any] = {}
    exec(spider_of({"tables": []}), namespace)
    body = f"<ul>{''.join(parts)}</ul>"
    response = HtmlResponse("http://h.example/a/", body=body.encode(), encoding="utf-8")
    regex = "" if is_link else r"^Size[\s:]*(.*)"
    page = parse(body, response.url)
    column = columns_of([f"<p class=tea>{tea}" for tea in TEAS]).columns[0]
    if is_link:
        column = replace(column, attribute="href")
        expected = namespace["links"](response, response, xpath)
    else:
        expected = namespace["texts"](response, xpath, regex or "(.+)")
    assert given_by(Selection(xpath, regex=regex), column, Scope(page.whole, page, {})) == expected


@pytest.mark.parametrize(
    ("layout", "trouble"),
    exhaustive_but(
        [("table", "missing"), ("table", "reduced")],
        [one for one in product(LAYOUTS, TROUBLES) if one[0] != "paragraphs"],  # labels in running text
    ),
)
def test_the_columns_of_generated_sites_are_selected(layout: str, trouble: str) -> None:
    site = generate_table_site("shop", layout, trouble)
    pages = [
        one.page
        for found in by_type(Page(page.html, f"http://h.example{page.path}") for page in site)
        for one in found
        if found[0].page.directory == "/shop/"
    ]
    columns = columns_of_pages(pages)
    rows = [[columns.values(columns.read(page), page.base_url)] for page in pages]
    tried = [parse(page.text, page.base_url) for page in pages]
    _, found = selections(columns.columns, (), list(zip(tried, rows)))
    shown = [one.name for one in columns.columns if one.shown and one.slots and not one.joined]
    assert len(shown) >= 5
    assert {name: found[name].holds for name in shown if found[name].holds < 1} == {}


def test_a_part_of_a_text_is_selected_by_a_regular_expression() -> None:
    bodies = [
        f"<h1>{tea}</h1><p class=info>About {tea} (Read {10 + number} times)</p>"
        for number, tea in enumerate(TEAS)
    ]
    found = selected(bodies)
    assert found["Read"].xpath == '//p[has-class("info")]'
    assert found["Read"].holds == found["About"].holds == 1


def test_the_section_is_the_breadcrumb_before_the_title_and_no_separator_is_selected() -> None:
    crumb = "<li><a href=/{0}>{0}</a> » "
    page = (
        "<title>{0}</title><ul class=breadcrumbs>{1}{2}<li><a href=/{0}>{0}</a></ul><p class=when>« {3} May »"
    )
    found = selected(
        [
            page.format(tea, crumb.format("Teas"), crumb.format("xyz"[at % 3] * 2), at + 1)
            for at, tea in enumerate(TEAS)
        ]
    )
    assert found["section"].xpath.endswith(")[last()-1]")
    assert found["section"].holds == 1
    assert (found["when"].xpath, found["when"].holds, found["when"].but) == ('//p[has-class("when")]', 1, ())


def test_fixed_texts_among_the_values_stand_in_the_order_of_the_page() -> None:
    fixed = [f"Fixed {word}" for word in "delta alpha echo bravo golf charlie fox hotel".split()]
    items = "".join(f"<li>{text}</li>" for text in fixed)
    own = ["".join(f"<li>own {at * 7} {n}</li>" for n in range(1 + at % 3)) for at in range(12)]
    bodies = [f"<h1>Tea {at}</h1><ul class=tags>{each}{items}</ul>" for at, each in enumerate(own)]
    assert [one.but for one in selected(bodies).values() if one.but] == [tuple(fixed)]


def test_what_attributes_say_is_selected() -> None:
    body = (
        '<h1>{0}</h1><p class="star-rating {1}"><i></i></p><div class=cups aria-label="{2} of 9"></div>'
        '<div class=age><time datetime="2026-03-{2:02}">{2} days ago</time></div><p class=price>£{2}.50</p>'
    )
    words = ("One", "Two", "Three")
    found = selected([body.format(tea, words[at % 3], at + 2) for at, tea in enumerate(TEAS)])
    assert all(one.holds == 1 for one in found.values())
    assert found["cups"].xpath == '//div[has-class("cups")]/@aria-label'
    assert found["date_datetime"].xpath == "//time/@datetime"
    (rating,) = (one for one in found.values() if one.xpath.endswith("/@class"))
    assert rating.regex == r"star\-rating ([^ ]+)"

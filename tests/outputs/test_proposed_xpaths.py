"""XPaths that are proposed for columns, by hand: labels, headings, links, alternatives, running text."""

from __future__ import annotations

from templcrawl.algorithms.columns.values import Column
from templcrawl.outputs.record_xpaths import narrowed, rows_paths
from templcrawl.outputs.selectors import selections
from templcrawl.outputs.spider_texts import joined, words
from templcrawl.outputs.tried_pages import parse, scopes_of
from tests.algorithms.columns.typed_pages import columns_of, pages_of
from tests.outputs.selected_columns import TEAS, selected

PICKED = "was picked in May, by hand and by the many people of the garden, as it is each year."


def test_text_behind_a_comment_is_text() -> None:
    (root,) = parse("<p>Picked <!-- by hand -->in<!-- late --> May", "").whole.xpath("//p")
    assert words(root.root) == "Picked in May"


def test_parts_of_running_text_are_left_out_with_all_in_them() -> None:
    page = parse("<div>Tea <p>is <i>very <b>old</b></i> and</p> good <b>but</b> hot</div>", "").whole
    assert joined(page, "//div", without="//i") == "Tea is and good but hot"
    assert joined(page, "//div") == "Tea is very old and good but hot"


def test_running_text_of_two_places_has_both() -> None:
    places = ("<div class=story><p>{0} {1}</p></div>", "<section class=essay><p>{0} {1}</p></section>")
    text = selected([f"<h1>{tea}</h1>{places[at % 2].format(tea, PICKED)}" for at, tea in enumerate(TEAS)])
    assert text["text"].holds == 1


def test_running_text_is_selected_without_a_box_in_it() -> None:
    end = "It was sold in June by the people of {0}, at the gate."
    said = f"<p>{{0}} {PICKED} <i>{{1}}{{0}} <u>{{1}}</u></i></p><p>{end.replace('June', '<b>June</b>')}</p>"
    bodies = [
        f"<h1>{tea}</h1><div class=story>{said.format(tea, at)}</div>" for at, tea in enumerate(TEAS, 10)
    ]
    (text,) = (one for one in columns_of(bodies).columns if one.joined)
    tried = [
        (parse(page.text, page.base_url), [{text.name: f"{tea} {PICKED} {end.format(tea)}"}])
        for page, tea in zip(pages_of(bodies), TEAS)
    ]
    found = selections([text], (), tried)[1][text.name]
    assert (found.xpath, found.without, found.holds) == ('//div[has-class("story")]', "//i", 1)


def test_a_label_between_marks_is_before_its_value() -> None:
    meta = "<p class=meta>Date: {0} May 2020 | Time to Read: {1} min | by {2}</p>"
    bodies = [f"<h1>{tea}</h1>{meta.format(at, at + 7, tea[::-1])}" for at, tea in enumerate(TEAS, 10)]
    found = selected(bodies)
    assert found["Date"].holds == found["Time to Read"].holds == 1
    assert "Time to Read" in found["Time to Read"].regex


def test_a_label_is_no_part_of_a_longer_word() -> None:
    part = "<p>Part I: {0} leaves</p><p>Part II: {0} buds</p>"
    found = selected([f"<h1>{tea}</h1>{part.format(tea)}" for tea in TEAS])
    assert found["Part I"].regex == r"^Part I\b[\s:：]*(.*)"
    assert found["Part I"].holds == found["Part II"].holds == 1


def test_a_cell_is_selected_by_the_heading_of_its_column() -> None:
    tables = (
        "<tr><th>Garden<th>Buyer<th>Price<tr><td>{0} Hill<td>{0} and son<td>£{1}",
        "<tr><th>No.<th>Garden<th>Buyer<th>Price<tr><td>{1}<td>{0} Hill<td>{0} and son<td>£{1}",
    )
    bodies = [
        f"<h1>{tea}</h1><table>{tables[at % 2].format(tea, 10 + at)}</table>" for at, tea in enumerate(TEAS)
    ]
    found = selected(bodies)
    (buyer,) = (one for name, one in found.items() if name.endswith("Buyer"))
    assert buyer.holds == 1
    assert "ancestor::table[1]//tr[1]/*[3][normalize-space()='Buyer']" in buyer.xpath


def test_a_heading_with_a_line_break_is_that_of_a_table() -> None:
    rows = "".join(f"<tr><td>{{0}} {at}<td>{{1}}{at}" for at in range(4))
    heads = "<tr><th>Tea<br>leaf<th>By"
    found = selected([f"<table>{heads}{rows.format(tea, tea[::-1])}</table>" for tea in TEAS])
    (table,) = {name.partition(".")[0] for name in found if "." in name}
    assert "[normalize-space()='Tealeaf']" in found[table].xpath
    assert all(one.holds == 1 for name, one in found.items() if "." in name)


def test_a_declared_text_of_several_lines_is_that_of_the_page() -> None:
    declared = '<meta name="description" content="{0} of\n {1}  gardens">'
    found = selected([f"<h1>{tea}</h1>{declared.format(tea, at)}" for at, tea in enumerate(TEAS, 10)])
    assert found["description"].xpath == "//meta[@name='description']/@content"


def test_links_are_told_by_the_directory_that_they_lead_to() -> None:
    links = "<a href=/kinds/{0}>{0} kind</a> <a href=/tags/{1}>{1}</a> <a href=/tags/x{1}>x{1}</a>"
    bodies = [f"<h1>{tea}</h1><footer>{links.format(tea, tea[::-1])}</footer>" for at, tea in enumerate(TEAS)]
    columns = columns_of(bodies)
    column = next(one for one in columns.columns if one.many and not one.is_address)
    tried = [
        (parse(page.text, page.base_url), [{column.name: [tea[::-1], f"x{tea[::-1]}"]}])
        for page, tea in zip(pages_of(bodies), TEAS)
    ]
    found = selections([column], (), tried)[1][column.name]
    assert (found.xpath, found.holds) == ("//a[contains(@href, 'tags/')]", 1)


def test_a_record_has_its_row_though_half_of_that_stands_above() -> None:
    page = parse("<h2>Black</h2>" + "".join(f"<p><b>{tea}</b></p>" for tea in TEAS), "")
    rows = [{"group": "Black", "title": tea} for tea in TEAS]
    assert [scope.row.get("title") for scope in scopes_of(page, "//p", rows)] == [*TEAS]


def test_records_at_several_depths_are_those_in_a_named_element() -> None:
    assert '//div[has-class("topic")]//li' in rows_paths(["div.topic/ul/li"], [])


def test_records_are_told_from_other_elements_by_what_is_in_them_or_around() -> None:
    teas = "".join(f"<li><b>{tea}</b> picked in May</li>" for tea in TEAS)
    page = parse(f"<ul class=teas>{teas}</ul><div id=menu><ul><li>Home<li>Cups<li>Pots</ul></div>", "")
    rows = [{"title": tea, "text": "picked in May"} for tea in TEAS]
    assert narrowed("//li", list(scopes_of(page, "//li", rows))) == "//li[.//b]"
    plain = parse(page.whole.get().replace("<b>", "").replace("</b>", ""), "")
    assert narrowed("//li | //dd", list(scopes_of(plain, "//li", rows))) == (
        "(//li | //dd)[not(ancestor::div)]"
    )
    few = list(scopes_of(page, "//ul[1]/li[b]", rows)) + list(scopes_of(page, "//div//li[1]", []))
    assert narrowed("//li", few) == ""  # of one that is no record nothing is learned


def test_a_place_of_two_pages_is_no_alternative() -> None:
    said = ["<b class=at>{0} Hill</b>"] * 8 + ["<i class=x>{0} Hill</i>", "<u class=y>{0} Hill</u>"]
    bodies = [f"<h1>{tea}</h1>{each.format(tea)}" for tea, each in zip(TEAS, said)]
    column = next(one for one in columns_of(bodies).columns if not one.label)
    tried = [
        (parse(page.text, page.base_url), [{column.name: f"{tea} Hill"}])
        for page, tea in zip(pages_of(bodies), TEAS)
    ]
    found = selections([column], (), tried)[1][column.name]
    assert (found.xpath, found.holds) == ('//b[has-class("at")]', 0.8)


def test_a_row_of_headings_in_plain_cells_is_no_record() -> None:
    page = parse("<table><tr><td>Tea<td>By<tr><td>Assam<td>Ann<tr><td>Keemun<td>Bob</table>", "")
    _, xpath, *_ = rows_paths(["table: Tea|By"], [page])
    assert [row.xpath("string(td)").get() for row in page.whole.xpath(xpath)] == ["Assam", "Keemun"]


def test_a_cell_of_records_is_selected_by_its_heading_where_columns_have_another_order() -> None:
    heads = ("<tr><th>Garden<th>Buyer", "<tr><th>No.<th>Garden<th>Buyer")
    cells = ("<tr><td>{0} Hill<td>{0} and son", "<tr><td>{1}<td>{0} Hill<td>{0} and son")
    (column,) = (one for one in selected_columns() if one.label == "Garden")
    tried = []
    for at, tea in enumerate(TEAS):
        order = at % 3 == 2
        page = parse(f"<table>{heads[order]}{cells[order].format(tea, at)}</table>", "")
        tried.append((page, [{column.name: f"{tea} Hill"}]))
    places = ["table: Garden|Buyer", "table: No.|Garden|Buyer"]
    assert selections([column], places, tried)[1][column.name].holds == 1


def selected_columns() -> tuple[Column, ...]:
    """Return the columns of pages with facts that have labels."""
    return columns_of([f"<h1>{tea}</h1><dl><dt>Garden<dd>{tea} Hill</dl>" for tea in TEAS]).columns


def test_a_cell_of_a_row_without_headings_is_selected_by_its_number() -> None:
    row = "<tr><td>{0} {1}<td><p>{2}</p><td><p>{1} cups</p></tr>"
    bodies = [
        f"<h1>{tea}</h1><table>"
        + "".join(row.format(tea, at, f"{tea[::-1]} and son" if at % 2 else "") for at in range(5))
        + "</table>"
        for tea in TEAS
    ]
    found = selected(bodies)
    (cups,) = (one for one in found.values() if one.xpath.endswith("td[3]/p"))
    assert cups.holds == 1

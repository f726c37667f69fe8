"""Rows: pages by hand, and a slow twin."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.page.page import Page
from templcrawl.page.rows import CODE
from templcrawl.page.vocabulary import BLOCKS, HEADINGS, LABEL_WORDS, LINKED, SHORT_WORDS

pytestmark = pytest.mark.usefixtures("reader")


def texts_of(html: str) -> list[str]:
    """Return the words of each row of a page."""
    page = Page(html, "")
    forms = [page.tokens.forms[form] for form in page.tokens.form_array[page.text_runs.positions].tolist()]
    return [" ".join(" ".join(forms[run] for run in row).split()) for row in rows_of(page)]


def rows_of(page: Page) -> list[list[int]]:
    """Return the runs of each row."""
    starts = page.rows.starts.tolist()
    return [list(range(*bounds)) for bounds in pairwise(starts)]


@pytest.mark.parametrize(
    ("html", "rows"),
    [
        ("<p>See <a href=/x>the <b>old</b> mill</a> today.</p><p>Then rest.</p>",
         ["See the old mill today.", "Then rest."]),
        ("<table><tr><th>Sauna<td>yes<tr><th>Fuel<td>no</table>", ["Sauna yes", "Fuel no"]),
        ("<table><tr><td><div>Seen</div><td><p>May 3</p></table>", ["Seen May 3"]),
        ("<table><tr><td><p>Seen<p>May 3<td><a href=/>all</a></table>", ["Seen May 3", "all"]),
        ("<dl><dt>Sauna<dd><p>yes</p><dd>warm<dt>Fuel<dd>no</dl>", ["Sauna yes warm", "Fuel no"]),
        ("<pre>a <div>b</div> <span>c</span></pre><p>d", ["a b c", "d"]),
        ("<ul><li><b>Sauna</b> yes<li>Fuel no</ul>", ["Sauna yes", "Fuel no"]),
        ("<figure><div>Front <p>view</div><figcaption>by Ann</figcaption></figure>", ["Front view by Ann"]),
        ("<figure><p>Front<figcaption>by <a href=/>Ann</a></figcaption></figure>", ["Front", "by Ann"]),
    ],
)  # fmt: skip
def test_rows_by_hand(html: str, rows: list[str]) -> None:
    assert texts_of(html) == rows


def test_a_long_row_of_cells_is_made_of_the_rows_inside() -> None:
    words = " ".join(f"word{n}" for n in range(SHORT_WORDS))
    assert texts_of(f"<table><tr><td><p>{words}</p><td><p>other</table>") == [words, "other"]
    assert texts_of("<table><tr><td><table><tr><td>a<td>b<tr><td>c</table></table>") == ["a b", "c"]


def test_the_key_of_a_row_tells_its_values_and_its_labels() -> None:
    def keys(html: str) -> list[int]:
        return Page(html, "").rows.keys.tolist()

    def row(*cells: str) -> str:
        return f"<table><tr><td>{'<td>'.join(cells)}</table>"

    assert keys(row("Sauna", "yes")) == keys(row("Sauna", "<b></b>yes"))
    different = {keys(row(*cells))[0] for cells in (("a", "b"), ("b", "a"), ("a", "a"), ("b", "b"), ("a",))}
    assert len(different) == 5
    page = Page("<p>alone", "")
    assert page.rows.keys.tolist() == page.text_runs.keys.tolist()


@pytest.mark.parametrize(
    ("html", "counts"),
    [
        ("<figure>{} Front</figure>", True),
        ("<figure><figcaption>Front</figcaption>{}</figure>", True),
        ("<p>{} Front</p>", False),
        ("<figure><div>{}</div><figcaption>Front</figcaption></figure>", True),
        ("<figure><a href=/>{}</a><figcaption>Front</figcaption></figure>", True),
        ("<table><tr><td>{}Front<td>a<tr><td>c<td>d</table>", False),
        ("<p>Front</p>{}<p>back</p>", False),
        ("<figure>Front<template>{}</template></figure>", False),
        ("<figure>Front<p>{}</p><table><tr><td>back</table></figure>", False),
        ("{}", False),
    ],
)
def test_the_key_of_a_figure_tells_its_pictures(html: str, counts: bool) -> None:
    pictures = ("<img src=/a>", "<img src=/b>", "<img src=/a alt=a>", "<img src=/a data-src=/b>")
    keys = {tuple(Page(html.format(picture), "").rows.keys.tolist()) for picture in pictures}
    assert len(keys) == (len(pictures) if counts else 1)
    again = Page(html.format("<img class=x src='/a' loading=lazy>"), "").rows.keys.tolist()
    assert again == Page(html.format(pictures[0]), "").rows.keys.tolist()


FACTS = (
    "<div><p>Width</p><p>3 cm</p></div><div><p>Hue</p><p>red</p></div>"
    "<div><p>Maker</p><p><a href=/>Ann</a></p></div><p>Weight</p>"
)


@pytest.mark.parametrize(
    ("html", "tables"),
    [
        ("<table><thead><tr><th>a<th>b<tr><th>c<tbody><tr><td>d<td>e</table><p>f", [True, True, True, False]),
        ("<dl><dt>a<dd>b<dt>c<dd>d</dl>", [True, True]),
        ("<ul><li><b>a</b> b<li><b>c</b> d<li>e</ul>", [True, True, True]),
        ("<ul><li><a href=/>a</a> b<li><b>c</b> d<li><b>e</b> f</ul>", [False, True, True]),
        ("<table><tr><td>a<tr><td>b<td>c</table>", [False, False]),
        ("<div><div><b>a</b> b</div><p><b>c</b> d</p><p>e</p></div>", [True, True, False]),
        (
            "<div><p><b>a</b> b<p><b>c</b> d<p><a href=/>five words or so more</a></div>",
            [False, False, False],
        ),
        ("<div><p>Width<p>3 cm</div><div><p>Hue<p><a href=/>red</a></div>", [False] * 4),
        (f"<section>{FACTS}</section>", [True] * 7),
        (f"<section>{FACTS}<p>{'of it ' * 4}</section>", [False] * 8),
        (f"<section>{FACTS}<a href=/>{'of it ' * 3}</a></section>", [False] * 8),
        (f"<section>{FACTS.replace('p>', 'h4>')}</section>", [False] * 7),
        ("<section><div><i>a</i><p>b</div><div><p>d e f g h i j<p>k</div></section>", [False] * 4),
        ("<section><div><div><p>a<p>b</div></div><div><div><p>c<p>d</div></div></section>", [True] * 4),
    ],
)
def test_rows_of_one_table(html: str, tables: list[bool]) -> None:
    found = Page(html, "").rows.tables.tolist()
    assert [table >= 0 for table in found] == tables
    assert len(set(found)) == len(set(tables))


TAGS = (
    "<table> </table> <tr> <th> <td> <dl> <dt> <dd> <li> <p> <div> </div> <b> </b> <nav> </nav> <pre> </pre>"
)
PIECES = st.lists(
    st.sampled_from([*TAGS.split(), "<a href=/>", "</a>", "<div class=footer>", "<figure>", "<br>"])
    | st.integers(0, 12).map(lambda n: f" {'tea ' * n}"),
    max_size=40,
)


def slow_row(page: Page, run: int) -> int:
    """Return the element whose row a run stands in, by the words of the module."""
    names, parents, runs = page.elements.names, page.elements.parents, page.text_runs

    def is_in(inner: int, outer: int) -> bool:
        while inner > outer:
            inner = parents[inner]
        return inner == outer

    def is_whole(element: int) -> bool:
        if names[element] == "pre":
            return True
        inside = [other for other in range(len(runs)) if is_in(int(runs.elements[other]), element)]
        has_link = any(runs.words[other] and runs.hints[other] & LINKED for other in inside)
        below = [other for other in range(element + 1, len(names)) if is_in(other, element)]
        return (
            names[element] in ("tr", "td", "th", "dt", "dd", "figure")
            and sum(runs.words[other] for other in inside) <= SHORT_WORDS
            and not has_link
            and not any(names[other] in ("table", "pre") for other in below)
        )

    path = [int(runs.elements[run])]
    while path[-1] > 0:
        path.append(parents[path[-1]])
    element = next((above for above in reversed(path) if is_whole(above)), -1)
    if element < 0:
        element = next(above for above in path if names[above] in BLOCKS)
    name, parent = names[element], parents[element]
    below = [other for other in range(element + 1, len(names)) if is_in(other, element)]
    if name in ("td", "th") and names[parent] == "tr":
        has_blocks = any(names[other] in BLOCKS for other in below)
        return element if is_whole(element) and has_blocks else parent
    terms = [other for other in range(element) if parents[other] == parent and names[other] == "dt"]
    return terms[-1] if name == "dd" and terms else element


@given(PIECES)
def test_rows_are_those_of_a_slow_twin(pieces: list[str]) -> None:
    page = Page("".join(pieces), "")
    elements = [slow_row(page, run) for run in range(len(page.text_runs))]
    starts = [run for run in range(len(elements)) if not run or elements[run] != elements[run - 1]]
    assert page.rows.starts.tolist() == [*starts, len(elements)]
    is_code = [page.elements.names[elements[run]] == "pre" for run in starts]
    assert [kind == CODE for kind in page.rows.kinds.tolist()] == is_code


def filters(*texts: str, form: str = "<li><a href=/>{}</a>") -> list[int]:
    return Page(f"<ul>{''.join(map(form.format, texts))}</ul>", "").rows.keys.tolist()


@pytest.mark.parametrize(
    ("form", "is_filter"),
    [
        ("<li><a href=/>{}</a>", True),
        ("<li><label><input type=checkbox> {} </label>", True),
        ("<li><button>{}</button>", True),
        ("<li>{}", False),
    ],
)
def test_the_key_of_a_filter_does_not_tell_its_number(form: str, is_filter: bool) -> None:
    one = filters("Tents (0)", "Lamps (3)", "Ropes (1,204)", form=form)
    other = filters("Tents (7)", "Lamps (0)", "Ropes (9)", form=form)
    assert (one == other) == is_filter
    assert len({*one}) == 3


def test_other_numbers_are_told() -> None:
    assert filters("Tents (0)", "Lamps (3)") != filters("Tents (0)", "Lamps (4)")
    assert filters("Tents (0)", "Lamps", "Ropes (3)") != filters("Tents (0)", "Lamps", "Ropes (4)")
    assert filters(*["(1)"] * 3) != filters(*["(2)"] * 3)
    assert filters(*["Tents 1"] * 3) != filters(*["Tents 2"] * 3)
    assert filters(*["Tents (a1)"] * 3) != filters(*["Tents (a2)"] * 3)
    apart = "<li><a href=/>{}</a> <b>{}</b>"
    one, other = (filters(*"abc", form=apart.replace("{}</b>", f"({n})</b>")) for n in (1, 2))
    assert one == other
    assert one != filters(*"abd", form=apart.replace("{}</b>", "(1)</b>"))


def scopes_of(html: str) -> dict[str, list[str]]:
    """Return the words of each row that has a scope -> the rows of that."""
    rows, texts = Page(html, "").rows, texts_of(html)
    bounds = zip(texts, rows.scope_starts.tolist(), rows.scope_stops.tolist())
    return {text: texts[start:stop] for text, start, stop in bounds if start < stop}


LONG = "a sentence of more than six words for a section"
LONGER = f"{LONG} that has as many words as no small element can have, which are more than twenty"


@pytest.mark.parametrize(
    ("html", "scopes"),
    [
        (f"<h2>A</h2><p>{LONG}<h3>B</h3><p>{LONG}<h2>C</h2><p>{LONG}",
         {"A": [LONG, "B", LONG], "B": [LONG], "C": [LONG]}),
        (f"<section><header><h2>A</h2><p>more</header><p>{LONG}</section><p>{LONG}",
         {"A": ["A", "more", LONG], "more": ["A", "more"]}),
        ("<p>other<p>things<div><div>Laps</div><div>9</div></div><p>of it",
         {"Laps": ["Laps", "9"], "9": ["Laps", "9"]}),
        (f"<div><div>Laps</div><div><p>{LONG}<p>{LONGER}</div></div><p>{LONG}", {"Laps": [LONG, LONGER]}),
        (f"<table><tr><th>Laps<td><p>{LONG}<p>{LONGER}<td>{LONG}</table>", {"Laps": [LONG, LONGER, LONG]}),
        (f"<table><caption>Laps</caption><tr><td>{LONG}<tr><td>{LONG}</table><p>x y z x y z x",
         {"Laps": [LONG, LONG]}),
        (f"<dl><dt>A<dd><p>{LONG}<p>{LONGER}<dt>B<dd><p>{LONGER}<p>{LONG}</dl>",
         {"A": [LONG, LONGER], "B": [LONGER, LONG]}),
        ("<p>a<p>b<p>c<ul><li>Laps<li>9</ul>", {}),
        ("<p>a<p>b<p>c<div><p>A<p>9<p>Share</div>", {"A": ["A", "9", "Share"], "9": ["A", "9", "Share"]}),
        (f"<nav><h2>A</h2><p>more</nav><p>{LONG}", {"A": ["A", "more"], "more": ["A", "more"]}),
        (f"<h3>A</h3><ul><li><article><h3>B</h3><p>{LONG}</article><li><h3>C</h3><p>{LONG}</ul><p>{LONG}",
         {"A": ["B", LONG, "C", LONG], "B": ["B", LONG], "C": ["C", LONG]}),
        (f"<h3>A</h3><div><h3>B</h3><p>{LONGER}</div><p>{LONG}", {"B": [LONGER]}),
        ("<p>a<p>b<p>c<div><p>9 pounds<p><button>Buy</button></div>", {"9 pounds": ["9 pounds", "Buy"]}),
        ("<p>a<p>b<p>c<div><p>9 pounds<p><a href=/>Buy</a></div>", {"9 pounds": ["9 pounds", "Buy"]}),
    ],
)  # fmt: skip
def test_scopes_by_hand(html: str, scopes: dict[str, list[str]]) -> None:
    found = scopes_of(f"<body><p>{LONG}</p><p>{LONGER}</p><main>{html}</main>")
    assert found == scopes


HEADED_TAGS = (
    "<h1> <h2> </h2> <h4> <dl> <dt> <dd> <table> </table> <caption> <tr> <th> <td> <fieldset> <legend>"
    " <p> <b> <ul> </ul> <div> </div> <div> </div> <section> </section> <li> <button> </button>"
    " <details> <summary> <nav> </nav> <article> <h2> </h2> <h2> </h2>"
)
HEADED = st.lists(
    st.sampled_from([*HEADED_TAGS.split(), "<a href=/>"]) | st.integers(0, 9).map(lambda n: f" {'tea ' * n}"),
    max_size=40,
)


def slow_scope(page: Page, rows: list[list[int]], at: list[int], row: int) -> set[int]:
    """Return the rows of a row's scope, by the words of the module."""
    names, parents, runs = page.elements.names, page.elements.parents, page.text_runs
    words = runs.words.tolist()

    def around(element: int) -> list[int]:
        return [element, *(around(parents[element]) if element > 0 else [])]

    def inside(element: int) -> list[int]:
        return [run for run in range(len(runs)) if element in around(int(runs.elements[run]))]

    def worded(some: list[int]) -> list[int]:
        return [run for run in some if words[run]]

    def level(other: int) -> int:
        name = names[at[other]]
        is_heading = name in HEADINGS and worded(rows[other])
        return int(name[1]) if is_heading else 7 if name == "dt" and worded(rows[other]) else 9

    def rows_in(element: int) -> list[int]:
        return [other for other, some in enumerate(rows) if {*some} & {*inside(element)}]

    own = worded(rows[row])
    if not own:
        return set()
    box = next((one for one in around(at[row]) if len(worded(inside(one))) > len(own)), 0)
    behind = [other for other in rows_in(box) if other > row]
    scope: set[int] = set()
    if level(row) < 9:
        section = next(
            (
                one
                for one in around(box)
                if names[one] in ("nav", "aside", "menu")
                or sum(words[run] for run in inside(one) if run > rows[row][-1]) > LABEL_WORDS
            ),
            0,
        )
        end = min(
            (other for other in range(row + 1, len(rows)) if level(other) <= level(row)), default=len(rows)
        )
        if end == row + 1 < len(rows):
            above = [one for one in around(at[end]) if one not in around(at[row])]
            lists = [parents[one] for one in above if names[one] in ("li", "article") and one > at[row]]
            end = max(rows_in(lists[-1])) + 1 if lists else end
        scope = {other for other in rows_in(section) if row < other < end}
    elif names[at[row]] in ("caption", "legend", "summary"):
        scope = {*behind}
    element = int(runs.elements[rows[row][0]])
    is_button = "button" in (names[element], names[max(parents[element], 0)])
    has_link = any(runs.hints[run] & LINKED for run in rows[row])
    if (
        sum(words[run] for run in own) > LABEL_WORDS
        or has_link
        or is_button
        or names[box] in ("", "ul", "ol")
    ):
        return scope
    is_box = sum(words[run] for run in inside(box)) <= SHORT_WORDS and len(rows_in(box)) <= 3
    if is_box and not (len(rows_in(box)) == 3 and row == rows_in(box)[-1]):
        return scope | {*rows_in(box)}
    parts = [one for one in range(1, len(names)) if parents[one] == box and worded(inside(one))]
    is_pair = len(parts) == 2 and not any(runs.elements[run] == box for run in worded(inside(box)))
    is_first = row == rows_in(box)[0]
    return scope | {*behind} if is_first and (is_pair or names[box] == "tr") else scope


@given(HEADED)
def test_scopes_are_those_of_a_slow_twin(pieces: list[str]) -> None:
    page = Page("".join(pieces), "")
    rows, found = rows_of(page), page.rows
    at = [slow_row(page, row[0]) for row in rows]
    expected = [slow_scope(page, rows, at, row) for row in range(len(rows))]
    assert [{*range(*bounds)} for bounds in zip(found.scope_starts, found.scope_stops)] == expected

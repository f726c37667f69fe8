"""Rows that stay or go as a whole: pages by hand, and each rule once more, row by row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.extraction.row_rules import (
    CLAIMED,
    LINKED_OF_SENTENCE,
    NEW,
    RARER,
    add_facts,
    add_wholes,
    records,
    torn_signs,
)
from templcrawl.algorithms.extraction.shares import lower_to_row_shares
from templcrawl.algorithms.extraction.vote import vote_spans
from templcrawl.page.page import Page
from templcrawl.page.rows import CODE
from templcrawl.page.separation import RUNNING_WORDS, Separation
from templcrawl.page.vocabulary import LABEL_WORDS, LINKED, NAMED, SHORT_WORDS
from tests.algorithms.extraction.test_vote import shares_of
from tests.page.test_rows import PIECES, rows_of

pytestmark = pytest.mark.usefixtures("reader")

MENU = "".join(f"<a href=/{n}>entry {n}</a> " for n in range(12))
TEMPLATE = {f"entry {n}": 1.0 for n in range(12)}
WARNING = " ".join(f"warning{n}" for n in range(20))
FRAME = {**TEMPLATE, WARNING: 1.0, "Details": 1.0}


def content(body: str, repeated: dict[str, float]) -> str:
    """Return the content of a page whose rows stand on no other page, unless all of a row is repeated."""
    page = Page(f"<body><div>{MENU}</div>{body}<div>© Shop <span>99 visits</span> {MENU}</div></body>", "")
    shares = shares_of(page, {**FRAME, "© Shop": 1.0, **repeated})
    least = np.minimum.reduceat(shares, page.rows.starts[:-1])
    shares = lower_to_row_shares(page.text_runs, page.rows, shares, least)
    return Separation(page, vote_spans(page, shares, 16)).content_text


TABLE = "<table><tr><th>UPC<td>a1</tr><tr><th>Tax<td>none</tr><tr><th>Colour<td>red</tr></table>"
LIST = "<dl><dt>UPC<dd>a1<dt>Tax<dd>none<dt>Colour<dd>red</dl>"
ITEMS = "<ul><li><b>UPC</b> a1<li><b>Tax</b> none<li><b>Colour</b> red</ul>"
SAME = {"UPC": 1.0, "Tax": 1.0, "none": 1.0, "Colour": 1.0}


@pytest.mark.parametrize(
    ("row", "selected", "torn"),
    [
        ("> <a href=/>Home</a> > <a href=/>Lamps</a> > <b>The old lamp</b> >", [2], [0, 2, 4]),
        ("> <a href=/>Home</a> > <a href=/>Lamps</a> > <b>The old lamp</b> >", [1, 2], [0, 2]),
        ("> <a href=/>Home</a> > <b>Lamps</b>", [0, 1], []),
        ("> <i>Home</i> > <b>Lamps</b>", [1], []),
        ("<a href=/>></a>", [], []),
    ],
)
def test_the_signs_of_a_trail_go_with_its_words(row: str, selected: list[int], torn: list[int]) -> None:
    page = Page(f"<p>{row}</p><p><a href=/>all</a> -</p>", "")
    runs = page.text_runs
    worded = (runs.words > 0).nonzero()[0]
    of_words = np.isin(np.arange(len(runs)), [*worded[selected], worded[-1]])
    found = torn_signs(of_words | (runs.words == 0), runs, page.rows)
    assert found.nonzero()[0].tolist() == torn


@pytest.mark.parametrize("rows", [TABLE, LIST, ITEMS])
def test_values_that_differ_are_kept_with_their_labels_and_the_rest_of_the_table(rows: str) -> None:
    text = content(f"<h1>Lamp</h1><p>{WARNING}</p><h2>Details</h2>{rows}", {**SAME, "red": 0.3})
    assert text.split() == "Lamp Details UPC a1 Tax none Colour red".split()


@pytest.mark.parametrize("rows", [TABLE, LIST, ITEMS])
def test_a_value_between_content_is_kept_with_its_label(rows: str) -> None:
    prose = " ".join(f"new{n}" for n in range(30))
    text = content(f"<h1>Lamp</h1>{rows}<p>{WARNING}</p><p>{prose}</p>", {**SAME, "red": 1.0})
    assert "UPC a1" in " ".join(text.split())
    assert "visits" not in text


def test_a_trail_of_links_is_no_fact() -> None:
    prose = " ".join(f"new{n}" for n in range(30))
    trail = "<p><a href=/>Home</a> &gt; <a href=/c>Lamps</a> &gt; Lamp 7</p>"
    text = content(f"<h1>Lamp</h1><div>{MENU}{trail}</div><p>{prose}</p>", {"Home": 1.0, "Lamps": 1.0})
    assert not {"Home", "Lamps", "entry"} & set(text.split())


SHARES = st.sampled_from([0.0, 0.2, 0.25, 0.3, 0.5, 0.6, 1.0])


@given(PIECES, st.data())
def test_facts_are_those_of_a_slow_twin(pieces: list[str], data: st.DataObject) -> None:
    page = Page("".join(pieces), "")
    runs, size = page.text_runs, len(page.text_runs)
    shares = data.draw(st.lists(SHARES, min_size=size, max_size=size))
    selected = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    content = {run for run in range(size) if selected[run]}
    seen = [run for run in sorted(content) if runs.words[run]]
    may_be = {run for run in range(size) if not runs.hints[run] & (NAMED | LINKED)}
    new = {
        run
        for run in may_be
        if seen and seen[0] <= run <= seen[-1] and shares[run] <= NEW and runs.words[run]
    }
    for row in rows_of(page):
        if sum(runs.words[run] for run in row) <= SHORT_WORDS and new & set(row):
            content |= may_be & set(row)
    found = add_facts(np.array(selected, dtype=bool), runs, page.rows, np.array(shares))
    assert set(np.flatnonzero(found).tolist()) == content | new


@pytest.mark.parametrize(
    ("rows", "shares", "expected"),
    [
        (["<td>Code<td>a1", "<td>Mass<td>2 kg"], [0.5] * 4, [True] * 4),
        (["<td>Code<td>a1", "<td>Mass<td>2 kg"], [0.5, 0.5, 0.5, 0.6], [False] * 4),
        (["<td>Code<td>a1", "<td>Mass<td>2 kg", "<td>Sum<td>9"], [0.0] * 5 + [1.0], [True] * 4 + [False] * 2),
        (["<td>Code<td>a1", "<td>Mass<td><a href=/>2 kg</a>"], [0.0] * 4, [False] * 4),
        (["<td>Code<td>a1", "<td>Mass<td>2 kg", "<td>alone"], [0.0] * 5, [True] * 4 + [False]),
        (["<td>Code<td>a1", f"<td>Mass<td>{WARNING} more"], [0.0] * 4, [False] * 4),
    ],
)
def test_a_record_is_two_short_rows_that_at_most_half_of_the_pages_have(
    rows: list[str], shares: list[float], expected: list[bool]
) -> None:
    page = Page(f"<table><tr>{'<tr>'.join(rows)}</table>", "")
    assert records(page.text_runs, page.rows, np.array(shares)).tolist() == expected


@given(PIECES, st.data())
def test_records_are_those_of_a_slow_twin(pieces: list[str], data: st.DataObject) -> None:
    page = Page("".join(pieces), "")
    runs, size = page.text_runs, len(page.text_runs)
    shares = data.draw(st.lists(SHARES, min_size=size, max_size=size))
    facts_of: dict[int, list[list[int]]] = {}
    for row, table in zip(rows_of(page), page.rows.tables.tolist()):
        worded = [run for run in row if runs.words[run]]
        is_rare = all(shares[run] <= RARER and not runs.hints[run] & (CLAIMED | LINKED) for run in worded)
        if table >= 0 and len(worded) >= 2 and is_rare and runs.words[row].sum() <= SHORT_WORDS:
            facts_of.setdefault(table, []).append(row)
    expected = {run for rows in facts_of.values() if len(rows) >= 2 for row in rows for run in row}
    found = records(runs, page.rows, np.array(shares))
    assert set(np.flatnonzero(found).tolist()) == expected


PROSE = " ".join(f"word{n}" for n in range(12))


def kept(html: str, *selected: str, certain: tuple[str, ...] = ()) -> list[str]:
    """Return the runs that are content, where some are selected, some of these on nearly every page."""
    page = Page(html, "")
    texts = [page.tokens.forms[form].strip() for form in page.tokens.form_array[page.text_runs.positions]]
    chosen = np.array([text in (*selected, *certain) for text in texts])
    own = chosen & np.array([text not in certain for text in texts])
    content = add_wholes(chosen, own, page.text_runs, page.rows)
    return [text for text, is_content in zip(texts, content) if is_content]


def test_a_sentence_keeps_its_links_and_a_trail_does_not() -> None:
    assert kept(f"<p>{PROSE}<a href=/>here</a> too<p>other", PROSE) == [PROSE, "here", "too"]
    assert kept(f"<p><a href=/>{PROSE} and more of it</a>{PROSE}", PROSE) == [PROSE]
    assert kept("<p>few<a href=/>here</a>", "few") == ["few"]


def test_a_table_stays_with_its_heading_row() -> None:
    table = "<table><tr><th>Part<th>Pieces<tr><td>bolt<td>12</table><p>Part"
    assert kept(table, "bolt", "12") == ["Part", "Pieces", "bolt", "12"]
    assert kept(table, certain=("bolt", "12")) == ["bolt", "12"]
    items = "<ul><li><b>Sauna</b> yes<li><b>Fuel</b> no<li><a href=/>more</a></ul>"
    assert kept(items, "Fuel", "no") == ["Sauna", "yes", "Fuel", "no"]


def test_code_stays_with_the_label_before_it() -> None:
    assert kept("<p>Output:<pre>28</pre><p>Output:", "28") == ["Output:", "28"]
    assert kept(f"<p>{PROSE}<pre>28</pre>", "28") == ["28"]
    assert kept("<p><a href=/>Run</a><pre>28</pre>", "28") == ["28"]


def test_nothing_that_is_named_furniture_belongs_to_a_table() -> None:
    table = "<table><tr><th>Part<th>No<tr class=footer><td>Sum<td>9<tr><td>bolt<td>1</table>"
    assert kept(table, "bolt", "1") == ["Part", "No", "bolt", "1"]


def test_what_heads_all_that_is_kept_is_the_name_of_the_site() -> None:
    body = f"<h1>{{}}</h1><h2>Details</h2><p>{PROSE}</p><h2>Other</h2><p>{PROSE}"
    first = "the name of the site or the page, which has many words"
    assert kept(body.format(first), PROSE) == ["Details", PROSE, "Other", PROSE]
    assert kept(f"<p>of it</p><h1>{first}</h1><p>{PROSE}", PROSE, "of it") == ["of it", first, PROSE]
    assert kept(f"<p>of it</p><h1><a href=/>{first}</a></h1><p>{PROSE}", PROSE, "of it") == ["of it", PROSE]


@pytest.mark.parametrize(
    ("heading", "is_content"),
    [
        ("<h2>Speaker: Pia Askvik</h2>", True),
        ("<h2>Speaker: <b>Pia Askvik</b></h2>", True),
        ("<p>Speaker: Pia Askvik</p>", False),
        ("<h2><a href=/>Speaker: Pia Askvik</a></h2>", False),
        ("<div class=footer><h2>Speaker: Pia Askvik</h2></div>", False),
    ],
)
def test_a_heading_that_no_other_page_has_is_content(heading: str, is_content: bool) -> None:
    prose = " ".join(f"new{n}" for n in range(30))
    text = content(f"<div>{MENU}{heading}{MENU}</div><div>{MENU}</div><p>{prose}</p>", {"Speaker:": 1.0})
    assert ("Speaker: Pia Askvik" in text) == is_content


@given(PIECES, st.data())
def test_wholes_are_those_of_a_slow_twin(pieces: list[str], data: st.DataObject) -> None:
    page = Page("".join(pieces), "")
    runs, rows, size = page.text_runs, rows_of(page), len(page.text_runs)
    selected = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    own = [is_selected and data.draw(st.booleans()) for is_selected in selected]
    linked = [bool(hints & LINKED) for hints in runs.hints.tolist()]
    words = runs.words.tolist()
    tables, is_code = page.rows.tables.tolist(), (page.rows.kinds == CODE).tolist()
    has_own = [any(own[run] and words[run] for run in row) for row in rows]
    of_table = {table for table, has in zip(tables, has_own) if has and table >= 0}
    is_kept = [has or table in of_table for has, table in zip(has_own, tables)]
    content = {run for run in range(size) if selected[run]}
    is_labels: list[bool] = []
    for number, row in enumerate(rows):
        all_words, in_links = sum(words[run] for run in row), sum(words[run] for run in row if linked[run])
        running = any(own[run] and not linked[run] and words[run] >= RUNNING_WORDS for run in row)
        is_sentence = running and in_links <= LINKED_OF_SENTENCE * all_words
        labels = number + 1 < len(rows) and is_code[number + 1] and is_kept[number + 1]
        is_labels.append(labels and all_words <= LABEL_WORDS and not any(linked[run] for run in row))
        is_part = is_kept[number] or is_labels[-1]
        if is_sentence or (is_part and not any(linked[run] for run in row)):
            content |= {run for run in row if not runs.hints[run] & CLAIMED}
    scopes = zip(page.rows.scope_starts.tolist(), page.rows.scope_stops.tolist())
    all_kept = {number for number in range(len(rows)) if is_kept[number] or is_labels[number]}
    for row, scope in zip(rows, scopes):
        if (
            all_kept & {*range(*scope)}
            and all_kept - {*range(*scope)}
            and not any(linked[run] for run in row)
        ):
            content |= {run for run in row if not runs.hints[run] & CLAIMED}
    found = add_wholes(np.array(selected, dtype=bool), np.array(own, dtype=bool), runs, page.rows)
    assert set(np.flatnonzero(found).tolist()) == content

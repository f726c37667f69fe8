"""Facts: pages by hand, a slow twin, and pages that are made to cost much.

What a page type repeats: rows go as a whole, of enough pages only, and never all that a page has.
"""

from __future__ import annotations

from time import process_time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.extraction import facts
from templcrawl.algorithms.extraction.facts import (
    LEAST_OF_TYPE,
    REPEATED,
    find_facts,
    row_elements,
    with_facts,
    without_type_furniture,
)
from templcrawl.algorithms.extraction.vote import vote_spans
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation, whole
from templcrawl.page.vocabulary import BLOCKS, LINKED, NAMED
from tests.algorithms.extraction.test_vote import shares_of

pytestmark = pytest.mark.usefixtures("reader")

MENU = "".join(f"<a href=/{n}>entry {n}</a> " for n in range(12))
TEMPLATE = {f"entry {n}": 1.0 for n in range(12)}
WARNING = " ".join(f"warning{n}" for n in range(20))
FRAME = {**TEMPLATE, WARNING: 1.0, "Details": 1.0}


def content(body: str, repeated: dict[str, float]) -> str:
    page = Page(f"<body><div>{MENU}</div>{body}<div>© Shop <span>99 visits</span> {MENU}</div></body>", "")
    shares = shares_of(page, {**FRAME, "© Shop": 1.0, **repeated})
    return Separation(page, vote_spans(page, shares, 16)).content_text


TABLE = "<table><tr><th>UPC<td>a1</tr><tr><th>Tax<td>none</tr><tr><th>Colour<td>red</tr></table>"
LIST = "<dl><dt>UPC<dd>a1<dt>Tax<dd>none<dt>Colour<dd>red</dl>"
ITEMS = "<ul><li><b>UPC</b> a1<li><b>Tax</b> none<li><b>Colour</b> red</ul>"
SAME = {"UPC": 1.0, "Tax": 1.0, "none": 1.0, "Colour": 1.0}


@pytest.mark.parametrize("rows", [TABLE, LIST, ITEMS])
def test_values_that_differ_are_kept_with_their_labels(rows: str) -> None:
    text = content(f"<h1>Lamp</h1><p>{WARNING}</p><h2>Details</h2>{rows}", {**SAME, "red": 0.3})
    assert text.split() == "Lamp UPC a1 Colour red".split()


@pytest.mark.parametrize("rows", [TABLE, LIST, ITEMS])
def test_a_value_between_content_is_kept_with_its_label(rows: str) -> None:
    prose = " ".join(f"new{n}" for n in range(30))
    text = content(f"<h1>Lamp</h1>{rows}<p>{WARNING}</p><p>{prose}</p>", {**SAME, "red": 1.0})
    assert "UPC a1" in " ".join(text.split())
    assert "visits" not in text


def test_between_content_a_linked_value_is_kept_where_its_label_is_not_linked() -> None:
    prose = " ".join(f"new{n}" for n in range(30))
    rows = "<p>Brand <a href=/b>Pellam</a></p><p><a href=/>Home</a> <a href=/c>Lamps</a></p>"
    text = content(f"<h1>Lamp</h1><div>{MENU}{rows}</div><p>{prose}</p>", {"Brand": 1.0, "Home": 1.0})
    assert "Brand Pellam" in " ".join(text.split())
    assert not {"Home", "Lamps", "entry"} & set(text.split())


def test_one_pair_at_the_end_of_a_page_is_no_fact() -> None:
    page = Page(TABLE, "")
    shares = shares_of(page, {**SAME, "red": 1.0})
    assert not find_facts(page.text_runs, page.elements, shares).certain.any()


def test_pairs_beside_links_that_all_pages_have_are_a_footer() -> None:
    rows = "<p>Readers <b>12</b></p><p>Changed <b>May 3</b></p>"
    for links, is_fact in (("", True), (MENU, False)):
        page = Page(f"<div>{rows}{links}</div>", "")
        shares = shares_of(page, {**TEMPLATE, "Readers": 1.0, "Changed": 1.0})
        assert find_facts(page.text_runs, page.elements, shares).certain.any() == is_fact


@pytest.mark.parametrize(
    "row",
    [
        "<tr><th><a href=/>UPC</a><td>a1",
        "<tr><th>UPC<td><a href=/>a1</a>",
        "<tr><th>UPC<td>same",
        f"<tr><th>UPC<td>{WARNING} more",
        "<tr><td role=alert>UPC<td>a1",
    ],
)
def test_what_is_no_pair(row: str) -> None:
    page = Page(f"<table>{row}{row}</table><p>rest of the page", "")
    shares = shares_of(page, {"UPC": 1.0, "same": 0.6})
    assert not find_facts(page.text_runs, page.elements, shares).certain.any()


TAGS = "<table> </table> <tr> <th> <td> <dl> <dt> <dd> <li> <p> <div> </div> <b> </b> <nav> </nav>".split()
TAGS += ["<a href=/>", "</a>", "<div class=footer>", "<br>"]
PIECES = st.lists(st.sampled_from(TAGS) | st.integers(0, 12).map(lambda n: f" {'tea ' * n}"), max_size=40)
SHARES = st.sampled_from([0.0, 0.2, 0.25, 0.3, 0.5, 0.6, 1.0])


def row_of(page: Page, run: int) -> int:
    """Return the element whose row a run stands in."""
    names, parents = page.elements.names, page.elements.parents
    element = int(page.text_runs.elements[run])
    while names[element] not in BLOCKS:
        element = parents[element]
    name, parent = names[element], parents[element]
    if name in ("td", "th") and names[parent] == "tr":
        return parent
    before = [other for other in range(element) if parents[other] == parent and names[other] == "dt"]
    return before[-1] if name == "dd" and before else element


def short_rows(page: Page) -> list[list[int]]:
    """Return the runs of each short row."""
    rows: list[list[int]] = []
    for run in range(len(page.text_runs)):
        if not rows or row_of(page, rows[-1][0]) != row_of(page, run):
            rows.append([])
        rows[-1].append(run)
    return [row for row in rows if page.text_runs.words[row].sum() <= facts.MOST_WORDS]


def pair_of(page: Page, row: list[int], shares: list[float]) -> list[int]:
    """Return the label of a row and its values; nothing where it is no pair."""
    runs = page.text_runs
    pair: list[int] = []
    for run in (run for run in row if runs.words[run]):
        is_rare = not pair or shares[run] <= facts.NEW or shares[run] <= facts.RARER * shares[pair[0]]
        claimed = facts.CLAIMED if pair else facts.CLAIMED | LINKED
        if not is_rare or runs.hints[run] & claimed:
            break
        pair.append(run)
    return pair if len(pair) > 1 else []


def are_facts(page: Page, around: int, pairs: list[list[int]], shares: list[float]) -> bool:
    """Return whether the pairs of an element are several, and have the words of its menus."""
    runs, elements = page.text_runs, page.elements
    menu = 0
    for run in range(len(runs)):
        inside = elements.opens[around] <= runs.positions[run] < elements.closes[around]
        if inside and runs.hints[run] & LINKED and shares[run] >= facts.COMMON_LINK:
            menu += runs.words[run]
    return len(pairs) >= facts.LEAST_PAIRS and sum(runs.words[run] for pair in pairs for run in pair) >= menu


def slow_facts(page: Page, shares: list[float], selected: list[bool]) -> tuple[set[int], set[int]]:
    """Return the runs that are certain, and all that are content: by the words of the module."""
    runs = page.text_runs
    rows = short_rows(page)
    pairs = [pair for row in rows if (pair := pair_of(page, row, shares))]
    around = [max(0, page.elements.parents[row_of(page, pair[0])]) for pair in pairs]
    certain: set[int] = set()
    for element in set(around):
        mine = [
            pair
            for pair, where in zip(pairs, around)
            if where == element and not any(runs.hints[pair[0] : pair[-1] + 1] & LINKED)
        ]
        if are_facts(page, element, mine, shares):
            certain.update(run for pair in mine for run in range(pair[0], pair[-1] + 1))
    is_new = [
        shares[run] <= facts.NEW and not runs.hints[run] & (NAMED | LINKED) and runs.words[run] > 0
        for run in range(len(runs))
    ]
    new = {run for run, new in enumerate(is_new) if new} | {run for pair in pairs for run in pair[1:]}
    content = {run for run, is_selected in enumerate(selected) if is_selected} | certain
    seen = sorted(run for run in content if runs.words[run])
    added = {run for run in new if seen and seen[0] <= run <= seen[-1]}
    of_rows = {
        run for row in rows if added & set(row) for run in row if not runs.hints[run] & (NAMED | LINKED)
    }
    return certain, content | added | of_rows


@given(PIECES, st.data())
def test_facts_are_those_of_a_slow_twin(pieces: list[str], data: st.DataObject) -> None:
    page = Page("".join(pieces), "")
    size = len(page.text_runs)
    shares = data.draw(st.lists(SHARES, min_size=size, max_size=size))
    selected = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    found = find_facts(page.text_runs, page.elements, np.array(shares))
    content = with_facts(np.array(selected, dtype=bool), found, page.text_runs)
    certain = set(np.flatnonzero(found.certain).tolist())
    assert (certain, set(np.flatnonzero(content).tolist())) == slow_facts(page, shares, selected)


def test_a_row_is_never_behind_its_element() -> None:
    page = Page("<tr><td><b></b></td></tr><td></td><dl><dd></dd><dt></dt><dd></dd></dl>", "")
    assert page.elements.names == ["", "tr", "td", "b", "td", "dl", "dd", "dt", "dd"]
    assert row_elements(page.elements).tolist() == [0, 1, 1, 1, 4, 5, 6, 7, 7]


@pytest.mark.exhaustive
@pytest.mark.parametrize("piece", ["<table><tr><th>a<td>b", "<dl><dt>a<dd>b", "<div>a<b>b</b>", "a<br>"])
def test_facts_of_pages_without_end_cost_no_more_than_their_size(piece: str) -> None:
    seconds = []
    for count in (3_000, 12_000):
        page = Page(piece * count, "")
        shares = np.tile([1.0, 0.0], len(page.text_runs))[: len(page.text_runs)]
        vote_spans(page, shares, 16)
        began = process_time()
        vote_spans(page, shares, 16)
        seconds.append(process_time() - began)
    assert seconds[1] < 10 * seconds[0] + 0.05


GOODS = """<body><h1>Lamp</h1><p>It shines</p><table><tr><th>Code</th><td>A 1</td></tr>
<tr><th>Tax</th><td>none</td></tr></table><div><p>We ship <b>on Mondays</b></p><img src=van.png></div>"""
OWN = ("Lamp", "It shines", "A 1")


def separation_of(html: str) -> Separation:
    """Return a page that is all content."""
    page = Page(html, "http://shop.example/lamp")
    return Separation(page, whole(page.tokens), run_shares=np.zeros(len(page.text_runs)), voters=16)


def texts_of(page: Page) -> list[str]:
    return [page.tokens.forms[page.tokens.form_array[at]] for at in page.text_runs.positions.tolist()]


def shares_of_type(page: Page, own: tuple[str, ...]) -> np.ndarray:
    return np.array([0.1 if text in own else 1.0 for text in texts_of(page)])


def test_what_all_pages_of_a_type_have_goes_and_a_value_keeps_its_label() -> None:
    separation = separation_of(GOODS)
    stripped = without_type_furniture(separation, shares_of_type(separation.page, OWN), 16)
    assert stripped.content_text.split() == ["Lamp", "It", "shines", "Code", "A", "1"]
    assert "Mondays" not in stripped.content_html
    assert "<table>" in stripped.content_html
    assert stripped.run_shares is not None
    assert stripped.lost_words == 0


def test_a_paragraph_with_words_of_its_own_stays_whole() -> None:
    separation = separation_of(GOODS)
    stripped = without_type_furniture(separation, shares_of_type(separation.page, (*OWN, "on Mondays")), 16)
    assert "We ship on Mondays" in stripped.content_text


@pytest.mark.parametrize(
    ("own", "pages"), [(OWN, LEAST_OF_TYPE - 1), ((), 16), (tuple(texts_of(separation_of(GOODS).page)), 16)]
)
def test_few_pages_and_a_page_without_words_of_its_own_change_nothing(
    own: tuple[str, ...], pages: int
) -> None:
    separation = separation_of(GOODS)
    assert without_type_furniture(separation, shares_of_type(separation.page, own), pages) is separation


ROWS = st.lists(st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=1, max_size=4), max_size=8)


@given(ROWS)
def test_rows_stay_where_one_run_of_content_is_rarer(rows: list[list[tuple[bool, float]]]) -> None:
    """The rule once more, row by row."""
    html = "".join(
        f"<p>{''.join(f'<b>w{row}x{run}</b>' for run in range(len(runs)))}</p>"
        for row, runs in enumerate(rows)
    )
    page = Page(html, "http://shop.example/lamp")
    flat = [run for runs in rows for run in runs]
    positions = page.text_runs.positions.tolist()
    spans = [(at, at + 1) for at, (is_content, _) in zip(positions, flat) if is_content]
    before = Separation(page, spans)
    after = without_type_furniture(before, np.array([share for _, share in flat]), LEAST_OF_TYPE)
    expected = [
        is_content and any(content and share < REPEATED for content, share in runs)
        for runs in rows
        for is_content, _ in runs
    ]
    if any(expected):
        assert [bool(after.content_mask[at]) for at in positions] == expected
    else:
        assert after is before

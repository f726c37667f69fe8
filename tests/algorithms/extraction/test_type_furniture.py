"""What a page type repeats goes: rows as a whole, of enough pages only, and never all that a page has."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.extraction.shares import COMMON, MIN_PAGES
from templcrawl.algorithms.extraction.type_furniture import (
    MANY_OF_TYPE,
    MIN_OF_TYPE,
    REPEATED,
    remove_type_furniture,
    shares_of,
)
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation, whole
from tests.page.test_rows import rows_of

pytestmark = pytest.mark.usefixtures("reader")

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
    """Return the share of each run, then that of each row: of the rarest of its runs."""
    return with_rows(page, [0.1 if text in own else 1.0 for text in texts_of(page)])


def with_rows(page: Page, shares: list[float]) -> np.ndarray:
    return np.array([*shares, *(min(shares[run] for run in row) for row in rows_of(page))])


def test_what_all_pages_of_a_type_have_goes_and_a_table_stays_whole() -> None:
    separation = separation_of(GOODS)
    stripped = remove_type_furniture(separation, shares_of_type(separation.page, OWN), 16)
    assert stripped.content_text.split() == "Lamp It shines Code A 1 Tax none".split()
    assert "Mondays" not in stripped.content_html
    assert "<table>" in stripped.content_html
    assert stripped.run_shares is not None
    assert stripped.lost_words == 0


def keys_of(html: str) -> np.ndarray:
    page = Page(html, "http://shop.example/")
    return np.unique(np.concatenate((page.text_runs.keys, page.rows.keys)))


def test_a_page_that_shows_a_text_has_it_where_it_is_hidden() -> None:
    hidden, shown = "<p>Lamp<p hidden>Sold out<p>Tax", "<p>Lamp<p>Sold out<p>Tea"
    page = Page(hidden, "http://shop.example/lamp")
    assert page.text_runs.hidden.tolist() == [False, True, False]
    of_runs = shares_of(page, [keys_of(shown), keys_of(hidden), keys_of("<p>Tea")])[:3]
    assert of_runs.tolist() == [2 / 3, 2 / 3, 1 / 3]
    page = Page(shown, "http://shop.example/lamp")
    assert shares_of(page, [keys_of(hidden)])[:3].tolist() == [1, 0, 0]
    assert shares_of(page, []).tolist() == [0] * 6


@pytest.mark.parametrize(("others", "is_left"), [("<p>Lamp<p>Sold out", False), ("<p>Lamp<p>Tea", True)])
def test_what_others_show_goes_where_it_is_hidden(others: str, is_left: bool) -> None:
    separation = separation_of("<p>Lamp<p>It shines<p hidden>Sold out<p>Code A 1<p>Tax none")
    stripped = remove_type_furniture(separation, [keys_of(others)] * 9, 9)
    hidden = separation.page.text_runs.positions[separation.page.text_runs.hidden].item()
    assert (stripped.content_mask[hidden] == 1) is is_left


def test_a_paragraph_with_words_of_its_own_stays_whole() -> None:
    separation = separation_of(GOODS)
    stripped = remove_type_furniture(separation, shares_of_type(separation.page, (*OWN, "on Mondays")), 16)
    assert "We ship on Mondays" in stripped.content_text


def test_a_heading_goes_only_with_what_it_heads() -> None:
    html = "<h1>Lamp</h1><h2>About</h2><h3>Light</h3><p>It shines</p><h3>Returns</h3><p>We take it back</p>"
    separation = separation_of(html)
    shares = shares_of_type(separation.page, ("Lamp", "It shines"))
    stripped = remove_type_furniture(separation, shares, 16)
    assert stripped.content_text.splitlines() == ["Lamp", "About", "Light", "It shines"]


def test_a_heading_of_links_stays_with_them() -> None:
    separation = separation_of("<h1>Lamp</h1><p>It shines</p><h2>Alike</h2><p><a href=/l>Lantern</a></p>")
    shares = shares_of_type(separation.page, ("Lamp", "It shines", "Lantern"))
    stripped = remove_type_furniture(separation, shares, 16)
    assert stripped.content_text.splitlines() == ["Lamp", "It shines", "Alike", "Lantern"]


def test_a_heading_stays_though_the_first_that_it_heads_goes() -> None:
    separation = separation_of(
        f"<h1>Lamp</h1><h2>Light</h2><ul><li>none</li><li>{'dim ' * 30}</li></ul><h2>Tax</h2><p>no"
    )
    shares = shares_of_type(separation.page, ("Lamp", "dim " * 30))
    stripped = remove_type_furniture(separation, shares, 16)
    assert stripped.content_text.split() == ["Lamp", "Light", *["dim"] * 30]


def test_a_label_goes_only_with_its_value() -> None:
    cells = "".join(f"<div><div>{label}</div><div>{value}</div></div>" for label, value in ("a1", "b2", "c3"))
    separation = separation_of(
        f"<h1>Lamp of brass</h1><p>{'It shines ' * 9}</p>{cells}<p>{'We ship ' * 9}</p>"
    )
    shares = shares_of_type(separation.page, ("Lamp of brass", "1", "3"))
    stripped = remove_type_furniture(separation, shares, 16)
    assert stripped.content_text.split() == "Lamp of brass a 1 c 3".split()


def test_a_record_is_not_torn() -> None:
    """A value that other pages have, too, stays in a grid of which another value is rare."""
    facts = "".join(f"<div><div>{label}</div><div>{value}</div></div>" for label, value in ("a1", "b2", "c3"))
    others = "<section><div><p>d<p>4</div><div><p>e<p>5</div></section>"
    separation = separation_of(f"<p>{'It shines ' * 9}<section>{facts}</section>{others}")
    stripped = remove_type_furniture(separation, shares_of_type(separation.page, ("2",)), 16)
    assert stripped.content_text.split() == "a 1 b 2 c 3".split()


@pytest.mark.parametrize(
    ("title", "share", "kept"),
    [("Lamps | Shop", 0.1, True), ("Lamps | Shop", 0.5, False), ("Shop", 0.1, False)],
)
def test_the_title_stays_where_no_other_does(title: str, share: float, kept: bool) -> None:
    html = f"<title>{title}</title><div><p>Lamps</div><div>{'<p>It shines' * 9}</div>"
    page = Page(html, "http://shop.example/lamps")
    known = np.full(len(page.text_runs), share)
    separation = Separation(page, whole(page.tokens), run_shares=known, voters=16)
    shares = shares_of_type(page, ("It shines",))
    shares[[0, len(page.text_runs)]] = 1.0
    stripped = remove_type_furniture(separation, shares, 16)
    assert ("Lamps" in stripped.content_text) == kept


@pytest.mark.parametrize(("repeated", "left"), [(19, 1), (20, 21)])
def test_a_page_of_which_less_than_a_twentieth_would_be_left_stays_whole(repeated: int, left: int) -> None:
    separation = separation_of(f"<p>own<p>{'same ' * repeated}")
    shares = shares_of_type(separation.page, ("own",))
    stripped = remove_type_furniture(separation, shares, MANY_OF_TYPE)
    assert len(stripped.content_text.split()) == left


def test_of_few_pages_only_short_rows_go() -> None:
    shipping = " ".join(f"ship{n}" for n in range(30))
    separation = separation_of(f"<h1>Lamp of brass</h1><p>Add to cart</p><p>{shipping}</p>")
    shares = shares_of_type(separation.page, ("Lamp of brass",))
    few, many = (remove_type_furniture(separation, shares, pages) for pages in (MIN_OF_TYPE, MANY_OF_TYPE))
    assert (few.content_text, many.content_text) == (f"Lamp of brass\n{shipping}", "Lamp of brass")


@pytest.mark.parametrize(
    ("share", "voters", "stays"), [(COMMON, MIN_PAGES, False), (COMMON, 3, True), (0.4, 16, True)]
)
def test_of_few_pages_a_long_row_goes_that_the_site_has(share: float, voters: int, stays: bool) -> None:
    page = separation_of(f"<h1>Lamp</h1><p>It shines</p><p>{'ship ' * 30}<b>on</b></p>").page
    known = np.array([0.0, 0.0, 1.0, share])
    separation = Separation(page, whole(page.tokens), run_shares=known, voters=voters)
    shares = shares_of_type(page, ("Lamp", "It shines"))
    stripped = remove_type_furniture(separation, shares, MIN_OF_TYPE)
    assert ("ship" in stripped.content_text) == stays


@pytest.mark.parametrize(
    ("own", "pages"), [(OWN, MIN_OF_TYPE - 1), ((), 16), (tuple(texts_of(separation_of(GOODS).page)), 16)]
)
def test_few_pages_and_a_page_without_words_of_its_own_change_nothing(
    own: tuple[str, ...], pages: int
) -> None:
    separation = separation_of(GOODS)
    assert remove_type_furniture(separation, shares_of_type(separation.page, own), pages) is separation


ROWS = st.lists(st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=1, max_size=4), max_size=8)


@given(ROWS)
def test_rows_of_content_stay_where_they_are_rarer(rows: list[list[tuple[bool, float]]]) -> None:
    """The rule once more, row by row."""
    html = "".join(
        f"<div><p>{''.join(f'<b>w{row}x{run} of words that a row has</b>' for run in range(len(runs)))}</p>"
        for row, runs in enumerate(rows)
    )
    page = Page(html, "http://shop.example/lamp")
    flat = [run for runs in rows for run in runs]
    positions = page.text_runs.positions.tolist()
    spans = [(at, at + 1) for at, (is_content, _) in zip(positions, flat) if is_content]
    before = Separation(page, spans, run_shares=np.zeros(len(positions)))
    after = remove_type_furniture(before, with_rows(page, [share for _, share in flat]), MANY_OF_TYPE)
    expected = [
        is_content and min(share for _, share in runs) < REPEATED for runs in rows for is_content, _ in runs
    ]
    if any(expected):
        assert [bool(after.content_mask[at]) for at in positions] == expected
    else:
        assert after is before

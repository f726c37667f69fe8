"""Whole things: pages by hand, and the rules once more, row by row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.extraction.facts import CLAIMED
from templcrawl.algorithms.extraction.wholes import LABEL_WORDS, LINKED_OF_SENTENCE, with_wholes
from templcrawl.page.page import Page
from templcrawl.page.rows import CODE
from templcrawl.page.separation import RUNNING_WORDS
from templcrawl.page.vocabulary import LINKED
from tests.page.test_rows import PIECES, rows_of

pytestmark = pytest.mark.usefixtures("reader")

PROSE = " ".join(f"word{n}" for n in range(12))


def kept(html: str, *selected: str, certain: tuple[str, ...] = ()) -> list[str]:
    """Return the runs that are content, where some are selected, some of these on nearly every page."""
    page = Page(html, "")
    texts = [page.tokens.forms[form].strip() for form in page.tokens.form_array[page.text_runs.positions]]
    chosen = np.array([text in (*selected, *certain) for text in texts])
    own = chosen & np.array([text not in certain for text in texts])
    content = with_wholes(chosen, own, page.text_runs, page.rows)
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
    for number, row in enumerate(rows):
        all_words, in_links = sum(words[run] for run in row), sum(words[run] for run in row if linked[run])
        running = any(own[run] and not linked[run] and words[run] >= RUNNING_WORDS for run in row)
        is_sentence = running and in_links <= LINKED_OF_SENTENCE * all_words
        labels = number + 1 < len(rows) and is_code[number + 1] and is_kept[number + 1]
        is_part = is_kept[number] or (labels and all_words <= LABEL_WORDS)
        if is_sentence or (is_part and not any(linked[run] for run in row)):
            content |= {run for run in row if not runs.hints[run] & CLAIMED}
    found = with_wholes(np.array(selected, dtype=bool), np.array(own, dtype=bool), runs, page.rows)
    assert set(np.flatnonzero(found).tolist()) == content

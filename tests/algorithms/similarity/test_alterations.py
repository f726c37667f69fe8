"""What was added to a page's content and taken away: by hand, and against sets of texts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.similarity import alterations as module
from templcrawl.algorithms.similarity.alterations import alterations, content_hash, run_sketch, run_texts
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation

texts = st.lists(st.sampled_from([f"text {name}" for name in "abcdefghij"]), max_size=8)


def separated(content: list[str], rest: list[str] = []) -> Separation:  # noqa: B006
    """Return a page with some paragraphs of content, then some of template."""
    html = "".join(f"<p>{text}</p>" for text in [*content, *rest])
    page = Page(html, "https://example.org/")
    of_content = sum(len(f"<p>{text}</p>") for text in content)
    tokens = len(Page(html[:of_content], "").tokens)
    return Separation(page, ((0, tokens),) if content else ())


def named(separation: Separation, runs: frozenset[int]) -> set[str]:
    return {text for run, text in run_texts(separation).items() if run in runs}


def test_by_hand() -> None:
    old, new = separated(["One", "Two"], ["Menu"]), separated(["One", "Three"], ["Menu", "Shop"])
    altered = alterations(run_sketch(old), run_sketch(new))
    assert named(new, altered.added) == {"Three"}
    assert named(old, altered.removed) == {"Two"}


def test_what_only_changes_sides_is_no_alteration() -> None:
    old, new = separated(["One", "Two"], ["Menu"]), separated(["Two", "Menu"], ["One"])
    assert alterations(run_sketch(old), run_sketch(new)) == (frozenset(), frozenset())


@given(texts, texts, texts, texts)
def test_it_is_what_sets_of_texts_say(
    old: list[str], old_rest: list[str], new: list[str], new_rest: list[str]
) -> None:
    before, after = separated(old, old_rest), separated(new, new_rest)
    altered = alterations(run_sketch(before), run_sketch(after))
    assert named(after, altered.added) == {*new} - {*old, *old_rest}
    assert named(before, altered.removed) == {*old} - {*new, *new_rest}


@given(st.lists(st.integers(0, 10_000), min_size=60, max_size=90, unique=True), st.integers(0, 59))
def test_of_a_huge_page_a_sample_is_compared_and_nothing_is_made_up(numbers: list[int], place: int) -> None:
    old = [f"text {number}" for number in numbers]
    new = [*old[:place], "quite another", *old[place + 1 :]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_RUNS", 50)
        before, after = separated(old), separated(new)
        altered = alterations(run_sketch(before), run_sketch(after))
    assert named(after, altered.added) <= {"quite another"}
    assert named(before, altered.removed) <= {old[place]}
    assert len(run_sketch(before).content) > 50


def test_runs_that_differ_in_their_numbers_have_one_mask_and_money_has_none() -> None:
    said = ["Read 12 times", "Read 1,024 times", "Read often", "Now € 12", "12", "Page 3 of 7"]
    sketch = run_sketch(separated(said))
    masks = {said[number]: sketch.masks.get(_run(text)) for number, text in enumerate(said)}
    assert masks["Read 12 times"] == masks["Read 1,024 times"] != masks["Page 3 of 7"]
    assert [text for text, mask in masks.items() if mask is None] == ["Read often", "Now € 12", "12"]


def _run(text: str) -> int:
    (run,) = run_sketch(separated([text])).content.tolist()
    return int(run)


def test_the_hash_of_a_content_is_that_of_its_folded_text() -> None:
    assert (
        content_hash("Caf\u0065\u0301  au\nlait") == content_hash("Caf\u00e9 au lait") == "8c3f1ce2732ce86c"
    )
    assert content_hash("Café au lait") != content_hash("Cafe au lait")


def test_the_text_of_a_page_is_the_same_whatever_stands_unseen_in_it() -> None:
    page = Page("<p>One</p><p>Two</p>", "https://example.org/")
    other = Page("<script>x</script><p class=x>One</p> <!-- y --><p>Two</p>", "https://example.org/")
    sketches = [run_sketch(Separation(one, ((0, len(one.tokens)),))) for one in (page, other)]
    assert sketches[0].text == sketches[1].text
    assert np.array_equal(sketches[0].content, sketches[1].content)

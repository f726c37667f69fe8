"""What was added to a page's content and taken away: by hand, and against sets of texts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.similarity import alterations as module
from templcrawl.algorithms.similarity.alterations import Alterations, RunSketch, content_hash
from templcrawl.algorithms.similarity.run_words import RunWords
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


def run_sketch(separation: Separation) -> RunSketch:
    return module.run_sketch(separation, RunWords(separation.page))


def altered_from(old: Separation, new: Separation) -> Alterations:
    return module.alterations(run_sketch(old), run_sketch(new), RunWords(new.page))


def named(separation: Separation, runs: frozenset[int]) -> set[str]:
    texts = module.run_texts(separation, RunWords(separation.page))
    return {text for run, text in texts.items() if run in runs}


def test_by_hand() -> None:
    old, new = separated(["One", "Two"], ["Menu"]), separated(["One", "Three"], ["Menu", "Shop"])
    altered = altered_from(old, new)
    assert named(new, altered.added) == {"Three"}
    assert named(old, altered.removed) == {"Two"}


def test_what_only_changes_sides_is_no_alteration() -> None:
    old, new = separated(["One", "Two"], ["Menu"]), separated(["Two", "Menu"], ["One"])
    assert altered_from(old, new) == (frozenset(), frozenset())


@given(texts, texts, texts, texts)
def test_it_is_what_sets_of_texts_say(
    old: list[str], old_rest: list[str], new: list[str], new_rest: list[str]
) -> None:
    before, after = separated(old, old_rest), separated(new, new_rest)
    altered = altered_from(before, after)
    assert named(after, altered.added) == {*new} - {*old, *old_rest}
    assert named(before, altered.removed) == {*old} - {*new, *new_rest}


@given(st.lists(st.integers(0, 10_000), min_size=60, max_size=90, unique=True), st.integers(0, 59))
def test_of_a_huge_page_a_sample_is_compared_and_nothing_is_made_up(numbers: list[int], place: int) -> None:
    old = [f"text {number}" for number in numbers]
    new = [*old[:place], "quite another", *old[place + 1 :]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_RUNS", 50)
        before, after = separated(old), separated(new)
        altered = altered_from(before, after)
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


def test_what_is_only_cut_or_written_otherwise_is_no_alteration() -> None:
    old = separated(["Flags: <a>Action</a>", "<pre>one\ntwo</pre>", "Source&nbsp;File", "Red <b>tea</b>"])
    new = separated(["Flags: Action", "<pre>one<br>two</pre>", "Source File", "Green <b>tea</b>"])
    altered = altered_from(old, new)
    assert (named(new, altered.added), named(old, altered.removed)) == ({"Green"}, {"Red"})


def test_a_run_has_a_slot_where_it_stands_alone_on_its_path_and_is_not_money() -> None:
    said = [
        "<b id=ad>Try it</b>",
        "<b class=price>Now € 12</b>",
        "<i>one</i>",
        "<i>two</i>",
        "<u>on p. 12</u>",
    ]
    others = ["<b id=ad>Buy it</b>", "<u class=x>on p. 12</u>"]
    slots, other_slots = (run_sketch(separated(texts)).slots for texts in (said, others))
    assert set(slots) == {_run("Try it"), _run("on p. 12")}
    assert slots[_run("Try it")] == other_slots[_run("Buy it")]
    assert slots[_run("on p. 12")] != other_slots[_run("on p. 12")]
    assert run_sketch(separated(["Tea"], ["<b id=ad>Try it</b>"])).slots[_run("Try it")] in slots.values()


def test_no_more_slots_are_kept_than_are_said() -> None:
    many = [f"<b id=x{chr(97 + number % 26)}{chr(97 + number // 26)}>text</b>" for number in range(90)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MOST_SLOTS", 3)
        assert len(run_sketch(separated([f"{text}{number}" for number, text in enumerate(many)])).slots) <= 3


def test_a_slot_is_the_same_however_deep_the_rest_of_the_page_is_and_none_where_many_are_alike() -> None:
    advert = "<b id=ad>Try it</b>"
    deep = "<i>" * 9 + "deep" + "</i>" * 9
    slots = [run_sketch(separated(texts)).slots.get(_run("Try it")) for texts in ([advert], [deep, advert])]
    assert slots[0] == slots[1] is not None
    for others, is_slot in ((63, True), (64, False)):
        texts = [advert, *(f"<b id=x{chr(97 + n % 8)}{n // 8 * 'x'}>other</b>" for n in range(others))]
        assert (_run("Try it") in run_sketch(separated(texts)).slots) is is_slot


def test_what_a_link_is_called_is_no_part_of_a_slot_and_what_is_around_it_is() -> None:
    links = [f"<i {around}><a {link}>Try it</a></i>" for link in ("id=x", "id=y") for around in ("", "id=z")]
    slots = [run_sketch(separated([link])).slots[_run("Try it")] for link in links]
    assert slots[0] == slots[2] != slots[1] == slots[3]

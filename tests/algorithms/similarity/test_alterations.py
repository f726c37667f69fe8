"""Whether a page's content has changed, and what was added and taken away: by hand, and against lists.

Which lines differ: only those that have an altered run, each side in its order.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.similarity import alterations as module
from templcrawl.algorithms.similarity.alterations import (
    Alterations,
    Difference,
    RunSketch,
    content_hash,
    differences,
    word_differences,
)
from templcrawl.algorithms.similarity.run_words import RunWords
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation
from templcrawl.page.tokens import Limits

texts = st.lists(st.sampled_from([f"text {name}" for name in "abcdef"]), max_size=8)


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


def has_changed(old: Separation, new: Separation) -> bool:
    """Say whether a content has changed, which is the same from either page to the other."""
    changed = altered_from(old, new).changed
    assert altered_from(new, old).changed == changed
    return changed


def named(separation: Separation, runs: frozenset[int]) -> set[str]:
    texts = module.run_texts(separation, RunWords(separation.page))
    return {text for run, text in texts.items() if run in runs}


def test_by_hand() -> None:
    old, new = separated(["One", "Two"], ["Menu"]), separated(["One", "Three"], ["Menu", "Shop"])
    altered = altered_from(old, new)
    assert altered.changed
    assert named(new, altered.added) == {"Three"}
    assert named(old, altered.removed) == {"Two"}


@given(texts, texts, texts, texts)
def test_it_is_what_lists_of_the_texts_of_either_content_say(
    old: list[str], old_rest: list[str], new: list[str], new_rest: list[str]
) -> None:
    before, after = separated(old, old_rest), separated(new, new_rest)
    content = {*old, *new}
    cut = [[text for text in page if text in content] for page in ([*old, *old_rest], [*new, *new_rest])]
    altered = altered_from(before, after)
    assert altered.changed == (cut[0] != cut[1] and old != new)
    if old == new:
        return
    assert named(after, altered.added) == {t for t in new if cut[1].count(t) > cut[0].count(t)}
    assert named(before, altered.removed) == {t for t in old if cut[0].count(t) > cut[1].count(t)}


def test_a_text_that_the_template_has_too_is_met_where_it_stands() -> None:
    """A side bar lists what may be said of an item."""
    states = ["In stock", "Out of stock"]
    assert has_changed(separated(["Lamp", "In stock"], states), separated(["Lamp", "Out of stock"], states))


@given(st.lists(st.integers(0, 10_000), min_size=8, max_size=60, unique=True), st.data())
def test_of_a_page_with_more_runs_than_are_kept_no_change_is_missed(
    numbers: list[int], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(numbers) - 1))
    old = [f"text {number}" for number in numbers]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MAX_RUNS", 7)
        before = separated(old)
        assert len(run_sketch(before).runs) == len(run_sketch(before).content) == 7
        assert has_changed(before, separated([*old[:place], "quite another", *old[place + 1 :]]))
        assert not has_changed(before, separated(old, ["Menu"]))


@pytest.mark.parametrize("limits", [Limits(max_characters=60), Limits(max_tags=6)])
def test_what_is_not_read_of_a_page_is_compared_as_it_is_written(limits: Limits) -> None:
    html = "".join(f"<p>text {number}</p>" for number in range(30))
    pages = [Page(text, "https://example.org/", limits) for text in (html, html.replace("text 29", "text x"))]
    assert all(page.tokens.truncated for page in pages)
    sketches = [run_sketch(Separation(page, ((0, len(page.tokens)),))) for page in (*pages, pages[0])]
    assert sketches[0].text == sketches[2].text != sketches[1].text


def test_a_year_that_takes_the_place_of_a_year_of_the_template_is_the_templates() -> None:
    old = separated(["Tea"], ["Copyright 2025 by us", "Menu"])
    assert not has_changed(old, separated(["Tea", "Copyright 2026 by us"], ["Menu"]))
    for other in ("Copyright 2026 by them", "Copyright 12026 by us", "Copyright 12 by us"):
        assert has_changed(old, separated(["Tea", other], ["Menu"]))
    assert has_changed(separated(["Tea of 2025"]), separated(["Tea of 2026"]))
    stays = ["Copyright 2025 by us", "Menu"]
    assert has_changed(old, separated(["Tea", "Copyright 2026 by us"], stays))
    assert has_changed(separated(["Tea"], ["2025"]), separated(["Tea", "2026"]))


def test_no_more_years_are_kept_than_are_said() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MAX_YEARS", 3)
        assert len(run_sketch(separated([f"Year {year}" for year in range(1990, 2020)])).years) == 3


def test_the_hash_of_a_content_is_that_of_its_folded_text() -> None:
    assert (
        content_hash("Caf\u0065\u0301  au\nlait") == content_hash("Caf\u00e9 au lait") == "8c3f1ce2732ce86c"
    )
    assert content_hash("Café au lait") != content_hash("Cafe au lait")


PAGE = """<head><title>Tea</title><meta property=price content=12><meta name=csrf content=x1><style>a</style>
<script type=application/ld+json>{"price": 12}</script><script>var now = 1;</script></head>
<p class=x id=y>One <a href=/one>link</a> <img src=/one.png alt=seen></p><input type=hidden value=x2>
<time datetime=2026-01-01>now</time><textarea>typed</textarea><!-- x3 -->"""


@pytest.mark.parametrize(
    ("written", "otherwise", "is_same"),
    [
        ("x1", "x9", True),
        ("x2", "x9", True),
        ("x3", "x9", True),
        ("class=x", "class=x9", True),
        ("id=y", "data-z=x9", True),
        ("now = 1", "now = 9", True),
        (">a<", ">b<", True),
        ("> <img", ">\n\n<img", True),
        (">Tea", ">Coffee", False),
        ("content=12", "content=13", False),
        (": 12", ": 13", False),
        ("/one>", "/two>", False),
        ("/one.png", "/two.png", False),
        ("seen", "unseen", False),
        ("2026-01-01", "2026-01-02", False),
        ("typed", "written", False),
        ("One", "Two", False),
    ],
)
def test_a_page_is_the_same_where_all_is_that_a_spider_reads(
    written: str, otherwise: str, is_same: bool
) -> None:
    assert PAGE.count(written) == 1
    pages = [Page(html, "https://example.org/") for html in (PAGE, PAGE.replace(written, otherwise))]
    sketches = [run_sketch(Separation(page, ((0, len(page.tokens)),))) for page in pages]
    assert (sketches[0].text == sketches[1].text) is is_same
    assert np.array_equal(sketches[0].runs, sketches[1].runs) is (written != "One")


def test_what_is_only_cut_or_written_otherwise_is_no_alteration() -> None:
    old = separated(["Flags: <a>Action</a>", "<pre>one\ntwo</pre>", "Source&nbsp;File", "Red <b>tea</b>"])
    new = separated(["Flags: Action", "<pre>one<br>two</pre>", "Source File", "Green <b>tea</b>"])
    altered = altered_from(old, new)
    assert (named(new, altered.added), named(old, altered.removed)) == ({"Green"}, {"Red"})
    same = separated(["Flags: Action", "<pre>one<br>two</pre>", "Source File", "Red <b>tea</b>"])
    assert not has_changed(old, same)


lines = st.lists(st.sampled_from(["a tea", "b tea", "c tea", "d tea", "e tea"]), max_size=9)
words = st.lists(st.sampled_from("one two three four five six".split()), min_size=1, max_size=9)


def test_lines_of_the_template_are_left_out() -> None:
    old = ["Home | News", "A red tea", "It is hot", "2025"]
    new = ["Home | News | Shop", "A red tea", "It is cold", "And old", "2026"]
    parts = differences(old, new, ["It is hot"], ["It is cold", "And old"])
    assert parts == [Difference(("It is hot",), ("It is cold", "And old"))]
    assert differences(old, new, [], []) == []


def test_a_run_that_is_a_part_of_a_line_or_has_several_is_met() -> None:
    assert differences(["see the book"], ["see the map"], ["book"], ["map"]) == [
        Difference(("see the book",), ("see the map",))
    ]
    assert differences(["x = 1", "y = 2"], ["x = 1", "y = 3"], ["x = 1 y = 2"], ["x = 1 y = 3"]) == [
        Difference(("y = 2",), ("y = 3",))
    ]


@given(lines, lines)
def test_where_all_runs_are_altered_the_rest_is_in_both_in_one_order(old: list[str], new: list[str]) -> None:
    parts = differences(old, new, old, new)
    removed = [line for part in parts for line in part.removed]
    added = [line for part in parts for line in part.added]
    assert len(old) - len(removed) == len(new) - len(added)
    for line in {*old, *new}:
        assert old.count(line) - removed.count(line) == new.count(line) - added.count(line)


@given(words, words)
def test_words_of_a_line_are_all_there_and_those_that_are_kept_are_in_both(
    old: list[str], new: list[str]
) -> None:
    both = word_differences(" ".join(old), " ".join(new))
    if both is not None:
        assert [" ".join(text for text, _ in side) for side in both] == [" ".join(old), " ".join(new)]
        assert [t for t, differs in both[0] if not differs] == [t for t, differs in both[1] if not differs]


def test_lines_that_have_little_in_common_are_not_compared() -> None:
    assert word_differences("one two three", "four five six") is None
    assert word_differences("a " * 2_000, "a " * 2_000) is None


def page_of(html: str) -> Separation:
    page = Page(html, "https://example.org/")
    return Separation(page, ((0, len(page.tokens)),))


@pytest.mark.parametrize("hide", ["hidden", "style=display:none"])
def test_a_text_that_is_shown_in_place_of_another_is_a_change(hide: str) -> None:
    old, new = (
        page_of(f"<h1>Loaf</h1><p {a}>Fresh<p {b}>Gone<p>of rye") for a, b in (("", hide), (hide, ""))
    )
    altered = altered_from(old, new)
    assert altered.changed
    assert (named(new, altered.added), named(old, altered.removed)) == ({"Gone"}, {"Fresh"})


def test_a_hidden_text_that_changes_is_no_change_of_the_content_but_of_the_page() -> None:
    old, new = (page_of(f"<p>Loaf of rye<p hidden>{text}") for text in ("Fresh", "Gone"))
    assert not has_changed(old, new)
    assert run_sketch(old).text != run_sketch(new).text


def test_signs_without_width_are_no_change() -> None:
    old, new = page_of("<p>Sourdough loaf"), page_of("<p>Sour&shy;dough l\u200boaf")
    assert run_sketch(old).text == run_sketch(new).text


@pytest.mark.parametrize("attribute", ["data-src", "data-original", "data-lazy-src", "data-srcset"])
def test_another_picture_that_loads_late_is_a_change_of_the_page(attribute: str) -> None:
    old, new = (page_of(f"<p>Loaf<img {attribute}=/{name}.png>") for name in ("a", "b"))
    assert run_sketch(old).text != run_sketch(new).text

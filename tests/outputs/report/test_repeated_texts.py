"""Texts are counted as one would by hand, within a bound, and those of most pages are never lost."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from templcrawl.outputs.report.kept_pages import RepeatedText, RepeatedTexts
from tests.outputs.report.sites import separated

_words = st.sampled_from("ash birch cedar dogwood elm fir".split())
_pages = st.lists(st.tuples(st.lists(_words), st.lists(_words)), max_size=30)


def counted(pages: list[tuple[list[str], list[str]]], **limits: int) -> RepeatedTexts:
    texts = RepeatedTexts(**limits)
    for number, (removed, kept) in enumerate(pages):
        html = "".join([f"<p>{word}</p>" for word in removed] + [f"[<p>{word}</p>]" for word in kept])
        texts.update(separated(html, f"http://a/{number}"))
    return texts


def test_by_hand() -> None:
    texts = RepeatedTexts()
    for number in range(4):
        html = "<nav class=top><a href=/>Home &amp;  away</a>" + "<b>7</b></nav>[<p id=by>Share</p>"
        texts.update(separated(f"{html}<p>{number} only</p>]", f"http://a/{number}"))
    assert texts.largest("removed") == [RepeatedText("Home & away", 'navigation "top"', kept=0, removed=4)]
    assert texts.largest("kept") == [RepeatedText("Share", 'paragraph "by"', kept=4, removed=0)]


def test_what_only_the_first_pages_keep_is_in_no_list_of_what_is_kept() -> None:
    texts = counted([([], ["ash"])] * 3 + [(["ash"], [])] * 10)
    assert [(text.kept, text.removed) for text in texts.largest("removed")] == [(3, 10)]
    assert texts.largest("kept") == []


def test_two_pages_are_too_few_to_be_shown() -> None:
    assert not counted([(["ash"], ["elm"])] * 2).largest("kept")


@given(_pages)
def test_counts_are_those_of_a_plain_count(pages: list[tuple[list[str], list[str]]]) -> None:
    kept = Counter(word for _, its in pages for word in set(its))
    removed = Counter(word for template, its in pages for word in set(template) - set(its))
    texts = counted(pages)
    for found, counts in ((texts.largest("kept"), kept), (texts.largest("removed"), removed)):
        shown = {word for word, n in counts.items() if n >= 3 and 4 * n >= kept[word] + removed[word]}
        assert {text.text for text in found} == shown
        assert all((text.kept, text.removed) == (kept[text.text], removed[text.text]) for text in found)


@given(st.integers(8, 40))
def test_a_text_of_all_pages_outlives_texts_of_one(most: int) -> None:
    pages = [
        ([f"word{number}x{other}" for other in range(most // 2 - 1)], ["always"]) for number in range(12)
    ]
    texts = counted(pages, most=most)
    assert len(texts._texts) <= most
    assert [(text.text, text.kept) for text in texts.largest("kept")] == [("always", 12)]


def test_of_a_page_with_very_many_texts_some_are_read_later() -> None:
    words = [f"word{number}" for number in range(100)]
    texts = counted([(words, [])] * 3)
    read = [text for text in texts.largest("removed", 200) if text.text]
    assert len(read) == len(words)
    assert len(counted([(words, [])] * 2).largest("removed", 200)) == 0

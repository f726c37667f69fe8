"""The content of a page that comes alone: pages of several kinds by hand, the choice by brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.extraction.article import article_text
from templcrawl.algorithms.extraction.blocks import BITS, Blocks, is_html5, name_bits, text_features
from templcrawl.algorithms.extraction.lone_page import (
    _fitted,
    block_chances,
    block_features,
    content_blocks,
    likeliest,
)
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation
from templcrawl.page.tokens import read_tag

MENU = "<ul class=menu>" + "".join(f"<li><a href=/{n}>Section {n}</a></li>" for n in range(12)) + "</ul>"
COOKIES = (
    "<div class='cookie-consent' role=dialog><p>We use cookies, and those of our partners, to remember"
    " what you like, to measure how pages are read, and to show what may suit you."
    " You can change your mind at any time.</p>"
    "<button>Accept</button></div>"
)
FOOT = (
    "<footer><p>Copyright 2024 The Village Company. All rights reserved. No part of this page may be copied"
    " without the consent of its owners, who answer letters on weekdays.</p></footer>"
)


def sentences(topic: str, count: int = 3) -> str:
    return " ".join(
        f"The {topic} of the village was seen on day {n}, and people spoke of it." for n in range(count)
    )


def read(body: str, head: str = "") -> str:
    page = Page(f"<html><head>{head}</head><body>{MENU}{body}{FOOT}</body></html>", "https://example.org/a")
    return article_text(CrawlMemory().observe(page).separation)


def paragraphs(*topics: str) -> str:
    return "".join(f"<p>{sentences(topic)}</p>" for topic in topics)


def test_an_article_is_found_among_menu_comments_teasers_and_footer() -> None:
    comments = "".join(
        f"<li class=comment><p>{sentences(f'view of reader {n}', 2)}</p></li>" for n in range(6)
    )
    found = read(
        f"<article><h1>The fair</h1><div>{paragraphs('fair', 'band', 'cake')}</div></article>"
        f"<div class='related-posts'><ul><li><a href=/x>{sentences('bridge', 1)}</a></li></ul></div>"
        f"<section id=comments><ol class=comment-list>{comments}</ol></section>"
    )
    assert all(sentences(topic) in found for topic in ("fair", "band", "cake"))
    assert not any(word in found for word in ("reader", "bridge", "Section", "Copyright"))


def test_a_dialog_does_not_beat_a_short_article() -> None:
    found = read(f"{COOKIES}<main><h1>Note</h1><p>{sentences('well', 3)}</p></main>")
    assert sentences("well", 3) in found
    assert "cookies" not in found


def test_the_posts_of_a_thread_are_its_content() -> None:
    posts = "".join(
        f"<div class=post><div class=post-meta><a href=/u/{n}>Reader {n}</a></div>"
        f"<div class=post-body><p>{sentences(f'question {n}', 2)}</p></div></div>"
        for n in range(5)
    )
    found = read(f"<main><h1>How is it done?</h1><div class=thread>{posts}</div></main>")
    assert all(sentences(f"question {n}", 2) in found for n in range(5))


def test_the_records_of_a_collection_are_its_content() -> None:
    cards = "".join(
        f"<li class=card><h3><a href=/p/{n}>Teapot number {n} in blue</a></h3>"
        f"<p class=price>${n}9.00</p></li>"
        for n in range(20)
    )
    found = read(f"<main><h1>Teapots</h1><ul class=product-grid>{cards}</ul></main>")
    assert sum(f"Teapot number {n} in blue" in found for n in range(20)) == 20


def test_a_page_that_scripts_make_is_read_in_its_noscript() -> None:
    posts = "".join(f"<div class=post><p>{sentences(f'answer {n}', 2)}</p></div>" for n in range(3))
    page = Page(f"<body><div id=app>Loading</div><noscript><main>{posts}</main></noscript></body>", "")
    assert all(
        sentences(f"answer {n}", 2) in article_text(CrawlMemory().observe(page).separation) for n in range(3)
    )


chances = st.lists(st.tuples(st.floats(0.01, 1.0), st.integers(0, 50)), min_size=1, max_size=8)


def expected_f1(chosen: list[int], expected: np.ndarray, words: np.ndarray) -> float:
    return 2 * expected[chosen].sum() / (words[chosen].sum() + expected.sum())


@given(chances)
def test_no_set_of_blocks_has_a_higher_expected_f1(blocks: list[tuple[float, int]]) -> None:
    chance, words = (np.array(column, dtype=float) for column in zip(*blocks))
    found = np.flatnonzero(likeliest(chance, words)).tolist()
    if not words.any():
        assert found == []
        return
    expected = chance**1.25 * words
    best = max(
        expected_f1(list(chosen), expected, words)
        for size in range(1, len(blocks) + 1)
        for chosen in combinations(range(len(blocks)), size)
        if words[list(chosen)].any()
    )
    assert expected_f1(found, expected, words) == pytest.approx(best)


@given(
    st.lists(
        st.sampled_from(("<p>", "<div class=post>", "</div>", "<a href=x>", "</a>", "<h1>", "a b. ", "<li>"))
    )
)
def test_every_page_has_every_feature_as_a_number(pieces: list[str]) -> None:
    page = Page("".join(pieces), "")
    if len(page.text_runs):
        blocks = Blocks(page)
        flags = np.ones(len(page.text_runs), dtype=bool)
        columns = block_features(page, blocks, flags, flags)
        assert set(_fitted()[1]) <= set(columns)
        assert all(len(values) == len(blocks) and np.isfinite(values).all() for values in columns.values())
        assert ((block_chances(columns) >= 0) & (block_chances(columns) <= 1)).all()


def test_what_is_read_of_a_text() -> None:
    page = Page("<p>One, two; 345<p>For $9.<p>© Tea", "")
    found = text_features(page, Blocks(page))
    assert np.expm1(found["commas"]).round().tolist() == [2, 0, 0]
    assert found["digits"].tolist() == pytest.approx([3 / 13, 1 / 7, 0])
    read = [found[name].tolist() for name in ("sentence", "price", "notice")]
    assert read == [[False, True, False], [False, True, False], [False, False, True]]


@pytest.mark.parametrize(
    ("tag", "named"),
    [
        ("<div class='x relatedPosts'>", ["related", "body"]),
        ("<div id=comment-12>", ["comments"]),
        ("<ol class=komentarze>", ["comments"]),
        ("<div class=shadow>", []),
        ("<body class=sidebar>", []),
        ("<div style='display: none'>", ["hidden"]),
        ("<div hidden>", ["hidden"]),
        ("<div class=gridlock-ads>", ["records", "advertising"]),
    ],
)
def test_what_names_say(tag: str, named: list[str]) -> None:
    assert name_bits(read_tag(tag), tag) == sum(BITS[name] for name in named)


@pytest.mark.parametrize(
    ("head", "found"),
    [
        ("<!DOCTYPE html>", True),
        ("<!doctype HTML >", True),
        ("<meta name='viewport' content='width=device-width'>", True),
        ("<main>", True),
        ("<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN'>", False),
        ("<!-- <!doctype html> -->", False),
        ("<meta name=keywords content=html>", False),
    ],
)
def test_what_is_html_5(head: str, found: bool) -> None:
    assert is_html5(Page(f"{head}<body><table><tr><td>Text</table></body>", "")) is found


@pytest.mark.parametrize(
    ("doctype", "paragraphs", "stays"),
    [("", 5, False), ("<!doctype html>", 12, False), ("<!doctype html>", 5, True)],
)
def test_what_lies_beyond_a_page_of_one_text_goes(doctype: str, paragraphs: int, stays: bool) -> None:
    """Behind two unlikely blocks stands a likely one: a thirteenth of the likely words, or a sixth."""
    page = Page(doctype + f"<div><p>{'word ' * 50}</p></div>" * (paragraphs + 3), "")
    blocks = Blocks(page)
    chances = np.array([*[0.9] * paragraphs, 0.0, 0.0, 0.6])
    assert likeliest(chances, blocks.words)[-1]
    chosen = content_blocks(page, blocks, chances, blocks.words).tolist()
    assert chosen == [*[True] * paragraphs, False, False, stays]


@pytest.mark.parametrize(
    ("doctype", "chance", "stays"),
    [("<!doctype html>", 0.6, True), ("<!doctype html>", 0.1, False), ("", 0.6, True), ("", 0.1, True)],
)
def test_the_title_before_the_range_stays(doctype: str, chance: float, stays: bool) -> None:
    """Two words at a chance of 0.6 are worth less than a block costs; of two titles the last is meant."""
    titles = "<h1>Older news</h1><h1>The fair</h1>"
    page = Page(doctype + titles + f"<div><p>{'word ' * 50}</p></div>" * 4, "")
    blocks = Blocks(page)
    chances = np.array([0.0, chance, *[0.9] * 4])
    chosen = content_blocks(page, blocks, chances, blocks.words).tolist()
    assert chosen == [False, stays, *[True] * 4]


@pytest.mark.parametrize("number", [1, 3])
def test_what_most_resembles_the_title_is_found(number: int) -> None:
    """Of four headings one says what the title says, with the name of the site behind it."""
    listed = "".join(f"<h2>The tale of number {n}</h2><p>{sentences('tea', 1)}</p>" for n in range(4))
    page = Page(f"<title>The tale of number {number} - Village</title><div>{listed}</div>", "")
    blocks = Blocks(page)
    flags = np.ones(len(page.text_runs), dtype=bool)
    columns = block_features(page, blocks, flags, flags)
    at = 2 * number
    assert columns["titled"].tolist() == [*[3] * at, 2, *[1] * (7 - at)]
    assert columns["titled, words"][at] == 0.0
    assert columns["title words"][at] == 1.0
    assert columns["title words, distinct"][at] == pytest.approx(5 / 6)


def test_what_was_left_out_by_markup_alone_may_come_back_and_nothing_else() -> None:
    page = Page(f"<body>{MENU}<main><h1>The fair</h1>{paragraphs('fair', 'band')}</main>{FOOT}</body>", "")
    unknown = np.zeros(len(page.text_runs))
    assert sentences("band") in article_text(Separation(page, (), run_shares=unknown))
    assert article_text(Separation(page, ())) == ""


@pytest.mark.parametrize("topics", [("well",), ("well", "bridge", "mill")])
@pytest.mark.parametrize(
    "wrapper", ["<main>{}</main>", "<table><tr><td>{}</table>", "<div class=text>{}</div>"]
)
@pytest.mark.parametrize("is_first", [True, False])
def test_what_asks_for_consent_is_never_in_place_of_a_shorter_text(
    topics: tuple[str, ...], wrapper: str, is_first: bool
) -> None:
    partners = "".join(
        f"<p>Partner {n} of ours may read what you read, and keep it for {n} days, if you agree to it, and"
        " show you what it thinks that you may want to buy, here and on other pages.</p>"
        for n in range(1, 25)
    )
    asked = f"<div id=privacy-overlay>{partners}<button>Agree</button></div>"
    text = wrapper.format(f"<h2>News</h2>{paragraphs(*topics)}")
    found = read(asked + text if is_first else text + asked)
    assert all(sentences(topic) in found for topic in topics)
    assert "Partner" not in found

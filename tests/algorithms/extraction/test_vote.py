"""The vote: scores by hand, the two walks against brute force, and what a page may never lose."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.extraction.vote import content_labels, tree_labels, vote_spans
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation

pytestmark = pytest.mark.usefixtures("reader")

WORDS = "one two three four five six seven eight nine ten"


def shares_of(page: Page, repeated: dict[str, float]) -> np.ndarray:
    texts = [page.tokens.forms[form].strip() for form in page.tokens.form_array[page.text_runs.positions]]
    return np.array([repeated.get(text, 0.0) for text in texts])


def content(html: str, repeated: dict[str, float] | None = None, pages: int = 16) -> str:
    page = Page(html, "")
    found = vote_spans(page, shares_of(page, repeated or {}), pages)
    return Separation(page, found).content_text


@st.composite
def trees(draw: st.DrawFn) -> tuple[list[int], list[float], list[float]]:
    size = draw(st.integers(1, 8))
    parents = [-1] + [draw(st.integers(0, element - 1)) for element in range(1, size)]
    number = st.integers(-30, 30).map(float)
    scores = [draw(number) for _ in range(size)]
    return parents, scores, [float(draw(st.integers(0, 12))) for _ in range(size)]


def cost(labels: tuple[bool, ...], parents: list[int], scores: list[float], prices: list[float]) -> float:
    contradicted = sum(abs(score) for label, score in zip(labels, scores) if label != (score > 0))
    changes = sum(
        price
        for label, parent, price in zip(labels, parents, prices)
        if parent >= 0 and labels[parent] != label
    )
    return contradicted + changes


@given(trees())
def test_the_labels_cost_least_of_all(tree: tuple[list[int], list[float], list[float]]) -> None:
    parents, scores, prices = tree
    least = min(cost(labels, *tree) for labels in product((False, True), repeat=len(parents)))
    assert cost(tuple(tree_labels(parents, scores, prices)), *tree) == pytest.approx(least)


def test_a_menu_that_all_pages_have_goes_and_a_phrase_inside_a_paragraph_stays() -> None:
    menu = "".join(f"<li><a href=/{n}>entry {n}</a></li>" for n in range(9))
    html = f"<body><ul>{menu}</ul><div><p>{WORDS} <b>See also</b> {WORDS} again</p></div></body>"
    repeated = {**{f"entry {n}": 1.0 for n in range(9)}, "See also": 1.0}
    assert content(html, repeated) == f"{WORDS} See also {WORDS} again"


def test_without_other_pages_the_markup_decides() -> None:
    html = f"<body><nav>{'<a href=/>home</a> ' * 20}</nav><p>{WORDS} and {WORDS}</p></body>"
    assert content(html, pages=0) == f"{WORDS} and {WORDS}"


def test_a_page_that_resembles_all_others_is_not_emptied() -> None:
    html = f"<body><p>{WORDS}</p><p>{WORDS} more</p></body>"
    assert content(html, {WORDS: 1.0, f"{WORDS} more": 1.0}) == f"{WORDS}\n{WORDS} more"
    certain = f"<body><div>{WORDS * 9}</div><p>{WORDS}</p><p>{WORDS} more</p></body>"
    kept = content(certain, {WORDS * 9: 1.0, WORDS: 0.9, f"{WORDS} more": 0.9})
    assert kept == f"{WORDS}\n{WORDS} more"


@pytest.mark.parametrize("html", ["", " ", "<p>", "<script>x</script>", "<a href=/>x</a>"])
def test_a_page_without_evidence_is_an_ordinary_answer(html: str) -> None:
    page = Page(html, "")
    labels, goes = content_labels(page.text_runs, page.elements.parents, np.zeros(len(page.text_runs)), 0)
    assert (len(labels), len(goes)) == (len(page.elements), len(page.text_runs))


@pytest.mark.parametrize(
    ("html", "share", "kept"),
    [
        ("<header><h1>Lamps</h1></header>", 0.0, True),
        ("<header><h1>Lamps</h1></header>", 0.4, True),
        ("<header><h1>Lamps</h1></header>", 0.9, False),
        ("<header><h1><a href=/>Lamps</a></h1></header>", 0.0, False),
        ("<title>Lamps | Shop</title><div role=alert>Lamps</div>", 0.0, True),
        ("<title>Lamps | Shop</title><div class=header><div>Lamps</div></div>", 0.0, True),
        ("<title>Lamps | Shop</title><div class=header><div>Lamps</div></div>", 0.9, False),
    ],
)
def test_the_title_of_a_page_is_content_wherever_it_stands(html: str, share: float, kept: bool) -> None:
    around = "<header>" + "<a href=/x>entry</a> " * 20 + "</header>"
    text = content(
        f"<body>{html}{around}<p>{WORDS} and {WORDS} again</p></body>", {"Lamps": share, "entry": 1.0}
    )
    assert ("Lamps" in text) == kept


def test_the_signs_of_a_trail_go_with_its_words() -> None:
    place, own = " ".join(["home"] * 12), f"{WORDS} and {WORDS} again"
    page = f"<p><a href=/>{place}</a> ~ <b>{own}</b></p><p>{WORDS}</p>"
    assert content(page, {place: 1.0}).splitlines() == [own, WORDS]


TAGS = ["<div>", "</div>", "<nav>", "</nav>", "<p>", "<a href=/x>", "</a>", "<b>", "</b>", "<br>", "<!--c-->"]
PIECES = st.lists(
    st.one_of(st.sampled_from(TAGS), st.sampled_from(WORDS.split()).map(" {} ".format)), max_size=50
)


@given(PIECES, st.randoms(use_true_random=False), st.integers(0, 16))
def test_content_and_template_are_all_of_the_text(pieces: list[str], chance: object, pages: int) -> None:
    page = Page("".join(pieces), "")
    shares = np.array([chance.random() if pages else 0.0 for _ in range(len(page.text_runs))])  # type: ignore[attr-defined]
    found = vote_spans(page, shares, pages)
    separation = Separation(page, found)
    both = separation.content_text.split() + separation.template_text.split()
    assert sorted(both) == sorted(word for word in " ".join(pieces).split() if word in WORDS.split())


def test_what_was_not_read_stays() -> None:
    from templcrawl.page.tokens import Limits

    page = Page(f"<body><nav>{'<a href=/>x</a>' * 30}</nav>and a rest", "", Limits(max_tags=20))
    found = vote_spans(page, np.ones(len(page.text_runs)), 16)
    assert "and a rest" in Separation(page, found).content_text


CERTAIN, LIKELY = (" ".join(f"{name}{n}" for n in range(60)) for name in ("menu", "body"))
NEW = " ".join(f"new{n}" for n in range(100))


def test_links_that_most_pages_have_stay_out_of_a_page_with_little_text() -> None:
    menu = "".join(f"<li><a href=/{n}>entry {n}</a></li>" for n in range(40))
    html = f"<body><ul>{menu}</ul><div><p>{WORDS}</p><p>{WORDS} more</p></div></body>"
    assert content(html, {f"entry {n}": 13 / 16 for n in range(40)}) == f"{WORDS}\n{WORDS} more"


@pytest.mark.parametrize(
    ("new", "pages", "kept"),
    [
        (10, 16, "new body"),
        (45, 16, "new body"),
        (55, 16, "new"),
        (10, 3, "new body menu"),
    ],
)
def test_a_page_that_keeps_little_beside_the_next_trial_is_judged_by_it(
    new: int, pages: int, kept: str
) -> None:
    """60 words stand on 19 of 20 pages, 60 on nine of ten, and so many on this one alone.

    Of all shares, only the new words are kept.  Ten are too few; 45 are less than six tenths of the 105 that
    are kept where the shares that are not certain are doubted.  55 are, too, but they are text of its own.
    Of three pages none is certain.
    """
    words = " ".join(NEW.split()[:new])
    html = f"<body><div>{CERTAIN}</div><div>{LIKELY}</div><div>{words}</div></body>"
    found = content(html, {CERTAIN: 0.95, LIKELY: 0.9}, pages)
    assert {name for name in ("menu", "body", "new") if f"{name}0" in found} == set(kept.split())


def site_of_articles(words: int, tail: str) -> str:
    text = " ".join(f"own{n}" for n in range(words))
    return f"<body><div>{MENU}</div><main><h1>Title</h1><p>{text}</p>{tail}</main><div>© Board</div></body>"


MENU = "".join(f"<a href=/{n}>part {n}</a> " for n in range(6))
TITLES = [f"old title {n} of another page" for n in range(40)]
TAILS = {
    "links": "".join(f"<li><a href=/{n}>{title}</a>" for n, title in enumerate(TITLES)),
    "dates": "".join(f"<li>{n} May <a href=/{n}>{title}</a>" for n, title in enumerate(TITLES)),
    "teasers": "".join(
        f"<h3><a href=/{n}>{title}</a></h3><p>teaser of {title} in a dozen words or so, no more"
        for n, title in enumerate(TITLES)
    ),
}


@pytest.mark.parametrize("tail", sorted(TAILS))
@pytest.mark.parametrize("words", [60, 400])
@pytest.mark.parametrize("share", [6 / 16, 12 / 16])
def test_no_word_comes_back_where_more_pages_repeat_it(tail: str, words: int, share: float) -> None:
    """Each run of a list of other titles, under an article, once on more pages than before."""
    page = Page(site_of_articles(words, f"<ul>{TAILS[tail]}</ul>" * 2), "")
    frame = {f"part {n}": 1.0 for n in range(6)} | {"© Board": 1.0}
    shares = shares_of(page, frame)
    texts = [page.tokens.forms[page.tokens.form_of[at]] for at in page.text_runs.positions.tolist()]
    is_list = np.array(["title" in text or "May" in text for text in texts])
    shares[is_list] = share

    def kept(shares: np.ndarray) -> np.ndarray:
        mask = Separation(page, vote_spans(page, shares, 16)).content_mask
        return np.frombuffer(mask, dtype=bool)[page.text_runs.positions]

    before = kept(shares)
    for run in range(0, len(shares), 7):
        for raised in (0.25, 0.5, 0.75, 0.9, 1.0):
            after = kept(np.where(np.arange(len(shares)) == run, max(raised, shares[run]), shares))
            assert before[run] or not after[run]

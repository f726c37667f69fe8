"""The article of a page: the range of blocks by hand, the rules around it; copies and notices of consent."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.extraction.article import article_text
from templcrawl.algorithms.extraction.asides import asks_consent
from templcrawl.algorithms.extraction.copies import drop_copies
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation, whole

FIRST, SECOND = (
    " ".join(f"{word} number {n} of a long paragraph" for n in range(6)) for word in ("sentence", "phrase")
)
TEASERS = "<ul>" + "".join(f"<li><a href=/{n}>another story {n}</a></li>" for n in range(9)) + "</ul>"


BARELY = 1e-9
"""The share of a run where earlier pages are known, and next to none has it."""


def article_of(html: str, shares: dict[str, float] | None = None) -> str:
    page = Page(html, "https://example.org/")
    texts = [page.tokens.forms[form].strip() for form in page.tokens.form_array[page.text_runs.positions]]
    known = np.array([(shares or {}).get(text, BARELY) for text in texts])
    return article_text(Separation(page, ((0, len(page.tokens)),), run_shares=known, voters=9))


def test_the_body_of_text_is_found_among_dates_links_and_boxes() -> None:
    html = (
        f"<body><div>Monday, 3 May</div><h1>The headline</h1><div>By A. Writer</div>"
        f"<div><p>{FIRST}</p><div>{TEASERS}</div><p>{SECOND}</p></div>{TEASERS}<div>Short note</div></body>"
    )
    assert article_of(html) == f"The headline\nBy A. Writer\n{FIRST}\n{SECOND}"


SHORT_BLOCKS = (
    "<p>In short:</p>",
    "<h2>What it needs</h2><ul><li>a pump</li><li>two valves</li><li>oil</li></ul>",
    "<h3>Start</h3><pre>pump --on</pre><p>Or:</p><pre>pump --now</pre>",
    "<table><tr><th>Part</th><th>Price</th></tr><tr><td>pump</td><td>40</td></tr></table>",
    "<dl><dt>Valve</dt><dd>opens at four bar</dd></dl>",
    "<p>Good luck with it!</p><p>Anna</p>",
)


@pytest.mark.parametrize("before", ["", *SHORT_BLOCKS])
@pytest.mark.parametrize("behind", ["", *SHORT_BLOCKS])
def test_what_is_short_in_the_body_stays_at_both_ends_and_inside(before: str, behind: str) -> None:
    """Outside of the body the same blocks are dates, captions, notes."""
    body = f"{before}<p>{FIRST}</p>{''.join(SHORT_BLOCKS)}<p>{SECOND}</p>{behind}"
    page = Page(f"<body>{body}</body>", "")
    whole = Separation(page, ((0, len(page.tokens)),)).content_text
    assert article_of(f"<body><div>A short note</div><div>{body}</div><div>Another</div></body>") == whole


FAQ = (
    f"<div><h2>Questions</h2><button>How much?</button><p>{FIRST}</p>"
    f"<button>When?</button><p>{SECOND}</p></div>"
)


def test_a_button_that_opens_a_part_of_the_body_stays() -> None:
    assert article_of(f"<body>{FAQ}</body>", {"Questions": 0.9}) == (
        f"Questions\nHow much?\n{FIRST}\nWhen?\n{SECOND}"
    )


@pytest.mark.parametrize(
    ("heading", "share", "stays"),
    [
        ("<h2>Questions</h2>", 0.9, True),
        ("<h2>Questions</h2><h3>Often</h3>", 0.9, True),
        ("<h2><a href=/faq>Questions</a></h2>", 0.9, False),
        ("<p>Questions</p>", 0.9, False),
        ("<p>Questions</p>", 0.4, True),
    ],
)
def test_a_heading_stays_where_what_it_heads_stays(heading: str, share: float, stays: bool) -> None:
    html = f"<body><div><p>{FIRST}</p>{heading}<p>{SECOND}</p></div></body>"
    found = article_of(html, {"Questions": share, "Often": share})
    assert ("Questions" in found, "Often" in found) == (stays, stays and "Often" in heading)
    assert found.startswith(FIRST)
    assert found.endswith(SECOND)


def test_a_heading_of_what_goes_is_not_left_behind_the_rest() -> None:
    html = f"<body><div><p>{FIRST}</p><p>{SECOND}</p><h2>Read more</h2>{TEASERS}</div></body>"
    assert article_of(html) == f"{FIRST}\n{SECOND}"


@pytest.mark.parametrize(
    ("below", "stays"),
    [
        ("<div>By Anna</div><div>3 May</div>", True),
        ("<div>By <a href=/anna>Anna</a> on 3 May</div>", True),
        ("<div><a href=/anna>Anna</a> <a href=/share>Share this</a></div>", False),
        ("<div>a menu of many words</div>" * 3, False),
    ],
)
def test_date_and_author_stay_below_the_title(below: str, stays: bool) -> None:
    html = f"<body><header><h1>Title</h1>{below}</header><div><p>{FIRST}</p><p>{SECOND}</p></div></body>"
    lines = article_of(html).split("\n")
    assert lines[0] == "Title"
    assert lines[-2:] == [FIRST, SECOND]
    assert (len(lines) > 3) == stays


@pytest.mark.parametrize(
    ("host", "stays"), [("https://other.net", True), ("", False), ("https://www.example.org", False)]
)
def test_sources_are_links_to_other_sites(host: str, stays: bool) -> None:
    links = "".join(f"<li><a href={host}/{n}>A title {n}</a></li>" for n in range(3))
    found = article_of(f"<body><div><p>{FIRST}</p><p>{SECOND}</p><h3>Links</h3><ul>{links}</ul></div></body>")
    assert ("A title 2" in found, "Links" in found) == (stays, stays)


def test_a_paragraph_is_one_block_whatever_is_marked_in_it() -> None:
    marked = FIRST.replace("number", "<b>number</b>")
    assert article_of(f"<body><div><p>{marked}</p></div><p>x</p></body>") == FIRST


OUT = [
    "<form>{}</form>",
    "<div class=comments>{}</div>",
    "<div class='x post-comment'>{}</div>",
    "<div id=commentList>{}</div>",
    "<div class=CommentForm>{}</div>",
    "<div id=disqus_thread>{}</div>",
    "<div class=komentarze>{}</div>",
    "<div id=kommentare>{}</div>",
    "<section class='lista-comentarios'>{}</section>",
    "<div class='комментарии'>{}</div>",
    "<div class=box><div><h3>Opinie (12)</h3></div>{}</div>",
    "<h2>Комментарии: 3</h2>{}",
    "<div><h4>コメント</h4><h5>Anna</h5>{}</div>",
]
NAMES = ("commentary-body", "commentator", "Commentary", "decommented", "UNCOMMENTED")
STAYS = [
    "<h2>Opinie naukowców</h2>{}",
    "<h2>Comments</h2>{}",
    "<h3>Komentarze</h3><p>No</p><h2>More</h2>{}",
    *(f"<div class={name}>{{}}</div>" for name in NAMES),
]


@pytest.mark.parametrize(("box", "stays"), [*((box, False) for box in OUT), *((box, True) for box in STAYS)])
def test_forms_and_comments_are_no_part_of_it(box: str, stays: bool) -> None:
    found = article_of(f"<body><p>{FIRST}</p>{box.format(f'<p>{SECOND}</p>')}</body>")
    assert (found == FIRST, found.endswith(SECOND)) == (not stays, stays)
    assert found.startswith(FIRST)


@pytest.mark.parametrize(
    ("attributes", "hidden"),
    [
        ("style='display:none'", True),
        ('class=x STYLE="color: red; Display: none;"', True),
        ("style='display:inline'", False),
        ("hidden", True),
        ("onclick='display:none'", False),
    ],
)
def test_what_a_style_hides_is_no_part_of_it(attributes: str, hidden: bool) -> None:
    found = article_of(f"<body><p>{FIRST}</p><div {attributes}><p>{SECOND}</p></div></body>")
    assert found == (FIRST if hidden else f"{FIRST}\n{SECOND}")


def test_a_hidden_section_around_the_title_is_read() -> None:
    html = f"<body><div style='display:none'><h1>Title</h1><p>{FIRST}</p></div><p>Short note</p></body>"
    assert article_of(html) == f"Title\n{FIRST}"


@pytest.mark.parametrize("name", ["html", "body"])
def test_a_page_that_says_it_has_comments_is_not_all_comments(name: str) -> None:
    assert article_of(f"<{name} class=comments-open><p>{FIRST}</p>{TEASERS}</{name}>") == FIRST


def test_a_form_around_the_whole_page_does_not_count() -> None:
    html = f"<body><form><h1>Title</h1><p>{FIRST}</p><select><option>{SECOND}</select></form></body>"
    assert article_of(html) == f"Title\n{FIRST}"


def test_what_half_of_the_pages_have_is_no_part_of_it() -> None:
    html = f"<body><p>{FIRST}</p><p>{SECOND}</p></body>"
    assert article_of(html, {SECOND: 0.5}) == FIRST
    assert article_of(html, {SECOND: 0.2}) == f"{FIRST}\n{SECOND}"


SHARED = {"see": 0.9, "the house style": 1.0, "。": 1.0, "posted by": 0.9}


@pytest.mark.parametrize(
    ("block", "stays"),
    [
        ("<p>A new sentence on pumps, <i>see</i> <a href=/>the house style</a> for it<b>。</b></p>", True),
        ("<div><b>posted by</b> <a href=/>Anna Smith</a> <i>3 May</i></div>", True),
        ("<p><b>see</b> <a href=/>the house style</a> <i>Anna</i> <b>。</b></p>", False),
    ],
)
def test_no_run_goes_out_of_a_block_that_stays(block: str, stays: bool) -> None:
    page = Page(f"<body>{block}</body>", "")
    whole = Separation(page, ((0, len(page.tokens)),)).content_text
    found = article_of(f"<body><div><p>{FIRST}</p>{block}<p>{SECOND}</p></div></body>", SHARED)
    assert found == (f"{FIRST}\n{whole}\n{SECOND}" if stays else f"{FIRST}\n{SECOND}")


@pytest.mark.parametrize("html", ["", "<p></p>", "<p>too short for an article</p>", TEASERS])
def test_a_page_without_an_article_keeps_its_content(html: str) -> None:
    page = Page(html, "")
    assert article_of(html) == Separation(page, ((0, len(page.tokens)),)).content_text


def test_what_the_separation_left_out_does_not_come_back() -> None:
    page = Page(f"<body><p>{FIRST}</p><p>{SECOND}</p></body>", "")
    second = page.elements.opens[3]
    assert article_text(Separation(page, ((0, second),))) == FIRST
    known = np.full(2, BARELY)
    assert article_text(Separation(page, ((0, second),), run_shares=known, voters=9)) == FIRST


@pytest.mark.parametrize("notes", [18, 26])
def test_what_is_under_a_fifth_of_the_page_is_no_article(notes: int) -> None:
    """A note of eight words is worth nothing; the paragraph has 42 words, a fifth of 210."""
    listed = "".join(f"<div>a note of eight words it is {n}</div>" for n in range(notes))
    found = article_of(f"<body><div><p>{FIRST}</p></div>{listed}</body>")
    assert (found == FIRST) == (notes == 18)
    assert found.startswith(FIRST)


@pytest.mark.parametrize("linked", [2, 10])
def test_words_in_links_cost_as_much_as_others_earn(linked: int) -> None:
    """A block of twelve words outside links earns four; each word in a link takes one away."""
    words = " ".join(f"w{n}" for n in range(12))
    block = f"{words} <a href=/>{'more ' * linked}</a>"
    found = article_of(f"<body><div><p>{FIRST}</p></div><p>{block}</p></body>")
    assert (words in found) == (linked == 2)


LINE = "The band of the village played in the <b>rain</b> until nightfall"
TEXT = LINE.replace("<b>", "").replace("</b>", "")
SHORT = "Seven words are not enough for this"
OTHERS = "".join(
    f"<p>Paragraph {n} tells what nobody else on this page has told before</p>" for n in range(4)
)


def lines_of(html: str) -> list[str]:
    page = Page(f"<body>{html}</body>", "https://example.org/")
    unshared = np.full(len(page.text_runs), 1e-9)
    separation = Separation(page, ((0, len(page.tokens)),), run_shares=unshared, voters=9)
    return article_text(separation).split("\n")


@pytest.mark.parametrize(
    ("html", "times"),
    [
        (f"<div><p>{LINE}</p>{OTHERS}</div><div class=print><p>{LINE}</p></div>", 1),
        (f"<div id=wide><p>{LINE}</p></div>{OTHERS}<div id=small><p>{LINE}</p></div>", 1),
        (f"<p>{LINE}<br>{LINE}</p>{OTHERS}<div>{LINE}</div>", 2),
        (f"<ol><li>{LINE}</li></ol>{OTHERS}<ol><li>{LINE}</li></ol>", 2),
        (f"<p>{LINE}</p>{OTHERS}<div><pre>{TEXT}</pre></div>", 2),
        (f"<p>{LINE}</p>{OTHERS}<div>{LINE} again</div>", 1),
    ],
)
def test_a_line_of_another_path_is_a_copy(html: str, times: int) -> None:
    found = lines_of(html)
    assert found.count(TEXT) == times
    assert len([line for line in found if line.startswith("Paragraph")]) == 4


def test_a_short_line_is_a_copy_only_beside_one() -> None:
    page = Page(f"<p>{SHORT}</p><div>{SHORT}</div><p>{SHORT} here</p><div>{SHORT} here</div>", "")
    assert drop_copies(page, np.ones(4, dtype=bool)).tolist() == [True, True, True, False]
    copied = Page(f"<h2>{SHORT}</h2><p>{TEXT}</p><div>{SHORT}</div><div>{TEXT}</div>", "")
    assert drop_copies(copied, np.ones(4, dtype=bool)).tolist() == [True, True, False, False]


pieces = st.lists(
    st.tuples(st.sampled_from(("p", "li", "pre")), st.integers(1, 3), st.sampled_from((3, 8, 9)))
)


@given(pieces)
def test_what_goes_stands_earlier_under_another_path(lines: list[tuple[str, int, int]]) -> None:
    texts = [" ".join([f"word{text}"] * words) for _, text, words in lines]
    page = Page("".join(f"<{name}>{text}</{name}>" for (name, _, _), text in zip(lines, texts)), "")
    stays = drop_copies(page, np.ones(len(page.text_runs), dtype=bool))
    first: dict[str, str] = {}
    again = [first.setdefault(text, name) != name != "pre" for (name, _, _), text in zip(lines, texts)]
    expected = [True] * len(lines)
    for is_again, row in groupby(range(len(lines)), again.__getitem__):
        row = list(row)
        if is_again and any(lines[line][2] >= 8 for line in row):
            expected[row[0] : row[-1] + 1] = [False] * len(row)
    assert stays.tolist() == expected


@pytest.mark.parametrize(
    ("names", "body", "asks"),
    [
        ("id=cookie-banner", "<p>{}</p>", True),
        ("class='bar gdprPopup'", "<p>{}</p>", True),
        ("id=onetrust-consent-sdk", "<div><p>{}</p></div>", True),
        ("class=consent_wall", "<p>{}</p>", True),
        ("class=cookie-recipes", "<p>{}</p>", False),
        ("class=cookie-policy", "<p>{}</p>", False),
        ("class=informed-consent", "<p>{}</p>", False),
        ("class=cookie-notice", "<h1>About us</h1><p>{}</p>", False),
        ("class=cookie-notice", "<article><p>{}</p></article>", False),
    ],
)
def test_what_asks_for_consent(names: str, body: str, asks: bool) -> None:
    page = Page(f"<body><p>{SHORT}</p><div {names}>{body.format(TEXT)}</div></body>", "")
    assert asks_consent(page).tolist() == [False, *[asks] * (len(page.text_runs) - 1)]


@pytest.mark.parametrize("name", ["html", "body"])
def test_a_page_that_says_that_it_has_asked_is_no_notice(name: str) -> None:
    page = Page(f"<{name} class=cookie-consent><p>{TEXT}</p></{name}>", "")
    assert not asks_consent(page).any()


def test_powers_and_fractions_are_those_of_the_content_text() -> None:
    words = " ".join(f"word{number}" for number in range(60))
    formula = "<math><mfrac><mi>s</mi><msub><mi>b</mi><mi>i</mi></msub></mfrac></math>"
    page = Page(f"<main><h1>Costs</h1><p>{words} up to 10<sup>9</sup> units of {formula} each.</main>", "")
    separation = Separation(page, whole(page.tokens))
    assert "10^9 units of s/(b_i) each" in separation.content_text
    assert "10^9 units of s/(b_i) each" in article_text(separation)

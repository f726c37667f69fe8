"""Records of other pages of a page's own type: what they are, and where they are left out or set apart."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from templcrawl.algorithms.extraction.article import article_text
from templcrawl.page.page import Page
from templcrawl.page.related import related_spans
from templcrawl.page.render import text_of
from templcrawl.page.separation import Separation, rest_of, whole

TEXT = "<p>This tea is grown on a slope above the lake, picked by hand and dried in the wind for a day.</p>"
NAMES = ("Mei", "Uji", "Assam")
URL = "http://tea.example/tea/oolong"

CARDS: dict[str, Callable[[str], str]] = {
    "picture": lambda name: f"<div><a href=/tea/{name}><img src={name}.jpg></a><span>{name}</span></div>",
    "price": lambda name: f"<li><a href=/tea/{name}>{name}</a> $4.50",
    "heading": lambda name: f"<div><h3><a href=/tea/{name}>{name}</a></h3><p>green</div>",
    "link": lambda name: f"<a href=/tea/{name}><h3>{name}</h3><i>4,50 €</i></a>",
}


def related(body: str, url: str = URL) -> str:
    page = Page(f"<body>{body}", url)
    mask = bytearray(len(page.tokens))
    for start, stop in related_spans(page, b"\1" * len(page.tokens)):
        mask[start:stop] = b"\1" * (stop - start)
    return text_of(page, bytes(mask), 1)


def cards(name: str) -> str:
    return f"<div>{''.join(map(CARDS[name], NAMES))}</div>"


@pytest.mark.parametrize("name", CARDS)
def test_records_that_lead_to_pages_of_the_type_are_related(name: str) -> None:
    found = related(f"<h1>Oolong</h1>{TEXT}<h2>More teas</h2>{cards(name)}<p>Send us a word.")
    assert found.startswith("More teas\n")
    assert all(name in found for name in NAMES)
    assert "Send" not in found
    assert "slope" not in found


@pytest.mark.parametrize(
    ("url", "target", "is_alike"),
    [
        ("http://tea.example/sale/tea/oolong", "/tea/{}", True),
        ("http://tea.example/2026/05/oolong/", "/2026/05/{}/", True),
        ("http://tea.example/x?id=1&lang=en", "/x?id={}&lang=en", True),
        ("http://tea.example/oolong.html", "/{}.html", True),
        ("http://tea.example/tea/oolong", "/maker/{}", False),
        ("http://tea.example/tea/oolong", "/tea/{}.jpg", False),
        ("http://tea.example/tea/oolong", "http://pot.example/tea/{}", False),
        ("http://tea.example/tea/oolong", "/tea/oolong#{}", False),
        ("http://tea.example/tea/oolong", "/tea/thread#{}", False),
        ("http://tea.example/x?id=1&lang=en", "/x?id={0}&lang={0}", False),
        ("http://tea.example/", "/tea/{}", False),
    ],
)
def test_pages_of_a_type_have_addresses_of_one_form(url: str, target: str, is_alike: bool) -> None:
    records = "".join(f"<li><a href='{target.format(name)}'>{name}</a> $4.50" for name in NAMES)
    assert bool(related(f"{TEXT}<ul>{records}</ul>", url)) is is_alike


@pytest.mark.parametrize(
    ("body", "url"),
    [
        (f"{TEXT}<ul><li><a href=/tea/a>A</a> is green<li><a href=/tea/b>B</a> is black</ul>", URL),
        (f"{TEXT}<div><p>$4 <a href=/tea/a>A</a></p>or<p>$5 <a href=/tea/b>B</a></p></div>", URL),
        (f"{TEXT}<div><p>$4 <a href=/tea/a>A</a></p></div>", URL),
        (f"<h1>Teas</h1>{cards('price')}", URL),
        (f"<p>{'tea ' * 16}</p>{cards('price') * 3}{'<p>so it is' * 2}", URL.replace("/tea/", "/")),
        (f"{TEXT}{cards('picture').replace('/tea/', '/')}", "http://tea.example/oolong"),
        (
            f"{TEXT}<div><p>$4 <a href=/tea/a>A</a> {'said ' * 60}</p><p>$5 <a href=/tea/b>B</a></p></div>",
            URL,
        ),
    ],
    ids=["items of a text", "words between", "one", "a list", "a named list", "named pictures", "posts"],
)
def test_what_is_no_record_of_another_page_is_not_related(body: str, url: str) -> None:
    assert related(body, url) == ""


@pytest.mark.parametrize(
    "body",
    [
        f"{cards('picture')}{TEXT}",
        f"<h1>Teas</h1><p>Of the lake.{cards('picture')}{TEXT * 2}",
        f"<ul>{'<li><a href=/maker/x>green tea of the lake</a>' * 6}</ul>{cards('picture')}{TEXT}",
    ],
    ids=["first on the page", "before most of it", "behind a menu"],
)
def test_records_before_the_content_of_a_page_are_not_related(body: str) -> None:
    assert related(body) == ""


def test_related_records_are_in_no_article() -> None:
    body = f"<h1>Oolong</h1>{TEXT * 3}<h2>More teas</h2>{cards('picture')}"
    page = Page(f"<body>{body}", URL)
    separation = Separation(page, whole(page.tokens))
    assert "Uji" in separation.content_text
    assert "Uji" not in article_text(separation)


@pytest.mark.parametrize("is_heading_content", [True, False])
def test_sections_of_related_records_stand_under_their_own_heading(*, is_heading_content: bool) -> None:
    pytest.importorskip("turbohtml")
    page = Page(f"<body><h1>Oolong</h1>{TEXT}<h2>More</h2>{cards('heading')}<p>Send word.", URL)
    heading = page.elements.names.index("h2")
    gap = (page.elements.opens[heading], page.elements.closes[heading])
    everything = whole(page.tokens)
    separation = Separation(page, everything if is_heading_content else rest_of(page.tokens, (gap,)))
    markdown, sections = separation.content_markdown, separation.content_headings
    of_path = {tuple(section["path"]): markdown[section["start"] : section["stop"]] for section in sections}
    assert of_path["Oolong",].endswith("Send word.\n\n")
    assert [path for path in of_path if path[0] != "Oolong"] == [
        ("More",),
        *(("More", name) for name in NAMES),
    ]
    assert all(len(path) == 1 for path in of_path if path[0] == "Oolong")
    assert sections[0]["start"] == 0
    assert sections[-1]["stop"] == len(markdown)
    assert [one["stop"] for one in sections[:-1]] == [other["start"] for other in sections[1:]]

"""The vote on sites written by hand: what stands on all but every page of a site goes, whatever the page.

And the vote on a site of two sections that share nothing.
"""

from __future__ import annotations

import random

import pytest

from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.memory.detectors.sample_vote import Vote
from templcrawl.memory.memory_options import MemoryOptions
from templcrawl.page.page import Page
from tests.memory.values import ALONE

SITE = "http://site.example"


def words(seed: object, number: int) -> str:
    """Return so many words that no other text has, some more often than others."""
    chance = random.Random(str(seed))
    return " ".join("".join(chance.choices("abcdefghijklmnop", k=7)) for _ in range(number))


def links(name: object, number: int) -> str:
    return "".join(
        f"<li><a href=/{name}/{entry}>{words((name, entry), 2)}</a></li>" for entry in range(number)
    )


def kept(pages: list[str], page: str) -> str:
    """Return the content of a page, after some others of its site."""
    memory = CrawlMemory(sample_salt=1)
    for number, other in enumerate(pages):
        memory.observe(Page(other, f"{SITE}/{number}"))
    return memory.observe(Page(page, f"{SITE}/asked")).separation.content_text


def short_page(seed: object, number: int) -> str:
    """Return a page of a few words in each of some parts, beside 60 entries of furniture in plain blocks."""
    parts = "".join(f"<td><p>{words((seed, part), 7)}</p></td>" for part in range(number))
    menus = "".join(f"<div><ul>{links(f'menu{menu}', 15)}</ul></div>" for menu in range(4))
    return f"<body><div>{menus}</div><div><table><tr>{parts}</table></div>"


@pytest.mark.parametrize("strangers", [0, 3])
def test_a_short_page_does_not_bring_the_furniture_back(strangers: int) -> None:
    pages = [short_page(page, 5) for page in range(13)]
    pages += [f"<body><h2>{words(('other', page), 60)}</h2>" for page in range(strangers)]
    asked = short_page("asked", 5)
    assert kept(pages, asked).split() == [
        word for part in range(5) for word in words(("asked", part), 7).split()
    ]


def record_page(seed: object) -> str:
    """Return a page of three short texts in blocks of twelve links: 36 of its 39 texts are on all pages."""
    blocks = "".join(
        f"<div><ul>{links(('block', block), 12)}<li><p><i>{words((seed, block), 14)}</i></p></ul></div>"
        for block in range(3)
    )
    return f"<body><div>{blocks}</div>"


def test_short_texts_among_what_all_pages_have_do_not_bring_it_back() -> None:
    text = kept([record_page(page) for page in range(8)], record_page("asked"))
    assert text.split() == [word for block in range(3) for word in words(("asked", block), 14).split()]


def table_page(seed: object) -> str:
    """Return a page of the year 2003: one table, a row for each paragraph and for each link."""
    text = "".join(f"<tr><td><p>{words((seed, row), 20)}</p></td></tr>" for row in range(12))
    rows = "".join(
        f"<tr><td><font size=1><a href=/{month}>{words(month, 2)}</a></font></td></tr>" for month in range(8)
    )
    return f"<body><table>{text}<tr><td><i>{words('archive', 2)}</i></td></tr>{rows}</table>"


def test_rows_beside_the_text_that_all_pages_have_go_together() -> None:
    text = kept([table_page(page) for page in range(8)], table_page("asked"))
    assert text.split() == [word for row in range(12) for word in words(("asked", row), 20).split()]


def test_a_phrase_that_all_pages_have_stays_in_its_sentence() -> None:
    def page(seed: object) -> str:
        return f"<body><p>{words(seed, 40)} <b>as we have said</b> {words((seed, 2), 40)}</p>"

    assert "as we have said" in kept([page(number) for number in range(8)], page("asked"))


def index_page(name: str, entries: int) -> str:
    """Return a page whose text is a list of links, in a wrapper that is named after navigation."""
    return (
        f"<title>{name} index</title><body><div class=side><ul>{links('menu', 12)}</ul></div>"
        f"<div class=wy-nav-content><h1>{name} index</h1><ul>{links(name, entries)}</ul></div>"
        f"<p>{words('imprint', 12)}</p>"
    )


@pytest.mark.parametrize("before", [0, 2, 8])
def test_a_page_of_links_is_not_left_with_its_title(before: int) -> None:
    pages = [index_page(f"name{page}", 20).replace("<li>", "<li>It is ") for page in range(before)]
    text = kept(pages, index_page("asked", 300))
    assert [word for word in text.split() if word in words(("asked", 250), 2)] == words(
        ("asked", 250), 2
    ).split()


def test_a_page_that_has_nothing_else_keeps_what_all_pages_have() -> None:
    page = short_page("same", 5)
    assert len(kept([page.replace("<body>", f"<body><i>{number}</i>") for number in range(8)], page)) > 200


def test_the_menu_of_a_section_goes_where_half_of_the_pages_have_it() -> None:
    def page(seed: int, section: int) -> str:
        menu = f"<div><ul>{links(('section', section), 12)}</ul></div>"
        return f"<body>{menu}<div><h2>{words(seed, 3)}</h2><p>{words((seed, 2), 60)}</p></div>"

    text = kept([page(number, number % 2) for number in range(12)], page(99, 1))
    assert text.split() == [*words(99, 3).split(), *words((99, 2), 60).split()]


BLOG = "<div class=blog><p>The blog of the mill</p><p>Written on Sundays</p><p>Archive of all years</p></div>"
SHOP = (
    "<table><tr><td>Cart of goods</td><td>Orders until noon</td><td>Returns within a month</td></tr></table>"
)
WORDS = (
    "amber birch copper delta ember fjord grove heron ivory jetty kelp larch moss nettle onyx plum".split()
)


def text(number: int) -> str:
    words = [WORDS[(number * step) % 16] + str(number % 7) + str(step) for step in range(1, 25)]
    return "".join(f"<p>{' '.join(words[at : at + 4])}</p>" for at in range(0, 24, 4))


def test_a_small_section_that_shares_nothing_with_the_site_is_told_apart_by_its_own_pages() -> None:
    memory = CrawlMemory()
    kept = []
    for number in range(60):
        in_shop = number % 6 == 5
        head = f"{SHOP}<section class=goods>" if in_shop else f"{BLOG}<article class=post>"
        html = f"<html><body class={'shop' if in_shop else 'blog'}>{head}{text(number)}"
        separation = memory.observe(Page(html, f"http://mill.example/{number}"))
        if in_shop:
            kept.append("Returns within a month" in separation.content_text)
    assert kept[:2] == [True, True]
    assert kept[-3:] == [False, False, False]


def test_a_page_of_the_main_template_is_not_kept_as_an_outsider() -> None:
    vote = Vote(MemoryOptions())
    for number in range(20):
        page = Page(f"<body>{BLOG}{text(number)}", f"http://mill.example/{number}")
        vote.learn(vote.query(page, ALONE))
    assert vote.snapshot().numbers("pages/outsiders", "u1").tolist() == [0] * 20


def state_page(number: int, state: int, hide: str) -> str:
    """Return a page with three states, one of which is shown."""
    texts = ("Fresh today from the oven", "Gone until next week", "Only by order of a dozen")
    states = "".join(
        f"<div class=state {hide * (number != state)}><p>{text}</div>" for number, text in enumerate(texts)
    )
    return (
        f"<body><ul>{links('menu', 9)}</ul><main><h1>Loaf {number}</h1>{states}<p>{words(number, 30)}</main>"
    )


@pytest.mark.parametrize("hide", ["hidden", "style='display: none'"])
def test_a_state_that_few_pages_show_is_content_though_all_have_it_hidden(hide: str) -> None:
    pages = [state_page(number, number % 8 == 1, hide) for number in range(17)]
    assert "Gone until next week" in (text := kept(pages, state_page(90, 1, hide)))
    assert "Fresh today" not in text
    assert "Only by order" not in text


def test_a_text_that_pages_show_is_no_content_in_a_panel() -> None:
    def loaf(number: int, hide: str) -> str:
        notice = f"<div role=tabpanel {hide}><p>We bake on all days but Monday</div>"
        own = f"<div role=tabpanel hidden><p>{words((number, 'own'), 12)}</div>"
        text = f"<h1>Loaf {number}</h1><p>{words(number, 30)}"
        return f"<body><ul>{links('menu', 9)}</ul><main>{text}{notice}{own}"

    text = kept([loaf(number, "") for number in range(12)], loaf(90, "hidden"))
    assert words((90, "own"), 12) in text
    assert "Monday" not in text


@pytest.mark.parametrize("inherited", [10, 150])
def test_a_long_page_with_the_frame_of_its_site_keeps_what_its_like_share(inherited: int) -> None:
    def manual(number: int) -> str:
        shared = "".join(
            f"<dt>{words(('name', entry), 1)}<dd>{words(('does', entry), 6)}" for entry in range(inherited)
        )
        shared = f"<h2>Inherited</h2><dl>{shared}</dl>" * (number % 4 == 0)
        text = f"<h1>Part {number}</h1><p>{words(number, 40)}"
        return f"<body><ul>{links('menu', 14)}</ul><main>{text}{shared}</main>"

    memory = CrawlMemory(sample_salt=1, strip="site")
    for number in range(33):
        text = memory.observe(Page(manual(number), f"{SITE}/{number}")).separation.content_text
    assert all(words(("does", entry), 6) in text for entry in range(inherited))

"""Links of the menu come first."""

from __future__ import annotations

from hypothesis import given

from templcrawl.algorithms.site_template.menu_order import menu_order, site_links
from templcrawl.page.nodes import Nodes
from templcrawl.page.page import Page
from tests.strategies import soups

URL = "http://example.org/a/b"


def ordered(html: str) -> list[str]:
    page = Page(html, URL)
    return [page.links.urls[number][19:] for number in menu_order(Nodes(page), site_links(page))]


def test_links_lead_to_other_pages_of_the_site_once() -> None:
    page = Page(
        "<a href=c>1</a><a href=/a/c#x>2</a><a href=b>self</a><a href=#y>self</a>"
        "<a href=mailto:x@y>mail</a><a href=http://other.org/>away</a><a href=?q>q</a>",
        URL,
    )
    assert [page.links.urls[number] for number in site_links(page)] == [
        "http://example.org/a/c",
        "http://example.org/a/b?q",
    ]


def test_the_menu_stands_before_links_in_text() -> None:
    text = "".join(f"<p>See <i>the</i> <b>old</b> <a href=/t{n}>t{n}</a> there<br></p>" for n in range(5))
    menu = "".join(f"<li><a href=/m{n}>m{n}</a>" for n in range(4))
    assert ordered(f"{text}<ul>{menu}</ul>")[:5] == ["m0", "m1", "m2", "m3", "t0"]


def test_few_links_are_no_menu() -> None:
    assert ordered("<p>x<i>y</i><b>z</b><a href=/t>t</a></p><p><a href=/m>m</a></p>") == ["t", "m"]


@given(soups)
def test_it_is_the_same_links(html: str) -> None:
    page = Page(html, URL)
    links = site_links(page)
    assert sorted(menu_order(Nodes(page), links)) == sorted(links)

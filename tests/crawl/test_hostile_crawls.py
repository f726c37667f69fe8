"""Login walls, redirect loops and endless calendars: the one line fetches and emits what Scrapy alone does.

Beside an endless calendar a crawl with a budget fetches all real pages, where Scrapy alone fetches a few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
import scrapy

from lab.sites.server import HTML, Answer, LocalSite, Response
from tests.crawl.crawls import ONE_BY_ONE, ONE_LINE, Crawl, run_crawl
from tests.parts import exhaustive_but

PAGES, BUDGET = 40, 160
MENU = "".join(f'<li><a href="/page/{n}">Page {n}</a></li>' for n in range(PAGES))
LOGIN = f"<title>Log in</title><ul>{MENU}</ul><form action=/login><p>Please log in to read this page</form>"
BETWEEN = {"HTTPCACHE_ENABLED": False}


def page(path: str, links: str = MENU) -> str:
    """Return a page with words of its own."""
    words = " ".join(f"word{path.replace('/', 'x')}x{n}" for n in range(60))
    return f"<title>{path}</title><ul>{links}</ul><h1>{path}</h1><p>{words}</p>"


def redirect(target: str, status: int = 302) -> Response:
    """Return a redirect."""
    return Response(status, HTML, b"", (("Location", target),))


def wall_that_redirects(path: str) -> Answer:
    """Send every page but the first to the login page, half of them with the way back in its address."""
    if path == "/":
        return page(path)
    if path.startswith("/login"):
        return LOGIN
    return redirect("/login" if path[-1] in "02468" else f"/login?next={path}")


def wall_that_answers(path: str) -> Answer:
    """Answer every page but the first with the login page."""
    return page(path) if path == "/" else LOGIN


def loops(path: str) -> Answer:
    """Lead from the front page into redirects of every kind, and to ten pages."""
    kind, _, number = path[1:].partition("/")
    if kind == "chain":
        return redirect(f"/chain/{int(number) + 1}", 301)
    if kind == "short":
        return redirect(f"/short/{int(number) + 1}" if number < "3" else "/page/0", 307)
    ways = {
        "a": redirect("/b"),
        "b": redirect("/a"),
        "self": redirect("/self"),
        "grows": redirect(f"{path}/x"),
        "nowhere": Response(302, HTML, b"<p>Moved"),
        "empty": redirect(""),
        "refreshed": f'<meta http-equiv=refresh content="0; url={path}"><p>Wait',
    }
    starts = ["/a", "/self", "/grows", "/nowhere", "/empty", "/refreshed", "/chain/0", "/short/0"]
    links = "".join(f"<li><a href={to}>{to}</a>" for to in [*starts, *(f"/page/{n}" for n in range(10))])
    return ways.get(kind, page(path, links))


def start_in_a_loop(path: str) -> Answer:
    """Lead the start request, which no dupefilter sees, from one address to another and back."""
    return redirect("/again" if path == "/" else "/")


def calendar(path: str) -> Answer:
    """Name months without end before the next pages; each page leads to two of the 40."""
    kind, _, number = path[1:].partition("/")
    if kind == "month":
        count = int(number)
        around = (count + 1, count + 12, count * 31 + 2, count * 31 + 9, count * 31 + 16)
        months = "".join(f'<td><a href="/month/{n}">{n % 12}</a>' for n in around)
        return f"<title>Calendar</title><table class=days><tr>{months}</table><p>No events"
    after = [n for n in (2 * int(number) + 1, 2 * int(number) + 2) if n < PAGES] if kind else [0]
    months = "".join(f'<td><a href="/month/{n}">{n}</a>' for n in range(1, 9))
    links = "".join(f'<li><a href="/page/{n}">Page {n}</a>' for n in after)
    return page(path, links) + f"<table class=days><tr>{months}</table>" if not kind else page(path, links)


def crawled(pages: Callable[[str], Answer], folder: Path, **settings: object) -> tuple[Crawl, list[str]]:
    """Crawl a site from its front page; return this and the targets in the order of their requests."""
    with LocalSite(pages) as site:
        crawl = run_crawl("plain", site.url, folder, {**BETWEEN, **settings})
    for one in (*crawl.responses, *(item for _, item in crawl.items)):
        one["url"] = one["url"].removeprefix(site.url[:-1])
    assert " ERROR: " not in crawl.log
    assert "Traceback" not in crawl.log
    assert not [name for name in crawl.stats if name.startswith("templcrawl/errors/")]
    return crawl, site.targets


SEEN = {"REDIRECT_ENABLED": False, "METAREFRESH_ENABLED": False, "HTTPERROR_ALLOW_ALL": True}
HOSTILE = {
    "login redirects": (wall_that_redirects, {}, 62, 22),
    "login answers": (wall_that_answers, {}, 41, 41),
    "loops": (loops, {}, 63, 11),
    "loops that the spider sees": (loops, SEEN, 19, 19),
    "start in a loop": (start_in_a_loop, {}, 21, 0),
    "start in a loop that the spider sees": (start_in_a_loop, SEEN, 1, 1),
}


@pytest.mark.parametrize("name", exhaustive_but(["loops"], HOSTILE))
def test_what_is_fetched_and_emitted_is_what_scrapy_alone_does(name: str, tmp_path: Path) -> None:
    pages, settings, requests, responses = HOSTILE[name]
    alone, fetched_alone = crawled(pages, tmp_path / "alone", **settings)
    crawl, fetched = crawled(pages, tmp_path / "one-line", **ONE_LINE, **settings)
    assert sorted(fetched) == sorted(fetched_alone)
    assert (len(fetched), len(crawl.responses)) == (requests, responses)
    assert in_order(crawl.responses) == in_order(alone.responses)
    assert in_order(crawl.items) == in_order(alone.items)
    assert len(crawl.items) == 11 * responses
    assert alone.stats["finish_reason"] == crawl.stats["finish_reason"] == "finished"
    assert "templcrawl/sites" in crawl.stats
    assert "templcrawl/sites" not in alone.stats


def in_order(things: Iterable[object]) -> list[str]:
    return sorted(map(repr, things))


@pytest.mark.parametrize(
    "settings", exhaustive_but([ONE_BY_ONE], [ONE_BY_ONE, {}]), ids=["one by one", "16 at once"]
)
def test_an_endless_calendar_keeps_a_budget_from_no_page(settings: dict[str, object], tmp_path: Path) -> None:
    budget = {**settings, "CLOSESPIDER_PAGECOUNT": BUDGET}
    real = {}
    for name, more in (("alone", {}), ("one line", ONE_LINE)):
        crawl, fetched = crawled(calendar, tmp_path / name.replace(" ", "-"), **budget, **more)
        assert crawl.stats["finish_reason"] == "closespider_pagecount"
        real[name] = [path for path in fetched[:BUDGET] if path.startswith("/page/")]
    most_lost = 0 if scrapy.version_info >= (2, 18) or settings else 16  # it asks ahead of what it has read
    assert len(real["one line"]) >= PAGES - most_lost
    assert len(real["alone"]) < PAGES

"""A site is crawled on many days; the last item of each page is kept, and is right after every day."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.sites.server import Answer, LocalSite
from tests.crawl.crawls import ONE_BY_ONE, ONE_LINE, Crawl, run_crawl
from tests.memory.pages import MENU, prose

PAGES = 60
FIELDS = ["content_text", "changed"]
ASKING = {**ONE_LINE, **ONE_BY_ONE, "TEMPLCRAWL_ITEM_FIELDS": FIELDS, "TEMPLCRAWL_TEMPLATE_OF": "site"}
TEMPLATE_ONLY = "template only"

Day = Callable[[int, list[str]], list[str]]
"""Number of a page and the lines of its content -> the lines on that day."""


def as_ever(number: int, lines: list[str]) -> list[str]:
    return lines


def maintenance(number: int, lines: list[str]) -> list[str]:
    return ["Log in", "We are mending the shop.", "Log in to go on."]


def recall(number: int, lines: list[str]) -> list[str]:
    return [*lines, "This lamp is recalled: it may catch fire."]


def sold_out(number: int, lines: list[str]) -> list[str]:
    return [line.replace("In stock", "Out of stock") for line in lines]


def new_price(number: int, lines: list[str]) -> list[str]:
    return [f"Price: {17 + number % 3} crowns" if line.startswith("Price") else line for line in lines]


def swapped_prices(number: int, lines: list[str]) -> list[str]:
    other = content((number + 2) % PAGES)
    return [lines[0], other[1], *lines[2:]]


def other_order(number: int, lines: list[str]) -> list[str]:
    return [*lines[:3], *reversed(lines[3:])]


def unsafe(number: int, lines: list[str]) -> list[str]:
    return [line.replace("is safe", "is unsafe") for line in lines]


def other_cells(number: int, lines: list[str]) -> list[str]:
    """Change a line to what another line says already."""
    return [*lines[:-1], lines[-2]]


EDITS = [recall, sold_out, new_price, swapped_prices, other_order, unsafe, other_cells]
CLOSED = [as_ever, maintenance, as_ever]


def edited(number: int, lines: list[str]) -> list[str]:
    """Leave each eighth page as it is, and edit each other one in its own way."""
    return EDITS[number % 8](number, lines) if number % 8 < len(EDITS) else lines


def content(number: int) -> list[str]:
    words = [prose((number, part), 12) for part in range(3)]
    return [f"Lamp {number}", f"Price: {10 + number % 5} crowns", "In stock", "The lamp is safe.", *words]


class Shop:
    """A shop of lamps: the same menu and footer on every page, but for the day on which it is closed."""

    day: Day = staticmethod(as_ever)

    def lines(self, number: int) -> list[str]:
        return self.day(number, content(number))

    def answer(self, path: str) -> Answer:
        if path == "/sitemap.xml":
            urls = "".join(f"<url><loc>{self.url}{number}.html</loc></url>" for number in range(PAGES))
            return 200, "application/xml", f"<urlset>{urls}</urlset>".encode()
        title, *lines = self.lines(int(path.strip("/").partition(".")[0]))
        places = (f"<p class={name}>{line}</p>" for name, line in zip("abcdefghi", lines))
        text = f"<h1>{title}</h1>" + "".join(places)
        if self.day is not maintenance:
            text = f"<ul id=menu>{MENU}</ul><div id=main>{text}</div><div id=foot>Made by hand, for you</div>"
        return f"<html><head><title>{title}</title></head><body>{text}</body></html>"

    url = ""


def crawl(url: str, memory: Path, output: Path, settings: dict[str, Any]) -> Crawl:
    return run_crawl("map", url, output, {**settings, "TEMPLCRAWL_STORE": str(memory)})


def says(item: dict[str, Any], lines: list[str]) -> bool:
    """Say whether an item has the lines of a content, one after the other, and none twice or besides."""
    text = [line for line in item["content_text"].splitlines() if line.strip()]
    start = text.index(lines[0]) if lines[0] in text else 0
    return text[start : start + len(lines)] == lines


@pytest.mark.parametrize(
    ("skip", "days"),
    [
        pytest.param(True, CLOSED, id="same"),
        pytest.param(TEMPLATE_ONLY, [*CLOSED, edited], id="template only", marks=pytest.mark.exhaustive),
    ],
)
def test_after_every_day_each_item_that_is_kept_is_right(
    skip: object, days: list[Day], tmp_path: Path
) -> None:
    shop, kept = Shop(), dict[str, dict[str, Any]]()
    settings = {**ASKING, "TEMPLCRAWL_SKIP_UNCHANGED": skip}
    with LocalSite(shop.answer) as site:
        shop.url = site.url
        for number, shop.day in enumerate(days):  # type: ignore[assignment]
            found = crawl(site.url, tmp_path / "memory.sqlite", tmp_path / f"day{number}", settings)
            assert " ERROR: " not in found.log
            kept.update((item["url"], item) for _, item in found.items)
            assert len(found.items) + found.stats.get("templcrawl/items/unchanged", 0) == PAGES
            lines = {f"{site.url}{page}.html": shop.lines(page) for page in range(PAGES)}
            right = sum(says(kept[url], expected) for url, expected in lines.items())
            assert (number, right) == (number, PAGES)

"""The plan of the demo site: which pages it has, and how they link to each other.

A magazine with a paginated list of articles (every fifth also in a version for print), a shop, a manual,
and a calendar without end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lab.sites import contents
from lab.sites.templates import Draft, Entry, Furniture
from lab.sites.words import Writer

PER_LIST, PER_SHELF, PRINTED_EVERY, RELATED = 10, 9, 5, 3
FIRST_MONTH = "/calendar/2026/11.html"
SECTIONS = (("/", "Home"), ("/news/", "News"), ("/shop/", "Shop"), ("/manual/", "Manual"))
SERVICE = (("/imprint.html", "Imprint"), ("/privacy.html", "Privacy"), ("/contact.html", "Contact"))
_MONTH = re.compile(r"/calendar/([1-9][0-9]{0,17})/([1-9]|1[0-2])\.html")


@dataclass(frozen=True)
class DemoPlan:
    """How large the demo site is, and the seed that all of its prose grows from."""

    seed: object
    articles: int
    products: int
    chapters: int

    def name_seed(self, what: str) -> str:
        """Return the seed of one thing on the site; it does not depend on the site's size."""
        return f"{self.seed} {what}"

    def article(self, number: int) -> Entry:
        return f"/news/article-{number}.html", contents.headline(self.name_seed(f"article {number}"))

    def product(self, number: int) -> Entry:
        return f"/shop/product-{number}.html", contents.headline(self.name_seed(f"product {number}"))

    def chapter(self, number: int) -> Entry:
        title = contents.headline(self.name_seed(f"chapter {number}"))
        return f"/manual/chapter-{number}.html", f"{number}. {title}"

    def shelves(self) -> list[Entry]:
        count = -(-self.products // PER_SHELF)
        writer = Writer(self.name_seed("shelves"))
        return [
            (f"/shop/shelf-{n}.html", f"{writer.adjective()} {writer.nouns()}") for n in range(1, count + 1)
        ]


def furniture(plan: DemoPlan) -> Furniture:
    """Return what all pages of the site share."""
    writer = Writer(plan.name_seed("furniture"))
    popular = writer.chance.sample(range(1, plan.articles + 1), min(6, plan.articles))
    return Furniture(
        name=f"The {writer.place()} Courier",
        menu=(*SECTIONS, (FIRST_MONTH, "Calendar")),
        service=SERVICE,
        popular=[plan.article(number) for number in popular],
        shelves=plan.shelves(),
        chapters=[plan.chapter(number) for number in range(1, plan.chapters + 1)],
        notices=[writer.paragraph(2) for _ in range(12)],
    )


def drafts(plan: DemoPlan) -> Iterator[Draft]:
    """Yield every finite page of the site, the start page first."""
    sections = [*SECTIONS[1:], (FIRST_MONTH, "What is on")]
    latest = [plan.article(number) for number in range(1, min(5, plan.articles) + 1)]
    start = contents.plain("Welcome", plan.name_seed("start"), [*sections, *latest])
    yield Draft("/", "start", "magazine", "Welcome", "/", content=start)
    yield from _news_lists(plan)
    yield from _articles(plan)
    yield from _shop(plan)
    yield from _manual(plan)
    for path, title in SERVICE:
        content = contents.plain(title, plan.name_seed(title), [SECTIONS[0]])
        yield Draft(path, "service", "magazine", title, "", content=content)


def month_draft(plan: DemoPlan, path: str) -> Draft | None:
    """Return a month of the calendar without end, None if the path names no month."""
    match = _MONTH.fullmatch(path)
    if match is None:
        return None
    year, number = int(match[1]), int(match[2])
    count = 12 * year + number - 1
    before, after = (_month_path(count + step) for step in (-1, 1))
    content = contents.month(plan.name_seed(path), year, number, before, after)
    return Draft(path, "month", "magazine", f"{number}/{year}", FIRST_MONTH, before, after, content=content)


def _month_path(count: int) -> str:
    """Return the path of a month that is so many months from the year 0; nothing is before the year 1."""
    return f"/calendar/{count // 12}/{count % 12 + 1}.html" if count >= 12 else ""


def _news_lists(plan: DemoPlan) -> Iterator[Draft]:
    count = -(-plan.articles // PER_LIST)
    pages = ["/news/", *(f"/news/page-{number}.html" for number in range(2, count + 1))]
    for number, path in enumerate(pages, 1):
        shown = range((number - 1) * PER_LIST + 1, min(number * PER_LIST, plan.articles) + 1)
        teasers = [(*plan.article(other), plan.name_seed(f"article {other}")) for other in shown]
        content = contents.news_list(teasers, pages, number)
        before, after = _around(pages, number - 1)
        yield Draft(
            path, "list", "magazine", f"All stories {number}", "/news/", before, after, content=content
        )


def _articles(plan: DemoPlan) -> Iterator[Draft]:
    for number in range(1, plan.articles + 1):
        path, title = plan.article(number)
        seed = plan.name_seed(f"article {number}")
        others = [other for other in range(1, plan.articles + 1) if other != number]
        chosen = Writer(f"related {seed}").chance.sample(others, min(RELATED, len(others)))
        related = [plan.article(other) for other in chosen]
        if number % PRINTED_EVERY != 3:
            content = contents.article(seed, related, None)
            yield Draft(path, "article", "magazine", title, "/news/", content=content)
            continue
        copy = f"/print/article-{number}.html"
        content = contents.article(seed, related, (copy, "Version for print"))
        yield Draft(path, "article", "magazine", title, "/news/", content=content)
        content = contents.article(seed, related, (path, "Version for reading"), printed=True)
        yield Draft(copy, "print", "magazine", title, "/news/", original=path, content=content)


def _shop(plan: DemoPlan) -> Iterator[Draft]:
    shelves = plan.shelves()
    content = contents.plain("Our shop", plan.name_seed("shop"), shelves, sentences=12)
    yield Draft("/shop/", "shop", "shop", "Shop", "/shop/", content=content)
    for shelf, (path, title) in enumerate(shelves):
        shown = range(shelf * PER_SHELF + 1, min((shelf + 1) * PER_SHELF, plan.products) + 1)
        goods = [(*plan.product(number), plan.name_seed(f"product {number}")) for number in shown]
        yield Draft(path, "shelf", "shop", title, "/shop/", content=contents.shelf(title, goods))
        for number in shown:
            content = contents.product(
                plan.name_seed(f"product {number}"),
                [plan.product(other) for other in (number - 1, number + 1) if other in shown],
            )
            product_path, name = plan.product(number)
            yield Draft(product_path, "product", "shop", name, "/shop/", content=content)


def _manual(plan: DemoPlan) -> Iterator[Draft]:
    chapters = [plan.chapter(number) for number in range(1, plan.chapters + 1)]
    content = contents.plain("The manual", plan.name_seed("manual"), chapters[:3], sentences=30)
    yield Draft("/manual/", "manual", "manual", "Manual", "/manual/", content=content)
    paths = [path for path, _ in chapters]
    for place, (path, title) in enumerate(chapters):
        seed = plan.name_seed(f"chapter {place + 1}")
        see = Writer(f"see {seed}").chance.choices(chapters, k=RELATED)
        before, after = _around(paths, place)
        content = contents.chapter(seed, title, see)
        yield Draft(path, "chapter", "manual", title, "/manual/", before, after, content=content)


def _around(paths: Sequence[str], place: int) -> tuple[str, str]:
    """Return the paths before and after a place of a sequence, "" at its ends."""
    before = paths[place - 1] if place > 0 else ""
    return before, paths[place + 1] if place + 1 < len(paths) else ""

"""What does the native kernel change: the time of a page, beside others; the longest stall; memory?

    python -m lab.bench.twins [--folder FOLDER] [--corpora FOLDER --sites NAME ... --pages 25]

Both twins in one run, in turn.  *Whole page* is what a crawl pays for the text of an item: bytes decoded, the
page observed (links, page type, near-duplicates, the vote, all that is remembered of its site), its content
written as text; the memory begins anew in each round.  The others are given the same bytes and remember
nothing.  A stall is one large page, observed and written; *held* is what a page that was read keeps
until it is let go.

Cost: three rounds over each set of pages; without the library (``make kernel``) Python alone is measured.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

import lxml.html
from rich.table import Table

from lab.bench.kept_tables import keep_tables
from lab.bench.options import add_figures, add_pages, add_saved, add_sites, asked_sites, new_parser
from lab.bench.page_sets import LARGE, SMALL, generated, saved
from lab.bench.peers import PEERS, Ask, PeerMissing
from lab.bench.speed import invalidate
from lab.bench.tables import show
from lab.bench.timing import side_by_side
from templcrawl import CrawlMemory, Page
from templcrawl.page import kernel
from templcrawl.page.separation import Separation
from templcrawl.page.tokens import Limits

Pages = list[tuple[str, str]]
TWINS = {"Python": "off", "kernel": "on"}
STALLS = (1_000_000, 8_000_000)
RIVALS = ("resiliparse", "trafilatura", "turbohtml", "pagesift")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables for each set of pages."""
    parser = new_parser("lab.bench.twins", __doc__, corpora=False)
    add_saved(parser)
    add_sites(parser)
    add_pages(parser, 25)
    add_figures(parser)
    options = parser.parse_args(arguments)
    if options.corpora:
        sites = asked_sites(parser, options)
        sets = {"sites": [(page.url, page.page.text) for site in sites for page in site.pages(options.pages)]}
    elif options.folder:
        sets = {"saved": saved(options.folder)}
    else:
        sets = {"small": generated(SMALL), "large": generated(LARGE)}
    twins = TWINS if kernel.is_native("auto") else {"Python": TWINS["Python"]}
    for name, pages in sets.items():
        size = sum(len(html) for _, html in pages) / len(pages) / 1000
        title = f"{name} pages: {len(pages)} of {size:.0f} KB"
        for what, table in (
            ("parts", parts(title, pages, twins)),
            ("beside others", beside_others(title, pages, twins)),
            ("held", held(title, pages, twins)),
        ):
            show(table)
            keep_tables(options.figures, {f"{name}, {what}": table})
    show(table := stalls(twins))
    keep_tables(options.figures, {"stalls": table})


def layer(page: Page) -> object:
    """Read all views of a page."""
    return page.text_runs, page.structure, page.terms, page.anchor_paths


def half(page: Page, written: str) -> object:
    """Write a half of a page."""
    return getattr(Separation(page, [(0, len(page.tokens) // 2)]), written)


def parts(title: str, pages: Pages, twins: dict[str, str]) -> Table:
    """The page layer and what is written of it; the same pages parsed by lxml."""
    works: dict[str, Callable[[Page], object]] = {
        "page layer": layer,
        "page layer, a half as text": lambda page: (layer(page), half(page, "content_text")),
        "page layer, a half as HTML": lambda page: (layer(page), half(page, "content_html")),
    }

    def way(work: Callable[[Page], object], twin: str, page: tuple[str, str]) -> object:
        return work(Page(page[1], page[0], Limits(kernel=twin)))

    def parse(page: tuple[str, str]) -> object:
        return lxml.html.document_fromstring(page[1].encode("utf-8", "replace"))

    ways: dict[str, Callable[[tuple[str, str]], object]] = {
        f"{name} {twin}": partial(way, work, setting)
        for name, work in works.items()
        for twin, setting in twins.items()
    }
    times = side_by_side({**ways, "lxml": parse}, pages, 3, before=invalidate)
    rows = {name: {twin: times[f"{name} {twin}"] for twin in twins} for name in works}
    table = _table("ms a page", title, twins, rows, "{:.3f}")
    table.add_row("lxml parse, for comparison", *[f"{times['lxml']:.3f}"] * len(twins), "")
    return table


def beside_others(title: str, pages: Pages, twins: dict[str, str]) -> Table:
    """From bytes to the text of the content: both twins with all that a crawl remembers, and others."""
    memory = CrawlMemory(sample_salt=0)

    def restart() -> None:
        nonlocal memory
        memory = CrawlMemory(sample_salt=0)
        invalidate()

    def ours(twin: str, page: tuple[str, bytes]) -> str:
        return memory.observe(Page.from_html(page[1], page[0], limits=Limits(kernel=twin))).content_text

    ways: dict[str, Callable[[tuple[str, bytes]], object]] = {
        f"whole page, {twin}": partial(ours, setting) for twin, setting in twins.items()
    }
    for name in RIVALS:
        with suppress(PeerMissing):
            ways[name] = partial(_ask, PEERS[name]()([(html, url) for url, html in pages]))
    written = [(url, html.encode("utf-8", "replace")) for url, html in pages]
    times = side_by_side(ways, written, 3, before=restart)
    rivals = [name for name in RIVALS if name in times]
    table = Table("", "ms a page", *(f"times as fast as {name}" for name in rivals), title=title)
    for name, milliseconds in times.items():
        ratios = (f"{times[rival] / milliseconds:.2f}" for rival in rivals)
        table.add_row(name, f"{milliseconds:.2f}", *ratios)
    return table


def _ask(ask: Ask, page: tuple[str, bytes]) -> str:
    url, html = page
    return ask(html.decode("utf-8"), url)


def held(title: str, pages: Pages, twins: dict[str, str]) -> Table:
    """What pages keep that were read and not yet let go."""
    kilobytes = {}
    for twin, setting in twins.items():
        limits = Limits(kernel=setting)
        layer(Page(pages[0][1], pages[0][0], limits))
        invalidate()
        tracemalloc.start()
        kept = [Page(html, url, limits) for url, html in pages]
        for page in kept:
            layer(page)
        kilobytes[twin] = tracemalloc.get_traced_memory()[0] / len(kept) / 1000
        tracemalloc.stop()
    return _table("KB held by a page beside its text", title, twins, {"page layer": kilobytes}, "{:.0f}")


def stalls(twins: dict[str, str]) -> Table:
    """How long one large page keeps the event loop: observed and written."""
    rows = {}
    for size in STALLS:
        pages = generated(size, 2)

        def whole(twin: str, pages: Pages) -> None:
            memory = CrawlMemory(sample_salt=0)
            for url, html in pages:
                _ = memory.observe(Page(html, url, Limits(kernel=twin))).content_text

        ways = {twin: partial(whole, setting) for twin, setting in twins.items()}
        times = side_by_side(ways, [pages], 3, before=invalidate)
        rows[f"{size / 1_000_000:.0f} MB"] = {twin: taken / len(pages) for twin, taken in times.items()}
    return _table("ms for one page", "generated pages, two of a site", twins, rows, "{:.0f}")


def _table(
    unit: str, title: str, twins: dict[str, str], rows: dict[str, dict[str, float]], form: str
) -> Table:
    table = Table(unit, *twins, "Python / kernel", title=title)
    for name, values in rows.items():
        ratio = f"{values['Python'] / values['kernel']:.1f}" if len(values) > 1 else ""
        table.add_row(name, *(form.format(value) for value in values.values()), ratio)
    return table


if __name__ == "__main__":
    main()

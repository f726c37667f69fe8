"""What does the native kernel change: the time of a page, beside others; the longest stall; memory?

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

from rich.table import Table

from lab.bench.generated import LARGE, SMALL, generated
from lab.bench.measures import side_by_side
from lab.bench.options import asked_sites, new_parser
from lab.bench.peers import PEERS, Ask, PeerMissing
from lab.bench.tables import report, table_of
from templcrawl import CrawlMemory, Page
from templcrawl.page import kernel, render, text, tokens
from templcrawl.page.encoding import decode
from templcrawl.page.text import Memo
from templcrawl.page.tokens import Limits

Pages = list[tuple[str, str]]
TWINS = {"Python": "off", "kernel": "on"}
STALLS = (1_000_000, 8_000_000)
RIVALS = ("resiliparse", "trafilatura", "turbohtml", "pagesift")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.twins", __doc__, "--corpora --sites --pages=25 --figures")
    options = parser.parse_args(arguments)
    if options.corpora:
        sites = asked_sites(parser, options)
        sets = {"sites": [(page.url, page.page.text) for site in sites for page in site.pages(options.pages)]}
    else:
        sets = {"small": generated(SMALL), "large": generated(LARGE)}
    twins = TWINS if kernel.is_native("auto") else {"Python": TWINS["Python"]}
    for name, pages in sets.items():
        size = sum(len(html) for _, html in pages) / len(pages) / 1000
        title = f"{name} pages: {len(pages)} of {size:.0f} KB"
        tables = {"beside others": beside_others, "parts": parts, "held": held}
        made = {f"{name}, {what}": table(title, pages, twins) for what, table in tables.items()}
        report(made, options.figures)
    report({"stalls": stalls(twins)}, options.figures)


def invalidate() -> None:
    """Forget what the process knows of tags and runs."""
    for module in (render, text, tokens):
        for value in vars(module).values():
            if isinstance(value, Memo):
                value.clear()


def layer(page: Page) -> object:
    """Read all views of a page."""
    return page.text_runs, page.structure, page.terms, page.links.anchor_paths


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
    rows = [
        (name, f"{taken:.2f}", *(f"{times[rival] / taken:.2f}" for rival in rivals))
        for name, taken in times.items()
    ]
    return table_of(title, ("", "ms a page", *(f"times as fast as {name}" for name in rivals)), rows)


def _ask(ask: Ask, page: tuple[str, bytes]) -> str:
    url, html = page
    return ask(html.decode("utf-8"), url)


def parts(title: str, pages: Pages, twins: dict[str, str]) -> Table:
    """How many bytes a second go through a part, by the fastest twin; what it starts from is there."""
    memory = CrawlMemory(sample_salt=0)
    written = [(url, html, html.encode("utf-8", "surrogatepass")) for url, html in pages]
    limits = Limits(kernel=[*twins.values()][-1])

    def restart() -> None:
        nonlocal memory
        memory = CrawlMemory(sample_salt=0)
        for url, html in pages:
            memory.observe(Page(html, url, limits))

    ways: dict[str, Callable[[tuple[str, str, bytes]], object]] = {
        "copied": lambda page: bytearray(page[2]),
        "decoded": lambda page: decode(page[2]),
        "read": lambda page: layer(Page(page[1], page[0], limits, utf8=page[2])),
        "bytes to text, site known": lambda page: (
            memory.observe(Page.from_html(page[2], page[0], limits=limits)).content_text
        ),
    }
    size = sum(len(body) for _, _, body in written) / len(written)
    times = side_by_side(ways, written, 3, before=restart)
    return table_of(
        title, ("", "MB/s"), [(name, f"{size / taken / 1000:,.0f}") for name, taken in times.items()]
    )


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
    cells = [
        (
            *(name, *map(form.format, values.values())),
            f"{values['Python'] / values['kernel']:.1f}" if len(values) > 1 else "",
        )
        for name, values in rows.items()
    ]
    return table_of(title, (unit, *twins, "Python / kernel"), cells)


if __name__ == "__main__":
    main()

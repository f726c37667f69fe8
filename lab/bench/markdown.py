"""What of a page survives in its Markdown, beside other converters?

    python -m lab.bench.markdown --corpora FOLDER

Gold are the elements inside the marked container of a page of a saved site: blocks of code (``pre``, and what
Doxygen writes in its place), tables of two rows and columns or more, headings, links outside of code, list
items.  Markdown is read back as HTML by markdown-it-py (raw HTML in it counts).  An element survives if the
same one is there: a block with the same lines, a table with the same cells in the same rows, a heading of the
same level, a link to the same address, an item; each with the same text, white space aside.  Links to frames
and players, which some write, count nowhere.  *kept* is the share of the container's elements that survive,
*right* the share of the elements written that are the container's; both over the pages of a site from the
second on, then the mean of the sites.

templcrawl        pages in the order of a crawl, each judged by those before it
others            the library's Markdown of the whole page, of trafilatura that of the main content

ms is the time from a page's text to its Markdown, what a crawl learns of it included.  Needs the extra
``bench``; libraries that are not installed are left out, a page that one fails on has no Markdown.

Cost: every method reads every page once.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from statistics import fmean
from typing import Any

from lab.bench.markdown_parts import KINDS, Parts, ReadBack, by_kind, parts_of, without_players
from lab.bench.options import asked_sites, new_parser
from lab.bench.saved_sites import SavedSite
from lab.bench.tables import report, table_of
from templcrawl import CrawlMemory, Page

Write = Callable[[str, str], str]
"""A way to Markdown: (HTML, its address) -> Markdown."""


@dataclass
class Score:
    """Of one method on one site: elements that there were, that survived, that were written; time, pages."""

    gold: Counter[str] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)
    written: int = 0
    seconds: float = 0.0
    pages: int = 0

    def add(self, gold: Parts, written: Parts, seconds: float) -> None:
        """Add a page."""
        self.gold += by_kind(gold)
        self.kept += by_kind(gold & written)
        self.written += written.total()
        self.seconds += seconds
        self.pages += 1


_TRAFILATURA = {
    "output_format": "markdown",
    "include_links": True,
    "include_formatting": True,
    "include_tables": True,
    "include_comments": False,
    "favor_recall": True,
}
_HTML_TO_MARKDOWN = {
    "extract_metadata": False,
    "escape_misc": True,
    "escape_asterisks": True,
    "escape_underscores": True,
    "compact_tables": True,
}


def _html_to_markdown(library: Any, html: str, url: str) -> str | None:
    content: str | None = library.convert(html, library.ConversionOptions(**_HTML_TO_MARKDOWN)).content
    return content


PEERS: dict[str, tuple[str, Callable[[Any, str, str], str | None]]] = {
    "trafilatura": (
        "trafilatura",
        lambda library, html, url: library.extract(html, url=url, **_TRAFILATURA),
    ),
    "html-to-markdown, whole page": ("html_to_markdown", _html_to_markdown),
    "turbohtml, whole page": ("turbohtml", lambda library, html, url: library.parse(html).to_markdown()),
    "markdownify, whole page": (
        "markdownify",
        lambda library, html, url: library.markdownify(html, heading_style="ATX", strip=["script", "style"]),
    ),
}
"""Name -> (module, what asks it: the module, HTML, URL -> Markdown)."""


def methods_of() -> dict[str, Write]:
    """Return the methods for a site; ours learns, so it is made anew for each."""
    memory = CrawlMemory(sample_salt=0)
    methods: dict[str, Write] = {
        "templcrawl": lambda html, url: memory.observe(Page(html, url)).content_markdown
    }
    for name, (module, ask) in PEERS.items():
        with suppress(ImportError):
            library = import_module(module)
            methods[name] = lambda html, url, ask=ask, library=library: ask(library, html, url) or ""  # type: ignore[misc]
    return methods


def run_site(site: SavedSite, pages: int) -> dict[str, Score]:
    """Put the pages of a site before every method."""
    methods, reader = methods_of(), ReadBack()
    scores = {name: Score() for name in methods}
    for number, saved in enumerate(site.pages(pages)):
        containers, base = saved.containers, saved.page.base_url
        gold = parts_of(containers, base)
        for name, write in methods.items():
            markdown = ""
            begun = time.perf_counter()
            with suppress(Exception):
                markdown = write(saved.page.text, saved.url)
            seconds = time.perf_counter() - begun
            if number and containers:
                written = without_players(reader.parts(markdown, base), containers, base)
                scores[name].add(gold, written, seconds)
    return scores


def figures_of(scores: Sequence[Score]) -> list[str]:
    """Return the means of a method over the sites: of each kind, of all, right, ms a page."""
    figures = []
    for kind in KINDS:
        shares = [score.kept[kind] / score.gold[kind] for score in scores if score.gold[kind]]
        figures.append(fmean(shares) if shares else 0.0)
    figures.append(fmean(score.kept.total() / max(score.gold.total(), 1) for score in scores))
    figures.append(fmean(score.kept.total() / max(score.written, 1) for score in scores))
    milliseconds = 1000 * sum(score.seconds for score in scores) / sum(score.pages for score in scores)
    return [*(f"{share:.3f}" for share in figures), f"{milliseconds:.1f}"]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.markdown", __doc__, "--corpora! --sites --pages=25 --figures")
    options = parser.parse_args(arguments)
    scores: dict[str, list[Score]] = {}
    for site in asked_sites(parser, options):
        for name, score in run_site(site, options.pages).items():
            if score.pages:
                scores.setdefault(name, []).append(score)
        print(site.name, file=sys.stderr, flush=True)
    sites = next(iter(scores.values()))
    gold = sum((score.gold for score in sites), Counter[str]())
    title = f"What survives in Markdown: {len(sites)} sites, "
    title += ", ".join(f"{gold[kind]:,} {kind}" for kind in KINDS)
    rows = ((name, *figures_of(of_sites)) for name, of_sites in scores.items())
    heads = ("method", *KINDS, "all kept", "right", "ms")
    report({"survival": table_of(title, heads, rows)}, options.figures)


if __name__ == "__main__":
    main()

"""How many pages does the template of a page cost, and how good is it?

    python -m lab.papers.template --corpora FOLDER [--debian FOLDER]
    python -m lab.papers.template --cost

From three key pages of each saved site, and from its longest page: the vote of the pages that
``scrapy template`` loads (``vote``, our default); the paper's mapping onto the complete subdigraph in the
paper's order of links (``plain``), with the links of the menu first (``menu``), each of them also with the
pages first that loaded pages link to (``+links``, ``--way etdm`` with ``menu``); and the vote of a site
memory, which loads no page.  Key pages, loaded pages and gold: see ``lab.papers.template_runs``.

``loaded`` does not count the key page.  P, R and F1 are means over key pages, then over sites; the longest
pages have columns of their own.
``--cost`` times the mapping of two generated pages against their size.
Last run at 1e631aa.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from statistics import fmean

from rich.table import Table

from lab.bench.generated import generated
from lab.bench.options import add_debian, add_figures, add_json, add_sites, asked_sites, new_parser
from lab.bench.tables import keep_tables, show
from lab.papers.template_runs import MEMORY, ORDERS, VOTE, Found, site_runs
from templcrawl import Page
from templcrawl.algorithms.site_template.etdm import extract_template
from templcrawl.algorithms.site_template.nodes import Nodes
from templcrawl.page.tokens import Limits

Sites = Mapping[str, Mapping[str, Sequence[Found]]]
WAYS = (VOTE, *ORDERS, MEMORY)
LIMIT = 30 * 1024 * 1024
NAN = float("nan")


def figures(found: Iterable[Found], *, longest: bool = False) -> list[float]:
    """Return the means: size, loaded, P R F1 of words, P R F1 of nodes, milliseconds; nothing without pages.

    longest  of the longest page, else of the key pages
    """
    rows = [
        (page.size, page.loaded, *page.words, *page.nodes, 1000 * page.seconds)
        for page in found
        if page.longest == longest
    ]
    return [fmean(column) for column in zip(*rows)]


def means_of_sites(sites: Sites, way: str, *, longest: bool = False) -> list[float]:
    """Return the means over the sites."""
    of_sites = (figures(found[way], longest=longest) for found in sites.values())
    return [fmean(column) for column in zip(*filter(None, of_sites))]


def sites_table(sites: Sites) -> Table:
    """Return the figures of each site, of our default beside the paper's mapping and a site memory."""
    table = Table(title="Each site: F1 of the template's words of key pages (k) and the longest page (l)")
    table.add_column("site")
    for name in ("loaded", "vote k: P", "R", "F1", "vote l: P", "R", "F1", "ms"):
        table.add_column(name, justify="right")
    for name in ("menu+links", "plain", MEMORY):
        table.add_column(f"{name} k", justify="right")
        table.add_column("l", justify="right")
    for name, found in sites.items():
        keys, longest = (figures(found[VOTE], longest=longest) for longest in (False, True))
        beside = [
            figures(found[way], longest=longest)
            for way in ("menu+links", "plain", MEMORY)
            for longest in (False, True)
        ]
        table.add_row(
            name,
            f"{keys[1]:.1f}" if keys else "-",
            *(f"{value:.2f}" for value in keys[2:5] or [NAN] * 3),
            *(f"{value:.2f}" for value in longest[2:5] or [NAN] * 3),
            f"{longest[8]:.0f}" if longest else "-",
            *(f"{row[4]:.2f}" if row else "-" for row in beside),
        )
    return table


def ways_table(sites: Sites) -> Table:
    """Return the mean over the sites of each way."""
    table = Table(title=f"Mean of {len(sites)} sites: three key pages of each, and its longest page")
    table.add_column("way")
    for name in ("size", "loaded", "with key page", "words P", "R", "F1", "nodes P", "R", "F1", "ms"):
        table.add_column(name, justify="right")
    for name in ("longest: loaded", "words P", "R", "F1", "nodes F1", "ms"):
        table.add_column(name, justify="right")
    for way in WAYS:
        size, loaded, *scores, milliseconds = means_of_sites(sites, way)
        longest = means_of_sites(sites, way, longest=True)
        table.add_row(
            way,
            *(f"{value:.2f}" for value in (size, loaded, loaded + 1)),
            *(f"{value:.3f}" for value in scores),
            f"{milliseconds:.1f}",
            f"{longest[1]:.2f}",
            *(f"{value:.3f}" for value in (*longest[2:5], longest[7])),
            f"{longest[8]:.0f}",
        )
    return table


def notes(sites: Sites) -> list[str]:
    """Say of which sites key pages link to no saved page, or have no two pages that link to each other."""
    lines = []
    for name, found in sites.items():
        ours = found[VOTE]
        without_links = sum(page.links == 0 for page in ours)
        alone = sum(page.size < 2 and page.links > 0 for page in ours)
        if without_links:
            lines.append(f"{name}: {without_links} of {len(ours)} pages link to no saved page")
        if alone:
            lines.append(f"{name}: {alone} of {len(ours)} pages without mutual links")
    return lines


def cost_table() -> Table:
    """Return seconds against page size."""
    table = Table(title="Two pages, from their HTML to the template")
    table.add_column("pages")
    for name in ("nodes", "template", "seconds"):
        table.add_column(name, justify="right")
    pages = {f"generated, {size:,} characters": generated(size, 2) for size in (10_000, 100_000, 600_000)}
    deep = [("", "<div>" * 200_000 + words) for words in ("tea", "milk")]
    wide = [("", "".join(f"<p>{word}{n}</p>" for n in range(100_000))) for word in ("tea", "milk")]
    classes = [
        ("", "".join(f"<p class={word}{n}>{word}{n}</p>" for n in range(100_000))) for word in ("tea", "milk")
    ]
    pages |= {"200,000 nested": deep, "100,000 siblings": wide, "100,000 siblings, classes differ": classes}
    limits = Limits(LIMIT, 1_000_000)
    for name, two in pages.items():
        began = time.process_time()
        tree, other = (Nodes(Page(html, url, limits)) for url, html in two)
        template = extract_template(tree, [other])
        seconds = time.process_time() - began
        table.add_row(name, f"{len(tree):,}", f"{int(template.sum()):,}", f"{seconds:.2f}")
    return table


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark and print its tables."""
    parser = new_parser("lab.papers.template", __doc__, corpora=False)
    add_debian(parser)
    add_sites(parser)
    parser.add_argument("--cost", action="store_true", help="time the mapping against page size")
    parser.add_argument("--jobs", metavar="N", type=int, default=1, help="processes (default 1)")
    add_json(parser, "the figures of every key page")
    add_figures(parser)
    options = parser.parse_args(arguments)
    if not (options.corpora or options.debian or options.cost):
        parser.error("give --corpora, --debian or --cost")
    if options.cost:
        show(cost_table())
    if options.corpora or options.debian:
        chosen = asked_sites(parser, options)
        sites: dict[str, Mapping[str, Sequence[Found]]] = {}
        with ProcessPoolExecutor(options.jobs) as pool:
            for site, found in zip(chosen, pool.map(site_runs, chosen)):
                print(f"{site.name}: {len(found.get(MEMORY, ()))} pages", file=sys.stderr, flush=True)
                if found:
                    sites[site.name] = found
        show(sites_table(sites))
        show(table := ways_table(sites))
        keep_tables(options.figures, {"ways": table})
        for line in notes(sites):
            print(line)
        if options.json:
            options.json.write_text(json.dumps(sites), encoding="utf-8")


if __name__ == "__main__":
    main()

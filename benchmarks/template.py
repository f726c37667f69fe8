"""How many pages does the template of a page cost, and how good is it?

    python -m benchmarks.template --corpora FOLDER
    python -m benchmarks.template --cost

From three key pages of each saved site: the complete subdigraph in the paper's order of links (``plain``),
with the links of the menu first (``menu``), each of them also with the pages first that loaded pages link to
(``+links``, our default with ``menu``); and the vote of a site memory, which loads no page.  Key pages,
loaded pages and gold: see ``benchmarks.template_runs``.

``loaded`` does not count the key page.  P, R and F1 are means over key pages, then over sites.
``--cost`` times the mapping of two generated pages against their size.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from statistics import fmean

from rich.table import Table

from benchmarks.console import show
from benchmarks.options import add_json, add_sites, asked_sites, new_parser
from benchmarks.page_sets import generated
from benchmarks.template_runs import MEMORY, ORDERS, Found, site_runs
from templcrawl import Page
from templcrawl.algorithms.site_template.etdm import extract_template
from templcrawl.page.nodes import Nodes
from templcrawl.page.tokens import Limits

Sites = Mapping[str, Mapping[str, Sequence[Found]]]
WAYS = (*ORDERS, MEMORY)
LIMIT = 30 * 1024 * 1024


def figures(pages: Iterable[Found]) -> list[float]:
    """Return the means: size, loaded, P R F1 of words, P R F1 of nodes, milliseconds."""
    rows = [(page.size, page.loaded, *page.words, *page.nodes, 1000 * page.seconds) for page in pages]
    return [fmean(column) for column in zip(*rows)]


def means_of_sites(sites: Sites, way: str) -> list[float]:
    """Return the means over the sites."""
    return [fmean(column) for column in zip(*(figures(runs[way]) for runs in sites.values()))]


def sites_table(sites: Sites) -> Table:
    """Return the figures of each site, in the default order beside the paper's."""
    table = Table(title="Each site: menu+links | plain | site memory")
    table.add_column("site")
    for name in (
        "size",
        "loaded",
        "words P",
        "R",
        "F1",
        "nodes F1",
        "ms",
        "size",
        "loaded",
        "words F1",
        "words F1",
    ):
        table.add_column(name, justify="right")
    for name, runs in sites.items():
        ours, plain, memory = (figures(runs[way]) for way in ("menu+links", "plain", MEMORY))
        table.add_row(
            name,
            *(f"{value:.1f}" for value in ours[:2]),
            *(f"{value:.2f}" for value in (*ours[2:5], ours[7])),
            f"{ours[8]:.0f}",
            *(f"{value:.1f}" for value in plain[:2]),
            f"{plain[4]:.2f}",
            f"{memory[4]:.2f}",
        )
    return table


def ways_table(sites: Sites) -> Table:
    """Return the mean over the sites of each way."""
    table = Table(title=f"Mean of {len(sites)} sites")
    table.add_column("links tried")
    for name in ("size", "loaded", "with key page", "words P", "R", "F1", "nodes P", "R", "F1", "ms"):
        table.add_column(name, justify="right")
    for way in WAYS:
        size, loaded, *scores, milliseconds = means_of_sites(sites, way)
        table.add_row(
            way,
            *(f"{value:.2f}" for value in (size, loaded, loaded + 1)),
            *(f"{value:.3f}" for value in scores),
            f"{milliseconds:.1f}",
        )
    return table


def notes(sites: Sites) -> list[str]:
    """Say of which sites key pages link to no saved page, or have no two pages that link to each other."""
    lines = []
    for name, runs in sites.items():
        ours = runs["menu+links"]
        without_links = sum(page.links == 0 for page in ours)
        alone = sum(page.size < 2 and page.links > 0 for page in ours)
        if without_links:
            lines.append(f"{name}: {without_links} of {len(ours)} key pages link to no saved page")
        if alone:
            lines.append(f"{name}: {alone} of {len(ours)} key pages without mutual links")
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
    parser = new_parser("benchmarks.template", __doc__, corpora=False)
    add_sites(parser)
    parser.add_argument("--cost", action="store_true", help="time the mapping against page size")
    parser.add_argument("--jobs", metavar="N", type=int, default=1, help="processes (default 1)")
    add_json(parser, "the figures of every key page")
    options = parser.parse_args(arguments)
    if not options.corpora and not options.cost:
        parser.error("give --corpora or --cost")
    if options.cost:
        show(cost_table())
    if options.corpora:
        chosen = asked_sites(parser, options)
        sites: dict[str, Mapping[str, Sequence[Found]]] = {}
        with ProcessPoolExecutor(options.jobs) as pool:
            for site, runs in zip(chosen, pool.map(site_runs, chosen)):
                print(f"{site.name}: {len(runs.get(MEMORY, ()))} key pages", file=sys.stderr, flush=True)
                if runs:
                    sites[site.name] = runs
        show(sites_table(sites))
        show(ways_table(sites))
        for line in notes(sites):
            print(line)
        if options.json:
            options.json.write_text(json.dumps(sites), encoding="utf-8")


if __name__ == "__main__":
    main()

"""How many pages does the template of a page cost, and how good is it?

    python -m lab.papers.template --corpora FOLDER [--debian FOLDER] [--sites NAME ...] [--jobs N]

From three key pages of each saved site, and from its longest page: the vote of the pages that
``scrapy template`` loads (``vote``, our default); the paper's mapping onto the complete subdigraph in the
paper's order of links (``plain``), with the links of the menu first (``menu``), each of them also with the
pages first that loaded pages link to (``+links``, ``--way etdm`` with ``menu``); and the vote of a site
memory, which loads no page.  Key pages, loaded pages and gold: see ``lab.papers.template_runs``.

``loaded`` does not count the key page.  P, R and F1 are means over key pages, then over sites; the longest
pages have columns of their own.
Last run at 1e631aa.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from statistics import fmean

from rich.table import Table

from lab.bench.options import asked_sites, new_parser
from lab.bench.tables import report, table_of
from lab.papers.template_runs import MEMORY, ORDERS, VOTE, Found, site_runs

Runs = dict[str, list[Found]]
"""Way -> what it found of each key page of a site."""


def means_of(found: Iterable[Found], *, longest: bool) -> list[float]:
    """Return the means: size, loaded, P R F1 of words, milliseconds; [] without pages.

    longest  of the longest page, else of the key pages
    """
    rows = [
        (page.size, page.loaded, *page.words, 1000 * page.seconds)
        for page in found
        if page.longest == longest
    ]
    return [fmean(column) for column in zip(*rows)]


def ways_table(sites: Sequence[Runs]) -> Table:
    """Return the mean over the sites of each way."""
    rows = []
    for way in (VOTE, *ORDERS, MEMORY):
        of_keys, of_longest = (
            [
                fmean(column)
                for column in zip(*filter(None, (means_of(found[way], longest=longest) for found in sites)))
            ]
            for longest in (False, True)
        )
        size, loaded, *scores, milliseconds = of_keys
        rows.append(
            [
                way,
                *(f"{value:.2f}" for value in (size, loaded, loaded + 1)),
                *(f"{value:.3f}" for value in scores),
                f"{milliseconds:.1f}",
                f"{of_longest[1]:.2f}",
                *(f"{value:.3f}" for value in of_longest[2:5]),
                f"{of_longest[5]:.0f}",
            ]
        )
    heads = ["way", "size", "loaded", "with key page", "words P", "R", "F1", "ms"]
    heads += ["longest: loaded", "words P", "R", "F1", "ms"]
    title = f"Mean of {len(sites)} sites: three key pages of each, and its longest page"
    return table_of(title, heads, rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark and print its table."""
    parser = new_parser("lab.papers.template", __doc__, "--corpora --debian --sites --jobs=1 --figures")
    options = parser.parse_args(arguments)
    chosen = asked_sites(parser, options)
    sites: list[Runs] = []
    with ProcessPoolExecutor(options.jobs) as pool:
        for site, found in zip(chosen, pool.map(site_runs, chosen)):
            print(f"{site.name}: {len(found[MEMORY])} pages", file=sys.stderr, flush=True)
            sites += [found] if found[MEMORY] else []
    report({"ways": ways_table(sites)}, options.figures)


if __name__ == "__main__":
    main()

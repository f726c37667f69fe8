"""How much of saved sites is template?  Gibson, Punera & Tomkins' question, by their DOM-based algorithm.

    python -m lab.papers.template_share --corpora FOLDER [--pages 200] [--json FILE]

For each site, over its first pages: the share of the bytes of HTML (tags, scripts, comments and white
space with them), of the visible words, and of the links to other pages that stand in template nodes (see
``templcrawl.tools.whole_site.two_pass_dom``).  They found 40 to 50 % of the bytes of the web, and
about 30 % of its words and links (WWW 2005).

Cost: every page is read twice.
Last run at 1e631aa.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from statistics import fmean, median
from typing import NamedTuple

import numpy as np
from rich.table import Table

from lab.bench.options import add_figures, add_json, add_pages, new_parser
from lab.bench.saved_sites import read_sites
from lab.bench.tables import keep_tables, show
from templcrawl import Page
from templcrawl.tools.detection.separated_pages import template_amounts
from templcrawl.tools.whole_site.two_pass_dom import TwoPassDom


class Share(NamedTuple):
    """Shares of a site's bytes, words and links that are template; of how many pages."""

    bytes: float
    words: float
    links: float
    pages: int


def share_of(pages: Sequence[Page]) -> Share:
    """Return the shares of the pages of a site."""
    site = TwoPassDom()
    for page in pages:
        site.learn(page)
    amounts = [template_amounts(site.separate(page).separation) for page in pages]
    template, whole = (np.array(side).sum(axis=0) for side in zip(*amounts))
    of_bytes, of_words, of_links = (template / np.maximum(whole, 1)).tolist()
    return Share(of_bytes, of_words, of_links, len(pages))


def share_table(shares: dict[str, Share]) -> Table:
    """Return a row a site, and the mean and the median of the sites."""
    table = Table(title="Share that is template, by the DOM-based algorithm", title_justify="left")
    table.add_column("site")
    for head in ("pages", "bytes", "words", "links"):
        table.add_column(head, justify="right")
    for site, share in shares.items():
        table.add_row(site, f"{share.pages:,}", *_percents(share[:3]))
    sides = list(zip(*(share[:3] for share in shares.values())))
    table.add_row("mean of the sites", "", *_percents(map(fmean, sides)))
    table.add_row("median", "", *_percents(map(median, sides)))
    return table


def _percents(shares: Iterable[float]) -> list[str]:
    return [f"{share:.0%}" for share in shares]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the sites and print the table."""
    parser = new_parser("lab.papers.template_share", __doc__, corpora=True)
    add_pages(parser)
    add_json(parser)
    add_figures(parser)
    options = parser.parse_args(arguments)
    if options.pages < 2:
        parser.error("--pages is 2 or more")
    shares = {site.name: share_of(site.pages) for site in read_sites(options.corpora, options.pages)}
    if not shares:
        parser.error("no sites in the folder")
    show(table := share_table(shares))
    keep_tables(options.figures, {"shares": table})
    if options.json:
        figures = {site: share._asdict() for site, share in shares.items()}
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()

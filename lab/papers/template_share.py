"""How much of saved sites is template?  Gibson, Punera & Tomkins' question, by their DOM-based algorithm.

For each site, over its first pages: the share of the bytes of HTML (tags, scripts, comments and white
space with them), of the visible words, and of the links to other pages that stand in template nodes (see
``templcrawl.tools.whole_site.two_pass_dom``).  They found 40 to 50 % of the bytes of the web, and
about 30 % of its words and links (WWW 2005).

Cost: every page is read twice.
Last run at 1e631aa.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean, median

import numpy as np
from rich.table import Table

from lab.bench.options import new_parser
from lab.bench.saved_sites import read_sites
from lab.bench.tables import report, table_of
from templcrawl import Page
from templcrawl.tools.detection.separated_pages import template_amounts
from templcrawl.tools.whole_site.two_pass_dom import TwoPassDom


def shares_of(pages: Sequence[Page]) -> list[float]:
    """Return the shares of a site's bytes, words and links that are template."""
    site = TwoPassDom()
    for page in pages:
        site.learn(page)
    amounts = [template_amounts(site.separate(page)) for page in pages]
    template, whole = (np.array(side).sum(axis=0) for side in zip(*amounts))
    shares: list[float] = (template / np.maximum(whole, 1)).tolist()
    return shares


def share_table(sites: dict[str, tuple[int, list[float]]]) -> Table:
    """Return a row a site, (pages, shares), and the mean and the median of the sites."""
    rows = [[site, f"{pages:,}", *_percents(shares)] for site, (pages, shares) in sites.items()]
    sides = list(zip(*(shares for _, shares in sites.values())))
    rows.append(["mean of the sites", "", *_percents(map(fmean, sides))])
    rows.append(["median", "", *_percents(map(median, sides))])
    title = "Share that is template, by the DOM-based algorithm"
    return table_of(title, ["site", "pages", "bytes", "words", "links"], rows)


def _percents(shares: Iterable[float]) -> list[str]:
    return [f"{share:.0%}" for share in shares]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.papers.template_share", __doc__, "--corpora! --pages=200 --figures")
    options = parser.parse_args(arguments)
    if options.pages < 2:
        parser.error("--pages is 2 or more")
    read = read_sites(options.corpora, options.pages)
    if not (sites := {site.name: (len(site.pages), shares_of(site.pages)) for site in read}):
        parser.error("no sites in the folder")
    report({"shares": share_table(sites)}, options.figures)


if __name__ == "__main__":
    main()

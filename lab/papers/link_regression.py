"""Does an online regression over features of a link order a crawl better than role and directory?

    python -m lab.papers.link_regression --corpora FOLDER [--sites NAME ...] [--pages 200] [--in-flight 1 16]
                                          [--repeats 1] [--jobs 2]

Crawls as in ``lab.bench.order``: first in first out, last in first out, the default order, and the same with
the regression from a site's tenth page on.  The regression is that of the order ``targets``
(:mod:`templcrawl.algorithms.crawl_order.link_regression`), without words of the links' texts.  Its target is
the pay of a page beside the average of the site:

    t = min(4, pay(u) / (Y / N)) - 1

N pages of the site paid Y words (:mod:`templcrawl.algorithms.crawl_order.link_value`); 1 is average.

Not taken.  On 20 development sites of at most 200 pages with 16 requests in flight, half of the pages have
.718 of the content (role and directory .693), and 90 % of it takes .747 of the requests (.747).  On
docusaurus_mahout it takes .90 to .92 of them, with role and directory .61 to .80, four crawls each; with one
request in flight .41 to .52 and .46.  The matrix P is 256 KB a site, and after each page every class of links
that waits is valued again, some 4 us each.

The last run of this program, of 19 of these sites: content after 25, 50 and 75 % of the pages .429, .719 and
.888 (role and directory .383, .696, .885; first in, first out .356, .621, .829; last in, first out .364,
.616, .840).  The mean of the regression and of role and directory: .405, .698 and .884.
Last run at 5b7755d.

At 7e83d5d on the same 19 sites, another form: the same features, no P; from the twelfth page on the weights
are solved anew by twelve steps of conjugate gradients, each time that the pages have grown by an eighth.
Content after 25, 50 and 75 % of the pages; pages until 90 % of it; sites that need more of them than the
better of Scrapy's two orders, by more than .03:

    first in, first out, two crawls                          .351  .618  .829   .771    6
    last in, first out, two crawls                           .334  .609  .836   .803   10
    role and directory, two crawls                           .385  .688  .881   .727    8
    the same, once more                                      .390  .678  .882   .731    9
    regression, shape of the address in the bucket           .408  .691  .885   .734    6
    the same, beside the average of all pages learned        .396  .706  .879   .742    7
    the same, no shape in the bucket                         .400  .692  .890   .735    8
    regression on what role and directory miss, added        .413  .696  .889   .737    8

Equal to 90 % again: .92 to .93 on docusaurus_mahout (role and directory .69 to .80), .72 to .89 on
wp_semifluid (.64 to .66). A fit takes .1 ms for ten pages, .3 ms for 200, where P took .1 ms a page. With
pages of 6 KB the CPU of a crawl beside Scrapy's is 1.36 with it and 1.34 with role and directory (150
pages), 1.45 and 1.39 (600 pages); medians of five rounds on a busy machine. In the order ``targets`` this
form, with 512 slots and six words of the links' texts, needs .567 of the pages until 90 % of a wanted
type, .75 of first in, first out (80 types, 29 sites; .552 and .73 with P, 256 slots and four words).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from lab.bench.options import add_in_flight, add_jobs, add_pages, add_sites, asked_sites, new_parser
from lab.bench.order.crawls import ORDERS, Order
from lab.bench.order.runs import crawl_site, in_processes
from lab.bench.order.tables import behind_lines, content_tables
from lab.bench.tables import show
from templcrawl.algorithms.crawl_order.link_regression import LinkRegression, link_features
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.site_links import LinkClasses, SiteLinks
from templcrawl.page.page import Page

FIRST_PAGE = 10

_TOP = 4.0


class RegressionLinks(SiteLinks):
    """The links of a site, valued by the regression from its tenth page on."""

    def __init__(self, options: MemoryOptions) -> None:
        super().__init__(options)
        self._urls: dict[int, str] = {}
        self._pages = 0
        self._model = LinkRegression()

    def credit_classes(self, page: Page, *, pays: bool, leads_on: bool) -> int:
        """Learn what a page has paid, too."""
        before = self._pay._site[1]
        credited = super().credit_classes(page, pays=pays, leads_on=leads_on)
        self._pages += 1
        if self._pages >= FIRST_PAGE:
            features = link_features(page.url, tuple(self._links.roles(page.key)))
            pay, mean = self._pay._site[1] - before, self._pay.mean
            self._model.update(features, min(_TOP, pay / mean) - 1.0 if mean > 0 else 0.0)
        return credited

    def classes(self, url: str) -> LinkClasses:
        """Return the classes of a link; its address is stored for its features."""
        classes = super().classes(url)
        self._urls[classes.target] = url
        return classes

    def value(self, link: LinkClasses) -> float:
        """Return the predicted value of a link."""
        if self._pages < FIRST_PAGE:
            return super().value(link)
        return self._model.value(
            link_features(self._urls[link.target], tuple(self._links.roles(link.target)))
        )


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the crawls and print their tables."""
    parser = new_parser("lab.papers.link_regression", __doc__, corpora=False)
    add_sites(parser)
    add_in_flight(parser)
    add_pages(parser)
    parser.add_argument("--repeats", type=int, default=1, help="crawls with several in flight")
    add_jobs(parser, 2)
    options = parser.parse_args(arguments)
    orders = {name: ORDERS[name] for name in ("fifo", "lifo", "adaptive")}
    patches = {**orders["adaptive"].patches, "templcrawl.memory.site.SiteLinks": RegressionLinks}
    orders["regression"] = Order(orders["adaptive"].settings, patches)
    task: Any = partial(
        crawl_site, limit=options.pages, in_flight=options.in_flight, orders=orders, repeats=options.repeats
    )
    sites = asked_sites(parser, options, ())
    figures = [one for of_site in in_processes(task, sites, options.jobs) for one in of_site]
    for _, table in content_tables(figures):
        show(table)
    for line in behind_lines(figures):
        print(line)


if __name__ == "__main__":
    main()

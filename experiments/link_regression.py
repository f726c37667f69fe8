"""Does an online regression over features of a link order a crawl better than role and directory?

    python -m experiments.link_regression --corpora FOLDER [--sites NAME ...] [--pages 200] [--in-flight 1 16]
                                          [--repeats 1] [--jobs 2]

Crawls as in ``benchmarks.order``: first in first out, last in first out, the default order, and the same with
the regression from a site's tenth page on.  Each feature of a link is hashed to one of d = 256 slots of a
vector x:

    weight 1          the directory of the address, its first directory, the shape of the address
    weight 1 / roles  each role of the link, and the tag path of each role
    weight 1/2        each of the first 8 words of path and query, numbers read as 0

The *shape* of an address is the kind of its last segment, the names of its query and the number of its
segments.  When a page u arrives, its pay above the average of the site, t, corrects the weights w by
recursive least squares:

    t = min(4, pay(u) / (Y / N)) - 1
    g = P x;   k = x . g + 3;   w += g (t - w . x) / k;   P -= g g' / k          w = 0, P = I at first

The value of a link is 1 + w . x; 1 is the average.  N pages of the site paid Y words
(:mod:`templcrawl.algorithms.crawl_order.link_value`).  This is ridge regression with penalty 3 on all pages
so far, solved anew after each page.

Not taken.  On 20 development sites of at most 200 pages with 16 requests in flight, half of the pages have
.718 of the content (role and directory .693), and 90 % of it takes .747 of the requests (.747).  On
docusaurus_mahout it takes .90 to .92 of them, with role and directory .61 to .80, four crawls each; with one
request in flight .41 to .52 and .46.  The matrix P is 256 KB a site.

Sources: recursive least squares after Haykin, "Adaptive Filter Theory", chapter 10; hashed features after
Weinberger et al., "Feature Hashing for Large Scale Multitask Learning" (ICML 2009), without their signs.
Cost: O(d^2) a page that is learned, some 50 us; O(features) a link.
Last run at 7f31b2a.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from benchmarks.options import add_sites, asked_sites, new_parser
from benchmarks.order.crawls import ORDERS, Order
from benchmarks.order.runs import crawl_site, in_processes
from benchmarks.order.tables import behind_lines, content_tables
from benchmarks.tables import show
from templcrawl.algorithms.crawl_order.roles import role_of
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.site_links import LinkClasses, SiteLinks
from templcrawl.page.ancestors import MASK, MIX
from templcrawl.page.encoding import text_key
from templcrawl.page.page import Page

SLOTS = 256
MOST_WORDS = 8
FIRST_PAGE = 10

_NOISE = 3.0
_TOP = 4.0
_WORD_WEIGHT = 0.5
_SHIFT = 64 - (SLOTS - 1).bit_length()
_NUMBER = re.compile(r"\d+")
_WORDS = re.compile(r"[^\W_]+")

Vector = npt.NDArray[np.float32]


class Features(NamedTuple):
    """The features of a link, sparse: slots, and the weight in each; a slot that is named twice adds up."""

    slots: npt.NDArray[np.intp]
    weights: Vector


@lru_cache(maxsize=4_096)
def link_features(url: str, roles: tuple[int, ...]) -> Features:
    """Return the features of a link; those of the latest links are kept, since they are valued again.

    url    where it leads
    roles  its roles

    >>> first, second = (link_features(f"http://x.org/blog/{number}.html", (7,)) for number in (4, 5))
    >>> first.slots.tolist() == second.slots.tolist()
    True
    """
    names = _address_names(url)
    words = _WORDS.findall(_NUMBER.sub("0", "".join(_path_and_query(url)).lower()))[:MOST_WORDS]
    keys = [text_key(name) for name in (*names, *(f"word {word}" for word in words))]
    weights = [1.0] * len(names) + [_WORD_WEIGHT] * len(words)
    for role in roles:
        keys += role, (role ^ role_of(0, url)) + 1
        weights += [1.0 / len(roles)] * 2
    slots = [(key * MIX & MASK) >> _SHIFT for key in keys]
    return Features(np.array(slots, dtype=np.intp), np.array(weights, dtype=np.float32))


def _path_and_query(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.path, parts.query and f"?{parts.query}"


def _address_names(url: str) -> tuple[str, str, str]:
    """Return the names of the directory of an address, of its first directory and of its shape."""
    path, query = _path_and_query(url)
    *directories, last = _NUMBER.sub("0", path).split("/")
    names = sorted({part.partition("=")[0] for part in query[1:].split("&")})
    shape = f"shape {_segment_kind(last)} {len(directories)} {'&'.join(names)}"
    return f"directory {'/'.join(directories)}", f"first {'/'.join(directories[:2])}", shape


def _segment_kind(segment: str) -> str:
    """Return the kind of the last segment of a path: what follows its last dot, or what it is made of.

    >>> [_segment_kind(segment) for segment in ("", "0", "page.html", "tea-0", "tea-and-milk", "tea")]
    ['', '0', '.html', 'word 0', 'words', 'word']
    """
    stem, dot, extension = segment.rpartition(".")
    if stem and dot and len(extension) <= 5:
        return f".{extension.lower()}"
    if not segment or segment == "0":
        return segment
    return "word 0" if "0" in segment else "words" if "-" in segment or "_" in segment else "word"


class LinkRegression:
    """The regression of one site.

    weights     w
    covariance  P

    >>> regression, tea = LinkRegression(), link_features("http://x.org/tea", (7,))
    >>> regression.value(tea)
    1.0
    >>> for _ in range(9):
    ...     regression.learn(tea, 300, 100.0)
    >>> regression.value(tea) > 2
    True
    """

    def __init__(self) -> None:
        self.weights: Vector = np.zeros(SLOTS, dtype=np.float32)
        self.covariance: npt.NDArray[np.float32] = np.eye(SLOTS, dtype=np.float32)

    def value(self, features: Features) -> float:
        """Return the predicted value of a link; 1 is the average of the site."""
        return 1.0 + float(self.weights[features.slots] @ features.weights)

    def learn(self, features: Features, pay: int, mean: float) -> None:
        """Learn what the page paid that a link with these features led to.

        mean  words that a page of the site pays on average, this one included; nothing is learned if it is 0
        """
        if mean <= 0:
            return
        x: Vector = np.zeros(SLOTS, dtype=np.float32)
        np.add.at(x, features.slots, features.weights)
        gain = self.covariance @ x
        scale = max(0.0, float(x @ gain)) + _NOISE
        error = min(_TOP, pay / mean) - 1.0 - float(self.weights @ x)
        self.weights += gain * np.float32(error / scale)
        self.covariance -= np.outer(gain, gain / np.float32(scale))


class RegressionLinks(SiteLinks):
    """The links of a site, valued by the regression from its tenth page on."""

    def __init__(self, options: MemoryOptions) -> None:
        super().__init__(options)
        self._urls: dict[int, str] = {}
        self._pages = 0
        self._regression = LinkRegression()

    def credit_classes(self, page: Page, *, pays: bool) -> None:
        """Learn what a page has paid, too."""
        before = self._pay._site[1]
        super().credit_classes(page, pays=pays)
        self._pages += 1
        if self._pages >= FIRST_PAGE:
            features = link_features(page.url, tuple(self._links.roles(page.key)))
            self._regression.learn(features, self._pay._site[1] - before, self._pay.mean)

    def classes(self, url: str) -> LinkClasses:
        """Return the classes of a link; its address is stored for its features."""
        classes = super().classes(url)
        self._urls[classes.target] = url
        return classes

    def value(self, link: LinkClasses) -> float:
        """Return the predicted value of a link."""
        if self._pages < FIRST_PAGE:
            return super().value(link)
        return self._regression.value(
            link_features(self._urls[link.target], tuple(self._links.roles(link.target)))
        )


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the crawls and print their tables."""
    parser = new_parser("experiments.link_regression", __doc__, corpora=False)
    add_sites(parser)
    parser.add_argument("--in-flight", nargs="+", type=int, default=[1, 16], help="requests in flight")
    parser.add_argument("--pages", type=int, default=200, help="pages of a site")
    parser.add_argument("--repeats", type=int, default=1, help="crawls with several in flight")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
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

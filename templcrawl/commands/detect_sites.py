"""What ``scrapy detect --method dom|text|mdl`` has found: how much of each site is template.

These methods read the HTML of every page twice, so the pages must have been kept.  The JSON has the keys of
:mod:`templcrawl.commands.detect_report` that make sense here: ``format``, ``input``, ``capped``,
``unreadable``, ``method``, ``overall`` and ``hosts``, with the same shares.

Cost: constant time a page.  Memory: that of :class:`~templcrawl.commands.strippers.BySite`, and eight
numbers a site.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import numpy.typing as npt

from templcrawl.algorithms.detectors.template_amounts import template_amounts
from templcrawl.commands.base import refuse
from templcrawl.commands.output import STDOUT, input_json, tell_unreadable, write_json
from templcrawl.commands.strip import each_page
from templcrawl.commands.strippers import BySite
from templcrawl.commands.tables import show_table, write
from templcrawl.page.page import Page
from templcrawl.readers.choice import open_pages
from templcrawl.readers.shape import Reader

FORMAT = 1


def detect_sites(source: str, opts: argparse.Namespace) -> None:
    """Read the pages and write the shares of their sites.  Raises UsageError if there are no pages."""
    reader = open_pages(source)
    shares = SiteShares(reader, opts.method)
    tell_unreadable(reader.unreadable, reader.capped)
    if not shares.hosts:
        refuse(f"no pages in {source}")
    if opts.json:
        write_json(shares.as_json(source, reader), opts.json)
    if opts.json != STDOUT:
        shares.show(opts.top)


class SiteShares:
    """The shares of every site of a reader's pages.

    method  key of ``SITE_DETECTORS``
    """

    def __init__(self, reader: Reader, method: str) -> None:
        self.method = method
        self._sums: dict[str, npt.NDArray[np.int64]] = {}
        self._sites = BySite(method)
        try:
            each_page(reader, self._sites.learn)
            each_page(reader, self._add)
        finally:
            self._sites.close()

    def _add(self, page: Page) -> None:
        """Count a page: pages, with template, and of HTML, words and links (template, all)."""
        template, whole = template_amounts(self._sites.separate(page))
        pairs = [number for pair in zip(template, whole) for number in pair]
        one = np.array([1, template.words > 0, *pairs], dtype=np.int64)
        self._sums[page.host] = self._sums.get(page.host, np.zeros_like(one)) + one

    @property
    def overall(self) -> dict[str, Any]:
        """The shares of all sites together."""
        return _shares(sum(self._sums.values(), start=np.zeros(8, dtype=np.int64)))

    @property
    def hosts(self) -> list[dict[str, Any]]:
        """The shares of each site, the largest first."""
        found = [{"host": host, **_shares(sums)} for host, sums in self._sums.items()]
        return sorted(found, key=lambda one: (-one["pages"], one["host"]))

    def show(self, top: int) -> None:
        """Write the table of the largest ``top`` sites."""
        overall, hosts = self.overall, self.hosts
        write(f"pages: {overall['pages']:,}, hosts: {len(hosts):,}\n")
        head = ["pages", "with template", "HTML", "words", "links", "host"]
        rows = [[*_row(shares), shares["host"]] for shares in hosts[:top]]
        rows.append([*_row(overall), "all"])
        show_table(f"\nShare that is template, by {self.method}", head, rows, numbers=5)

    def as_json(self, source: str, reader: Reader) -> dict[str, Any]:
        """Return it as plain values."""
        return {
            "format": FORMAT,
            **input_json(source, reader),
            "method": self.method,
            "overall": self.overall,
            "hosts": self.hosts,
        }


def _shares(sums: npt.NDArray[np.int64]) -> dict[str, Any]:
    pages, template_pages, of_html, html, of_words, words, of_links, links = sums.tolist()
    return {
        "pages": pages,
        "template_pages": template_pages,
        "template_page_share": template_pages / max(pages, 1),
        "html_share": of_html / max(html, 1),
        "word_share": of_words / max(words, 1),
        "link_share": of_links / max(links, 1),
    }


def _row(shares: dict[str, Any]) -> list[str]:
    names = ("template_page_share", "html_share", "word_share", "link_share")
    return [f"{shares['pages']:,}", *(f"{shares[name]:.0%}" for name in names)]

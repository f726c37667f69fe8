"""The report of ``scrapy detect``, as tables and as JSON.

The JSON is one object::

    format       version of this schema: 1
    input        what was read
    method, engine
    unreadable   {"count": n, "first": [{"name": ..., "reason": ...}, ...]}, what was left out, the first ten
    overall      shares of all sites together
    host_count   how many sites there are
    hosts        one for each of the largest sites (``--top``): its shares, and "host"; the table
                 ``host_shares`` that is written has all sites

of local and global::

    duplicates   pages left out because they repeat another page
    templates, template_pagelets   rows of the two tables
    largest      the templates on the most pages: {"pages", "hosts", "pagelets", "tag_path", "links", "text"}

of dom, text and mdl::

    capped       pages of which only a part was read, since they are too large
    separated_pages, template_paths   rows of the tables, the second of mdl only

Shares are those of the pages that are no duplicates (dom, text, mdl: of all pages)::

    pages, template_pages, template_page_share   the last: share of pages with template pagelets (Table 2),
                                                 of dom, text and mdl with visible words of a template
    html_share, word_share, link_share           the share of template in their HTML, words and links
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from templcrawl.outputs.archive.parts import Archive
from templcrawl.page.records import Unreadable
from templcrawl.tools.commands.output import unreadable_json
from templcrawl.tools.commands.terminal import printable, show_table, write
from templcrawl.tools.detection.separated_pages import SEPARATED_PAGES, SITE_TABLES, TEMPLATE_PATHS
from templcrawl.tools.detection.template_tables import TEMPLATE_PAGELETS, TEMPLATES, sql_text
from templcrawl.tools.engines.engine import Engine

FORMAT = 1
_SHOWN = 60
_LARGEST = ("pages", "hosts", "pagelets", "tag_path", "links", "text")
_LARGEST_NUMBERS = ("pages", "hosts", "links")
_OF_PAGELETS = (
    ", repeats left out: {duplicates:,}\n"
    "{method} templates: {templates:,}, with {template_pagelets:,} pagelets\n"
)
_OF_PATHS = "\npaths in templates: {template_paths:,}\n"


class DetectReport:
    """The results of an engine, read from its tables.

    unreadable  what was left out
    top         rows of a table
    """

    def __init__(self, engine: Engine, method: str, unreadable: Unreadable, *, top: int) -> None:
        self.method = method
        self.engine = engine.name
        self.unreadable = unreadable
        self.top = top
        self.counts = _counts(engine, SITE_TABLES.get(method, ("duplicates", TEMPLATES, TEMPLATE_PAGELETS)))
        _, *overall = engine.rows("SELECT * FROM overall_shares")[0]
        self.overall = _shares(overall)
        self.host_count = engine.rows("SELECT count(*) FROM host_shares")[0][0]
        by_host = engine.rows(f"SELECT * FROM host_shares ORDER BY pages DESC, host LIMIT {top}")
        self.hosts = [{"host": host, **_shares(sums)} for host, *sums in by_host]
        self.largest: list[dict[str, Any]] | None = None
        if TEMPLATES in self.counts:
            rows = engine.rows(sql_text("largest_templates").format(top=top))
            self.largest = [dict(zip(_LARGEST, row)) for row in rows]

    def show(self) -> None:
        """Write the tables."""
        overall = self.overall
        pages = f"pages: {overall['pages']:,}, hosts: {self.host_count:,}"
        counted = _OF_PAGELETS if TEMPLATES in self.counts else "\n"
        counted = _OF_PATHS if TEMPLATE_PATHS in self.counts else counted
        write(pages + counted.format(method=self.method, **self.counts))
        head = ["pages", "with template", "HTML", "words", "links", "host"]
        rows = [[*_row(shares), shares["host"]] for shares in self.hosts]
        rows.append([*_row(overall), "all"])
        show_table(f"\nShare that is template, by {self.method}", head, rows, numbers=5)
        if self.largest is not None:
            rows = [
                [
                    *(f"{template[name]:,}" for name in _LARGEST_NUMBERS),
                    template["tag_path"],
                    _start(template["text"]),
                ]
                for template in self.largest
            ]
            head = [*_LARGEST_NUMBERS, "tag path", "text"]
            show_table("\nLargest templates", head, rows, numbers=len(_LARGEST_NUMBERS))

    def as_json(self, source: str) -> dict[str, Any]:
        """Return it as the plain values of its schema."""
        answer = {
            "format": FORMAT,
            "input": source,
            "method": self.method,
            "engine": self.engine,
            "unreadable": unreadable_json(self.unreadable),
            **self.counts,
            "overall": self.overall,
            "host_count": self.host_count,
            "hosts": self.hosts,
        }
        return answer if self.largest is None else {**answer, "largest": self.largest}


def unreadable_parts(archive: Archive) -> Unreadable:
    """Return which parts of an archive are left out."""
    unreadable = Unreadable()
    for name, reason in archive.unreadable:
        unreadable.add(name, reason)
    return unreadable


def _counts(engine: Engine, tables: Sequence[str]) -> dict[str, int]:
    """Return how many rows tables have, and how many pages were read in part."""
    counts = {table: engine.rows(f"SELECT count(*) FROM {table}")[0][0] for table in tables}
    if SEPARATED_PAGES in tables:
        counts["capped"] = engine.rows(f"SELECT count(*) FROM {SEPARATED_PAGES} WHERE truncated")[0][0]
    return counts


def _shares(sums: Sequence[int | None]) -> dict[str, Any]:
    pages, template_pages, html, of_html, words, of_words, links, of_links = (amount or 0 for amount in sums)
    return {
        "pages": pages,
        "template_pages": template_pages,
        "template_page_share": _share(template_pages, pages),
        "html_share": _share(of_html, html),
        "word_share": _share(of_words, words),
        "link_share": _share(of_links, links),
    }


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _row(shares: dict[str, Any]) -> list[str]:
    names = ("template_page_share", "html_share", "word_share", "link_share")
    return [f"{shares['pages']:,}", *(f"{shares[name]:.0%}" for name in names)]


def _start(text: str) -> str:
    shown = printable(text)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."

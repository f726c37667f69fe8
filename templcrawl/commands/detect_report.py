"""What ``scrapy detect`` has found, as tables and as JSON.

The JSON is one object::

    format       version of this schema: 1
    input        archive that was read
    method, engine
    unreadable   {"count": n, "first": [{"name": ..., "reason": ...}, ...]}, parts left out, the first ten
    duplicates   pages left out because they repeat another page
    templates, template_pagelets   rows of the two tables
    overall      shares of all sites together
    hosts        one for each site, the largest first: its shares, and "host"
    largest      the templates on the most pages: {"pages", "hosts", "pagelets", "tag_path", "links", "text"}

Shares are those of the pages that are no duplicates::

    pages, template_pages, template_page_share   the last: share of pages that own template pagelets (Table 2)
    html_share, word_share, link_share           what of their HTML, words and links is in template pagelets
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from templcrawl.archive.parts import Archive
from templcrawl.commands.tables import printable, show_table, write
from templcrawl.detection.sql_texts import sql_text
from templcrawl.engines.shape import Engine

FORMAT = 1
_FIRST = 10
_SHOWN = 60
_LARGEST = ("pages", "hosts", "pagelets", "tag_path", "links", "text")


class DetectReport:
    """What an engine has found, read from its tables.

    top  rows of a table
    """

    def __init__(self, engine: Engine, method: str, *, top: int) -> None:
        self.method = method
        self.engine = engine.name
        self.top = top
        self.counts = {
            table: engine.rows(f"SELECT count(*) FROM {table}")[0][0]
            for table in ("duplicates", "templates", "template_pagelets")
        }
        _, *overall = engine.rows("SELECT * FROM overall_shares")[0]
        self.overall = _shares(overall)
        by_host = engine.rows("SELECT * FROM host_shares ORDER BY pages DESC, host")
        self.hosts = [{"host": host, **_shares(sums)} for host, *sums in by_host]
        rows = engine.rows(sql_text("largest_templates").format(top=top))
        self.largest = [dict(zip(_LARGEST, row)) for row in rows]

    def show(self) -> None:
        """Write the tables."""
        overall, counts = self.overall, self.counts
        write(
            f"pages: {overall['pages']:,}, hosts: {len(self.hosts):,}, repeats left out: "
            f"{counts['duplicates']:,}\n{self.method} templates: {counts['templates']:,}, "
            f"with {counts['template_pagelets']:,} pagelets\n"
        )
        head = ["pages", "with template", "HTML", "words", "links", "host"]
        rows = [[*_row(shares), shares["host"]] for shares in self.hosts[: self.top]]
        rows.append([*_row(overall), "all"])
        show_table("\nShare that is template", head, rows, numbers=5)
        rows = [
            [
                f"{one['pages']:,}",
                f"{one['hosts']:,}",
                f"{one['links']:,}",
                one["tag_path"],
                _start(one["text"]),
            ]
            for one in self.largest
        ]
        show_table("\nLargest templates", ["pages", "hosts", "links", "tag path", "text"], rows, numbers=3)

    def as_json(self, source: str, archive: Archive) -> dict[str, Any]:
        """Return it as the plain values of its schema."""
        first = [{"name": name, "reason": reason} for name, reason in archive.unreadable[:_FIRST]]
        return {
            "format": FORMAT,
            "input": source,
            "method": self.method,
            "engine": self.engine,
            "unreadable": {"count": len(archive.unreadable), "first": first},
            **self.counts,
            "overall": self.overall,
            "hosts": self.hosts,
            "largest": self.largest,
        }


def _shares(sums: Sequence[int | None]) -> dict[str, Any]:
    pages, template_pages, html, of_html, words, of_words, links, of_links = (one or 0 for one in sums)
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

"""What ``scrapy rank`` has found, as tables and as JSON.

The JSON is one object; what was not asked for is null::

    format       version of this schema: 1
    input        path that was read
    pages, hosts, duplicates   ranked over, and left out because they repeat another page
    capped       pages that were read in part
    unreadable   {"count": n, "first": [{"name": ..., "reason": ...}, ...]}, the first ten
    query        with --query
        query, version
        root_set, base_set     pages in each
        pagelets               pagelets of the base set that link to another page of it
        template_pagelets      how many of these are template
        template_pages         share of the base set's pages that own template pagelets
        results                best first, each
            url, title
            score              as an authority; all squares of the base set's scores add up to 1
            hubs               the strongest that link to it: {"url", "score", "anchors"}
    like         with --like
        url
        results                most like it first: {"url", "title", "score", "together"}; together says how
                               many pages cite both within a pagelet
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from templcrawl.algorithms.ranking.authority_ranking import Hub, RankedPage, rank_pages
from templcrawl.algorithms.ranking.co_citation import CoCited, co_citation
from templcrawl.algorithms.ranking.pagelet_graph import VERSIONS
from templcrawl.commands.terminal_tables import printable, show_table, write
from templcrawl.ranking.page_database import PageDatabase
from templcrawl.wording import counted

FORMAT = 1


class QueryReport:
    """The authorities of a query.  Raises InvalidOption, MissingExtra."""

    def __init__(
        self, database: PageDatabase, query: str, version: str, *, top: int, between_hosts: bool
    ) -> None:
        self.query = query
        self.version = version
        self._database = database
        self._by_pagelet = VERSIONS[version].by_pagelet
        self.base = database.base_set(query)
        ranked = rank_pages(self.base.links, version, between_hosts=between_hosts, top=top)
        self.results = list(map(self._result, ranked))

    def _result(self, ranked: RankedPage) -> dict[str, Any]:
        number = self.base.pages[ranked.page]
        page = self._database.page(number)
        hubs = [self._hub(hub, number) for hub in ranked.hubs]
        return {"url": page.url, "title": page.title, "score": ranked.score, "hubs": hubs}

    def _hub(self, hub: Hub, target: int) -> dict[str, Any]:
        database, by_pagelet = self._database, self._by_pagelet
        number = (self.base.pagelets if by_pagelet else self.base.pages)[hub.number]
        page = database.pagelet_page(number) if by_pagelet else number
        anchors = database.anchors(number, target, by_pagelet=by_pagelet)
        return {"url": database.page(page).url, "score": hub.score, "anchors": anchors}

    def show(self) -> None:
        """Write the table."""
        base = self.base
        write(f'\nQuery "{printable(self.query)}", {self.version}: ')
        if not base.pages:
            write("no page holds it\n")
            return
        pages = counted(len(base.pages), "page")
        write(f"{pages} in the base set, {base.templated:,} with template pagelets\n")
        if not self.results:
            write("No page is ranked: this version leaves no links between them.\n")
            return
        rows = []
        for result in self.results:
            best, *others = result["hubs"]
            rows.append([f"{result['score']:.4f}", result["url"], result["title"], *_hub_row(best)])
            rows += [["", "", "", *_hub_row(hub)] for hub in others]
        show_table("Authorities", ["score", "page", "title", "hub", "anchor texts"], rows, numbers=1)

    def as_json(self) -> Any:
        """Return it as the plain values of its schema."""
        pagelets = self.base.links.pagelets
        pages = len(self.base.pages)
        return {
            "query": self.query,
            "version": self.version,
            "root_set": self.base.root,
            "base_set": pages,
            "pagelets": len(pagelets),
            "template_pagelets": sum(pagelet.is_template for pagelet in pagelets),
            "template_pages": self.base.templated / pages if pages else 0.0,
            "results": self.results,
        }


def _hub_row(hub: dict[str, Any]) -> Sequence[str]:
    return hub["url"], " | ".join(anchor for anchor in hub["anchors"] if anchor)


class LikeReport:
    """The pages most like a page.

    number  of the page in the database
    """

    def __init__(
        self, database: PageDatabase, number: int, *, top: int, between_hosts: bool, page_weight: float
    ) -> None:
        self.url = database.page(number).url
        self._database = database
        citing = database.citing_pagelets(number, between_hosts=between_hosts)
        ranked = co_citation(number, citing, page_weight=page_weight)
        self.results = list(map(self._result, ranked[:top]))

    def _result(self, cited: CoCited) -> dict[str, Any]:
        page = self._database.page(cited.page)
        return {"url": page.url, "title": page.title, "score": cited.score, "together": cited.together}

    def show(self) -> None:
        """Write the table."""
        if not self.results:
            write(f"\nNothing is cited beside {printable(self.url)}, templates aside.\n")
            return
        rows = [
            [f"{result['score']:g}", str(result["together"]), result["url"], result["title"]]
            for result in self.results
        ]
        show_table(f"\nCited beside {self.url}", ["score", "together", "page", "title"], rows, numbers=2)

    def as_json(self) -> Any:
        """Return it as the plain values of its schema."""
        return {"url": self.url, "results": self.results}

"""The spider of ``scrapy tables --spider``: a callback for each page type, an XPath for each column.

It is plain Scrapy.  Its first callback yields the item of the type of which a page has most columns, then
follows the links.

parsel, by which the spider will select, reads a page otherwise than the tables do where its HTML is broken.
So each XPath is put before parsel on the first pages of its type, and a comment beside it in the spider
says on how many of them it selects another value than the table has.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from inspect import getsource
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urljoin, urlsplit

from parsel import Selector

from templcrawl.algorithms.columns.names import free_name
from templcrawl.page.page import Page
from templcrawl.page.text import storable
from templcrawl.tools.commands import spider_texts

if TYPE_CHECKING:
    from templcrawl.algorithms.columns.values import Column
    from templcrawl.outputs.type_tables import TypeTable

_ODD = re.compile(r"[^0-9a-z]+")
_SPIDER = '''"""A spider that yields the columns of each page type, made by ``scrapy tables --spider``."""

import re

from lxml.etree import iterwalk
from scrapy import Spider
from scrapy.linkextractors import LinkExtractor

{helpers}

class TablesSpider(Spider):
    name = "tables"
    allowed_domains = {hosts!r}
    start_urls = {urls!r}

    def parse(self, response):
        items = [{calls}]
        item = max(items, key=lambda item: sum(map(bool, item.values())))
        if 3 * sum(map(bool, item.values())) > len(item) + 2:
            yield item
        for found in LinkExtractor().extract_links(response):
            yield response.follow(found)
'''


class SelectorCheck:
    """Puts the selectors of tables before parsel, on some of their pages.

    pages    table -> pages on which its selectors were tried
    differs  (table, column) -> pages on which parsel selects another value than the table has
    """

    def __init__(self) -> None:
        self.pages: Counter[str] = Counter()
        self.differs: Counter[tuple[str, str]] = Counter()

    def check(self, page: Page, table: TypeTable, rows: Sequence[Mapping[str, Any]]) -> None:
        """Try the selectors of a table on a page.

        rows  those that the table has of the page
        """
        self.pages[table.name] += 1
        whole = Selector(storable(page.text))
        parts = whole.xpath(table.columns.xpath) if table.rows else [whole]
        for column in table.columns.columns:
            if not column.xpath:
                continue
            found = [values for part in parts if (values := selected(part, column, page.base_url))]
            known = [row[column.name] for row in rows if column.name in row]
            if found != [values if column.many else [values] for values in known]:
                self.differs[table.name, column.name] += 1

    def comment(self, table: str, column: str) -> str:
        """Return the comment behind the line of a column, "" for one whose selector holds."""
        count = self.differs[table, column]
        return f"  # on {count} of {self.pages[table]} pages not what the table has" if count else ""


def selected(part: Selector, column: Column, base: str) -> list[str]:
    """Return what the spider takes of a page, or of a record, for a column.

    base  what relative links start from
    It is at most one text unless the column has many.
    """
    but, take = tuple(column.fixed), cast("Callable[..., list[str]]", spider_texts.texts)
    if column.attribute:
        found = [urljoin(base, address) for address in take(part, column.xpath, but=but)]
    else:
        found = take(part, column.xpath, column.regex or "(.+)", but)
    if column.joined:
        found = [" ".join(found)] if found else []
    found = [storable(one) for one in found]
    return found if column.many else found[:1]


def spider_of(described: Mapping[str, Any], check: SelectorCheck | None = None) -> str:
    """Return the text of the spider of some tables.

    described  what ``columns.json`` says of them
    check      how their selectors fared; None: they were not tried
    """
    check = check or SelectorCheck()
    types: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for table in described["tables"]:
        types.setdefault((table["host"], table["page_type"]), []).append(table)
    names: list[str] = []
    for _, page_type in types:
        name = f"parse_{_ODD.sub('_', page_type.lower()).strip('_') or 'page'}"
        names.append(free_name(name, "", names))
    hosts = sorted({urlsplit(f"//{host}").hostname or host for host, _ in types})
    urls = [tables[0]["example"] for tables in types.values() if tables[0]["example"]]
    calls = ", ".join(f"self.{name}(response)" for name in names) or "{}"
    lines = [line for name, tables in zip(names, types.values()) for line in _callback(name, tables, check)]
    helpers = getsource(spider_texts).partition("iterwalk\n")[2].strip()
    return _SPIDER.format(helpers=helpers, hosts=hosts, urls=urls, calls=calls) + "".join(lines)


def _callback(name: str, tables: Sequence[Mapping[str, Any]], check: SelectorCheck) -> Iterator[str]:
    """Yield the lines of a callback."""
    yield f'\n    def {name}(self, response):\n        return {{\n            "url": response.url,\n'
    taken = {"url"}
    for table in tables:
        said = {column["name"]: check.comment(table["table"], column["name"]) for column in table["columns"]}
        if table["records"] is None:
            for column in filter(_is_selected, table["columns"]):
                yield f"            {_entry(column, 'response')},{said[column['name']]}\n"
            taken |= {column["name"] for column in table["columns"]}
        else:
            rows = free_name(table["rows_name"], "", taken)
            taken.add(rows)
            yield f"            {rows!r}: [\n                {{\n"
            for column in filter(_is_selected, table["columns"]):
                yield f"                    {_entry(column, 'row')},{said[column['name']]}\n"
            yield "                }\n"
            yield f"                for row in response.xpath({table['records_xpath']!r})\n            ],\n"
    yield "        }\n"


def _is_selected(column: Mapping[str, Any]) -> bool:
    """Return whether a column has a selector; what pages only declare has none."""
    return bool(column["xpath"])


def _entry(column: Mapping[str, Any], part: str) -> str:
    method = (
        "joined("
        if column["joined"]
        else (
            f"link{'s' * column['many']}(response, "
            if column["attribute"]
            else f"text{'s' * column['many']}("
        )
    )
    regex = f", {column['regex']!r}" if column["regex"] else ""
    but = f", but={column['fixed']!r}" if column["fixed"] else ""
    return f"{column['name']!r}: {method}{part}, {column['xpath']!r}{regex}{but})"

"""The spider of ``scrapy tables --spider``: a callback for each page type, an XPath for each column.

It is plain Scrapy.  Its first callback yields the item of the type of which a page has most columns, then
follows the links.

A column has a line if its XPath gives nearly all cells that were tried (:mod:`templcrawl.outputs.selectors`);
what is left out is named by a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from inspect import getsource
from typing import Any
from urllib.parse import urlsplit

from templcrawl.algorithms.columns.candidates import HREF, SRC
from templcrawl.algorithms.columns.flat_records import FLAT
from templcrawl.algorithms.columns.names import free_name
from templcrawl.algorithms.columns.separators import trimmed
from templcrawl.outputs import spider_texts

MIN_HOLDS = 0.93  # of the cells of a column: those that its selector gives, 15 of 16
_IMPORTED = "import trimmed\n"  # ends the imports of the helpers
_ODD = re.compile(r"[^0-9a-z]+")
_SPIDER = '''"""A spider that yields the columns of each page type, made by ``scrapy tables --spider``."""

import re
from copy import deepcopy
from itertools import chain

from lxml.etree import iterwalk
from parsel import Selector
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


def spider_of(described: Mapping[str, Any]) -> str:
    """Return the text of the spider of some tables.

    described  what ``columns.json`` says of them
    """
    types: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for table in described["tables"]:
        for page_type in table["page_types"]:
            types.setdefault((table["host"], page_type), []).append(table)
    names: list[str] = []
    for tables in types.values():
        tables.sort(key=lambda table: table["records"] is not None)
        names.append(free_name(f"parse_{_ODD.sub('_', tables[0]['table'].lower()).strip('_')}", "", names))
    hosts = sorted({urlsplit(f"//{host}").hostname or host for host, _ in types})
    urls = list(dict.fromkeys(filter(None, (tables[0]["example"] for tables in types.values()))))
    calls = ", ".join(f"self.{name}(response)" for name in names) or "{}"
    lines = [line for name, tables in zip(names, types.values()) for line in _callback(name, tables)]
    helpers = f"{getsource(trimmed)}\n\n{getsource(spider_texts).partition(_IMPORTED)[2].strip()}"
    return _SPIDER.format(helpers=helpers, hosts=hosts, urls=urls, calls=calls) + "".join(lines)


def _callback(name: str, tables: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of a callback."""
    yield f'\n    def {name}(self, response):\n        return {{\n            "url": response.url,\n'
    taken = {"url"}
    for table in tables:
        if table["records"] is None:
            yield from _entries(table["columns"], "response", " " * 12)
            taken |= {column["name"] for column in table["columns"]}
        else:
            call = "runs(response, " if table["records"].startswith(FLAT) else "response.xpath("
            rows = free_name(table["rows_name"], "", taken)
            taken.add(rows)
            yield f"            {rows!r}: [\n                {{\n"
            yield from _entries(table["columns"], "row", " " * 20)
            yield "                }\n"
            yield f"                for row in {call}{table['records_xpath']!r})\n            ],\n"
    yield "        }\n"


def _entries(columns: Sequence[Mapping[str, Any]], part: str, indent: str) -> Iterator[str]:
    """Yield the lines of columns: of one without a selector that gives nearly all of its cells a comment."""
    for column in columns:
        share = column["holds"]
        if share < MIN_HOLDS:
            yield f"{indent}# {column['name']!r}: no XPath gives what the table has\n"
        else:
            comment = f"  # {share:.0%} of the cells that were tried" if share < 1 else ""
            yield f"{indent}{_entry(column, part)},{comment}\n"


def _entry(column: Mapping[str, Any], part: str) -> str:
    method = (
        "joined("
        if column["joined"]
        else (
            f"link{'s' * column['many']}(response, "
            if column["attribute"] in (HREF, SRC)
            else f"text{'s' * column['many']}("
        )
    )
    regex = f", {column['regex']!r}" if column["regex"] else ""
    regex += f", without={column['without']!r}" if column["without"] else ""
    but = f", but={column['but']!r}" if column["but"] else ""
    return f"{column['name']!r}: {method}{part}, {column['xpath']!r}{regex}{but})"

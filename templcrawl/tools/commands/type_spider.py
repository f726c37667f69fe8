"""The spider of ``scrapy tables --spider``: a callback for each page type, an XPath for each column.

It is plain Scrapy.  Its first callback yields the item of the type of which a page has most columns, then
follows the links.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from templcrawl.algorithms.columns.names import free_name

_ODD = re.compile(r"[^0-9a-z]+")
_SPIDER = '''"""A spider that yields the columns of each page type, made by ``scrapy tables --spider``."""

import re

from scrapy import Spider
from scrapy.linkextractors import LinkExtractor


def texts(part, xpath, regex="(.+)", but=()):
    """Return what an XPath selects, with single spaces, each text once: what the regex takes of it."""
    found = {{}}
    for one in part.xpath(xpath):
        parts = one.xpath(".//text()").getall() if hasattr(one.root, "tag") else [one.get()]
        whole = " ".join(" ".join(parts).split())
        match = re.search(regex, whole)
        if match and match[1] and whole not in but:
            found[match[1]] = True
    return list(found)


def text(part, xpath, regex="(.+)", but=()):
    return next(iter(texts(part, xpath, regex, but)), None)


def links(response, part, xpath, but=()):
    return [response.urljoin(address) for address in texts(part, xpath, but=but)]


def link(response, part, xpath, but=()):
    return next(iter(links(response, part, xpath, but)), None)


class TablesSpider(Spider):
    name = "tables"
    allowed_domains = {hosts!r}
    start_urls = {urls!r}

    def parse(self, response):
        items = [{calls}]
        item = max(items, key=lambda item: sum(map(bool, item.values())))
        if any(value for name, value in item.items() if name != "url"):
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
        types.setdefault((table["host"], table["page_type"]), []).append(table)
    names: list[str] = []
    for _, page_type in types:
        name = f"parse_{_ODD.sub('_', page_type.lower()).strip('_') or 'page'}"
        names.append(free_name(name, "", names))
    hosts = sorted({urlsplit(f"//{host}").hostname or host for host, _ in types})
    urls = [tables[0]["example"] for tables in types.values() if tables[0]["example"]]
    calls = ", ".join(f"self.{name}(response)" for name in names) or "{}"
    lines = [line for name, tables in zip(names, types.values()) for line in _callback(name, tables)]
    return _SPIDER.format(hosts=hosts, urls=urls, calls=calls) + "".join(lines)


def _callback(name: str, tables: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of a callback."""
    yield f'\n    def {name}(self, response):\n        return {{\n            "url": response.url,\n'
    taken = {"url"}
    for table in tables:
        if table["records"] is None:
            yield from (f"            {_entry(column, 'response')},\n" for column in table["columns"])
            taken |= {column["name"] for column in table["columns"]}
        else:
            rows = free_name(table["table"].rpartition(".")[2], "", taken)
            taken.add(rows)
            yield f"            {rows!r}: [\n                {{\n"
            yield from (f"                    {_entry(column, 'row')},\n" for column in table["columns"])
            yield "                }\n"
            yield f"                for row in response.xpath({table['records_xpath']!r})\n            ],\n"
    yield "        }\n"


def _entry(column: Mapping[str, Any], part: str) -> str:
    method = (
        f"link{'s' * column['many']}(response, " if column["attribute"] else f"text{'s' * column['many']}("
    )
    regex = f", {column['regex']!r}" if column["regex"] else ""
    but = f", but={column['fixed']!r}" if column["fixed"] else ""
    return f"{column['name']!r}: {method}{part}, {column['xpath']!r}{regex}{but})"

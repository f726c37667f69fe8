"""The spider of ``scrapy tables --spider``: a callback for each page type, with the selectors of its columns.

Its first callback yields the item of the type of which a page has most columns, then follows the links.
It is plain Scrapy and needs nothing of this package: what it reads texts by
(:mod:`templcrawl.tools.commands.spider_texts`) stands in it.
"""

from __future__ import annotations

import inspect
import keyword
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from templcrawl.algorithms.columns.values import HREF, SRC
from templcrawl.files import whole_file
from templcrawl.tools.commands import spider_texts
from templcrawl.tools.commands.base import STDOUT

_ODD = re.compile(r"[^0-9a-z]+")
_CLASS = """

class TablesSpider(TypesSpider):
    name = "tables"
    allowed_domains = {hosts!r}
    start_urls = {urls!r}
    types = {types!r}
"""


def write_spider(target: str, described: Mapping[str, Any]) -> None:
    """Write the spider of some tables to a file, or to stdout.  Raises OSError.

    described  what ``columns.json`` says of them
    """
    text = spider_of(described)
    if target == STDOUT:
        sys.stdout.write(text)
    else:
        with whole_file(Path(target)) as file:
            file.write(text.encode("utf-8", "replace"))


def spider_of(described: Mapping[str, Any]) -> str:
    """Return the text of the spider."""
    types: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for table in described["tables"]:
        types.setdefault((table["host"], table["page_type"]), []).append(table)
    names: dict[tuple[str, str], str] = {}
    for key in types:
        name = f"parse_{_ODD.sub('_', key[1].lower()).strip('_') or 'page'}"
        while name in names.values() or keyword.iskeyword(name):
            name += "_"
        names[key] = name
    hosts = sorted({urlsplit(f"//{host}").hostname or host for host, _ in types})
    urls = [tables[0]["example"] for tables in types.values() if tables[0]["example"]]
    types_of = tuple(names.values())
    head = inspect.getsource(spider_texts) + _CLASS.format(hosts=hosts, urls=urls, types=types_of)
    return head + "".join(line for key, tables in types.items() for line in _callback(names[key], tables))


def _callback(name: str, tables: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines of a callback."""
    records = {table["table"]: table["records_xpath"] for table in tables if table["records"]}
    labels = {label for table in tables if not table["records"] for label in table["labels"]}
    yield f"\n    def {name}(self, response):\n"
    yield f"        page = Texts(response.selector, response, {sorted(labels)!r})\n"
    if records:
        yield f"        rows = records(response, {records!r})\n"
    yield '        return {\n            "url": response.url,\n'
    taken = {"url"} | {one["name"] for table in tables if not table["records"] for one in table["columns"]}
    for table in tables:
        if table["records"] is None:
            yield from (f"            {_entry(column, 'page')},\n" for column in table["columns"])
        else:
            rows = table["table"].rpartition(".")[2]
            while rows in taken:
                rows += "_"
            taken.add(rows)
            yield f"            {rows!r}: [\n                {{\n"
            yield from (f"                    {_entry(column, 'row')},\n" for column in table["columns"])
            of_rows = f"rows[{table['table']!r}], response, {table['labels']!r}"
            yield f"                }}\n                for row in texts({of_rows})\n"
            yield "            ],\n"
    yield "        }\n"


def _entry(column: Mapping[str, Any], start: str) -> str:
    which = "every" if column["many"] else "last" if column["last"] else "first"
    method = {HREF: "links", SRC: "pictures"}.get(column["attribute"], "get")
    fixed = f", fixed={column['fixed']!r}" if column["fixed"] else ""
    by_label: dict[str | None, list[str]] = {}
    for xpath, label in column["elements"]:
        by_label.setdefault(label, []).append(xpath)
    values = " + ".join(
        f"{start}.{method}({' | '.join(xpaths)!r}{'' if label is None else f', {label!r}'}{fixed})"
        for label, xpaths in by_label.items()
    )
    return f"{column['name']!r}: {which}({values})"

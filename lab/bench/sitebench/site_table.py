"""The table of sites: which public repositories hold a saved site, and what of it is known.

``sites.tsv`` has a row a site:

name        what the site is called here
repository  owner/name
commit      7 to 40 hexadecimal digits; 40 are fetched fastest
date        of the commit
folder      of the site in the repository, empty for its root, "?" for the shallowest that has the start page
start       path of the start page in that folder
hosts       the hosts under which its pages link to each other absolutely, separated by spaces
content     XPaths of the container of the content, in order of preference, separated by " || "
types       the system in ``page_types.tsv`` that tells its page types, empty for none
added       the collection of ``lab.bench.saved_sites.collection_of``
gold        "weak" where the container is a poor mark of content, so that no mean counts the site
licence     as the repository states it

*Page types* come from a site's own markup: the class that its system writes on ``<body>``, or the like.
``page_types.tsv`` lists the rules of each system in their order: where to look (an XPath, or "path" for the
path of the page), a regular expression, and the page type, in which ``\\1`` is a group.  The first rule that
matches decides.  Cost: one parse a page, one search a rule.

No page of these sites, and no text of one, is in this repository.
Cost: O(rows).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import lxml.etree
import lxml.html

SITES = Path(__file__).parent / "sites.tsv"
SEARCHED = "?"
"""The folder of a site whose folder is looked for."""

_BETWEEN_PATHS = " || "
_COLUMNS = {
    "name": r"[a-z0-9_]+",
    "repository": r"[\w.-]+/[\w.-]+",
    "commit": "[0-9a-f]{7,40}",
    "date": r"\d{4}-\d\d-\d\d",
    "folder": r"\?|(?!/|\.\.).*",
    "start": r"(?!/|\.\.).+",
    "hosts": ".*",
    "content": ".+",
    "types": "[a-z-]*",
    "added": "[a-z]*",
    "gold": "|weak",
    "licence": ".+",
}
"""Column -> what a cell of it looks like."""


class TableError(ValueError):
    """A row of a table cannot be read."""

    def __init__(self, file: Path, line: int, reason: str) -> None:
        super().__init__(f"{file}, line {line}: {reason}")


@dataclass(frozen=True)
class ListedSite:
    """A row of the table, see the top of the module."""

    name: str
    repository: str
    commit: str
    date: str
    folder: str
    start: str
    hosts: tuple[str, ...]
    content: tuple[str, ...]
    types: str
    added: str
    gold: str
    licence: str

    def row(self) -> dict[str, Any]:
        """Return it as plain data, equal for equal rows."""
        return asdict(self)


def read_sites(file: Path = SITES) -> list[ListedSite]:
    """Return the sites of a table in its order; raises TableError."""
    sites: dict[str, ListedSite] = {}
    for line, cells in read_rows(file, tuple(_COLUMNS)):
        for column, pattern in _COLUMNS.items():
            if not re.fullmatch(pattern, cells[column]):
                raise TableError(file, line, f"{column} is {cells[column]!r}")
        if cells["name"] in sites:
            raise TableError(file, line, f"a second site is called {cells['name']}")
        lists = {
            "hosts": tuple(cells["hosts"].split()),
            "content": tuple(cells["content"].split(_BETWEEN_PATHS)),
        }
        sites[cells["name"]] = ListedSite(**{**cells, **lists})  # type: ignore[arg-type]
    return list(sites.values())


def read_rows(file: Path, columns: tuple[str, ...]) -> list[tuple[int, dict[str, str]]]:
    """Return the line number and the cells of each row below the head of a TSV file; raises TableError.

    A cell holds no tab and is read as it stands: quotes mean nothing.
    """
    with file.open(encoding="utf-8", newline="") as lines:
        head, *rows = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    if tuple(head) != columns:
        raise TableError(file, 1, f"the columns are {', '.join(head)}, not {', '.join(columns)}")
    for line, row in enumerate(rows, 2):
        if len(row) != len(columns):
            raise TableError(file, line, f"{len(row)} cells, not {len(columns)}")
    return [(line, dict(zip(columns, row))) for line, row in enumerate(rows, 2)]


RULES = Path(__file__).parent / "page_types.tsv"
_PATH = "path"

TypeOf = Callable[[str, bytes], str | None]
"""Path and HTML of a page -> its page type, None where no rule matches."""


class Rule(NamedTuple):
    """A row of the table, see the top of the module."""

    where: str
    pattern: re.Pattern[str]
    label: str


@cache
def read_rules(file: Path = RULES) -> dict[str, tuple[Rule, ...]]:
    """Return system -> its rules; raises TableError."""
    rules: dict[str, tuple[Rule, ...]] = {}
    for _, row in read_rows(file, ("system", "where", "pattern", "label")):
        rule = Rule(row["where"], re.compile(row["pattern"]), row["label"])
        rules[row["system"]] = (*rules.get(row["system"], ()), rule)
    return rules


def type_rules(system: str) -> TypeOf:
    """Return what tells the page type of a page of a system; of "" there are none.

    Raises KeyError for a system without rules.

    >>> type_rules("mediawiki")("Tea", b"<body class='ltr ns-14 page-Tea'>")
    'ns-14'
    >>> type_rules("shopify")("products/pot.html", b"")
    'product'
    """
    rules = read_rules()[system] if system else ()

    def type_of(path: str, html: bytes) -> str | None:
        for rule in rules:
            text = path if rule.where == _PATH else _text_at(rule.where, html)
            if match := rule.pattern.search(text):
                return match.expand(rule.label)
        return None

    return type_of


def _text_at(where: str, html: bytes) -> str:
    try:
        found = lxml.html.document_fromstring(html).xpath(where)
    except (lxml.etree.LxmlError, ValueError):
        return ""
    return " ".join(" ".join(str(value).split()) for value in found)

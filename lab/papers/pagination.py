"""Which links page through a list?  The rule and its parts against labelled pages.

    python -m lab.papers.pagination --corpora FOLDER [--json FILE]

The folder ``pagination_dev`` of the corpora holds pages and ``pages.json``: for each page its address and
encoding, and CSS selectors of its links labelled PREV, PAGE, NEXT, FIRST or LAST.  All of these are to be
found; a link counts if it leads to another page (has an ``href`` beyond a fragment).  Each start tag of a
link is marked with the link's number before the page is given to the HTML parser that runs the selectors,
so labels and links are matched exactly.

Precision and recall are over all links, then means over hosts (precision over those where anything was
found, recall over those with labels).  The hosts are cut in two halves by a hash: the rule was tuned on
the first.  Time is CPU time a page, its tokens, elements and links already there.
Last run at c9d6102.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import fmean

import lxml.html
from rich.table import Table

from lab.bench.measures import side_by_side
from lab.bench.options import add_json, new_parser
from lab.bench.tables import show
from templcrawl.algorithms.pagination.pager_links import (
    PaginationEvidence,
    pagination_evidence,
    pagination_links,
)
from templcrawl.algorithms.pagination.pager_signs import STEP, read_address, reading
from templcrawl.page.page import Page

_LABELS = ("PREV", "PAGE", "NEXT", "FIRST", "LAST")
_MARK = "data-number-of-link"
_HALVES = ("tuned", "other")


@dataclass(frozen=True)
class LabelledPage:
    """A page with its pagination.

    host, half  whose page it is, and in which half of the hosts that one is
    gold        numbers of the links that are labelled
    """

    page: Page
    host: str
    half: str
    gold: frozenset[int]

    @cached_property
    def evidence(self) -> dict[int, PaginationEvidence]:
        """What the rule goes by."""
        return dict(pagination_evidence(self.page))


def labelled_pages(folder: Path) -> Iterator[LabelledPage]:
    """Yield the pages of a folder with a ``pages.json``."""
    for row in json.loads((folder / "pages.json").read_text(encoding="utf-8")):
        text = (folder / f"{row['File Name']}.html").read_bytes().decode(row["Encoding"], "replace")
        page = Page(text, row["Page URL"])
        half = _HALVES[hashlib.sha256(page.host.encode()).digest()[0] % 2]
        yield LabelledPage(
            page, page.host, half, _gold(page, [row[label] for label in _LABELS if row[label]])
        )


def _gold(page: Page, selectors: Sequence[str]) -> frozenset[int]:
    """Return the links that are selected, or stand around what is, or else inside it."""
    if not selectors:
        return frozenset()
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)
    tree = lxml.html.document_fromstring(_marked(page).encode("utf-8", "replace"), parser=parser)
    numbers: set[int] = set()
    for selector in selectors:
        for node in tree.cssselect(selector):
            around = [link for link in (node, *node.iterancestors()) if link.get(_MARK)]
            inside = [link for link in node.iterdescendants() if link.get(_MARK)]
            numbers.update(int(link.get(_MARK)) for link in around[:1] or inside)
    return frozenset(numbers)


def _marked(page: Page) -> str:
    """Return the page's HTML with the number of each link in its start tag."""
    tokens = page.tokens
    pieces = [tokens.forms[form] for form in tokens.form_of]
    for number, element in enumerate(page.links.elements):
        position = page.elements.opens[element]
        after = 1 + len(page.elements.names[element])
        pieces[position] = f'{pieces[position][:after]} {_MARK}="{number}" {pieces[position][after:]}'
    return "".join(pieces)


Rule = Callable[[LabelledPage], set[int]]


def _where(holds: Callable[[PaginationEvidence], bool]) -> Rule:
    return lambda page: {number for number, evidence in page.evidence.items() if holds(evidence)}


def _anchored(says: Callable[[int], bool]) -> Rule:
    return lambda page: {number for number, link in enumerate(page.page.links) if says(reading(link.text))}


def _addressed(page: LabelledPage) -> set[int]:
    urls = page.page.links.urls
    return {number for number, url in enumerate(urls) if read_address(url).names_page}


def _of_the_list(page: LabelledPage) -> set[int]:
    lists = set(read_address(page.page.url).lists)
    urls = page.page.links.urls
    return {number for number, url in enumerate(urls) if lists.intersection(read_address(url).lists)}


def _without(**left_out: bool) -> Rule:
    return _where(lambda evidence: evidence._replace(**left_out).is_pagination)


RULES: dict[str, Rule] = {
    "rel": _where(lambda evidence: evidence.rel),
    "anchor is a number": _anchored(lambda said: said >= 0),
    "anchor is an arrow or a word": _anchored(lambda said: said == STEP),
    "address names a page": _addressed,
    "address of the page's list": _of_the_list,
    "number in a run": _where(lambda evidence: evidence.in_run),
    "class or id": _where(lambda evidence: evidence.has_class),
    "rel, or step and address names a page": _where(
        lambda evidence: evidence.rel or (evidence.steps and evidence.names_page)
    ),
    "rel, or step and (address names a page or run)": _where(
        lambda evidence: evidence.rel or (evidence.steps and (evidence.names_page or evidence.in_run))
    ),
    "rel, or step and address of the page's list": _where(
        lambda evidence: evidence.rel or (evidence.steps and evidence.same_list)
    ),
    "the rule": lambda page: set(pagination_links(page.page)),
    "the rule without classes": _without(has_class=False),
    "the rule without runs": _without(in_run=False),
    "the rule without addresses that name a page": _without(names_page=False),
    "the rule without the page's list": _without(same_list=False),
    "the rule with dates": _without(is_date=False),
}
"""Name -> rule; the last ones show what each part of the rule is worth."""


@dataclass(frozen=True)
class Counts:
    """How many links were found and labelled, found alone, labelled alone."""

    both: int
    found_only: int
    gold_only: int

    @property
    def precision(self) -> float:
        """Share of the found that are labelled; 1 if none is found."""
        positives = self.both + self.found_only
        return self.both / positives if positives else 1.0

    @property
    def recall(self) -> float:
        """Share of the labelled that are found; 1 if none is labelled."""
        gold = self.both + self.gold_only
        return self.both / gold if gold else 1.0

    @property
    def f1(self) -> float:
        """Their harmonic mean.

        >>> Counts(2, 2, 0).f1
        0.6666666666666666
        """
        return 2 * self.both / max(1, 2 * self.both + self.found_only + self.gold_only)


def count(pages: Sequence[LabelledPage], rule: Rule) -> Counts:
    """Count what a rule finds on pages."""
    pairs = [(rule(page), page.gold) for page in pages]
    return Counts(
        sum(len(links & gold) for links, gold in pairs),
        sum(len(links - gold) for links, gold in pairs),
        sum(len(gold - links) for links, gold in pairs),
    )


def measure(pages: Sequence[LabelledPage], rule: Rule) -> dict[str, float]:
    """Return the figures of a rule: over links, then means over hosts."""
    every = count(pages, rule)
    hosts = [
        count([page for page in pages if page.host == host], rule) for host in {page.host for page in pages}
    ]
    finding = [counts.precision for counts in hosts if counts.both + counts.found_only]
    labelled = [counts.recall for counts in hosts if counts.both + counts.gold_only]
    return {
        "found only": every.found_only,
        "missed": every.gold_only,
        "P": every.precision,
        "R": every.recall,
        "F1": every.f1,
        "host P": fmean(finding) if finding else 1.0,
        "host R": fmean(labelled) if labelled else 1.0,
    }


def _table(pages: Sequence[LabelledPage], figures: dict[str, dict[str, float]], title: str) -> Table:
    gold = sum(len(page.gold) for page in pages)
    hosts = len({page.host for page in pages})
    heading = f"{title}: {len(pages)} pages, {hosts} hosts, {gold} labelled links"
    table = Table("rule", *next(iter(figures.values())), title=heading, title_justify="left")
    table.columns[0].no_wrap = True
    for column in table.columns[1:]:
        column.justify = "right"
    for name, row in figures.items():
        table.add_row(
            name, *(f"{value:.3f}" if isinstance(value, float) else str(value) for value in row.values())
        )
    return table


def speed(pages: Sequence[Page]) -> dict[str, float]:
    """Return way -> CPU microseconds a page: all pages, and those without any evidence."""
    plain = [page for page in pages if not dict(pagination_evidence(page))]
    ways = {"pagination_links": pagination_links}
    times = {f"all {len(pages)} pages": side_by_side(ways, pages)}
    if plain:
        times[f"{len(plain)} pages without evidence"] = side_by_side(ways, plain)
    return {name: 1000 * seconds["pagination_links"] for name, seconds in times.items()}


def _parser() -> argparse.ArgumentParser:
    parser = new_parser("lab.papers.pagination", __doc__, corpora=True)
    add_json(parser)
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Print precision and recall of each rule, and what the whole one costs."""
    parser = _parser()
    options = parser.parse_args(arguments)
    folder = options.corpora / "pagination_dev"
    if not (folder / "pages.json").is_file():
        parser.error(f"there is no pages.json in {folder}")
    pages = list(labelled_pages(folder))
    sets = {half: [page for page in pages if page.half == half] for half in _HALVES}
    sets["all"] = pages
    figures = {
        title: {name: measure(some, rule) for name, rule in RULES.items()}
        for title, some in sets.items()
        if some
    }
    for title, rows in figures.items():
        show(_table(sets[title], rows, title))
    links = fmean(len(page.page.links) for page in pages)
    times = speed([page.page for page in pages])
    for name, microseconds in times.items():
        print(f"{name}: {microseconds:.0f} microseconds a page (all: {links:.0f} links a page)")
    if options.json:
        options.json.write_text(json.dumps({"figures": figures, "speed": times}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()

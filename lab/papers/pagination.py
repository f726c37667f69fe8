"""Which links page through a list?  The rule and its parts against labelled pages.

The folder ``pagination_dev`` of the corpora holds pages and ``pages.json``: for each page its address and
encoding, and CSS selectors of its links labelled PREV, PAGE, NEXT, FIRST or LAST.  All of these are to be
found; a link counts if it leads to another page (has an ``href`` beyond a fragment).  Each start tag of a
link is marked with the link's number before the page is given to the HTML parser that runs the selectors,
so labels and links are matched exactly.

Precision and recall are over all links, then means over hosts (precision over those where anything was
found, recall over those with labels).  The hosts are cut in two halves by a hash: the rule was tuned on
the first.
Last run at c9d6102.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from rich.table import Table

from lab.bench.options import new_parser
from lab.bench.saved_sites import tree_of
from lab.bench.tables import show, table_of
from templcrawl.algorithms.pagination.pager_links import (
    PaginationEvidence,
    pagination_evidence,
    pagination_links,
)
from templcrawl.page.page import Page

_LABELS = ("PREV", "PAGE", "NEXT", "FIRST", "LAST")
_MARK = "data-number-of-link"
_HALVES = ("tuned", "other")


class LabelledPage(NamedTuple):
    """A page with its pagination.

    half      in which half of the hosts its host is
    gold      numbers of the links that are labelled
    evidence  what the rule goes by: link -> evidence
    """

    page: Page
    half: str
    gold: frozenset[int]
    evidence: dict[int, PaginationEvidence]


def labelled_pages(folder: Path) -> Iterator[LabelledPage]:
    """Yield the pages of a folder with a ``pages.json``."""
    for row in json.loads((folder / "pages.json").read_text(encoding="utf-8")):
        text = (folder / f"{row['File Name']}.html").read_bytes().decode(row["Encoding"], "replace")
        page = Page(text, row["Page URL"])
        half = _HALVES[hashlib.sha256(page.host.encode()).digest()[0] % 2]
        gold = _gold(page, [row[label] for label in _LABELS if row[label]])
        yield LabelledPage(page, half, gold, dict(pagination_evidence(page)))


def _gold(page: Page, selectors: Sequence[str]) -> frozenset[int]:
    """Return the links that are selected, or stand around what is, or else inside it."""
    if not selectors:
        return frozenset()
    tree = tree_of(_marked(page))
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


def _links_with(holds: Callable[[PaginationEvidence], bool], page: LabelledPage) -> set[int]:
    return {number for number, evidence in page.evidence.items() if holds(evidence)}


def _without(**left_out: bool) -> Callable[[PaginationEvidence], bool]:
    return lambda evidence: evidence._replace(**left_out).is_pagination


RULES: dict[str, Callable[[LabelledPage], set[int]]] = {
    "the rule": lambda page: set(pagination_links(page.page)),
    "rel alone": partial(_links_with, lambda evidence: evidence.rel),
    "the rule without classes": partial(_links_with, _without(has_class=False)),
    "the rule without runs": partial(_links_with, _without(in_run=False)),
    "the rule without addresses that name a page": partial(_links_with, _without(names_page=False)),
    "the rule without the page's list": partial(_links_with, _without(same_list=False)),
    "the rule with dates": partial(_links_with, _without(is_date=False)),
}
"""Name -> rule; the last ones show what each part of the rule is worth."""


class Counts(NamedTuple):
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


def count(pages: Sequence[LabelledPage], rule: Callable[[LabelledPage], set[int]]) -> Counts:
    """Count what a rule finds on pages."""
    pairs = [(rule(page), page.gold) for page in pages]
    return Counts(
        sum(len(links & gold) for links, gold in pairs),
        sum(len(links - gold) for links, gold in pairs),
        sum(len(gold - links) for links, gold in pairs),
    )


def rules_table(title: str, pages: Sequence[LabelledPage]) -> Table:
    """Return the figures of each rule: over links, then means over hosts."""
    by_host: dict[str, list[LabelledPage]] = {}
    for page in pages:
        by_host.setdefault(page.page.host, []).append(page)
    rows = []
    for name, rule in RULES.items():
        every = count(pages, rule)
        hosts = [count(of_host, rule) for of_host in by_host.values()]
        finding = [counts.precision for counts in hosts if counts.both + counts.found_only]
        labelled = [counts.recall for counts in hosts if counts.both + counts.gold_only]
        f1 = 2 * every.both / max(1, 2 * every.both + every.found_only + every.gold_only)
        means = (fmean(shares) if shares else 1.0 for shares in (finding, labelled))
        shares = (every.precision, every.recall, f1, *means)
        rows.append([name, every.found_only, every.gold_only, *(f"{share:.3f}" for share in shares)])
    gold = sum(len(page.gold) for page in pages)
    heading = f"{title}: {len(pages)} pages, {len(by_host)} hosts, {gold} labelled links"
    return table_of(heading, ["rule", "found only", "missed", "P", "R", "F1", "host P", "host R"], rows)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.papers.pagination", __doc__, "--corpora!")
    options = parser.parse_args(arguments)
    folder = options.corpora / "pagination_dev"
    if not (folder / "pages.json").is_file():
        parser.error(f"there is no pages.json in {folder}")
    pages = list(labelled_pages(folder))
    for half in _HALVES:
        if some := [page for page in pages if page.half == half]:
            show(rules_table(half, some))
    show(rules_table("all", pages))


if __name__ == "__main__":
    main()

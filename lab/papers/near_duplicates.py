"""Which pages of a site repeat an earlier one: by their whole text, by their content, or by either?

    python -m lab.papers.near_duplicates --corpora FOLDER [--pages 100] [--json FILE]

The pages of each site arrive breadth first, some a second time under another URL and in another dress
(see :mod:`lab.papers.repeated_pages`); each is observed, then put before every rule, which says what it
repeats of what came before, and remembers it if that is nothing.

precision   share of the answers whose two pages repeat each other, by their gold
wrong       answers whose two pages have a resemblance below .6
natural     of the pages that repeat an earlier one as the site has it, the share that is found
copies      the same of the pages that arrive again, by the words changed, by the side bar, and of page 1
us          time a page, from the separation to the answer and the table; without what observing it has
            worked out already (its terms, its mask)
bytes       memory a remembered page takes

Cost: O(pages) a rule; the truth is worked out for all pairs of a site.
Last run at 7e1e8c1.
"""

from __future__ import annotations

import json
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from rich.table import Table

from lab.bench.options import add_json, add_pages, add_sites, asked_sites, new_parser
from lab.bench.saved_sites import SavedSite
from lab.bench.tables import show
from lab.papers.repeated_pages import CHANGES, SIDE_BARS, Arrival, alike, arrivals_of, repeats_earlier
from templcrawl import CrawlMemory, Page
from templcrawl.algorithms.similarity.near_duplicates import (
    MAX_DIFFERENCE,
    MIN_RESEMBLANCE,
    Content,
    are_near_duplicates,
    content_of,
    content_of_terms,
    whole_text_of,
)
from templcrawl.memory.content_index import ContentIndex, Duplicate
from templcrawl.page.separation import Separation

LIMIT = 1_000
WRONG = 0.6

Value = Callable[[Separation], Content]


class AllPairs(ContentIndex):
    """Compares with every content that is known, to see what the bands lose."""

    def find(self, key: int, content: Content, *, learn: bool = True) -> Duplicate | None:
        """Return the first content that this one repeats, or None."""
        for known, other in self._unpacked():
            if content.terms and other.hash == content.hash:
                return Duplicate(known, exact=True)
            if content.sketch and other.sketch and are_near_duplicates(other.sketch, content.sketch):
                return Duplicate(known, exact=False)
        return None


def all_terms_of(page: Page) -> Content:
    """Return all of a page: words, scripts and addresses of links."""
    return content_of_terms(page.terms.hashes)


def _of_page(value: Callable[[Page], Content]) -> Value:
    return lambda separation: value(separation.page)


def _whole() -> ContentIndex:
    return ContentIndex(limit=LIMIT, max_difference=MAX_DIFFERENCE)


RULES: dict[str, Callable[[], list[tuple[Value, ContentIndex]]]] = {
    "page, all terms": lambda: [(_of_page(all_terms_of), _whole())],
    "page, visible words": lambda: [(_of_page(whole_text_of), _whole())],
    "content": lambda: [(content_of, ContentIndex(limit=LIMIT))],
    "content, bounded difference": lambda: [(content_of, _whole())],
    "content, all pairs": lambda: [(content_of, AllPairs(limit=LIMIT))],
    "content or page": lambda: [
        (content_of, ContentIndex(limit=LIMIT)),
        (_of_page(whole_text_of), _whole()),
    ],
}
"""Name -> its tables, each with what it is told of a page; a page repeats what the first of them finds."""


class Answers(NamedTuple):
    """What a rule said of the pages of a site.

    repeated  page -> number of the page that it repeats, None for none
    seconds   time it took for all pages
    kept      pages that are remembered at the end
    bytes     memory that these take
    """

    repeated: list[int | None]
    seconds: float
    kept: int
    bytes: int


def answers_of(rule: str, separations: Sequence[Separation]) -> Answers:
    """Put the pages of a site before a rule, in order; the key of a page is its number."""
    tables = RULES[rule]()
    repeated: list[int | None] = []
    seconds = 0.0
    for number, separation in enumerate(separations):
        began = time.perf_counter()
        values = [value(separation) for value, _ in tables]
        matches = (table.find(number, content) for content, (_, table) in zip(values, tables))
        first = next(filter(None, matches), None)
        if first is None:
            for content, (_, table) in zip(values, tables):
                table.insert(number, content)
        seconds += time.perf_counter() - began
        repeated.append(first.key if first else None)
    taken = sum(_bytes_of(table) for _, table in tables)
    return Answers(repeated, seconds, len(tables[0][1]), taken)


def _bytes_of(table: ContentIndex) -> int:
    """Return the memory that a table takes, by making it again."""
    snapshot = table.snapshot()
    tracemalloc.start()
    again = ContentIndex(limit=LIMIT)
    again.restore(snapshot)
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return taken


def counts_of(arrivals: Sequence[Arrival], repeats: Sequence[bool], answers: Answers) -> Counter[str]:
    """Count a rule's answers on a site, and how many pages of each kind it found."""
    counts = Counter(pages=len(arrivals), kept=answers.kept, bytes=answers.bytes)
    counts["us"] = round(answers.seconds * 1e6)
    for arrival, repeating, repeated in zip(arrivals, repeats, answers.repeated):
        resemblance = None if repeated is None else alike(arrival, arrivals[repeated])
        if resemblance is not None:
            counts["answers"] += 1
            counts["right"] += resemblance >= MIN_RESEMBLANCE
            counts["wrong"] += resemblance < WRONG
        if repeating:
            for kind in _kinds(arrival):
                counts[kind] += 1
                counts[f"{kind} found"] += repeated is not None
    return counts


def _kinds(arrival: Arrival) -> Iterable[str]:
    copy = arrival.copy
    if copy is None:
        return ["natural"]
    return [f"{copy.changes} changed", copy.side_bar, *(["page 1"] if copy.original == 0 else [])]


def run_site(site: SavedSite, pages: int) -> dict[str, Counter[str]]:
    """Return rule -> its counts on a site."""
    arrivals = arrivals_of(site, pages)
    memory = CrawlMemory(sample_salt=0)
    separations = [memory.observe(arrival.page).separation for arrival in arrivals]
    for separation in separations:
        content_of(separation)
    repeats = repeats_earlier(arrivals)
    return {rule: counts_of(arrivals, repeats, answers_of(rule, separations)) for rule in RULES}


def table_of(totals: dict[str, Counter[str]]) -> Table:
    """Return the figures of all sites together as a table."""
    kinds = ["natural", *(f"{changes} changed" for changes in CHANGES), *SIDE_BARS, "page 1"]
    table = Table(title="Pages that repeat an earlier one")
    for head in ("rule", "answers", "precision", "wrong", *kinds, "us", "bytes"):
        table.add_column(head, justify="left" if head == "rule" else "right")
    for rule, counts in totals.items():
        table.add_row(
            rule,
            str(counts["answers"]),
            _share(counts["right"], counts["answers"]),
            str(counts["wrong"]),
            *(f"{_share(counts[f'{kind} found'], counts[kind])} of {counts[kind]}" for kind in kinds),
            f"{counts['us'] / max(1, counts['pages']):.0f}",
            f"{counts['bytes'] / max(1, counts['kept']):.0f}",
        )
    return table


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "-"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark and print its table."""
    parser = new_parser("lab.papers.near_duplicates", __doc__, corpora=True)
    add_pages(parser, 100)
    add_sites(parser)
    add_json(parser, "the counts of every site")
    options = parser.parse_args(arguments)
    sites = asked_sites(parser, options)
    totals: dict[str, Counter[str]] = {rule: Counter() for rule in RULES}
    by_site = {}
    for number, site in enumerate(sites, 1):
        by_site[site.name] = run_site(site, options.pages)
        for rule, counts in by_site[site.name].items():
            totals[rule].update(counts)
        print(f"{number} of {len(sites)}: {site.name}", file=sys.stderr, flush=True)
    show(table_of(totals))
    if options.json:
        options.json.write_text(json.dumps(by_site, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()

"""Web indexing on a diet: the sandwich paper's experiments, over saved sites with gold.

    python -m lab.papers.diet --corpora FOLDER [--debian FOLDER] [--pages N] [--queries N]
                              [--sites NAME ...] [--detectors NAME ...] [--json FILE]

The pages of a site are visited breadth first, in one pass; each detector judges a page by those before
it.  *As-is* is the whole page.  Three tables, by site and in total:

size       bytes of the page's HTML, as written, and after: of the content's HTML; and postings of an
           index of the visible text (:mod:`lab.papers.retrieval` says what these are).  The content's
           HTML leaves out what no reader sees, such as scripts; "unseen" is what that alone saves.
retrieval  mean reciprocal rank of a page asked for by its title, in the index of its site and in one
           index of all sites, and whether it differs from as-is
lines      precision, recall and F1 of the lines of HTML that are kept

Lines, after the paper: those without a word that a reader sees do not count.  A line is gold if a word on
it stands in the gold container; it is kept if one of its text runs is content.  Means are over pages, as
in the paper; a page of which nothing is kept has precision 0.  Pooled figures count the lines of all
pages together.  Pages without gold, or without a gold line, are left out.  Where a page is written in few
lines, as-is has a high precision too, and lines tell little.

Source: Rowlands, Thomas, Wan (ADCS 2009), section 4.
Departures: the owner of their site marked its lines; our XPaths cannot part template from content inside
the container.  A text run that goes over many lines is kept or dropped as one, also by ``sandwich-lines``.
Their sibling was the page of the nearest name; here the crawl's memory chooses.
Cost: a few times that of a crawl's observation, for each detector.
Last run at 1e631aa.
"""

from __future__ import annotations

import codecs
import json
import re
import sys
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from statistics import fmean
from typing import Any, NamedTuple

from rich.table import Table

from lab.bench.options import (
    add_debian,
    add_figures,
    add_json,
    add_pages,
    add_sites,
    asked_sites,
    new_parser,
)
from lab.bench.saved_sites import SavedPage, SavedSite, words_of
from lab.bench.tables import keep_tables, show
from lab.papers.retrieval import Query, Search, chosen, compared, queries_of, unique
from templcrawl import CrawlMemory, Page
from templcrawl.algorithms.extraction.sandwich import cut_lines
from templcrawl.memory.detectors.detector_table import DETECTORS
from templcrawl.page.separation import Separation
from templcrawl.page.tokens import TEXT

AS_IS = "as-is"
Report = dict[str, Any]
_WORDS_ON_LINE = re.compile(r"[^\s][^\r\n]*")
_WORD = re.compile(r"\w")
_MARK = re.compile("\U0010fff0([0-9]+)\U0010fff1")

Piece = tuple[int, int, int]
"""The part of a visible text run that stands on one line, and holds a word: (offset, line, text run)."""


class LineCounts(NamedTuple):
    """Lines of a page, or of many: kept rightly, kept, and to be kept."""

    right: int
    kept: int
    gold: int

    @property
    def scores(self) -> tuple[float, float, float]:
        """Precision, recall and F1; there is a line to be kept."""
        precision = self.right / self.kept if self.kept else 0.0
        return precision, self.right / self.gold, 2 * self.right / (self.kept + self.gold)


def pieces_of(page: Page) -> Iterator[Piece]:
    """Yield the pieces of the page's visible text runs."""
    tokens, elements = page.tokens, page.elements
    _, starts = cut_lines(page.text)
    for token, (kind, form, owner) in enumerate(zip(tokens.kinds, tokens.form_of, elements.owners)):
        if kind == TEXT and elements.visible[owner]:
            for part in _WORDS_ON_LINE.finditer(tokens.forms[form]):
                if _WORD.search(unescape(part[0])):
                    offset = tokens.starts[token] + part.start()
                    yield offset, bisect_right(starts, offset) - 1, token


def gold_lines(saved: SavedPage, pieces: Iterable[Piece]) -> set[int] | None:
    """Return the lines with words of the gold content, None where the site's mark is missing.

    How: the number of its line is written before each piece, inside its text run, which leaves the
    page's elements as they are; the gold of this page then names its lines.
    """
    text = saved.page.text
    marked, done = "", 0
    for offset, line, _ in pieces:
        marked += f"{text[done:offset]}\U0010fff0{line}\U0010fff1"
        done = offset
    html = codecs.BOM_UTF8 + (marked + text[done:]).encode("utf-8", "replace")
    gold = SavedPage(saved.url, html, saved.content).gold
    return None if gold is None else {int(number) for number in _MARK.findall(gold)}


def kept_lines(pieces: Iterable[Piece], separation: Separation) -> set[int]:
    """Return the lines of which a text run is content."""
    return {line for _, line, token in pieces if separation.content_mask[token]}


@dataclass
class Figures:
    """What was measured on a site, or on all of them; a *way* is as-is or the name of a detector.

    seen      bytes of the HTML of the whole pages without what no reader sees
    html      way -> bytes of HTML
    postings  way -> postings of the index
    lines     way -> line counts of each page that has gold lines
    ranks     way -> reciprocal rank of the page that each query asks for, in the index of its site
    """

    pages: int = 0
    seen: int = 0
    html: Counter[str] = field(default_factory=Counter)
    postings: Counter[str] = field(default_factory=Counter)
    lines: defaultdict[str, list[LineCounts]] = field(default_factory=lambda: defaultdict(list))
    ranks: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def add_page(self, saved: SavedPage, separations: Mapping[str, Separation]) -> None:
        """Add the bytes and the lines of a page."""
        self.pages += 1
        self.seen += _bytes(separations[AS_IS].content_html)
        pieces = list(pieces_of(saved.page))
        gold = gold_lines(saved, pieces)
        for way, separation in separations.items():
            self.html[way] += _bytes(saved.page.text if way == AS_IS else separation.content_html)
            if gold:
                kept = kept_lines(pieces, separation)
                self.lines[way].append(LineCounts(len(kept & gold), len(kept), len(gold)))

    def add(self, other: Figures) -> None:
        """Pool the figures of another site with these."""
        self.pages += other.pages
        self.seen += other.seen
        self.html.update(other.html)
        self.postings.update(other.postings)
        for way in other.html:
            self.lines[way] += other.lines[way]
            self.ranks[way] += other.ranks[way]

    def summary(self) -> Report:
        """Return them as plain values."""
        lines = {}
        for way, counts in self.lines.items():
            if counts:
                means = [fmean(score) for score in zip(*(count.scores for count in counts))]
                pooled = LineCounts(*map(sum, zip(*counts))).scores
                lines[way] = {"pages": len(counts), "mean of pages": means, "all lines pooled": pooled}
        sizes = {"pages": self.pages, "seen": self.seen, "html": self.html, "postings": self.postings}
        return {**sizes, "retrieval": compared(self.ranks), "lines": lines}


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def experiment(sites: Iterable[SavedSite], detectors: Iterable[str], pages: int, queries: int) -> Report:
    """Return all figures as plain values: of each site, of all together, and of their one index."""
    ways = (AS_IS, *detectors)
    everything = Search(ways)
    asked: list[Query] = []
    total = Figures()
    by_site = {}
    for site in sites:
        print(site.name, file=sys.stderr)
        figures = Figures()
        search = Search(ways)
        memories = {name: CrawlMemory(detector=name, sample_salt=0) for name in ways[1:]}
        titles = {}
        for number, saved in enumerate(site.pages(pages), total.pages):
            separations = {AS_IS: Separation(saved.page, ((0, len(saved.page.tokens)),))}
            separations |= {name: memory.observe(saved.page).separation for name, memory in memories.items()}
            figures.add_page(saved, separations)
            titles[number] = saved.page.title
            words = {way: words_of(separation.content_text) for way, separation in separations.items()}
            search.add(number, words)
            everything.add(number, words)
        of_site = queries_of(titles)
        asked += of_site
        figures.postings = search.postings
        figures.ranks.update(search.reciprocal_ranks(chosen(of_site, queries)))
        search.close()
        by_site[site.name] = figures.summary()
        total.add(figures)
    joint = compared(everything.reciprocal_ranks(chosen(unique(asked), queries)))
    everything.close()
    return {"ways": ways, "sites": by_site, "all": total.summary(), "one index": joint}


Rows = Mapping[str, Sequence[float]]
_COUNT, _SHARE, _MEAN, _CHANCE = ".0f", ".1%", ".3f", ".2g"


def table_of(title: str, columns: Sequence[tuple[str, str]], sites: Rows, totals: Rows) -> Table:
    """Return a table: sites, the mean of their shares and means, totals; no empty rows."""
    forms = [form for _, form in columns]
    table = Table("", title=title, title_justify="left")
    for heading, _ in columns:
        table.add_column(heading, justify="right")
    for name, row in sites.items():
        if row:
            table.add_row(name, *map(format, row, forms))
    means = zip(map(fmean, zip(*filter(None, sites.values()))), forms)
    table.add_row("mean of sites", *(format(mean, f) if f in (_SHARE, _MEAN) else "" for mean, f in means))
    for name, row in totals.items():
        if row:
            table.add_row(name, *map(format, row, forms))
    return table


def tables(report: Report) -> Iterator[Table]:
    """Yield the three tables."""
    ways, sites, total = report["ways"], report["sites"].items(), report["all"]
    saves = [(f"{way} saves", _SHARE) for way in ways[1:]]
    columns = [("pages", _COUNT), ("HTML bytes", _COUNT), ("unseen", _SHARE), *saves]
    columns += [("postings", _COUNT), *saves]
    rows = {name: _size_row(site) for name, site in sites}
    yield table_of("Size as-is, and the share saved", columns, rows, {"all": _size_row(total)})

    columns = [("queries", _COUNT), (AS_IS, _MEAN)]
    for way in ways[1:]:
        columns += [(way, _MEAN), ("rose", _COUNT), ("fell", _COUNT), ("p", _CHANCE)]
    rows = {name: _search_row(site["retrieval"]) for name, site in sites}
    pooled = {"each in its site": total["retrieval"], "one index of all": report["one index"]}
    totals = {name: _search_row(of_ways) for name, of_ways in pooled.items()}
    yield table_of("Known-item retrieval: mean reciprocal rank; Wilcoxon's p", columns, rows, totals)

    columns = [("pages", _COUNT)]
    for way in ways:
        columns += [(f"{way}: P", _SHARE), ("R", _SHARE), ("F1", _SHARE)]
    rows = {name: _line_row(site["lines"], "mean of pages") for name, site in sites}
    totals = {kind: _line_row(total["lines"], kind) for kind in ("mean of pages", "all lines pooled")}
    yield table_of("Lines kept: precision, recall, F1", columns, rows, totals)


def _size_row(site: Mapping[str, Any]) -> list[float]:
    html, *kept_html = site["html"].values()
    postings, *kept_postings = site["postings"].values()
    of_html = [site["pages"], html, *_saved(html, site["seen"], *kept_html)]
    return [*of_html, postings, *_saved(postings, *kept_postings)]


def _saved(before: int, *after: int) -> list[float]:
    return [(before - size) / before if before else 0.0 for size in after]


def _search_row(of_ways: Mapping[str, Any]) -> list[float]:
    cells = [way[key] for way in of_ways.values() for key in ("mrr", "risen", "fallen", "p")]
    return [of_ways[AS_IS]["queries"], cells[0], *cells[4:]] if of_ways else []


def _line_row(lines: Mapping[str, Any], kind: str) -> list[float]:
    scores = [score for way in lines.values() for score in way[kind]]
    return [lines[AS_IS]["pages"], *scores] if lines else []


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the experiments and print their tables."""
    parser = new_parser("lab.papers.diet", __doc__, corpora=False)
    add_debian(parser)
    add_pages(parser)
    parser.add_argument("--queries", type=int, default=300, metavar="N", help="queries of an index (300)")
    add_sites(parser)
    parser.add_argument("--detectors", metavar="NAME", nargs="+", choices=DETECTORS, default=[*DETECTORS])
    add_json(parser, "all figures there, too")
    add_figures(parser)
    options = parser.parse_args(arguments)
    sites = asked_sites(parser, options)
    report = experiment(sites, options.detectors, options.pages, options.queries)
    named = dict(zip(("sizes", "retrieval", "lines"), tables(report)))
    for table in named.values():
        show(table)
    keep_tables(options.figures, named)
    if options.json:
        options.json.write_text(json.dumps(report, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()

"""Web indexing on a diet: the sandwich paper's experiments, over saved sites.

The pages of a site are visited breadth first, in one pass; each way judges a page by those before
it.  *As-is* is the whole page.  Two tables, by site and in total, and one by ways:

size       bytes of the page's HTML, as written, and after: of the content's HTML; and postings of an
           index of the visible text.  The content's HTML leaves out what no reader sees, such as scripts;
           "unseen" is what that alone saves
retrieval  mean reciprocal rank of a page asked for by its title, in the index of its site and in one
           index of all sites, and whether it differs from as-is
ways       the totals of both; how many sites have another rank at p < ``DIFFERENT``; the share of pages
           that were compared with another, and precision and recall of the lines that are kept

An index is a full-text table of SQLite (FTS5, tokenizer ``unicode61``) over the text of the pages, titles
left out; ideographs and syllables are one term each, as nothing else tells the words of their languages
apart.  Its *postings* are its (term, page) pairs: the sum over its terms of the pages that hold them.

A query asks for one page by its ``<title>``, without the words with which most titles of the site begin or
end, for these identify nothing.  Titles without a word left, and those that several pages share then, are
no queries.  Pages that hold any of the words are ranked by ``bm25()``, equals in the order of their visit;
the score of a query is 1 / rank of its page, 0 below rank 1000.

A line of HTML that is not blank is kept if a token on it is, and belongs to the content if one stands in the
container that its site's mark names; pages without the mark do not count, nor does the first of a site.

Source: Rowlands, Thomas, Wan (ADCS 2009), section 4: postings, lines, the share of pages with a peer (92 and
98 % in the paper), and the same test of significance.
Departures: their queries came with judgements, their engine had a BM25 of its own.  Their sibling was the
page of the nearest name; here the crawl's memory chooses.  Their lines were judged by hand.
Cost: a few times that of a crawl's observation, for each way; a query reads the postings of its words.
"""

from __future__ import annotations

import random
import re
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rich.table import Table

from lab.bench.options import add_number, asked_sites, new_parser
from lab.bench.saved_sites import SavedPage, SavedSite, Words, words_of
from lab.bench.tables import report, table_of
from lab.papers.template import inside_container
from templcrawl import CrawlMemory
from templcrawl.algorithms.extraction.sandwich import cut_lines
from templcrawl.errors import MissingExtra
from templcrawl.memory.detectors import SITE
from templcrawl.page.arrays import before
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation

AS_IS = "as-is"
WAYS: Mapping[str, Mapping[str, str]] = {
    "vote": {"detector": "vote"},
    "vote, site": {"detector": "vote", "strip": SITE},
    "sandwich": {"detector": "sandwich"},
    "sandwich-lines": {"detector": "sandwich-lines"},
}
"""Name -> options of a crawl's memory."""
DIFFERENT = 0.001
LOWEST_RANK = 1000
_SEED = 2009
_TITLE_PART = re.compile(r"\w+|[^\w\s]")
_COUNT, _SHARE, _MEAN, _CHANCE = ".0f", ".1%", ".3f", ".2g"

Rows = Mapping[str, Sequence[float]]


class TextIndex:
    """A full-text index of numbered pages.

    >>> index = TextIndex()
    >>> for number, text in enumerate(("tea for two", "two and two", "a cup of tea")):
    ...     index.add(number, words_of(text))
    >>> index.postings, index.rank(["cup", "tea"], 2), index.rank(["cup", "tea"], 0), index.rank(["tea"], 1)
    (9, 1, 2, None)
    """

    def __init__(self) -> None:
        self._database = sqlite3.connect("")
        self._database.execute("CREATE VIRTUAL TABLE pages USING fts5(body, content='')")
        self._database.execute("CREATE VIRTUAL TABLE terms USING fts5vocab(pages, row)")

    def add(self, number: int, words: Words) -> None:
        """Add a page as the bag of its words."""
        text = " ".join(words.elements())
        self._database.execute("INSERT INTO pages(rowid, body) VALUES (?, ?)", (number, text))

    @property
    def postings(self) -> int:
        """The sum over all terms of the pages that hold them."""
        return int(self._database.execute("SELECT coalesce(sum(doc), 0) FROM terms").fetchone()[0])

    def rank(self, words: Iterable[str], number: int) -> int | None:
        """Return the rank of a page among those that hold any of the words, None below ``LOWEST_RANK``."""
        query = " OR ".join(f'"{word}"' for word in words)
        rows = self._database.execute(
            "SELECT rowid FROM pages WHERE pages MATCH ? ORDER BY bm25(pages), rowid LIMIT ?",
            (query, LOWEST_RANK),
        )
        return next((rank for rank, (page,) in enumerate(rows, 1) if page == number), None)


class Query(NamedTuple):
    """A question for one page.

    number  the page that is asked for
    words   what is known of it
    """

    number: int
    words: tuple[str, ...]


def own_parts(titles: Sequence[str]) -> list[tuple[str, ...]]:
    """Return each title, cut into words and signs, without what most titles begin or end with.

    Of each title the longest beginning is taken off that more than half of all titles share, and the
    longest such end.

    >>> own_parts(["Tea | The Cafe", "Cake | The Cafe", "About | Us | The Cafe", "The Cafe"])
    [('Tea',), ('Cake',), ('About', '|', 'Us'), ()]
    """
    cut = [tuple(_TITLE_PART.findall(title)) for title in titles]
    heads = _common_heads(cut)
    tails = _common_heads([parts[::-1] for parts in cut])
    return [parts[_shared(parts, heads) : max(0, len(parts) - _shared(parts[::-1], tails))] for parts in cut]


def _common_heads(titles: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the longest sequence that more than half of the titles begin with."""
    head: tuple[str, ...] = ()
    while True:
        longer = Counter(
            title[: len(head) + 1]
            for title in titles
            if title[: len(head)] == head and len(title) > len(head)
        )
        best, count = max(longer.items(), key=lambda item: item[1], default=(head, 0))
        if 2 * count <= len(titles):
            return head
        head = best


def _shared(parts: Sequence[str], head: Sequence[str]) -> int:
    """Return how many parts a title shares with the common head."""
    return next(
        (index for index, (a, b) in enumerate(zip(parts, head)) if a != b), min(len(parts), len(head))
    )


def queries_of(titles: Mapping[int, str]) -> list[Query]:
    """Return the queries for the pages of one site.

    titles  number of each page -> its title, "" without one
    """
    numbers = [number for number, title in titles.items() if title]
    parts = own_parts([titles[number] for number in numbers])
    return unique(Query(number, _words(own)) for number, own in zip(numbers, parts))


def _words(parts: Iterable[str]) -> tuple[str, ...]:
    words = words_of(" ".join(parts))
    return tuple(word for word in words if any(sign.isalnum() for sign in word))


def unique(queries: Iterable[Query]) -> list[Query]:
    """Return the queries that have words, and have them to themselves."""
    asked = [(query, frozenset(word.casefold() for word in query.words)) for query in queries]
    count = Counter(words for _, words in asked)
    return [query for query, words in asked if words and count[words] == 1]


def chosen(queries: Sequence[Query], limit: int) -> list[Query]:
    """Return at most ``limit`` of the queries, the same ones each time, in order."""
    if len(queries) <= limit:
        return list(queries)
    return sorted(random.Random(_SEED).sample(queries, limit))


Indexes = Mapping[str, TextIndex]
"""A *way* (as-is, or a key of ``WAYS``) -> the index of what it leaves of the same pages."""

Ranks = dict[str, list[float]]
"""Way -> 1 / rank of the page that each query asks for, 0 where it was not found."""


def reciprocal_ranks(indexes: Indexes, queries: Sequence[Query]) -> Ranks:
    ranks = {way: [one.rank(query.words, query.number) for query in queries] for way, one in indexes.items()}
    return {way: [1 / rank if rank else 0.0 for rank in found] for way, found in ranks.items()}


def signed_rank_p(differences: Sequence[float]) -> float:
    """Return p of the two-sided Wilcoxon signed-rank test, zeros left out; 1 where nothing differs."""
    if not any(differences):
        return 1.0
    try:
        from scipy.stats import wilcoxon
    except ImportError as error:
        raise MissingExtra("the Wilcoxon test", "bench") from error
    return float(wilcoxon(differences, zero_method="wilcox", alternative="two-sided").pvalue)


@dataclass
class Sizes:
    """What was measured on a site, or on all of them.

    seen      bytes of the HTML of the whole pages without what no reader sees
    html      way -> bytes of HTML
    postings  way -> postings of the index
    peers     way -> pages that were compared with another
    lines     way -> (precision, recall) of the lines of each page
    """

    pages: int = 0
    seen: int = 0
    html: Counter[str] = field(default_factory=Counter)
    postings: Counter[str] = field(default_factory=Counter)
    peers: Counter[str] = field(default_factory=Counter)
    lines: dict[str, list[tuple[float, float]]] = field(default_factory=dict)

    def row(self) -> list[float]:
        """Return the row of the table of sizes."""
        (html, *kept_html), (postings, *kept_postings) = self.html.values(), self.postings.values()
        saved = [(html - size) / html if html else 0.0 for size in (self.seen, *kept_html)]
        shares = [(postings - size) / postings if postings else 0.0 for size in kept_postings]
        return [self.pages, html, *saved, postings, *shares]

    def lines_of(self, way: str) -> tuple[float, float] | None:
        """Return mean precision and recall of the lines that a way keeps, None without marked pages."""
        pairs = self.lines.get(way)
        return None if not pairs else (fmean(p for p, _ in pairs), fmean(r for _, r in pairs))


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def lines_with(page: Page, is_marked: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return line of a page -> whether it has a token that is marked and no white space.

    >>> page = Page("<p>one</p>\\n\\n<p>two\\nthree</p>", "")
    >>> lines_with(page, np.array([False, False, False, True, False, True, False])).tolist()
    [False, True, True]
    """
    tokens = page.tokens
    lines, starts = cut_lines(tokens.read_text)
    offsets = np.asarray(tokens.starts)
    begins = np.array(starts, dtype=np.intp)
    ends = begins + np.array(list(map(len, lines)), dtype=np.intp)
    counts = before(is_marked & (tokens.keys != 0))
    first = offsets[1:].searchsorted(begins, "right")
    stop = offsets[:-1].searchsorted(ends, "left")
    marked: npt.NDArray[np.bool_] = counts[stop] > counts[first]
    return marked


def line_scores(saved: SavedPage, kept: Separation) -> tuple[float, float] | None:
    """Return precision and recall of the lines that are kept of a page, None of one without its mark."""
    page = saved.page
    inside = inside_container(page, saved.content)
    if inside is None:
        return None
    is_gold = lines_with(page, inside[page.elements.owner_array])
    is_kept = lines_with(page, np.frombuffer(kept.content_mask, dtype=bool))
    both = int((is_gold & is_kept).sum())
    if not is_gold.any():
        return None
    return both / max(int(is_kept.sum()), 1), both / int(is_gold.sum())


def experiment(sites: Iterable[SavedSite], ways: Sequence[str], pages: int, queries: int) -> dict[str, Table]:
    """Return the tables by name.

    ways  as-is, and keys of ``WAYS``
    """
    everything = {way: TextIndex() for way in ways}
    asked: list[Query] = []
    total, every_rank = Sizes(), dict[str, list[float]]()
    sizes, ranks = {}, {}
    for site in sites:
        print(site.name, file=sys.stderr)
        of_site, search = Sizes(), {way: TextIndex() for way in ways}
        memories = {name: CrawlMemory(sample_salt=0, **WAYS[name]) for name in ways[1:]}  # type: ignore[arg-type]
        titles = {}
        for number, saved in enumerate(site.pages(pages), total.pages):
            separations = {AS_IS: Separation(saved.page, ((0, len(saved.page.tokens)),))}
            separations |= {name: memory.observe(saved.page).separation for name, memory in memories.items()}
            of_site.pages += 1
            of_site.seen += _bytes(separations[AS_IS].content_html)
            titles[number] = saved.page.title
            for way, separation in separations.items():
                of_site.html[way] += _bytes(saved.page.text if way == AS_IS else separation.content_html)
                of_site.peers[way] += separation.voters > 0
                if number > total.pages and (scored := line_scores(saved, separation)):
                    of_site.lines.setdefault(way, []).append(scored)
                words = words_of(separation.content_text)
                search[way].add(number, words)
                everything[way].add(number, words)
        queries_of_site = queries_of(titles)
        asked += queries_of_site
        of_site.postings.update({way: index.postings for way, index in search.items()})
        found = reciprocal_ranks(search, chosen(queries_of_site, queries))
        sizes[site.name], ranks[site.name] = of_site.row(), _ranks_row(found)
        total.pages += of_site.pages
        total.seen += of_site.seen
        total.html.update(of_site.html)
        total.postings.update(of_site.postings)
        total.peers.update(of_site.peers)
        for way in of_site.lines:
            total.lines.setdefault(way, []).append(of_site.lines_of(way) or (0.0, 0.0))
        for way, of_way in found.items():
            every_rank.setdefault(way, []).extend(of_way)
    joint = reciprocal_ranks(everything, chosen(unique(asked), queries))
    saves = [(f"{way} saves", _SHARE) for way in ways[1:]]
    columns = [("pages", _COUNT), ("HTML bytes", _COUNT), ("unseen", _SHARE), *saves]
    columns += [("postings", _COUNT), *saves]
    size_table = _table("Size as-is, and the share saved", columns, sizes, {"all": total.row()})
    columns = [("queries", _COUNT), (AS_IS, _MEAN)]
    for way in ways[1:]:
        columns += [(way, _MEAN), ("rose", _COUNT), ("fell", _COUNT), ("p", _CHANCE)]
    pooled = {"each in its site": _ranks_row(every_rank), "one index of all": _ranks_row(joint)}
    title = "Known-item retrieval: mean reciprocal rank; Wilcoxon's p"
    return {
        "sizes": size_table,
        "retrieval": _table(title, columns, ranks, pooled),
        "ways": ways_table(total, ranks, pooled, ways),
    }


def ways_table(total: Sizes, ranks: Rows, pooled: Rows, ways: Sequence[str]) -> Table:
    """Return a row a way: what is saved, how pages are found, lines, and pages with a peer."""
    rows = []
    (html, *_), (postings, *_) = total.html.values(), total.postings.values()
    each, joint = (pooled[name] for name in ("each in its site", "one index of all"))
    for number, way in enumerate(ways):
        column = 1 + 4 * number - 3 * (number > 0)  # of its mean rank
        found = [format(row[column], _MEAN) if row else "" for row in (each, joint)]
        p, worse, better = ["", ""], 0, 0
        if number:
            p = [format(row[column + 3], _CHANCE) if row else "" for row in (each, joint)]
            changed = [row for row in ranks.values() if row and row[column + 3] < DIFFERENT]
            worse = sum(row[column] < row[1] for row in changed)
            better = len(changed) - worse
        saved = [1 - total.html[way] / max(html, 1), 1 - total.postings[way] / max(postings, 1)]
        lines = total.lines_of(way) or (0.0, 0.0)
        rows.append(
            [
                *(way, *(format(share, _SHARE) for share in saved)),
                *(found[0], p[0], found[1], p[1], better, worse),
                *(format(share, _MEAN) for share in lines),
                format(total.peers[way] / max(total.pages, 1), _SHARE) if number else "",
            ]
        )
    heads = ["way", "HTML saved", "postings saved", "MRR in its site", "p", "MRR in one index", "p of it"]
    heads += ["sites better", "sites worse", "lines P", "lines R", "pages with a peer"]
    return table_of(f"By ways, of {total.pages:,} pages", heads, rows)


def _ranks_row(ranks: Ranks) -> list[float]:
    """Return the row of the table of retrieval, [] without queries."""
    (_, before), *treated = ranks.items()
    if not before:
        return []
    row = [len(before), fmean(before)]
    for _, after in treated:
        changes = [b - a for a, b in zip(before, after)]
        risen, fallen = sum(change > 0 for change in changes), sum(change < 0 for change in changes)
        row += [fmean(after), risen, fallen, signed_rank_p(changes)]
    return row


def _table(title: str, columns: Sequence[tuple[str, str]], sites: Rows, totals: Rows) -> Table:
    """Return a table: sites, the mean of their shares and means, totals; no empty rows."""
    heads, forms = zip(*columns)
    means = [
        format(fmean(column), form) if form in (_SHARE, _MEAN) else ""
        for form, column in zip(forms, zip(*filter(None, sites.values())))
    ]
    rows = [[name, *map(format, row, forms)] for name, row in sites.items() if row]
    rows += [["mean of sites", *means]]
    rows += [[name, *map(format, row, forms)] for name, row in totals.items() if row]
    return table_of(title, ["", *heads], rows)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.papers.diet", __doc__, "--corpora --debian --pages=200 --sites --figures")
    add_number(parser, "--queries", 300, "queries of an index")
    parser.add_argument("--ways", metavar="NAME", nargs="+", choices=WAYS, default=[*WAYS])
    options = parser.parse_args(arguments)
    sites = asked_sites(parser, options)
    report(experiment(sites, (AS_IS, *options.ways), options.pages, options.queries), options.figures)


if __name__ == "__main__":
    main()

r"""Known-item retrieval over separated pages: what is left of a title's page when its template is gone?

An index is a full-text table of SQLite (FTS5, tokenizer ``unicode61``) over the text of the pages, titles
left out; ideographs and syllables are one term each, as nothing else tells the words of their languages
apart.  Its *postings* are its (term, page) pairs: the sum over its terms of the pages that hold them.

A query asks for one page by its ``<title>``, without the words with which most titles of the site begin or
end, for these identify nothing.  Titles without a word left, and those that several pages share then, are
no queries.  Pages that hold any of the words are ranked by ``bm25()``, equals in the order of their visit;
the score of a query is 1 / rank of its page, 0 below rank 1000.

Source: Rowlands, Thomas, Wan (ADCS 2009), section 4: postings, and the same test of significance.
Departures: their queries came with judgements, their engine had a BM25 of its own.
Cost: O(text) for an index; a query reads the postings of its words.
"""

from __future__ import annotations

import random
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from lab.bench.saved_sites import Words, words_of
from templcrawl.errors import MissingExtra

LOWEST_RANK = 1000
_SEED = 2009
_TITLE_PART = re.compile(r"\w+|[^\w\s]")


class TextIndex:
    """A full-text index of numbered pages.

    >>> index = TextIndex()
    >>> for number, text in enumerate(("tea for two", "two and two", "a cup of tea")):
    ...     index.add(number, words_of(text))
    >>> index.postings, index.rank(["cup", "tea"], 2), index.rank(["cup", "tea"], 0), index.rank(["tea"], 1)
    (9, 1, 2, None)
    >>> index.close()
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

    def close(self) -> None:
        """Give its memory back."""
        self._database.close()


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


class Search:
    """The same pages under several treatments: an index each.

    ways  the names of the treatments, the first one is what the others are compared with
    """

    def __init__(self, ways: Iterable[str]) -> None:
        self._indexes = {way: TextIndex() for way in ways}

    def add(self, number: int, words: Mapping[str, Words]) -> None:
        """Add a page: way -> the words that it leaves of the page."""
        for way, index in self._indexes.items():
            index.add(number, words[way])

    @property
    def postings(self) -> Counter[str]:
        """Way -> postings."""
        return Counter({way: index.postings for way, index in self._indexes.items()})

    def reciprocal_ranks(self, queries: Iterable[Query]) -> dict[str, list[float]]:
        """Return way -> 1 / rank of the page that each query asks for, 0 where it was not found."""
        ranks: dict[str, list[float]] = {way: [] for way in self._indexes}
        for query in queries:
            for way, index in self._indexes.items():
                rank = index.rank(query.words, query.number)
                ranks[way].append(1 / rank if rank else 0.0)
        return ranks

    def close(self) -> None:
        """Give its memory back."""
        for index in self._indexes.values():
            index.close()


class Comparison(NamedTuple):
    """Reciprocal ranks after a treatment beside those before it.

    queries  how many
    mrr      mean reciprocal rank after
    risen    queries whose page rose
    fallen   queries whose page fell
    p        chance of such differences if the treatment changed nothing (Wilcoxon, two-sided)
    """

    queries: int
    mrr: float
    risen: int
    fallen: int
    p: float


def compare(before: Sequence[float], after: Sequence[float]) -> Comparison:
    """Compare the reciprocal ranks of the same queries, one or more."""
    differences = [b - a for a, b in zip(before, after)]
    risen = sum(difference > 0 for difference in differences)
    fallen = sum(difference < 0 for difference in differences)
    return Comparison(len(after), fmean(after), risen, fallen, signed_rank_p(differences))


def compared(ranks: Mapping[str, Sequence[float]]) -> dict[str, dict[str, float]]:
    """Return way -> its Comparison with the first way, as plain values; {} without queries."""
    before = next(iter(ranks.values()))
    return {way: compare(before, after)._asdict() for way, after in ranks.items() if before}


def signed_rank_p(differences: Sequence[float]) -> float:
    """Return p of the two-sided Wilcoxon signed-rank test, zeros left out; 1 where nothing differs."""
    if not any(differences):
        return 1.0
    try:
        from scipy.stats import wilcoxon
    except ImportError as error:
        raise MissingExtra("the Wilcoxon test", "bench") from error
    return float(wilcoxon(differences, zero_method="wilcox", alternative="two-sided").pvalue)

"""Does it pay to rank by pagelets, templates left out, as it did on the web of 2001?

Source: Bar-Yossef & Rajagopalan (WWW 2002), section 5.  Figure 6: precision among the first 10, 20, 30, 40
and 50 authorities of the six versions of Clever; Figure 7: their overlap with a reference; Table 2: how
frequent template is.  Beside them: BM25 alone, and the two pagelet versions with FNM when authorities that do
not match are left out as well, as page-fnm does.

queries    a word of five letters or more that stands in the head of 10 to 60 pages.  The head of a page is
           its title, without what most titles of the site begin or end with, and the first heading in its
           marked content.  Of these words 8 for each site, and 80 for all sites together, drawn by hash
relevant   the pages whose head holds the word
P@N        share of the first N that are relevant; a place that is left empty is not
possible   the P@N of a ranking that names all relevant pages first
of ranked  share of the pages that are ranked among the first 10, where any is
ranked     pages that a version ranks, of the first 50
overlap    share of the first 50 pages of BM25 that are among the first 50 (the paper has those of Google)
templated  share of the base set's pages that own template pagelets (Table 2; the paper found 43 %)

Figures are means over queries: "one site" asks each site's queries of its own pages, "all sites" asks of
the pages of all sites at once.  Links within a site are kept: nearly no others exist.
p          chance of such differences from page-fnm in P@10 if there were none (Wilcoxon, two-sided).

Departures: relevance was judged by people there, and the pages were those of the whole web.  An overlap with
BM25 says how near a version comes to ranking by words, not how good it is.
Cost: each page is read twice; a query takes some hundredths of a second.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from statistics import fmean
from typing import NamedTuple

from rich.table import Table
from xxhash import xxh3_64_intdigest

from lab.bench.options import add_number, asked_sites, new_parser
from lab.bench.saved_sites import SavedPage, SavedSite, host_of, words_of
from lab.bench.tables import report, table_of
from lab.papers.diet import own_parts, signed_rank_p
from templcrawl import Page
from templcrawl.algorithms.ranking.hits import rank_pages
from templcrawl.algorithms.ranking.pagelet_graph import VERSIONS
from templcrawl.tools.ranking.page_database import PageDatabase, QueryBase, address_of

DEPTHS = (10, 20, 30, 40, 50)
PAGES_OF_A_QUERY = range(10, 61)
QUERIES_OF_A_SITE, QUERIES_OF_ALL = 8, 80
MIN_LETTERS = 5
BASELINE, REFERENCE = "page-fnm", "bm25"
STRICT = ("pagelet-fnm", "pagelet-ft-fnm")
WAYS = (REFERENCE, *VERSIONS, *(f"{version}, matching" for version in STRICT))

Heads = dict[str, frozenset[str]]


class Answer(NamedTuple):
    """What was found for one query.

    relevant   how many pages are
    base       pages of the base set
    templated  of these, how many own template pagelets
    hits       way -> for each page it ranks, best first, whether it is relevant
    overlap    way -> share of the pages of the reference that it ranks
    """

    query: str
    relevant: int
    base: int
    templated: int
    hits: dict[str, list[bool]]
    overlap: dict[str, float]


def url_on(site: SavedSite, url: str) -> str:
    """Return the URL of a saved page on a host that is the site's alone: some have hosts in common."""
    return url.replace(f"http://{site.hosts[0]}/", f"http://{host_of(site.name)}/", 1)


def address_on(sites: dict[str, SavedSite], page: Page, url: str) -> str:
    """Return what a URL is filed under: the saved page it leads to, on its page's site or another."""
    own = sites[page.host]
    there = url.replace(f"http://{host_of(own.name)}/", f"http://{own.hosts[0]}/", 1)
    for site in chain([own], sites.values()):
        path = site.find(there)
        if path is not None:
            return f"{site.name}/{path}"
    return address_of(page, url)


def first_heading(saved: SavedPage) -> str:
    """Return the first heading of the marked content, "" without one."""
    for container in saved.containers:
        for heading in container.iter("h1", "h2", "h3"):
            return " ".join(heading.itertext())
    return ""


def heads_of(site: SavedSite, limit: int) -> Heads:
    """Return URL -> the words of the head of each page of a site."""
    saved = list(site.pages(limit))
    titles = own_parts([page.page.title for page in saved])
    return {
        url_on(site, page.url): frozenset(
            word.casefold()
            for word in words_of(f"{' '.join(title)} {first_heading(page)}")
            if len(word) >= MIN_LETTERS and word.isalpha()
        )
        for page, title in zip(saved, titles)
    }


def queries_of(heads: Iterable[frozenset[str]], count: int) -> list[str]:
    """Return the words that stand in the right number of heads, at most ``count``, drawn by hash."""
    pages = Counter(word for head in heads for word in head)
    words = [word for word, frequency in pages.items() if frequency in PAGES_OF_A_QUERY]
    return sorted(words, key=lambda word: xxh3_64_intdigest(word.encode()))[:count]


def pages_of(sites: Iterable[SavedSite], limit: int) -> Iterator[Page]:
    """Yield the pages of sites, each on a host of its own."""
    for site in sites:
        for saved in site.pages(limit):
            yield Page(saved.page.text, url_on(site, saved.url))


def ask(sites: Sequence[SavedSite], options: argparse.Namespace, heads: Heads, count: int) -> list[Answer]:
    """Put the queries of some sites before every way to rank their pages."""
    address = partial(address_on, {host_of(site.name): site for site in sites})
    with PageDatabase(address=address, template_pages=options.template_pages) as database:
        for page in pages_of(sites, options.pages):
            database.add(page)
        database.finish()
        urls = [database.page(number).url for number in range(1, database.pages + 1)]
        kept = {url: heads[url] for url in urls}
        return [answer_of(database, query, kept) for query in queries_of(kept.values(), count)]


def answer_of(database: PageDatabase, query: str, heads: Heads) -> Answer:
    """Put one query before every way to rank."""
    base = database.base_set(query)
    ranked = {way: ranked_by(way, database, query, base) for way in WAYS}
    hits = {
        way: [query in heads[database.page(number).url] for number in pages] for way, pages in ranked.items()
    }
    relevant = sum(query in head for head in heads.values())
    overlap = {way: overlap_of(pages, ranked[REFERENCE]) for way, pages in ranked.items()}
    return Answer(query, relevant, len(base.pages), base.templated, hits, overlap)


def ranked_by(way: str, database: PageDatabase, query: str, base: QueryBase) -> list[int]:
    """Return the pages that a way ranks first."""
    if way == REFERENCE:
        return database.root_set(query, size=DEPTHS[-1])
    version, _, strict = way.partition(", ")
    ranked = rank_pages(base.links, version, matching_authorities=bool(strict), top=DEPTHS[-1])
    return [base.pages[row.page] for row in ranked]


def precision(hits: Sequence[bool], depth: int) -> float:
    """Return P@N of a ranking.

    >>> precision([True, False, True], 10)
    0.2
    """
    return sum(hits[:depth]) / depth


def overlap_of(pages: Sequence[int], reference: Sequence[int]) -> float:
    """Return the share of the reference's pages that are among some pages; 1 where it has none.

    >>> overlap_of([1, 2, 3], [3, 4]), overlap_of([1], [])
    (0.5, 1.0)
    """
    return len({*pages} & {*reference}) / len(reference) if reference else 1.0


def scores_table(title: str, answers: Sequence[Answer]) -> Table:
    """Return the figures of some queries as a table."""
    first = DEPTHS[0]
    baseline = [precision(answer.hits[BASELINE], first) for answer in answers]
    rows = []
    for way in WAYS:
        hits = [answer.hits[way] for answer in answers]
        changes = [precision(one, first) - before for one, before in zip(hits, baseline)]
        rows.append(
            [
                way,
                *(f"{fmean(precision(one, depth) for one in hits):.3f}" for depth in DEPTHS),
                f"{fmean(fmean(one[:first]) for one in hits if one):.3f}",
                f"{fmean(map(len, hits)):.1f}",
                f"{fmean(answer.overlap[way] for answer in answers):.3f}",
                sum(change > 0 for change in changes),
                sum(change < 0 for change in changes),
                f"{signed_rank_p(changes):.4f}",
            ]
        )
    possible = [f"{fmean(min(1, answer.relevant / depth) for answer in answers):.3f}" for depth in DEPTHS]
    rows.append(["possible", *possible])
    base = fmean(answer.base for answer in answers)
    title = f"{title}: {len(answers)} queries, {base:.0f} pages in a base set"
    heads = [*(f"P@{depth}" for depth in DEPTHS), "of ranked", "ranked", "overlap", "better", "worse", "p"]
    return table_of(title, ["ranked by", *heads], rows)


def frequency_table(of_sites: Sequence[Answer], of_all: Sequence[Answer]) -> Table:
    """Return the share of template pages in the base set of each query of all sites, and the means."""
    rows = [
        [f"all sites: {answer.query}", 1, answer.base, share_of_templates([answer])]
        for answer in sorted(of_all, key=lambda answer: answer.query)
    ]
    for title, answers in (("all sites", of_all), ("one site", of_sites)):
        base = f"{fmean(answer.base for answer in answers):.0f}"
        rows.append([f"mean, {title}", len(answers), base, share_of_templates(answers)])
    return table_of("Template frequency", ["query", "queries", "pages of the base set", "templated"], rows)


def share_of_templates(answers: Sequence[Answer]) -> str:
    """Return the share of the base set's pages that own template pagelets, mean of some queries."""
    return f"{fmean(answer.templated / max(1, answer.base) for answer in answers):.0%}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.papers.ranking", __doc__, "--corpora! --pages=200 --sites --figures")
    add_number(parser, "--template-pages", 2, "pages that make a pagelet template")
    options = parser.parse_args(arguments)
    sites = asked_sites(parser, options)
    heads: Heads = {}
    of_sites: list[Answer] = []
    for number, site in enumerate(sites, 1):
        own = heads_of(site, options.pages)
        heads |= own
        of_sites += ask([site], options, own, QUERIES_OF_A_SITE)
        print(f"{number} of {len(sites)}: {site.name}", file=sys.stderr, flush=True)
    of_all = ask(sites, options, heads, QUERIES_OF_ALL)
    if not of_sites or not of_all:
        parser.error("no word stands in the heads of enough pages")
    tables = {
        "one site": scores_table("One site", of_sites),
        "all sites": scores_table("All sites", of_all),
        "template frequency": frequency_table(of_sites, of_all),
    }
    report(tables, options.figures)


if __name__ == "__main__":
    main()

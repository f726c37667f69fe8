"""The contents of a report, as plain values: made at the end, from the figures and the memory.

The typical page of a page type is the sampled page whose share of template is nearest to the mean of its
pages. The tag path that separates a type from the others of its site comes from the sampled pages alone, and
so does the name of the part of a page that it leads to.

Cost: that of reading the sampled pages of the 20 largest sites twice more (32 a site), and of judging those
of the page types that are shown as pictures (3 a site, 30 in all).  One page is held at a time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from importlib.metadata import version
from itertools import islice

from templcrawl.algorithms.columns.choice import choose_columns
from templcrawl.algorithms.columns.reading import PageUnits, pack, read_page, unpack
from templcrawl.algorithms.columns.values import Column
from templcrawl.algorithms.page_types.tag_paths import PathCounts, tag_paths
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.memory.observation import Observation
from templcrawl.outputs.report.figures import (
    CrawlFigures,
    FiguresPage,
    ListedPage,
    SiteFigures,
    Tally,
    template_share,
)
from templcrawl.outputs.report.greyed_page import picture_of
from templcrawl.outputs.report.place_names import (
    MAX_ROLES,
    PAGE,
    RoleRow,
    add_examples,
    element_at,
    place_name,
    role_rows,
)

MAX_BARS = 30
MAX_SITES = 20
MAX_TYPES = 10
MAX_COLUMNS = 20
MIN_COLUMN_PAGES = 5  # sampled pages of a type whose columns are shown
MAX_PICTURES = 30
PICTURES_OF_SITE = 3


@dataclass(frozen=True)
class CrawlFacts:
    """Facts about a crawl that only the caller of the report knows.

    source    what was crawled or read, in words
    seconds   how long the crawl took, or the reading
    errors    errors of templcrawl, or records that could not be read
    waited    links that waited; None where nothing was crawled
    by_role   whether the roles of links ordered the crawl
    settings  setting -> value, of those that differ from the defaults
    kinds     (host, page type) -> kind -> pages, where pages were judged again after the crawl; without it
              the kinds count that pages had when they came
    """

    source: str
    made: datetime
    seconds: float
    errors: int = 0
    waited: int | None = None
    by_role: bool = False
    settings: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[tuple[str, str], Mapping[str, int]] = field(default_factory=dict)


@dataclass
class TypeRow:
    """A page type of a site.

    example  address of a typical page
    kind     the kind of most of its pages; "" where kinds are not told
    path     the tag path that separates it from the site's other types, "" without one
    part     the name of what it leads to, "" if that is the whole page
    picture  HTML of the typical page with its template greyed out, "" where none is shown
    share    of that page's text that is template
    columns  name -> column, of those that most pages fill; those of records behind the name of their table
    """

    name: str
    tally: Tally
    example: str
    kind: str
    path: str = ""
    part: str = ""
    picture: str = ""
    share: float = 0.0
    columns: Mapping[str, Column] = field(default_factory=dict)


@dataclass(frozen=True)
class SiteContents:
    """The section about a site.

    types  the largest page types
    more   how many more there are
    roles  the roles of links that led to most pages; empty where the crawl did not go by them
    """

    host: str
    tally: Tally
    figures: SiteFigures
    types: Sequence[TypeRow]
    more: int
    roles: Sequence[RoleRow]


@dataclass(frozen=True)
class Contents:
    """The contents of a report.

    hosts       how many sites there are
    page_types  how many page types the sites in memory have
    bars        host -> sums, of the largest sites
    rest        sums of all other sites;  rest_hosts  how many those are
    sites       more of the largest sites
    pages       the listed pages of all sites, by their addresses, each with its page type
    """

    run: CrawlFacts
    total: Tally
    hosts: int
    page_types: int
    bars: Mapping[str, Tally]
    rest: Tally
    rest_hosts: int
    sites: Sequence[SiteContents]
    pages: Sequence[tuple[ListedPage, str]]
    version: str


def report_contents(figures: CrawlFigures, memory: CrawlMemory, run: CrawlFacts) -> Contents:
    """Return the contents of the report of a crawl."""
    sites = figures.sites()
    hosts = list(sites)
    shown = [host for host in hosts[:MAX_SITES] if host in figures.details]
    types = {host: _type_names(memory, host) for host in shown}
    largest = [
        (-group.tally.pages, host, name)
        for host in shown
        for name, group in list(figures.details[host].page_types(types[host]).items())[:PICTURES_OF_SITE]
    ]
    pictured = frozenset((host, name) for _, host, name in sorted(largest)[:MAX_PICTURES])
    return Contents(
        run=run,
        total=figures.total,
        hosts=len(hosts) + figures.rest_sites,
        page_types=sum(len({leaf.page_type for leaf in site.page_types()}) for site in memory),
        bars={host: sites[host] for host in hosts[:MAX_BARS]},
        rest=sum((sites[host] for host in hosts[MAX_BARS:]), figures.rest),
        rest_hosts=len(hosts[MAX_BARS:]) + figures.rest_sites,
        sites=[
            _site_contents(host, sites[host], figures.details[host], memory, types[host], pictured, run)
            for host in shown
        ],
        pages=[(page, types.get(page.host, _leaf_name)(page.leaf_id)) for page in figures.pages()],
        version=version("templcrawl"),
    )


def _leaf_name(leaf_id: str) -> str:
    return leaf_id.rpartition("#")[2]


def _type_names(memory: CrawlMemory, host: str) -> Callable[[str], str]:
    """Return a function leaf -> its page type, if that is known."""
    site = memory.peek(host, in_store=True)
    types = {leaf.leaf_id: leaf.page_type for leaf in site.page_types()} if site is not None else {}
    return lambda leaf_id: types.get(leaf_id) or _leaf_name(leaf_id)


def _site_contents(
    host: str,
    tally: Tally,
    figures: SiteFigures,
    memory: CrawlMemory,
    type_of: Callable[[str], str],
    pictured: Collection[tuple[str, str]],
    run: CrawlFacts,
) -> SiteContents:
    """Return the section about a site.

    type_of   leaf -> page type
    pictured  (host, page type) of those that are shown as pictures
    """
    groups = figures.page_types(type_of)
    rows = {}
    for name, group in islice(groups.items(), MAX_TYPES):
        kinds = run.kinds.get((host, name), group.kinds)
        kind = max(sorted(kinds), key=kinds.__getitem__, default="")
        rows[name] = TypeRow(name, group.tally, group.example, kind)
    pages = [(type_of(page.leaf_id), page) for page in figures.sample()]
    examples = _read(pages, rows, {name for name in rows if (host, name) in pictured}, memory)
    _name_parts(pages, rows)
    site = memory.peek(host, in_store=True)
    roles: Sequence[RoleRow] = ()
    if site is not None and run.by_role:
        roles = role_rows(site.links.largest_roles(MAX_ROLES), examples)
    return SiteContents(host, tally, figures, [*rows.values()], len(groups) - len(rows), roles)


def _columns(pages: Sequence[PageUnits]) -> dict[str, Column]:
    """Return name -> column, for columns that most pages fill, in the order of the page.

    pages  the sampled pages of a page type
    """
    columns = choose_columns(pages)
    named = {column.name: column for column in columns.columns if column.shown}
    for table, rows in columns.rows.items():
        named |= {f"{table}.{column.name}": column for column in rows.columns if column.shown}
    most = sorted(named, key=lambda name: -named[name].share)[:MAX_COLUMNS]
    return {name: column for name, column in named.items() if name in most}


def _read(
    pages: Sequence[tuple[str, FiguresPage]],
    rows: Mapping[str, TypeRow],
    pictured: Collection[str],
    memory: CrawlMemory,
) -> dict[int, tuple[str, str]]:
    """Read the sampled pages of a site, one at a time; fill in paths, columns and pictures.

    pages     (page type, page)
    rows      page type -> its row, of those that are shown
    pictured  those of them that are shown as pictures
    Returns role -> its place, and a link of it
    """
    counts, numbers = PathCounts(), {name: number for number, name in enumerate(dict(pages))}
    typical: dict[
        str, tuple[float, int, Observation]
    ] = {}  # distance from the mean share, key, as judged now
    examples: dict[int, tuple[str, str]] = {}
    samples: defaultdict[str, list[bytes]] = defaultdict(list)
    for name, sampled in pages:
        observation = sampled.observation()
        page = observation.page
        counts.count(numbers[name], tag_paths(page.tokens, page.elements))
        add_examples(examples, page, min_links=memory.options.min_pagelet_links)
        if name in rows:
            samples[name].append(pack(read_page(page, observation.content_mask)))
        if name in pictured:
            observation = memory.reclassify(observation)
            distance = abs(template_share(*observation.text_lengths) - rows[name].tally.mean_share)
            candidate = (distance, sampled.key, observation)
            typical[name] = min(candidate, typical.get(name, candidate), key=lambda page: page[:2])
    for name, (_, _, observation) in typical.items():
        row = rows[name]
        row.example, row.picture = observation.page.url, picture_of(observation.separation)
        row.share = template_share(*observation.text_lengths)
    for name, packed in samples.items():
        if len(packed) >= MIN_COLUMN_PAGES:
            rows[name].columns = _columns([unpack(each) for each in packed])
    best = counts.best({number: number for number in numbers.values()})
    for name in numbers.keys() & rows.keys():
        choice = best[numbers[name]]
        rows[name].path = choice.path if choice else ""
    return examples


def _name_parts(pages: Sequence[tuple[str, FiguresPage]], rows: Mapping[str, TypeRow]) -> None:
    """Name the element at the path of each row, on the first page where that is not the whole page."""
    for name, sampled in pages:
        row = rows.get(name)
        if row is not None and row.path and not row.part:
            page = sampled.observation().page
            part = place_name(page, element_at(page, row.path))
            row.part = "" if part == PAGE else part

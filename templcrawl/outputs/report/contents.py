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

from templcrawl.algorithms.columns.values import Column, TypeColumns
from templcrawl.algorithms.page_types.tag_paths import PathCounts, tag_paths
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.observation import Observation
from templcrawl.outputs.report.figures import (
    CrawlFigures,
    ListedPage,
    SampledPage,
    SiteFigures,
    Tally,
    template_share,
)
from templcrawl.outputs.report.greyed_page import picture_of
from templcrawl.outputs.report.places import (
    MOST_ROLES,
    PAGE,
    RoleRow,
    add_examples,
    element_at,
    place_name,
    role_rows,
)

MOST_BARS = 30
MOST_SITES = 20
MOST_TYPES = 10
MOST_COLUMNS = 20
MOST_PICTURES = 30
PICTURES_OF_SITE = 3

# Distance of a page's share of template from the mean of its page type, key, the page as judged now.
Typical = tuple[float, int, Observation]


@dataclass(frozen=True)
class Run:
    """The facts about a crawl that only its caller has.

    source    what was crawled or read, in words
    seconds   how long the crawl took, or the reading
    errors    errors of templcrawl, or records that could not be read
    waited    links that waited; None where nothing was crawled
    by_role   whether the roles of links ordered the crawl
    settings  setting -> value, of those that differ from the defaults
    """

    source: str
    made: datetime
    seconds: float
    errors: int = 0
    waited: int | None = None
    by_role: bool = False
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class TypeRow:
    """A page type of a site.

    kind     the kind of most of its pages, as named when they came; "" where kinds are not told
    example  address of a typical page
    path     the tag path that separates it from the site's other types, "" without one
    part     the name of what it leads to, "" if that is the whole page
    picture  HTML of the typical page with its template greyed out, "" where none is shown
    share    of that page's text that is template
    columns  name -> column, of those that most pages fill; those of records behind the name of their table
    """

    name: str
    kind: str
    tally: Tally
    example: str
    path: str
    part: str
    picture: str
    share: float
    columns: Mapping[str, Column]


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

    run: Run
    total: Tally
    hosts: int
    page_types: int
    bars: Mapping[str, Tally]
    rest: Tally
    rest_hosts: int
    sites: Sequence[SiteContents]
    pages: Sequence[tuple[ListedPage, str]]
    version: str


def report_contents(figures: CrawlFigures, memory: CrawlMemory, run: Run) -> Contents:
    """Return the contents of the report of a crawl."""
    sites = figures.sites()
    hosts = list(sites)
    shown = [host for host in hosts[:MOST_SITES] if host in figures.details]
    types = {host: _type_names(memory, host) for host in shown}
    largest = [
        (-group.tally.pages, host, name)
        for host in shown
        for name, group in list(figures.details[host].page_types(types[host]).items())[:PICTURES_OF_SITE]
    ]
    pictured = frozenset((host, name) for _, host, name in sorted(largest)[:MOST_PICTURES])
    return Contents(
        run=run,
        total=figures.total,
        hosts=len(hosts) + figures.rest_sites,
        page_types=sum(len({leaf.page_type for leaf in site.page_types()}) for site in memory),
        bars={host: sites[host] for host in hosts[:MOST_BARS]},
        rest=sum((sites[host] for host in hosts[MOST_BARS:]), figures.rest),
        rest_hosts=len(hosts[MOST_BARS:]) + figures.rest_sites,
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
    """Return a function leaf -> its page type, as far as it is known."""
    site = memory.get_site(host)
    types = {leaf.leaf_id: leaf.page_type for leaf in site.page_types()} if site is not None else {}
    return lambda leaf_id: types.get(leaf_id) or _leaf_name(leaf_id)


def _site_contents(
    host: str,
    tally: Tally,
    figures: SiteFigures,
    memory: CrawlMemory,
    type_of: Callable[[str], str],
    pictured: Collection[tuple[str, str]],
    run: Run,
) -> SiteContents:
    """Return the section about a site.

    type_of   leaf -> page type
    pictured  (host, page type) of those that are shown as pictures
    """
    groups = figures.page_types(type_of)
    shown = list(groups)[:MOST_TYPES]
    pages = [(type_of(page.leaf_id), page) for page in figures.sample()]
    means = {name: group.tally.mean_share for name, group in groups.items() if (host, name) in pictured}
    paths, typical, examples = _read(pages, means, memory)
    parts = _parts(pages, {name: paths[name] for name in shown if name in paths})
    site = memory.get_site(host)
    fields, leaves = None, defaultdict[str, list[str]](list)
    if site is not None and (fields := site.fields) is not None:
        fields.learn_now()
        for leaf in site.page_types():
            leaves[leaf.page_type].append(leaf.leaf_id)
    rows = []
    for name in shown:
        kinds, example, picture, share = groups[name].kinds, groups[name].example, "", 0.0
        if name in typical:
            _, _, page = typical[name]
            example, picture = page.page.url, picture_of(page.separation)
            share = template_share(*page.text_lengths)
        kind = max(kinds, key=lambda kind: (kinds[kind], kind), default="")
        path, part = paths.get(name, ""), parts.get(name, "")
        columns = _columns(fields.of_leaves(leaves[name]) if fields is not None else None)
        rows.append(TypeRow(name, kind, groups[name].tally, example, path, part, picture, share, columns))
    roles: Sequence[RoleRow] = ()
    if site is not None and run.by_role:
        roles = role_rows(site.links.largest_roles(MOST_ROLES), examples)
    return SiteContents(host, tally, figures, rows, len(groups) - len(shown), roles)


def _columns(columns: TypeColumns | None) -> dict[str, Column]:
    """Return name -> column, of those that most pages fill, in the order in which they stand on a page."""
    if columns is None:
        return {}
    named = {column.name: column for column in columns.columns}
    for table, rows in columns.rows.items():
        named |= {f"{table}.{column.name}": column for column in rows.columns}
    most = sorted(named, key=lambda name: -named[name].share)[:MOST_COLUMNS]
    return {name: column for name, column in named.items() if name in most}


def _read(
    pages: Sequence[tuple[str, SampledPage]], means: Mapping[str, float], memory: CrawlMemory
) -> tuple[dict[str, str], dict[str, Typical], dict[int, tuple[str, str]]]:
    """Read the sampled pages of a site, one at a time.

    means  page type that is shown as a picture -> mean share of template of its pages
    Returns page type -> the tag path that separates it, a pictured one -> its typical page, role -> example
    """
    counts, numbers = PathCounts(), {page_type: number for number, page_type in enumerate(dict(pages))}
    typical: dict[str, Typical] = {}
    examples: dict[int, tuple[str, str]] = {}
    for page_type, sampled in pages:
        observation = sampled.observation()
        page = observation.page
        counts.count(numbers[page_type], tag_paths(page.tokens, page.elements))
        add_examples(examples, page, min_links=memory.options.min_pagelet_links)
        if page_type in means:
            observation = memory.reclassify(observation)
            distance = abs(template_share(*observation.text_lengths) - means[page_type])
            candidate = (distance, sampled.key, observation)
            typical[page_type] = min(candidate, typical.get(page_type, candidate), key=lambda page: page[:2])
    best = counts.best({number: number for number in numbers.values()})
    chosen = {page_type: best[number] for page_type, number in numbers.items()}
    return {page_type: choice.path for page_type, choice in chosen.items() if choice}, typical, examples


def _parts(pages: Sequence[tuple[str, SampledPage]], paths: Mapping[str, str]) -> dict[str, str]:
    """Return page type -> the name of what its path leads to, on the first of its pages that has it."""
    parts: dict[str, str] = {}
    for page_type, sampled in pages:
        if page_type in paths and page_type not in parts:
            page = sampled.observation().page
            element = element_at(page, paths[page_type])
            name = place_name(page, element) if element is not None else PAGE
            if name != PAGE:
                parts[page_type] = name
    return parts

"""The contents of a report, as plain values: made at the end, from the figures and the memory.

Cost: that of reading the sampled pages of the 20 largest sites once more (32 a site), and of judging those
of the templates that are shown as pictures (3 a site, 30 in all).  One page is held at a time.

*A site.*  The typical page of a template is the sampled page whose share of template is nearest to the mean
of the template's pages.  The tag path that separates a template from the others comes from the sampled pages
alone, and so does the name of the part of a page that it leads to.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from importlib.metadata import version
from typing import NamedTuple

from templcrawl.algorithms.page_types.tag_paths import PathCounts, tag_paths
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.observation import Observation
from templcrawl.outputs.report.figures import CrawlFigures, SiteFigures, Tally, template_share
from templcrawl.outputs.report.greyed_page import picture_of
from templcrawl.outputs.report.kept_pages import CompressedPage
from templcrawl.outputs.report.places import (
    MOST_ROLES,
    PAGE,
    RoleExample,
    RoleRow,
    add_examples,
    element_at,
    place_name,
    role_rows,
)

MOST_BARS = 30
MOST_SITES = 20
MOST_TEMPLATES = 10
MOST_PICTURES = 30
PICTURES_OF_SITE = 3

Namer = Callable[[str, str], str]
"""(leaf, its template as known when it was seen) -> its template as known now."""

Typical = tuple[float, int, Observation]
"""Distance of a page's share of template from the mean of its template, key, the page as it is judged now."""


@dataclass(frozen=True)
class Run:
    """The facts about a crawl that only its caller has.

    source      what was crawled or read, in words
    made        when the report was made
    seconds     how long the crawl took, or the reading
    errors      errors of templcrawl, or records that could not be read
    waited      links that waited; None where nothing was crawled
    by_role     whether the roles of links ordered the crawl
    settings    setting -> value, of those that differ from the defaults
    """

    source: str
    made: datetime
    seconds: float
    errors: int = 0
    waited: int | None = None
    by_role: bool = False
    settings: Mapping[str, str] = field(default_factory=dict)


class PageRow(NamedTuple):
    """A page of the crawl.

    template  the label of its template, without the host
    content   characters of its text that are content
    share     of its text that is template
    """

    url: str
    template: str
    content: int
    share: float


class Picture(NamedTuple):
    """A typical page with its template greyed out.

    share  of its text that is template
    html   inert elements
    """

    url: str
    share: float
    html: str


@dataclass(frozen=True)
class TemplateRow:
    """A template of a site.

    name     its label, without the host
    kind     the kind of most of its pages, as named when they came; "" where kinds are not told
    tally    sums of its pages
    example  address of a typical page
    path     the tag path that separates it from the site's other templates, "" without one
    part     the name of what it leads to, "" if that is the whole page
    picture  None where none is shown
    """

    name: str
    kind: str
    tally: Tally
    example: str
    path: str
    part: str
    picture: Picture | None


@dataclass(frozen=True)
class SiteContents:
    """The section about a site.

    templates  the largest ones
    more       how many more there are
    roles      the roles of links that led to most pages; empty where the crawl did not go by them
    """

    host: str
    tally: Tally
    figures: SiteFigures
    templates: Sequence[TemplateRow]
    more: int
    roles: Sequence[RoleRow]


@dataclass(frozen=True)
class Contents:
    """The contents of a report.

    total       sums of all pages
    hosts       how many sites there are
    templates   how many templates the sites in memory have
    bars        host -> sums, of the largest sites
    rest        sums of all other sites
    rest_hosts  how many those are
    sites       more of the largest sites
    pages       pages of all sites, by their addresses
    version     of templcrawl
    """

    run: Run
    total: Tally
    hosts: int
    templates: int
    bars: Mapping[str, Tally]
    rest: Tally
    rest_hosts: int
    sites: Sequence[SiteContents]
    pages: Sequence[PageRow]
    version: str


def report_contents(figures: CrawlFigures, memory: CrawlMemory, run: Run) -> Contents:
    """Return the contents of the report of a crawl."""
    sites = figures.sites()
    hosts = list(sites)
    shown = {host: details for host in hosts[:MOST_SITES] if (details := figures.details(host)) is not None}
    namers = {host: _template_namer(memory, host) for host in shown}
    largest: list[tuple[int, str]] = []
    for host, details in shown.items():
        groups = details.templates(namers[host])
        largest += [(-groups[name].tally.pages, name) for name in list(groups)[:PICTURES_OF_SITE]]
    pictured = frozenset(template for _, template in sorted(largest)[:MOST_PICTURES])
    templates = 0
    for site in memory:
        of_site = figures.details(site.host)
        if of_site is None or not of_site.are_assigned:
            templates += len(site.templates())
        else:
            templates += len(of_site.templates(_template_namer(memory, site.host)))
    return Contents(
        run=run,
        total=figures.total,
        hosts=len(hosts) + figures.rest_sites,
        templates=templates,
        bars={host: sites[host] for host in hosts[:MOST_BARS]},
        rest=sum((sites[host] for host in hosts[MOST_BARS:]), figures.rest),
        rest_hosts=len(hosts[MOST_BARS:]) + figures.rest_sites,
        sites=[
            _site_contents(host, sites[host], details, memory, namers[host], pictured, by_role=run.by_role)
            for host, details in shown.items()
        ],
        pages=_page_rows(figures, namers),
        version=version("templcrawl"),
    )


def _template_namer(memory: CrawlMemory, host: str) -> Namer:
    """Return what names the templates of a site: as known then, if the site is forgotten."""
    if memory.get_site(host) is not None:
        return lambda leaf, _: memory.resolve(leaf)
    return lambda _, template: template


def _page_rows(figures: CrawlFigures, namers: Mapping[str, Namer]) -> list[PageRow]:
    """Return the listed pages; templates are named as known now where a site has a namer."""
    rows = []
    for page in figures.pages:
        name = namers.get(page.host)
        template = name(page.leaf_id, page.template_id) if name else page.template_id
        template = page.leaf_id if page.is_assigned else template
        share = (page.whole - page.content) / page.whole if page.whole else 0.0
        rows.append(PageRow(page.url, template.rpartition("#")[2], page.content, share))
    return rows


def _site_contents(
    host: str,
    tally: Tally,
    figures: SiteFigures,
    memory: CrawlMemory,
    name: Namer,
    pictured: Collection[str],
    *,
    by_role: bool,
) -> SiteContents:
    """Return the section about a site.

    pictured  the templates that are shown as pictures
    by_role   whether the roles of links ordered the crawl: they are shown then
    """
    groups = figures.templates(name)
    shown = list(groups)[:MOST_TEMPLATES]
    pages = [(page.assigned or name(page.leaf_id, page.template_id), page) for page in figures.sample]
    tallies = {template: groups[template].tally for template in groups if template in pictured}
    paths, typical, examples = _read(pages, tallies, memory)
    parts = _parts(pages, {template: paths[template] for template in shown if template in paths})
    rows = []
    for template in shown:
        group, picture = groups[template], None
        if template in typical:
            _, _, page = typical[template]
            picture = Picture(page.page.url, template_share(page), picture_of(page.separation))
        rows.append(
            TemplateRow(
                name=template.rpartition("#")[2],
                kind=max(group.kinds, key=lambda kind: (group.kinds[kind], kind), default=""),
                tally=group.tally,
                example=picture.url if picture else group.example,
                path=paths.get(template, ""),
                part=parts.get(template, ""),
                picture=picture,
            )
        )
    site = memory.get_site(host) if by_role else None
    roles = role_rows(site.links.largest_roles(MOST_ROLES), examples) if site is not None else ()
    return SiteContents(host, tally, figures, rows, len(groups) - len(shown), roles)


def _read(
    pages: Sequence[tuple[str, CompressedPage]], tallies: Mapping[str, Tally], memory: CrawlMemory
) -> tuple[dict[str, str], dict[str, Typical], dict[int, RoleExample]]:
    """Read the sampled pages of a site, one at a time.

    tallies  template that is shown as a picture -> sums of its pages
    Returns template -> the tag path that separates it, a pictured one -> its typical page, role -> example
    """
    counts, numbers = PathCounts(), {template: number for number, template in enumerate(dict(pages))}
    typical: dict[str, Typical] = {}
    examples: dict[int, RoleExample] = {}
    for template, sampled in pages:
        observation = sampled.observation()
        page = observation.page
        counts.count(numbers[template], tag_paths(page.tokens, page.elements))
        add_examples(examples, page, min_links=memory.options.min_pagelet_links)
        if template in tallies:
            observation = memory.reclassify(observation)
            distance = abs(template_share(observation) - tallies[template].mean_share)
            candidate = (distance, sampled.key, observation)
            typical[template] = min(candidate, typical.get(template, candidate), key=lambda page: page[:2])
    best = counts.best({number: number for number in numbers.values()})
    chosen = {template: best[number] for template, number in numbers.items()}
    return {template: choice.path for template, choice in chosen.items() if choice}, typical, examples


def _parts(pages: Sequence[tuple[str, CompressedPage]], paths: Mapping[str, str]) -> dict[str, str]:
    """Return template -> the name of what its path leads to, on the first of its pages that has it.

    paths  template -> the tag path that separates it
    """
    parts: dict[str, str] = {}
    for template, sampled in pages:
        if template in paths and template not in parts:
            page = sampled.observation().page
            element = element_at(page, paths[template])
            name = place_name(page, element) if element is not None else PAGE
            if name != PAGE:
                parts[template] = name
    return parts

"""The contents of a report, as plain values: made at the end, from the figures and the memory.

Cost: that of reading the sampled pages of the 20 largest sites once more (32 a site), and of judging those
of the templates that are shown as pictures (3 a site, 30 in all).  One page is held at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from importlib.metadata import version
from typing import NamedTuple

from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.site import SiteMemory
from templcrawl.outputs.report.figures import CrawlFigures, SiteFigures
from templcrawl.outputs.report.site_contents import Namer, SiteContents, site_contents, template_namer
from templcrawl.outputs.report.tally import Tally

MOST_BARS = 30
MOST_SITES = 20
MOST_PICTURES = 30
PICTURES_OF_SITE = 3


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


@dataclass(frozen=True)
class Contents:
    """The contents of a report.

    total      sums of all pages
    hosts      how many sites there are
    templates  how many templates the sites in memory have
    bars       host -> sums, of the largest sites
    rest       sums of all other sites
    sites      more of the largest sites
    pages      pages of all sites, by their addresses
    version    of templcrawl
    """

    run: Run
    total: Tally
    hosts: int
    templates: int
    bars: Mapping[str, Tally]
    rest: Tally
    sites: Sequence[SiteContents]
    pages: Sequence[PageRow]
    version: str

    @property
    def rest_hosts(self) -> int:
        """How many sites have no bar."""
        return self.hosts - len(self.bars)


def report_contents(figures: CrawlFigures, memory: CrawlMemory, run: Run) -> Contents:
    """Return the contents of the report of a crawl."""
    sites = figures.sites()
    hosts = list(sites)
    rest = sum((sites[host] for host in hosts[MOST_BARS:]), figures.rest)
    shown: dict[str, SiteFigures] = {}
    for host in hosts[:MOST_SITES]:
        details = figures.details(host)
        if details is not None:
            shown[host] = details
    pictured = _pictured(shown, memory)
    return Contents(
        run=run,
        total=figures.total,
        hosts=len(hosts) + figures.rest_sites,
        templates=sum(_templates(site, figures, memory) for site in memory),
        bars={host: sites[host] for host in hosts[:MOST_BARS]},
        rest=rest,
        sites=[
            site_contents(host, sites[host], details, memory, pictured=pictured, by_role=run.by_role)
            for host, details in shown.items()
        ],
        pages=_page_rows(figures, {host: template_namer(memory, host) for host in shown}),
        version=version("templcrawl"),
    )


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


def _templates(site: SiteMemory, figures: CrawlFigures, memory: CrawlMemory) -> int:
    """Return how many templates a site has: those that its crawl has given its pages, else those found."""
    details = figures.details(site.host)
    if details is None or not details.are_assigned:
        return len(site.templates())
    return len(details.templates(template_namer(memory, site.host)))


def _pictured(shown: Mapping[str, SiteFigures], memory: CrawlMemory) -> frozenset[str]:
    """Return the templates that are shown as pictures."""
    sizes = []
    for host, details in shown.items():
        groups = details.templates(template_namer(memory, host))
        sizes += [(-groups[template].tally.pages, template) for template in list(groups)[:PICTURES_OF_SITE]]
    return frozenset(template for _, template in sorted(sizes)[:MOST_PICTURES])

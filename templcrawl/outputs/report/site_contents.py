"""The section of a report about one site, as plain values: templates, texts, learning curve, roles of links.

The typical page of a template is the sampled page whose share of template is nearest to the mean of the
template's pages.  The tag path that separates a template from the others
comes from the sampled pages alone, and so does the name of the part of a page that it leads to.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from templcrawl.algorithms.page_types.tag_paths import PathCounts, tag_paths
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.observation import Observation
from templcrawl.outputs.report.figures import Group, SiteFigures
from templcrawl.outputs.report.greyed_page import picture_of
from templcrawl.outputs.report.link_roles import MOST_ROLES, RoleExample, RoleRow, add_examples, role_rows
from templcrawl.outputs.report.places import PAGE, element_at, place_name
from templcrawl.outputs.report.repeated_texts import RepeatedText
from templcrawl.outputs.report.sampled_pages import CompressedPage
from templcrawl.outputs.report.tally import CurvePoint, Tally, template_share

MOST_TEMPLATES = 10

Namer = Callable[[str, str], str]


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
    curve      how much of its text was template so far, by pages seen
    roles      the roles of links that led to most pages; empty where the crawl did not go by them
    removed    the texts that were removed on most pages
    kept       the texts that were kept on most pages
    """

    host: str
    tally: Tally
    templates: Sequence[TemplateRow]
    more: int
    curve: Sequence[CurvePoint]
    roles: Sequence[RoleRow]
    removed: Sequence[RepeatedText]
    kept: Sequence[RepeatedText]


def template_namer(memory: CrawlMemory, host: str) -> Namer:
    """Return (leaf, template as known then) -> the template as known now, if the site is not forgotten."""
    if memory.get_site(host) is not None:
        return lambda leaf, _: memory.resolve(leaf)
    return lambda _, template: template


def site_contents(
    host: str,
    tally: Tally,
    figures: SiteFigures,
    memory: CrawlMemory,
    *,
    pictured: Collection[str],
    by_role: bool,
) -> SiteContents:
    """Return the section about a site.

    pictured  the templates that are shown as pictures
    by_role   whether the roles of links ordered the crawl: they are shown then
    """
    name = template_namer(memory, host)
    groups = figures.templates(name)
    shown = list(groups)[:MOST_TEMPLATES]
    sampled = _SampledPages(memory)
    pages = [(page.assigned or name(page.leaf_id, page.template_id), page) for page in figures.sample]
    for template, page in pages:
        group = groups.get(template) if template in pictured else None
        sampled.read(page, template, group.tally if group else None)
    paths = sampled.paths()
    parts = _parts(pages, {template: paths[template] for template in shown if template in paths})
    rows = [
        _row(template, groups[template], paths, parts, sampled.typical.get(template)) for template in shown
    ]
    roles: Sequence[RoleRow] = ()
    site = memory.get_site(host)
    if by_role and site is not None:
        roles = role_rows(site.links.largest_roles(MOST_ROLES), sampled.roles)
    return SiteContents(
        host,
        tally,
        rows,
        len(groups) - len(shown),
        figures.curve.points(),
        roles,
        figures.texts.most_removed(),
        figures.texts.most_kept(),
    )


def _parts(pages: Iterable[tuple[str, CompressedPage]], paths: Mapping[str, str]) -> dict[str, str]:
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


def _row(
    template: str,
    group: Group,
    paths: Mapping[str, str],
    parts: Mapping[str, str],
    typical: _Typical | None,
) -> TemplateRow:
    picture = None
    if typical is not None:
        page = typical.observation
        picture = Picture(page.page.url, template_share(page), picture_of(page.separation))
    return TemplateRow(
        name=template.rpartition("#")[2],
        kind=max(group.kinds, key=lambda kind: (group.kinds[kind], kind), default=""),
        tally=group.tally,
        example=picture.url if picture else group.example,
        path=paths.get(template, ""),
        part=parts.get(template, ""),
        picture=picture,
    )


class _Typical(NamedTuple):
    """A page of a template, judged by what is known now.

    distance  of its share of template from the mean of the template's pages
    """

    distance: float
    key: int
    observation: Observation


class _SampledPages:
    """What is learned from the sampled pages of a site, one at a time.

    roles    role -> an example of it
    typical  template that is shown as a picture -> its most typical page
    """

    def __init__(self, memory: CrawlMemory) -> None:
        self.roles: dict[int, RoleExample] = {}
        self.typical: dict[str, _Typical] = {}
        self._memory = memory
        self._counts = PathCounts()
        self._numbers: dict[str, int] = {}

    def read(self, sampled: CompressedPage, template: str, tally: Tally | None) -> None:
        """Read a page.

        tally  of its template, if that is shown as a picture
        """
        observation = sampled.observation()
        page = observation.page
        number = self._numbers.setdefault(template, len(self._numbers))
        self._counts.count(number, tag_paths(page.tokens, page.elements))
        add_examples(self.roles, page, min_links=self._memory.options.min_pagelet_links)
        if tally is not None:
            observation = self._memory.reclassify(observation)
            distance = abs(template_share(observation) - tally.mean_share)
            candidate = _Typical(distance, sampled.key, observation)
            self.typical[template] = min(
                candidate, self.typical.get(template, candidate), key=lambda typical: typical[:2]
            )

    def paths(self) -> dict[str, str]:
        """Return template -> the tag path that separates it from the others."""
        choices = self._counts.best({number: number for number in self._numbers.values()})
        chosen = {template: choices[number] for template, number in self._numbers.items()}
        return {template: choice.path for template, choice in chosen.items() if choice is not None}

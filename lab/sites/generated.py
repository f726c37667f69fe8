"""Generated web sites whose truth is known by construction.

A page is drafted (its content), put into its template, and pressed into a :class:`GeneratedPage` that
carries its HTML beside its truth: which words and links the content brought, and which the template.
Truth counts what a reader sees in the body; words of the head, of attributes, scripts and comments are
neither.  A further site needs a plan like ``demo_site`` and a function like :func:`generate_demo_site`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType

from lab.sites.demo_site import DemoPlan, drafts, furniture, month_draft
from lab.sites.templates import TEMPLATES, Draft, Furniture


@dataclass(frozen=True)
class GeneratedPage:
    """A page and the truth about it.

    path            on its site, from the root
    template        name of the template it is built from
    kind            what sort of page it is: article, print, list, product ...
    content_words   words of the content area, in order; ``areas.words_of`` says what a word is
    template_words  words of the template, in order
    content_links   paths that links of the content area lead to, in order
    template_links  paths that links of the template lead to, in order
    original        path of the page that it nearly repeats, "" for none
    """

    path: str
    html: str
    template: str
    kind: str
    content_words: tuple[str, ...]
    template_words: tuple[str, ...]
    content_links: tuple[str, ...]
    template_links: tuple[str, ...]
    original: str = ""

    @property
    def links(self) -> frozenset[str]:
        """Paths of all pages that it links to."""
        return frozenset(self.content_links + self.template_links)


@dataclass(frozen=True)
class GeneratedSite:
    """A site: finite pages that are all known, and perhaps endless ones that are made when asked for.

    pages    path -> page, in a fixed order, the start page first
    endless  path -> page, None where no such page exists
    """

    pages: Mapping[str, GeneratedPage] = field(repr=False)
    endless: Callable[[str], GeneratedPage | None]

    def find(self, target: str) -> GeneratedPage | None:
        """Return the page at a path, finite or endless; a query is not looked at."""
        path = target.partition("?")[0]
        return self.pages.get(path) or self.endless(path)

    def html(self, target: str) -> str | None:
        """Return the HTML at a path, None where there is no page: what ``server.LocalSite`` asks for."""
        page = self.find(target)
        return None if page is None else page.html


def press(site: Furniture, draft: Draft) -> GeneratedPage:
    whole = TEMPLATES[draft.template](site, draft)
    return GeneratedPage(
        path=draft.path,
        html=whole.html,
        template=draft.template,
        kind=draft.kind,
        content_words=tuple(draft.content.words),
        template_words=tuple(whole.words),
        content_links=tuple(draft.content.links),
        template_links=tuple(whole.links),
        original=draft.original,
    )


def press_all(
    site: Furniture, finite: Iterable[Draft], endless: Callable[[str], Draft | None] = lambda path: None
) -> GeneratedSite:
    """Make a site of its furniture and drafts."""

    def find_endless(path: str) -> GeneratedPage | None:
        draft = endless(path)
        return None if draft is None else press(site, draft)

    pages = {draft.path: press(site, draft) for draft in finite}
    return GeneratedSite(MappingProxyType(pages), find_endless)


@lru_cache(maxsize=4, typed=True)
def generate_demo_site(
    *, seed: object = 1, articles: int = 60, products: int = 36, chapters: int = 30
) -> GeneratedSite:
    """Return the demo site: three templates, 154 finite pages by default, and a calendar without end.

    Equal arguments make equal sites, in every process.  A page's prose does not depend on the size of
    the site.  Raises ValueError for a size below 1.
    """
    if min(articles, products, chapters) < 1:
        raise ValueError("a demo site has at least one article, one product and one chapter")
    plan = DemoPlan(seed, articles, products, chapters)
    return press_all(furniture(plan), drafts(plan), lambda path: month_draft(plan, path))

"""``etdm``: a page is mapped onto pages that it links to and that link to each other.

What has no partner on each of them is content (:mod:`templcrawl.algorithms.site_template.etdm`); a page
without any such page is all content.  A page that nearly repeats another, template and all, is not mapped
onto that one, nor remembered (:mod:`templcrawl.memory.known_contents`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from templcrawl.algorithms.site_template.etdm import separate_by_mapping
from templcrawl.algorithms.site_template.nodes import Nodes
from templcrawl.memory.detectors.detector import DetectorOptions, OnlineDetector, TemplateOf
from templcrawl.memory.detectors.linked_pages import (
    LinkedPage,
    LinkedPages,
    linked_names,
    linked_page,
    name_key,
    tree_of,
)
from templcrawl.memory.known_contents import WholeText, WholeTexts
from templcrawl.memory.snapshots import Column, Nested
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation


class MappedPage(NamedTuple):
    """A page, and the pages that it is mapped onto.

    tree        its nodes
    links       keys of the names of the pages that it links to
    text        its whole text, and which page it repeats
    subdigraph  pages that it links to and that link to each other
    """

    tree: Nodes
    links: Sequence[int]
    text: WholeText
    subdigraph: Sequence[LinkedPage]


class Etdm(OnlineDetector[MappedPage]):
    """The equal top-down mapping onto pages of the site's menu; page types are not asked."""

    def __init__(self, options: DetectorOptions, template_of: TemplateOf) -> None:
        self._limits = options.limits
        self._pages = LinkedPages(limit=options.max_siblings)
        self._texts = WholeTexts(limit=options.max_siblings)

    def ask(self, page: Page, leaf: int) -> MappedPage:
        """Choose the pages that a page is mapped onto."""
        text = self._texts.read(name_key(page.url), page)
        tree = Nodes(page)
        links = linked_names(tree)
        subdigraph = self._pages.subdigraph(links, avoid=(text.key, text.repeats))
        return MappedPage(tree, links, text, subdigraph)

    def judge(self, known: MappedPage) -> Separation:
        """Map a page onto its subdigraph."""
        others = [tree_of(other.html, self._limits) for other in known.subdigraph]
        return Separation(known.tree.page, separate_by_mapping(known.tree, others))

    def remember(self, known: MappedPage) -> None:
        """Remember a page, unless it is too large, and that those of its subdigraph served.

        A text leaves with its page.
        """
        self._pages.serve(known.subdigraph)
        if known.text.repeats is None:
            page = linked_page(known.tree, known.links)
            if page is None:
                return
            left = self._pages.add(page)
            if left is not None:
                self._texts.drop(left)
        self._texts.remember(known.text)

    def columns(self) -> list[Column]:
        """Return the pages and their texts."""
        return [Nested("pages", self._pages), Nested("texts", self._texts)]

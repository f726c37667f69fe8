"""The labels of a site's pages: which leaf and which template a page belongs to.

A label is ``host#`` and a hash of the first page of the leaf; a template has the label of its oldest
leaf.  A page keeps the leaf that it was given; which template that is may change as pages arrive, and
``resolve`` says what it is by now.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from templcrawl.memory.entries import Plain
from templcrawl.memory.page_types import PageTypes
from templcrawl.memory.snapshots import Column, Part
from templcrawl.page.ancestors import Keys


class Labels(NamedTuple):
    """The labels of a page.

    leaf      number of its leaf
    leaf_id   label of its leaf, for ever
    template  label of its template, as known then
    """

    leaf: int
    leaf_id: str
    template_id: str


class TemplateLabels(Part):
    """Names for the page types of a site."""

    def __init__(self, host: str) -> None:
        self._host = host
        self._types = PageTypes()
        self._leaf_of: dict[str, int] = {}

    @property
    def nbytes(self) -> int:
        """Bytes that they take, about."""
        return self._types.nbytes

    def label(self, features: Keys, *, learn: bool) -> Labels:
        """Return the labels of a page by its structure.

        learn  whether the page is new, and counts
        """
        leaf = None if learn else self._types.find(features)
        if leaf is None:
            leaf = self._types.observe(features)
        return Labels(leaf, self.name(leaf), self.name(self.template(leaf)))

    def template(self, leaf: int) -> int:
        """Return the template of a leaf, as known now, as the number of its oldest leaf.  Cost: O(1)."""
        return self._types.template(leaf)

    def relabel(self, leaf_id: str) -> Labels | None:
        """Return the labels of a page that was given a leaf before, as known now; None for an unknown leaf.

        Cost: O(1).
        """
        leaf = self._leaf_of.get(leaf_id)
        if leaf is None:
            return None
        return Labels(self._types.current(leaf), leaf_id, self.name(self.template(leaf)))

    def resolve(self, label: str) -> str:
        """Return the template that a label of this site has become; one that is not known stays.

        Cost: that of the view of all leaves, once after each page.
        """
        leaf = self._leaf_of.get(label)
        return label if leaf is None else self.name(self._types.templates()[leaf])

    def largest_template(self) -> int:
        """Return how many pages the largest template has, as known now.  Cost: O(leaves)."""
        pages = Counter[int]()
        for leaf, count in self._types.leaf_pages().items():
            pages[self._types.template(leaf)] += count
        return max(pages.values(), default=0)

    def templates(self) -> dict[str, int]:
        """Return label of each template -> pages built from it."""
        template_of, pages = self._types.templates(), Counter[str]()
        for leaf, count in self._types.leaf_pages().items():
            pages[self.name(template_of[leaf])] += count
        return dict(pages)

    def name(self, leaf: int) -> str:
        """Return the label of a leaf."""
        label = f"{self._host}#{self._types.keys[leaf] >> 16:012x}"
        self._leaf_of.setdefault(label, leaf)
        return label

    def columns(self) -> list[Column]:
        """Return what the page types are saved by."""
        return self._types.columns()

    def check(self) -> None:
        """Raise BrokenInvariant if the page types are inconsistent or over their caps."""
        self._types.check()

    def take_up(self, snapshot: Plain) -> None:
        """Take up a snapshot unchecked, and name its leaves; raises InvalidSnapshot."""
        super().take_up(snapshot)
        for leaf in range(len(self._types.keys)):
            self.name(leaf)

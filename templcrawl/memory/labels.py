"""The labels of a site's pages: which leaf and which template a page belongs to.

A label is ``host#`` and a hash: of the first page of a leaf, or the name of a template, which stays with most
of its pages.  The leaf of a page never changes.  Its template may change as pages arrive, and ``resolve``
returns the current one: of a leaf exactly, of a template the one that most of its pages are in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from templcrawl.algorithms.page_types.url_shape import url_features
from templcrawl.memory.link_tables import AnchorTable
from templcrawl.memory.page_types import PageTypes, TemplateMap
from templcrawl.memory.snapshot_parts import Entries, Nested, Part, Section
from templcrawl.memory.snapshot_values import COUNT, Snapshot
from templcrawl.page.page import Page

_DIGITS = 12
_HEXADECIMAL = frozenset("0123456789abcdef")


class Labels(NamedTuple):
    """The labels of a page.

    leaf         number of its leaf
    leaf_id      label of its leaf, which never changes
    template_id  label of its template, as known then
    """

    leaf: int
    leaf_id: str
    template_id: str


class TemplateLabels(Section):
    """Names for the page types of a site.

    types  the page types
    """

    def __init__(self, host: str) -> None:
        self._host = host
        self.types = PageTypes()
        self._anchors = AnchorTable()
        self._leaf_of: dict[str, int] = {}
        self._template_map: tuple[TemplateMap, dict[str, int]] | None = None

    @property
    def nbytes(self) -> int:
        """Bytes that they take, about."""
        return self.types.nbytes + self._anchors.nbytes

    def label(self, page: Page, *, learn: bool) -> Labels:
        """Return the labels of a page by its structure, its URL and the links that lead to it.

        An assigned label stays, and counts for the name of the template that is found.

        learn  whether the page is new, and counts
        """
        leaf = None if learn else self.types.find(page.structure)
        if leaf is None:
            leaf = self.types.learn(
                page.structure,
                anchors=self._anchors.leading_to(page.key),
                url=url_features(page.url),
                name=_name_in(page.assigned_label),
            )
            self._anchors.update(zip(page.links.keys, page.anchor_paths.tolist()))
        return Labels(leaf, self.name(leaf), page.assigned_label or self._label(self.template(leaf)))

    @property
    def view(self) -> object:
        """What stays the same object until the template of an earlier leaf may have changed."""
        return self.types.view

    def template(self, leaf: int) -> int:
        """Return the template of a leaf, as known now, as the number that names it.  Cost: O(1)."""
        return self.types.template(leaf)

    def relabel(self, leaf_id: str) -> Labels | None:
        """Return the labels of a page that was given a leaf before, as known now; None for an unknown leaf.

        Cost: O(1).
        """
        leaf = self._leaf_of.get(leaf_id)
        if leaf is None:
            return None
        return Labels(self.types.current(leaf), leaf_id, self._label(self.template(leaf)))

    def resolve(self, label: str) -> str:
        """Return the template that a label of this site has become; one that is not known stays.

        Cost: that of the view of all leaves, once after each page.
        """
        template_map, aliases = self._aliases()
        leaf = self._leaf_of.get(label)
        name = aliases.get(label) if leaf is None else template_map.template_of[leaf]
        return label if name is None else self._label(name)

    def final_labels(self) -> dict[str, str]:
        """Return each label of a leaf or a template -> the current one of its template; that -> itself."""
        template_map, aliases = self._aliases()
        names = {label: template_map.template_of[leaf] for label, leaf in self._leaf_of.items()}
        final = {label: self._label(name) for label, name in {**aliases, **names}.items()}
        return {**{label: label for label in final.values()}, **final}

    def _aliases(self) -> tuple[TemplateMap, dict[str, int]]:
        """Return (the view of all pages, label of a template, of any time -> its current name)."""
        template_map = self.types.template_map()
        if self._template_map is None or self._template_map[0] is not template_map:
            aliases = {**self.types.elsewhere, **template_map.aliases}
            self._template_map = (
                template_map,
                {self._label(label_key): current for label_key, current in aliases.items()},
            )
        return self._template_map

    def templates(self) -> dict[str, int]:
        """Return label of each template -> pages built from it."""
        template_of, pages = self.types.templates(), Counter[str]()
        for leaf, count in self.types.leaves.sizes().items():
            pages[self._label(template_of[leaf])] += count
        return dict(pages)

    def name(self, leaf: int) -> str:
        """Return the label of a leaf."""
        label = self._label(self.types.leaves.keys[leaf])
        self._leaf_of.setdefault(label, leaf)
        return label

    def _label(self, key: int) -> str:
        return f"{self._host}#{key.to_bytes(8, 'big').hex()[:_DIGITS]}"

    def parts(self) -> Sequence[Part]:
        """Return the page types, and by which anchors pages were reached."""
        return [self.types, Nested("reached", self._anchors)]

    def load(self, snapshot: Snapshot) -> None:
        """Load a snapshot unvalidated, and name its leaves; raises InvalidSnapshot."""
        super().load(snapshot)
        for leaf in range(len(self.types.leaves.keys)):
            self.name(leaf)


class NoLabels(Section):
    """The labels of a site whose pages get none: all are of leaf 0 and of one template, whose label is ""."""

    def label(self, page: Page, *, learn: bool) -> Labels:
        """Return no labels, but the one that a page was assigned."""
        return Labels(0, "", page.assigned_label)

    @property
    def view(self) -> object:
        """What never changes."""
        return NoLabels

    def template(self, leaf: int) -> int:
        """Return the one template."""
        return 0

    def relabel(self, leaf_id: str) -> Labels:
        """Return no labels."""
        return Labels(0, "", "")

    def resolve(self, label: str) -> str:
        """Return the label: no other is known."""
        return label

    def final_labels(self) -> dict[str, str]:
        """Return no labels."""
        return {}

    def templates(self) -> dict[str, int]:
        """Return no templates."""
        return {}

    def parts(self) -> Sequence[Part]:
        """Return that there are none."""
        return [Entries({"without": COUNT}, lambda: [1], lambda without: None)]


def _name_in(label: str) -> int:
    """Return the number that names a template of this label, 0 if it is no label: it is one of 64 bits.

    >>> f"{_name_in('a.example#86c5d7033e63'):x}", _name_in("a.example#-6c5d7033e63"), _name_in("")
    ('86c5d7033e630000', 0, 0)
    """
    name = label.rpartition("#")[2]
    return int(name, 16) << 16 if len(name) == _DIGITS and _HEXADECIMAL.issuperset(name) else 0

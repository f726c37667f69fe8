"""The roles of links as readable rows: the place on the page, an example link, and their record.

A memory knows a role by its hash alone; its place and an example are found again on sampled pages.
Cost: O(tokens) a sampled page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from templcrawl.algorithms.crawl_order.roles import pagelet_paths, role_of
from templcrawl.algorithms.pagelets.partition import pagelets_of_links, partition_pagelets
from templcrawl.memory.link_tables import RoleRecord
from templcrawl.outputs.report.places import place_name
from templcrawl.page.page import Page

MOST_ROLES = 8
_STARVED, _POOR, _RICH = 0.1, 0.7, 1.5
"""Limits of yields that have a word of their own."""


class RoleExample(NamedTuple):
    """A role as it was found on a page.

    place  the name of its pagelet
    url    a link of it
    """

    place: str
    url: str


class RoleRow(NamedTuple):
    """A row of the table of roles.

    example   None where no sampled page has a link of the role
    standing  how its links wait in the queue
    """

    record: RoleRecord
    example: RoleExample | None
    standing: str

    @property
    def words_a_page(self) -> float:
        """New words that a page paid on average."""
        return self.record.words / max(self.record.pages, 1)


def add_examples(examples: dict[int, RoleExample], page: Page, *, min_links: int) -> None:
    """Add an example of every role on a page that has none yet."""
    pagelets = partition_pagelets(page, min_links=min_links)
    paths, urls = pagelet_paths(page, pagelets), page.links.urls
    for number, pagelet in enumerate(pagelets_of_links(page, pagelets)):
        if pagelet >= 0:
            role = role_of(paths[pagelet], urls[number])
            if role not in examples:
                examples[role] = RoleExample(place_name(page, pagelets[pagelet].element), urls[number])


def role_rows(records: Iterable[RoleRecord], examples: Mapping[int, RoleExample]) -> Sequence[RoleRow]:
    """Return the rows of some roles."""
    return [RoleRow(record, examples.get(record.role), _standing(record.role_yield)) for record in records]


def _standing(role_yield: float) -> str:
    """Return how links of a role wait in the queue, whatever directories they lead into.

    >>> [_standing(found) for found in (2, 1, 0.5, 0.05)]
    ['go first', 'wait their turn', 'wait', 'starved: wait for all others']
    """
    if role_yield < _STARVED:
        return "starved: wait for all others"
    return "go first" if role_yield >= _RICH else "wait" if role_yield < _POOR else "wait their turn"

"""What else the memory can learn of a site: the table of its sections.

A new section is a class (:class:`templcrawl.memory.site_section.SiteSection`) and a row here.
"""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple


class SectionRow(NamedTuple):
    """A section that there is.

    path  its import path, in this room
    says  what it says of pages: attributes of their observations
    """

    path: str
    says: tuple[str, ...] = ()


SECTIONS = {
    "kinds": SectionRow("kind_table.KindTable", ("kind", "page_kind", "page_kind_confidence")),
    "changes": SectionRow(
        "change_table.ChangeTable", ("change", "changed", "content_hash", "first_seen", "last_changed")
    ),
    "visits": SectionRow("visit_table.VisitTable"),
    "topic": SectionRow("topic_links.TopicLinks"),
    "hubs": SectionRow("topic_links.HubLinks"),
    "targets": SectionRow("target_links.TargetLinks", ("is_target",)),
}
"""Name of a section -> its row; in the order in which they see a page."""

JUDGED = ("page_type", "relevance")  # what functions of a page say, before its site sees it

SAID = frozenset((*JUDGED, *chain.from_iterable(row.says for row in SECTIONS.values())))

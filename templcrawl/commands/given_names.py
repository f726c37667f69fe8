"""The names that a crawl has given its page types, for the commands over its pages.

A command calls the template of a page as the crawl did by its last word, where that is known: by the memory
in its JOBDIR (``--labels``), else by the archive that it reads.  So what commands write of one crawl joins,
and joins its items by ``leaf_id``.  Templates of other sites are named by what the command itself works out;
then, too, pages in the same order have the same names.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from templcrawl.memory.learned_site import LearnedLabels
    from templcrawl.page.page import Page
    from templcrawl.readers.records import Record


class GivenNames:
    """Makes pages of records, each with the template that its crawl has given it.

    job  the JOBDIR of the crawl, None: what the records say.  Raises InvalidOption if it is none
    """

    def __init__(self, job: str | None) -> None:
        self._learned: LearnedLabels | None = None
        if job:
            from templcrawl.memory.learned_site import LearnedLabels

            self._learned = LearnedLabels(job)

    def page(self, record: Record) -> Page:
        """Return a record as a page.  Raises InvalidSnapshot."""
        page = record.page()
        if self._learned is not None:
            page.given_template = self._learned.template_of(page) or page.given_template
        return page


def add_labels_option(parser: argparse.ArgumentParser, more: str = "") -> None:
    """Add the option ``--labels``.

    more  what else it does
    """
    parser.add_argument(
        "--labels",
        metavar="JOBDIR",
        help="name page types as the crawl that has left its memory in JOBDIR (an archive that a crawl has "
        f"ended knows its names by itself){more}",
    )

"""``scrapy labels ITEMS --of CRAWL``: the final template of each label in the items of a crawl.

An item's ``template_id`` is the label at the time when its page was observed, and a ``leaf_id`` names no
template by itself.  The final label of both is in the memory that the crawl has saved in its JOBDIR, and in
its archive once it has ended.  It is what the other commands call the page type, and what ``resolve`` returns
in a program.

:class:`AssignedLabels` does the same for the commands over pages: a page has the label that its crawl has
assigned, from the memory in a JOBDIR (their option ``--labels``) or from the archive that is read.  So the
output of several commands over one crawl joins.  Templates of other sites are labelled by the command itself.

Importing this must be cheap: Scrapy's command line loads every command on every start.

Cost: O(items), and of each site once its memory.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from templcrawl.commands.base import TablesCommand, refuse

if TYPE_CHECKING:
    from templcrawl.memory.learned_site import LearnedLabels
    from templcrawl.page.page import Page
    from templcrawl.readers.records import Record, Unreadable

_is_label = re.compile(r"[^#/\s]+#[0-9a-f]{12}").fullmatch


class AssignedLabels:
    """Makes pages of records, each with the label of the template that its crawl has assigned.

    job  the JOBDIR of the crawl, None: the labels in the records.  Raises InvalidOption if it is none
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
            page.assigned_label = self._learned.template_of(page) or page.assigned_label
        return page


def add_labels_option(parser: argparse.ArgumentParser) -> None:
    """Add the option ``--labels`` of a command over pages."""
    parser.add_argument(
        "--labels",
        metavar="JOBDIR",
        help="use the names of page types of the crawl in JOBDIR (the archive of a crawl that has ended has "
        "these names itself)",
    )


class LabelsCommand(TablesCommand):
    """The command ``labels``."""

    argument = "ITEMS: the items of a crawl as JSON lines"

    def syntax(self) -> str:
        """Return what follows the command's name."""
        return "[options] ITEMS --of CRAWL"

    def short_desc(self) -> str:
        """Return a line of description."""
        return "Show the page types that the labels in the items of a crawl stand for"

    def long_desc(self) -> str:
        """Return a paragraph of description."""
        return (
            "Show for each template_id and leaf_id in the items of a crawl the label of its page type at the "
            "end of the crawl. ITEMS is a file of JSON lines, as a feed writes it. Every value in it that "
            "looks like a label is one. Where lines of ITEMS, or labels of an archive, cannot be read, the "
            "rest is shown, and the exit status is 3."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's options."""
        super().add_options(parser)
        parser.add_argument(
            "--of", metavar="CRAWL", help="the JOBDIR of the crawl, or its archive once the crawl has ended"
        )

    def check(self, opts: argparse.Namespace) -> None:
        """Raise UsageError for options that are not accepted."""
        super().check(opts)
        if not opts.of:
            refuse("name the crawl of the items: --of JOBDIR or --of ARCHIVE")

    def work(self, source: str, opts: argparse.Namespace) -> int:
        """Show the labels; return how many lines and files could not be read."""
        from templcrawl.commands.output import report_unreadable, write_json
        from templcrawl.commands.terminal import show_table
        from templcrawl.readers.records import Unreadable

        labels, damaged_lines = read_labels(source)
        damaged_files = Unreadable()
        final = final_labels(labels, opts.of, damaged_files)
        report_unreadable(damaged_files)
        ordered = sorted(labels.items(), key=lambda entry: (-entry[1], entry[0]))
        rows = [{"label": label, "template_id": final[label], "items": count} for label, count in ordered]
        if opts.json:
            write_json({"format": 1, "labels": rows, "unreadable": damaged_lines}, opts.json)
        else:
            title = f"{len(rows):,} labels of {len({*final.values()} - {None}):,} templates"
            cells: list[list[Any]] = [
                [str(row["items"]), row["label"], row["template_id"] or "not known"]
                for row in rows[: opts.top]
            ]
            show_table(title, ("items", "label", "template"), cells, numbers=1)
        return damaged_lines + len(damaged_files)


def read_labels(items: str) -> tuple[Counter[str], int]:
    """Return label -> items that have it, and how many lines are no JSON object.

    items  JSON lines; every value that looks like a label is one
    Raises InvalidOption if there are none, OSError.
    """
    from templcrawl.errors import InvalidOption

    labels, damaged = Counter[str](), 0
    with Path(items).open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            item = _parsed(line)
            if item is None:
                damaged += 1
            else:
                labels.update(_labels_of(item))
    if not labels:
        raise InvalidOption("ITEMS", items, "items as JSON lines, with template_id or leaf_id in them")
    return labels, damaged


def final_labels(labels: Mapping[str, int], crawl: str, damaged: Unreadable) -> dict[str, str | None]:
    """Return label -> label of its template at the end of a crawl, None where the crawl has none.

    crawl    its JOBDIR, or its archive
    damaged  gains the files of the archive's labels that cannot be read
    Raises InvalidOption, InvalidSnapshot, OSError.
    """
    from templcrawl.archive.final_labels import FinalLabels
    from templcrawl.archive.parts import Archive, is_archive
    from templcrawl.memory.learned_site import LearnedLabels

    if "://" not in crawl and not is_archive(crawl):
        return LearnedLabels(crawl).resolve(labels)
    last = FinalLabels(Archive(crawl))
    for name, reason in last.unreadable:
        damaged.add(name, reason)
    return {label: last.labels.get(label) for label in labels}


def _parsed(line: str) -> dict[str, Any] | None:
    """Return a line of JSON, nothing for an empty line, None for what is no JSON object."""
    try:
        item = json.loads(line) if line.strip() else {}
    except (ValueError, RecursionError):
        return None
    return item if isinstance(item, dict) else None


def _labels_of(item: dict[str, Any]) -> Iterator[str]:
    yield from (value for value in item.values() if isinstance(value, str) and _is_label(value))

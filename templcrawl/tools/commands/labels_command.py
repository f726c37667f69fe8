"""``scrapy labels ITEMS --of CRAWL``: the final template of each label in the items of a crawl.

An item's ``template_id`` is the label at the time when its page was observed, and a ``leaf_id`` names no
template by itself.  The final label of both is in the memory that the crawl has saved in its JOBDIR, and
once it has ended in its archive and in the file of ``TEMPLCRAWL_ALIASES``.  It is what the other commands
call the page type, and what ``resolve`` returns in a program.

:class:`AssignedLabels` does the same for the commands over pages: a page has the label that its crawl has
assigned, from the memory in a JOBDIR (their option ``--labels``) or from the archive that is read.  So the
output of several commands over one crawl joins.  Templates of other sites are labelled by the command itself.

Importing this must be cheap: Scrapy's command line loads every command on every start.

Cost: O(items), and of each site once its memory.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from templcrawl.tools.commands.base import TablesCommand, refuse

if TYPE_CHECKING:
    from templcrawl.memory.learned_site import LearnedLabels
    from templcrawl.page.page import Page
    from templcrawl.page.records import Record, Unreadable


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
            "looks like a label is one. The name of a page type is the pattern of its items' addresses. "
            "Where lines of ITEMS, or labels of an archive, cannot be read, the "
            "rest is shown, and the exit status is 3."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's options."""
        super().add_options(parser)
        parser.add_argument(
            "--of",
            metavar="CRAWL",
            help="the JOBDIR of the crawl; once it has ended, its archive or the file of TEMPLCRAWL_ALIASES",
        )
        parser.add_argument(
            "-o",
            dest="output",
            metavar="FILE",
            help="write the items again, with the final template_id and the name of its page type",
        )
        parser.add_argument(
            "--names",
            metavar="FILE",
            help="JSON with names of page types, by label or by the name that is shown without it",
        )

    def check(self, opts: argparse.Namespace) -> None:
        """Raise UsageError for options that are not accepted."""
        super().check(opts)
        if not opts.of:
            refuse("name the crawl of the items: --of JOBDIR or --of ARCHIVE")

    def work(self, source: str, opts: argparse.Namespace) -> int:
        """Show the labels; return how many lines and files could not be read."""
        from templcrawl.page.records import Unreadable
        from templcrawl.tools.commands.labelled_items import LabelledItems, read_strings
        from templcrawl.tools.commands.terminal import report_unreadable, show_table, write_json

        items = LabelledItems(source)
        damaged_files = Unreadable()
        final = final_labels(items.labels, opts.of, damaged_files)
        wanted = 'JSON of names: {"/product/*": "product"}'
        names = items.names(final, read_strings("--names", opts.names, wanted) if opts.names else {})
        report_unreadable(damaged_files)
        ordered = sorted(items.labels.items(), key=lambda entry: (-entry[1], entry[0]))
        rows = [
            {
                "label": label,
                "template_id": final[label],
                "name": names.get(final[label] or ""),
                "items": count,
            }
            for label, count in ordered
        ]
        if opts.output:
            items.write(opts.output, final, names)
        if opts.json:
            write_json({"format": 1, "labels": rows, "unreadable": items.damaged}, opts.json)
        elif not opts.output:
            title = f"{len(rows):,} labels of {len({*final.values()} - {None}):,} templates"
            cells: list[list[Any]] = [
                [str(row["items"]), row["label"], row["template_id"] or "not known", row["name"] or ""]
                for row in rows[: opts.top]
            ]
            show_table(title, ("items", "label", "template", "name"), cells, numbers=1)
        return items.damaged + len(damaged_files)


def final_labels(labels: Mapping[str, int], crawl: str, damaged: Unreadable) -> dict[str, str | None]:
    """Return label -> label of its template at the end of a crawl, None where the crawl has none.

    crawl    its JOBDIR, or its archive
    damaged  gains the files of the archive's labels that cannot be read
    Raises InvalidOption, InvalidSnapshot, OSError.
    """
    from templcrawl.memory.learned_site import LearnedLabels
    from templcrawl.outputs.archive.final_labels import FinalLabels
    from templcrawl.outputs.archive.parts import Archive, is_archive
    from templcrawl.tools.commands.labelled_items import read_strings

    if "://" not in crawl and Path(crawl).is_file():
        aliases = read_strings("--of", crawl, "a JOBDIR, an archive, or the file of TEMPLCRAWL_ALIASES")
        return {label: aliases.get(label) for label in labels}
    if "://" not in crawl and not is_archive(crawl):
        return LearnedLabels(crawl).resolve(labels)
    last = FinalLabels(Archive(crawl))
    for name, reason in last.unreadable:
        damaged.add(name, reason)
    return {label: last.labels.get(label) for label in labels}

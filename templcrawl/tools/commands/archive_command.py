"""``scrapy archive INPUT``: the tables of an archive, the files that count, and compaction of small parts.

``docs/finished-crawls.md`` describes the manifest, and what compaction does.

Cost: the end of every file is read; with ``--compact`` what is put together is read and written.

``--json`` is one object: ``format`` (1), ``input``, ``parts``, ``tables`` (table -> ``rows`` and ``files``),
``unreadable`` (as of ``scrapy detect``), ``leftovers`` (how many files do not count) and, with ``--compact``,
``compacted`` (``joined`` and ``written`` parts, ``removed`` files).
"""

from __future__ import annotations

import argparse

from templcrawl.tools.commands.base import LOST, refuse
from templcrawl.tools.commands.terminal import (
    JSON_OPTION,
    Answer,
    TablesCommand,
    report_unreadable,
    show_table,
    unreadable_json,
    write,
)


class ArchiveCommand(TablesCommand):
    """The command ``archive``."""

    summary = "Show what a crawl archive holds; put its small parts together"
    description = (
        "Show how many rows and files each table of a crawl archive has, and how many files do not count "
        "since the crawl that wrote them was killed. INPUT is the archive that a crawl wrote with "
        f"TEMPLCRAWL_ARCHIVE: a folder, or a URI such as s3://bucket/crawl. {LOST}"
    )
    shared_options = JSON_OPTION

    def options(self) -> str:
        """Return its options."""
        return """
            --compact  merge small parts and remove invalid files; meanwhile no crawl should write into the
                archive, and nothing should read it
            --part-pages N  pages of a merged part, with --compact (default 50000)
            --manifest  write manifest.json into the archive, with the valid files, for other tools (--compact
                does it too)
            """

    def check(self, opts: argparse.Namespace) -> None:
        """Raise UsageError for options that are not accepted."""
        super().check(opts)
        if opts.part_pages is not None and not opts.compact:
            refuse("--part-pages is for --compact")
        if opts.part_pages is not None and opts.part_pages < 1:
            refuse("--part-pages: give a number of 1 or more")

    def find(self, source: str, opts: argparse.Namespace) -> Answer:
        """Compact, write the manifest, and return what there is."""
        from templcrawl.outputs.archive.compaction import (
            PART_PAGES,
            archive_manifest,
            commit_manifest,
            compact,
            leftovers,
        )
        from templcrawl.outputs.archive.parts import Archive
        from templcrawl.page.records import Unreadable

        done = compact(source, part_pages=opts.part_pages or PART_PAGES) if opts.compact else None
        archive = commit_manifest(source) if opts.manifest and done is None else Archive(source)
        unreadable = Unreadable(archive.unreadable)
        report_unreadable(unreadable)
        return {
            "input": source,
            "parts": len(archive.parts),
            "tables": archive_manifest(archive),
            "unreadable": unreadable_json(unreadable),
            "leftovers": len(leftovers(archive)),
            **({"compacted": done} if done is not None else {}),
        }

    def show(self, answer: Answer, top: int | None) -> None:
        """Write the tables of an answer."""
        if "compacted" in answer:
            compacted = "parts put together: {joined:,}, to {written:,}; files removed: {removed:,}\n"
            write(compacted.format(**answer["compacted"]))
        write(f"parts: {answer['parts']:,}, files that do not count: {answer['leftovers']:,}\n")
        rows = [[about["rows"], len(about["files"]), table] for table, about in answer["tables"].items()]
        show_table("\nTables", ["rows", "files", "table"], rows, numbers=2)

"""``scrapy detect --method local|global``: the tables of template pagelets, from the tables of an archive."""

from __future__ import annotations

import argparse

from templcrawl.archive.location import locate
from templcrawl.archive.parts import Archive
from templcrawl.commands.detect_report import DetectReport, unreadable_parts
from templcrawl.commands.output import tell_unreadable
from templcrawl.commands.progress import StatusLine
from templcrawl.detection.template_tables import TEMPLATE_PAGELETS, TEMPLATES, detect_templates
from templcrawl.engines.table import start_engine
from templcrawl.wording import counted


def detect_pagelets(source: str, opts: argparse.Namespace) -> DetectReport:
    """Detect, and write the tables.  Raises InvalidOption, InvalidSnapshot, EngineFailed."""
    archive = Archive(source)
    unreadable = unreadable_parts(archive)
    tell_unreadable(unreadable)
    output = locate(opts.output or archive.location.address("detected", opts.method))
    with start_engine(opts.engine, memory=opts.memory) as engine, StatusLine() as line:
        line.show(f"detecting templates in {counted(len(archive.parts), 'part')} of the archive")
        detect_templates(engine, archive, opts.method, min_links=opts.min_links or 0)
        for table in (TEMPLATES, TEMPLATE_PAGELETS):
            engine.save(table, output.address(table))
        return DetectReport(engine, opts.method, unreadable, top=opts.top)

"""Write the files of a folder about a site anew: each page is judged by all others.

Cost: the pages are read twice, and three times more for the tables: some 20 ms a page of 50 KB.
"""

from __future__ import annotations

import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from time import monotonic

from templcrawl.errors import MissingExtra, pluralize
from templcrawl.files import whole_file
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.outputs.item_values import unescaped_json
from templcrawl.outputs.page_file import PageFile
from templcrawl.outputs.page_rows import MARKDOWN, TEXT, markdown_file, page_row
from templcrawl.outputs.report.contents import CrawlFacts, report_contents
from templcrawl.outputs.report.figures import CrawlFigures
from templcrawl.outputs.report.html import write_report
from templcrawl.outputs.type_tables import CrawlTables
from templcrawl.page import markdown
from templcrawl.page.page import Page
from templcrawl.page.saved_pages import each_page
from templcrawl.tools.commands.strip_outputs import Names

_SHOWN = 4  # tables that are named
_SECONDS = 0.5  # between two lines of progress

Tell = Callable[[str], object]
Lines = list[tuple[str, str]]  # name of a file -> what it has
Kinds = defaultdict[tuple[str, str], Counter[str]]  # (host, page type) -> kind -> pages


def write_files(
    stored: PageFile, folder: Path, fields: Sequence[str], *, with_tree: bool, tell: Tell
) -> Lines:
    """Write the files; return a line about each file and about what was left out.

    fields     of a page; with_tree: whether each page is a file of Markdown, too
    tell       shows how far it is
    Raises OSError, TemplcrawlError.
    """
    read = partial(each_page, stored, tell=tell, seconds=_SECONDS)
    memory, figures, started = (
        CrawlMemory(sample_salt=0, link_evidence=True, sections={"kinds": {}}),
        CrawlFigures(),
        monotonic(),
    )
    read(lambda page: figures.count_page(memory.observe(page)), "learning")
    written, kinds = _write_pages(stored, folder, fields, memory, read, with_tree=with_tree)
    with whole_file(folder / "changes.jsonl") as file:
        file.writelines(f"{line}\n".encode() for line in stored.changes())
    tables = CrawlTables(lambda use, doing: read(use, f"tables: {doing}"))
    written += _write_tables(tables, folder)
    try:
        run = CrawlFacts(str(folder), datetime.now(timezone.utc), monotonic() - started, kinds=kinds)
        write_report(report_contents(figures, memory, run), folder / "report.html")
        share = figures.total.template_share
        written.append(("report.html", f"what is template, {share:.0%} of the text, and what is content"))
    except MissingExtra as error:
        written.append(("no report", str(error)))
    written.append(("changes.jsonl", stored.news()))
    return written


def _write_pages(
    stored: PageFile,
    folder: Path,
    fields: Sequence[str],
    memory: CrawlMemory,
    read: partial[None],
    *,
    with_tree: bool,
) -> tuple[Lines, Kinds]:
    written: Lines = []
    kinds: Kinds = defaultdict(Counter)
    try:
        markdown.load()
    except MissingExtra as error:
        fields = [TEXT if name == MARKDOWN else name for name in fields]
        written.append(("no Markdown", str(error)))
    types = {leaf.leaf_id: leaf.page_type for leaf in memory.page_types()}
    tree, names = folder / "job" / "pages", Names(None, ending=".md")
    shutil.rmtree(tree, ignore_errors=True)
    with whole_file(folder / "pages.jsonl") as lines:

        def write(page: Page) -> None:
            observation = memory.observe(page)
            page_type = types.get(observation.leaf_id)
            kinds[page.host, page_type or ""][observation.page_kind or ""] += 1
            row = page_row(observation, fields, {"page_type": page_type, **stored.dates(page.url)})
            lines.write(unescaped_json(row).encode() + b"\n")
            if with_tree:
                path = tree / names.name(page.url)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(markdown_file(row).encode("utf-8", "replace"))

        read(write, "writing the texts")
    written.insert(0, ("pages.jsonl", f"{pluralize(stored.total, 'page')}: {', '.join(fields)}"))
    if tree.exists():
        _replace(tree, folder / "pages")
        written.append(("pages/", "the same as a tree of files"))
    return written, kinds


def _write_tables(tables: CrawlTables, folder: Path) -> Lines:
    made, target = folder / "job" / "tables", folder / "tables"
    shutil.rmtree(made, ignore_errors=True)
    if not tables.columns:
        shutil.rmtree(target, ignore_errors=True)
        return [("no tables", tables.why_none().removeprefix("no tables: "))]
    tables.write(made, "csv")
    _replace(made, target)
    named = [
        f"{table.name}.csv ({tables.filled[table.name, 'url']:,} rows)" for table in tables.tables[:_SHOWN]
    ]
    more = len(tables.tables) - len(named)
    return [("tables/", ", ".join(named) + (f" and {more} more" if more else ""))]


def _replace(made: Path, target: Path) -> None:
    shutil.rmtree(target, ignore_errors=True)
    made.rename(target)

"""On a second crawl, which pages are said to have changed, and which have?

The pages of each site are crawled once, dressed (see :mod:`lab.sites.page_edits`), then again for every
edit.  An edit of the template is made on all pages: who says that a page has changed raises a false alarm.
An edit of the content is made on a quarter of the pages and nothing else is, so that no false alarm hides a
miss: who says that such a page is as it was has missed it.  Without --corpora: the pages of the generated
site.

ours         ``changed`` of an observation, by the memory of the first crawl, saved and read back
bytes        a hash of the HTML
text         a hash of the visible text

Cost: pages * (1 + edits) observations a site.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from rich.table import Table
from xxhash import xxh3_64_intdigest

from lab.bench.options import asked_sites, new_parser
from lab.bench.saved_sites import SavedSite
from lab.bench.tables import report, table_of
from lab.sites.generated import generate_demo_site
from lab.sites.page_edits import OF_CONTENT, OF_TEMPLATE, Dressed, Edit, dressed
from templcrawl import Page
from templcrawl.algorithms.similarity.alterations import content_hash
from templcrawl.memory.change_kinds import CHANGED
from templcrawl.memory.memory_options import MemoryOptions
from templcrawl.memory.site import SiteMemory
from templcrawl.page.render import text_of

_CONTENT_OF_GENERATED = ("//main", "//div[@class='y']", "//div[@class='text']")
RULES = ("ours", "bytes", "text")
TABLES: Mapping[str, Mapping[str, Edit]] = {"false alarms": OF_TEMPLATE, "misses": OF_CONTENT}
_EVERY = 4
_OPTIONS = MemoryOptions(sample_salt=0, sections={"changes": {}})

Tally = dict[tuple[str, str], list[int]]
"""(edit, rule) -> [pages that are said wrongly to have changed, or not to; pages]."""


def _version(page: Dressed, edit: Edit | None = None) -> tuple[Page, tuple[int, str]]:
    """Return a page, edited, and the hashes of its bytes and of its text."""
    copy = page.copied() if edit else page
    if edit:
        edit(copy)
    read = Page.from_html(copy.html, page.name, content_type="text/html; charset=utf-8")
    text = text_of(read, b"\1" * len(read.tokens), 1)
    return read, (xxh3_64_intdigest(copy.html), content_hash(text))


def count_site(pages: Sequence[Dressed], tally: Tally) -> None:
    """Crawl a site, again for every edit, and count who is wrong."""
    memory = SiteMemory(pages[0].name.split("/")[2], _OPTIONS)
    known = []
    for page in pages:
        read, hashes = _version(page)
        memory.observe(read, at=1)
        known.append(hashes)
    learned = memory.snapshot()
    for table, edits in TABLES.items():
        every, is_changed = (_EVERY, True) if table == "misses" else (1, False)
        for name, edit in edits.items():
            memory = SiteMemory.from_snapshot(learned, _OPTIONS)
            for number, page in enumerate(pages):
                is_edited = number % every == 0
                read, hashes = _version(page, edit if is_edited else None)
                ours = memory.observe(read, at=2).changed == CHANGED
                others = (now != then for now, then in zip(hashes, known[number]))
                for rule, answer in zip(RULES, (ours, *others)) if is_edited else ():
                    tally[name, rule][0] += answer != is_changed
                    tally[name, rule][1] += 1


def generated_pages() -> Iterator[Dressed | None]:
    """Yield the pages of the generated site, dressed."""
    for path, page in generate_demo_site().pages.items():
        yield dressed(f"http://generated.example{path}", page.html, _CONTENT_OF_GENERATED)


def saved_pages(site: SavedSite, limit: int) -> Iterator[Dressed | None]:
    """Yield the pages of a saved site, dressed."""
    for saved in site.pages(limit):
        yield dressed(saved.url, saved.page.text, site.content)


def tables_of(totals: Tally) -> dict[str, Table]:
    """Return the table of false alarms and that of misses."""
    tables = {}
    for name, edits in TABLES.items():
        rows = []
        for edit in edits:
            counts = [totals[edit, rule] for rule in RULES]
            shares = [f"{100 * wrong / max(1, asked):.1f}" for wrong, asked in counts]
            rows.append((edit.replace("_", " "), counts[0][1], *shares))
        title = f"{name.capitalize()}, % of pages"
        tables[name] = table_of(title, ("edit", "pages", *RULES), rows)
    return tables


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.changes", __doc__, "--corpora --sites --pages=60 --figures")
    options = parser.parse_args(arguments)
    sites = {"generated": generated_pages()}
    if options.corpora is not None:
        sites = {site.name: saved_pages(site, options.pages) for site in asked_sites(parser, options)}
    totals: Tally = defaultdict(lambda: [0, 0])
    for name, dressed_pages in sites.items():
        pages = list(islice((page for page in dressed_pages if page is not None), options.pages))
        if pages:
            count_site(pages, totals)
        print(f"{name}: {len(pages)} pages", file=sys.stderr, flush=True)
    report(tables_of(totals), options.figures)


if __name__ == "__main__":
    main()

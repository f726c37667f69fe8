"""On a second crawl, which pages are said to have changed, and which have?

    python -m benchmarks.changes [--corpora FOLDER] [--sites NAME ...] [--pages 60] [--json FILE]

The pages of each site are crawled once, dressed (see :mod:`benchmarks.page_edits`), then again for every
edit.  An edit of the template is made on all pages: who says that a page has changed raises a false alarm.
An edit of the content is made on a quarter of the pages, beside all edits of the template: who says that such
a page is as it was has missed it.  Without --corpora: the pages of the generated site.

ours         ``changed`` of an observation, by the memory of the first crawl, saved and read back
first        the same, of the ten pages that each crawl begins with
content      a hash of the content, as it was told from the template then and now: hash against hash
bytes        a hash of the HTML
text         a hash of the visible text
trafilatura  a hash of the text that trafilatura finds, where it is installed

Cost: pages * (2 + edits) observations a site; trafilatura takes most of the time.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from itertools import islice
from typing import NamedTuple

from rich.table import Table
from xxhash import xxh3_64_intdigest

from benchmarks.console import show
from benchmarks.options import add_json, add_sites, asked_sites, new_parser
from benchmarks.page_edits import OF_CONTENT, OF_TEMPLATE, Dressed, all_furniture, dressed
from benchmarks.saved_sites import SavedSite
from templcrawl import Page
from templcrawl.algorithms.similarity.alterations import content_hash
from templcrawl.memory.change_table import CHANGED
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.site import SiteMemory
from templcrawl.page.render import text_of
from tests.websites.generated import generate_demo_site

_CONTENT_OF_GENERATED = ("//main", "//div[@class='y']", "//div[@class='text']")
_FIRST = 10
_EVERY = 4
_OPTIONS = MemoryOptions(sample_salt=0, max_tracked=10_000)

Hash = Callable[[Page, bytes], object]
Tally = dict[tuple[str, str], list[int]]
"""(edit, rule) -> [pages that are said wrongly to have changed, or not to; pages]."""


class Version(NamedTuple):
    """A page as a crawl finds it."""

    html: bytes
    page: Page


def hashes() -> dict[str, Hash]:
    """Return the rules that compare hashes, by name."""
    rules: dict[str, Hash] = {
        "bytes": lambda page, html: xxh3_64_intdigest(html),
        "text": lambda page, html: content_hash(text_of(page, b"\1" * len(page.tokens), 1)),
    }
    if find_spec("trafilatura"):
        from trafilatura import extract

        rules["trafilatura"] = lambda page, html: extract(html, url=page.url, include_comments=True)
    return rules


def _version(page: Dressed, edits: Sequence[Callable[[Dressed], None]] = ()) -> Version:
    copy = page.copied() if edits else page
    for edit in edits:
        edit(copy)
    return Version(copy.html, Page.from_html(copy.html, page.name, content_type="text/html; charset=utf-8"))


def count_site(pages: Sequence[Dressed], rules: dict[str, Hash]) -> Tally:
    """Crawl a site twice for every edit, and count who is wrong."""
    tally: Tally = defaultdict(lambda: [0, 0])
    memory = SiteMemory(pages[0].name.split("/")[2], _OPTIONS)
    first = [_version(page) for page in pages]
    contents = [content_hash(memory.observe(version.page, at=1).content_text) for version in first]
    learned = json.loads(json.dumps(memory.snapshot()))
    known = [{name: rule(old.page, old.html) for name, rule in rules.items()} for old in first]
    for name, edit in (OF_TEMPLATE | OF_CONTENT).items():
        memory = SiteMemory.from_snapshot(learned, _OPTIONS)
        for number, page in enumerate(pages):
            is_of_content = name in OF_CONTENT and number % _EVERY == 0
            edits = [edit] if name in OF_TEMPLATE else [all_furniture, *[edit] * is_of_content]
            new = _version(page, edits)
            observation = memory.observe(new.page, at=2)
            said = {rule: of(new.page, new.html) != known[number][rule] for rule, of in rules.items()}
            said["ours"] = observation.changed == CHANGED
            said["content"] = content_hash(observation.content_text) != contents[number]
            asked = name if name in OF_TEMPLATE or is_of_content else "the rest"
            if number < _FIRST:
                said["first"] = said["ours"]
            for rule, is_changed in said.items():
                tally[asked, rule][0] += is_changed != is_of_content
                tally[asked, rule][1] += 1
    return tally


def generated_pages() -> Iterator[Dressed | None]:
    """Yield the pages of the generated site, dressed."""
    for path, page in generate_demo_site().pages.items():
        yield dressed(f"http://generated.example{path}", page.html, _CONTENT_OF_GENERATED)


def saved_pages(site: SavedSite, limit: int) -> Iterator[Dressed | None]:
    """Yield the pages of a saved site, dressed."""
    for saved in site.pages(limit):
        yield dressed(saved.url, saved.page.text, site.content)


def tables_of(totals: Tally, rules: Sequence[str]) -> list[Table]:
    """Return the table of false alarms and that of misses."""
    tables = []
    for title, edits in (
        ("False alarms, % of pages", [*OF_TEMPLATE, "the rest"]),
        ("Misses, % of pages", list(OF_CONTENT)),
    ):
        table = Table("edit", "pages", *rules, title=title)
        for edit in edits:
            cells = [totals[edit, rule] for rule in rules]
            shares = [f"{100 * wrong / max(1, asked):.1f}" for wrong, asked in cells]
            table.add_row(edit.replace("_", " "), str(totals[edit, "ours"][1]), *shares)
        tables.append(table)
    return tables


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark."""
    parser = new_parser("benchmarks.changes", __doc__, corpora=False)
    add_sites(parser)
    parser.add_argument("--pages", metavar="N", type=int, default=60, help="pages of a site (default 60)")
    add_json(parser)
    options = parser.parse_args(arguments)
    rules = hashes()
    sites = {"generated": generated_pages()}
    if options.corpora is not None:
        sites = {site.name: saved_pages(site, options.pages) for site in asked_sites(parser, options)}
    totals: Tally = defaultdict(lambda: [0, 0])
    figures: dict[str, dict[str, list[int]]] = {}
    for name, dressed_pages in sites.items():
        pages = list(islice((page for page in dressed_pages if page is not None), options.pages))
        if not pages:
            continue
        tally = count_site(pages, rules)
        for key, (wrong, asked) in tally.items():
            totals[key][0] += wrong
            totals[key][1] += asked
        figures[name] = {f"{edit}/{rule}": counts for (edit, rule), counts in tally.items()}
        ours = [f"{edit} {counts[0]}/{counts[1]}" for (edit, rule), counts in tally.items() if rule == "ours"]
        sys.stderr.write(f"{name}: {', '.join(ours)}\n")
    for table in tables_of(totals, ["ours", "first", "content", *rules]):
        show(table)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()

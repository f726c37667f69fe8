"""On a second crawl, which pages are said to have changed, and which have?

    python -m lab.bench.changes [--corpora FOLDER] [--sites NAME ...] [--pages 60] [--json FILE]
    python -m lab.bench.changes --dated FOLDER [--sites NAME ...] [--pages 60] [--json FILE]

The pages of each site are crawled once, dressed (see :mod:`lab.sites.page_edits`), then again for every
edit.  An edit of the template is made on all pages: who says that a page has changed raises a false alarm.
An edit of the content is made on a quarter of the pages, beside all edits of the template: who says that such
a page is as it was has missed it.  What rotates and counts does so once more for a third crawl.  Without
--corpora: the pages of the generated site.  With --dated: saved sites of which two versions are saved, as
they are (see :mod:`lab.bench.dated_sites`, also for their folder and for what is known of their gold).

ours         ``changed`` of an observation, by the memory of the first crawl, saved and read back
first        the same, of the ten pages that each crawl begins with
at end       the same, asked again after the crawl, as items that are held are
alone        ours, where the content was edited and nothing else: no false alarm hides a miss
both         of dated sites: what ``scrapy changes`` says
content      a hash of the content, as it was told from the template then and now: hash against hash
bytes        a hash of the HTML
text         a hash of the visible text
trafilatura  a hash of the text that trafilatura finds, where it is installed

Cost: pages * 2 * (2 + edits) observations a site; trafilatura takes most of the time.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from rich.table import Table
from xxhash import xxh3_64_intdigest

from lab.bench.dated_sites import OURS as OF_DATED
from lab.bench.dated_sites import Hash, count_dated, dated_sites, dated_table
from lab.bench.kept_tables import keep_tables
from lab.bench.options import (
    add_figures,
    add_folder,
    add_json,
    add_pages,
    add_sites,
    asked_sites,
    new_parser,
)
from lab.bench.saved_sites import SavedSite
from lab.bench.tables import show
from lab.sites.generated import generate_demo_site
from lab.sites.page_edits import (
    OF_CONTENT,
    OF_TEMPLATE,
    Dressed,
    Edit,
    all_furniture,
    dressed,
    next_furniture,
)
from templcrawl import Page
from templcrawl.algorithms.similarity.alterations import content_hash
from templcrawl.memory.change_table import CHANGED
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.site import SiteMemory
from templcrawl.memory.snapshots import Snapshot
from templcrawl.page.render import text_of

_CONTENT_OF_GENERATED = ("//main", "//div[@class='y']", "//div[@class='text']")
OURS = ("ours", "first", "at end", "alone")
THIRD, REST = "a third crawl", "the rest"
_FIRST = 10
_EVERY = 4
_OPTIONS = MemoryOptions(sample_salt=0, max_tracked=10_000)

Said = dict[str, bool]
Edits = Callable[[int], Sequence[Edit]]
"""Number of a page -> what is edited on it."""
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


def _version(page: Dressed, edits: Sequence[Edit] = ()) -> Version:
    copy = page.copied() if edits else page
    for edit in edits:
        edit(copy)
    return Version(copy.html, Page.from_html(copy.html, page.name, content_type="text/html; charset=utf-8"))


class CrawledSite:
    """A site of which one crawl is known.

    learned  what that has learned, saved
    """

    def __init__(self, pages: Sequence[Dressed], rules: Mapping[str, Hash]) -> None:
        memory = SiteMemory(pages[0].name.split("/")[2], _OPTIONS)
        first = [_version(page) for page in pages]
        self._pages = pages
        self._rules = rules
        self._contents = [content_hash(memory.observe(version.page, at=1).content_text) for version in first]
        self._known = [{name: rule(old.page, old.html) for name, rule in rules.items()} for old in first]
        self.learned = memory.snapshot()

    def read(self, edits: Edits, learned: Snapshot, at: int = 2) -> tuple[list[Said], Snapshot]:
        """Return for each page which rules say that it has changed when it is read edited; what is learned.

        learned  what is known before
        """
        memory = SiteMemory.from_snapshot(learned, _OPTIONS)
        said: list[Said] = []
        observed = []
        for number, page in enumerate(self._pages):
            new = _version(page, edits(number))
            observation = memory.observe(new.page, at=at)
            observed.append(observation)
            known = self._known[number]
            said.append({name: rule(new.page, new.html) != known[name] for name, rule in self._rules.items()})
            said[-1]["ours"] = observation.changed == CHANGED
            said[-1]["content"] = content_hash(observation.content_text) != self._contents[number]
            if number < _FIRST:
                said[-1]["first"] = said[-1]["ours"]
        learned = memory.snapshot()
        for answers, observation in zip(said, observed):
            answers["at end"] = memory.reclassify(observation).changed == CHANGED
        return said, learned


def count_site(pages: Sequence[Dressed], rules: Mapping[str, Hash]) -> Tally:
    """Crawl a site again for every edit, and count who is wrong."""
    tally: Tally = defaultdict(lambda: [0, 0])
    site = CrawledSite(pages, rules)
    learned = site.learned
    for name, edit in OF_TEMPLATE.items():
        said, learned = site.read(lambda _: [edit], site.learned)  # noqa: B023
        _count(tally, name, said, is_changed=False)
    said, _ = site.read(lambda _: [all_furniture, next_furniture], learned, at=3)
    _count(tally, THIRD, said, is_changed=False)
    for name, edit in OF_CONTENT.items():
        edited = _some(edit)
        said, _ = site.read(lambda number: [all_furniture, *edited(number)], site.learned)  # noqa: B023
        alone, _ = site.read(edited, site.learned)
        for answers, answers_alone in zip(said[::_EVERY], alone[::_EVERY]):
            answers["alone"] = answers_alone["ours"]
        _count(tally, name, said[::_EVERY], is_changed=True)
        others = [answers for number, answers in enumerate(said) if number % _EVERY]
        _count(tally, REST, others, is_changed=False)
    return tally


def _some(edit: Edit) -> Edits:
    """Return which pages an edit of the content is made on."""
    return lambda number: [] if number % _EVERY else [edit]


def _count(tally: Tally, edit: str, said: Sequence[Said], *, is_changed: bool) -> None:
    """Count who is wrong about pages all of which have changed, or none."""
    for answers in said:
        for rule, answer in answers.items():
            tally[edit, rule][0] += answer != is_changed
            tally[edit, rule][1] += 1


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
        ("False alarms, % of pages", [*OF_TEMPLATE, THIRD, REST]),
        ("Misses, % of pages", list(OF_CONTENT)),
    ):
        table = Table("edit", "pages", *rules, title=title)
        for edit in edits:
            cells = [totals[edit, rule] for rule in rules]
            shares = [f"{100 * wrong / asked:.1f}" if asked else "" for wrong, asked in cells]
            table.add_row(edit.replace("_", " "), str(totals[edit, "ours"][1]), *shares)
        tables.append(table)
    return tables


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark."""
    parser = new_parser("lab.bench.changes", __doc__, corpora=False)
    add_sites(parser)
    add_folder(parser, "--dated", "saved sites in two versions, with their dated.json")
    add_pages(parser, 60)
    add_json(parser)
    add_figures(parser)
    options = parser.parse_args(arguments)
    rules = hashes()
    if options.dated is not None:
        try:
            dated = dated_sites(options.dated, options.sites)
        except ValueError as error:
            parser.error(str(error))
        counts = {site.name: count_dated(site, options.pages, rules) for site in dated}
        show(table := dated_table(counts, [*OF_DATED, *rules]))
        keep_tables(options.figures, {"dated": table})
        _write(options.json, {name: counted._asdict() for name, counted in counts.items()})
        return
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
    tables = dict(zip(("false alarms", "misses"), tables_of(totals, [*OURS, "content", *rules])))
    for table in tables.values():
        show(table)
    keep_tables(options.figures, tables)
    _write(options.json, figures)


def _write(path: Path | None, figures: object) -> None:
    if path is not None:
        path.write_text(json.dumps(figures, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()

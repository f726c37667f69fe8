"""On a second crawl, which pages are said to have changed, and which have?

    python -m lab.bench.changes [--corpora FOLDER] [--sites NAME ...] [--pages 60]

The pages of each site are crawled once, dressed (see :mod:`lab.sites.page_edits`), then again for every
edit.  An edit of the template is made on all pages: who says that a page has changed raises a false alarm.
An edit of the content is made on a quarter of the pages, beside all edits of the template: who says that such
a page is as it was has missed it.  What rotates and counts does so once more for a third crawl.  Without
--corpora: the pages of the generated site.

ours         ``changed`` of an observation, by the memory of the first crawl, saved and read back
first        the same, of the ten pages that each crawl begins with
at end       the same, asked again after the crawl, as items that are held are
alone        ours, where the content was edited and nothing else: no false alarm hides a miss
content      a hash of the content, as it was told from the template then and now: hash against hash
bytes        a hash of the HTML
text         a hash of the visible text
trafilatura  a hash of the text that trafilatura finds, where it is installed

Cost: pages * 2 * (2 + edits) observations a site; trafilatura takes most of the time.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import islice

from rich.table import Table
from xxhash import xxh3_64_intdigest

from lab.bench.options import add_figures, add_pages, add_sites, asked_sites, new_parser
from lab.bench.saved_sites import SavedSite
from lab.bench.tables import report, table_of
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
OURS = ("ours", "first", "at end", "alone", "content")
THIRD, REST = "a third crawl", "the rest"
_FIRST = 10
_EVERY = 4
_OPTIONS = MemoryOptions(sample_salt=0, max_tracked=10_000)

Hash = Callable[[Page, bytes], object]
Said = dict[str, bool]
Edits = Callable[[int], Sequence[Edit]]
"""Number of a page -> what is edited on it."""
Tally = dict[tuple[str, str], list[int]]
"""(edit, rule) -> [pages that are said wrongly to have changed, or not to; pages]."""


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


def _version(page: Dressed, edits: Sequence[Edit] = ()) -> tuple[Page, bytes]:
    copy = page.copied() if edits else page
    for edit in edits:
        edit(copy)
    return Page.from_html(copy.html, page.name, content_type="text/html; charset=utf-8"), copy.html


class CrawledSite:
    """A site of which one crawl is known.

    learned  what that has learned, saved
    """

    def __init__(self, pages: Sequence[Dressed], rules: Mapping[str, Hash]) -> None:
        memory = SiteMemory(pages[0].name.split("/")[2], _OPTIONS)
        first = [_version(page) for page in pages]
        self._pages = pages
        self._rules = rules
        self._contents = [content_hash(memory.observe(page, at=1).content_text) for page, _ in first]
        self._known = [{name: rule(page, html) for name, rule in rules.items()} for page, html in first]
        self.learned = memory.snapshot()

    def read(self, edits: Edits, learned: Snapshot, at: int = 2) -> tuple[list[Said], Snapshot]:
        """Return for each page which rules say that it has changed when it is read edited; what is learned.

        learned  what is known before
        """
        memory = SiteMemory.from_snapshot(learned, _OPTIONS)
        said: list[Said] = []
        observed = []
        for number, dressed_page in enumerate(self._pages):
            page, html = _version(dressed_page, edits(number))
            observation = memory.observe(page, at=at)
            observed.append(observation)
            known = self._known[number]
            answers = {name: rule(page, html) != known[name] for name, rule in self._rules.items()}
            answers["ours"] = observation.changed == CHANGED
            answers["content"] = content_hash(observation.content_text) != self._contents[number]
            if number < _FIRST:
                answers["first"] = answers["ours"]
            said.append(answers)
        learned = memory.snapshot()
        for answers, observation in zip(said, observed):
            answers["at end"] = memory.reclassify(observation).changed == CHANGED
        return said, learned


def count_site(pages: Sequence[Dressed], rules: Mapping[str, Hash], tally: Tally) -> None:
    """Crawl a site again for every edit, and count who is wrong."""

    def count(edit: str, said: Sequence[Said], *, is_changed: bool) -> None:
        for answers in said:
            for rule, answer in answers.items():
                tally[edit, rule][0] += answer != is_changed
                tally[edit, rule][1] += 1

    site = CrawledSite(pages, rules)
    learned = site.learned
    for name, edit in OF_TEMPLATE.items():
        said, learned = site.read(lambda _: [edit], site.learned)  # noqa: B023
        count(name, said, is_changed=False)
    said, _ = site.read(lambda _: [all_furniture, next_furniture], learned, at=3)
    count(THIRD, said, is_changed=False)
    for name, edit in OF_CONTENT.items():

        def edited(number: int, edit: Edit = edit) -> list[Edit]:
            return [] if number % _EVERY else [edit]

        said, _ = site.read(lambda number: [all_furniture, *edited(number)], site.learned)
        alone, _ = site.read(edited, site.learned)
        for answers, answers_alone in zip(said[::_EVERY], alone[::_EVERY]):
            answers["alone"] = answers_alone["ours"]
        count(name, said[::_EVERY], is_changed=True)
        others = [answers for number, answers in enumerate(said) if number % _EVERY]
        count(REST, others, is_changed=False)


def generated_pages() -> Iterator[Dressed | None]:
    """Yield the pages of the generated site, dressed."""
    for path, page in generate_demo_site().pages.items():
        yield dressed(f"http://generated.example{path}", page.html, _CONTENT_OF_GENERATED)


def saved_pages(site: SavedSite, limit: int) -> Iterator[Dressed | None]:
    """Yield the pages of a saved site, dressed."""
    for saved in site.pages(limit):
        yield dressed(saved.url, saved.page.text, site.content)


def tables_of(totals: Tally, rules: Sequence[str]) -> dict[str, Table]:
    """Return the table of false alarms and that of misses."""

    def share(edit: str, rule: str) -> str:
        wrong, asked = totals[edit, rule]
        return f"{100 * wrong / asked:.1f}" if asked else ""

    of_tables = {"false alarms": [*OF_TEMPLATE, THIRD, REST], "misses": [*OF_CONTENT]}
    return {
        name: table_of(
            f"{name.capitalize()}, % of pages",
            ("edit", "pages", *rules),
            (
                (edit.replace("_", " "), totals[edit, "ours"][1], *(share(edit, rule) for rule in rules))
                for edit in edits
            ),
        )
        for name, edits in of_tables.items()
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.changes", __doc__, corpora=False)
    add_sites(parser)
    add_pages(parser, 60)
    add_figures(parser)
    options = parser.parse_args(arguments)
    rules = hashes()
    sites = {"generated": generated_pages()}
    if options.corpora is not None:
        sites = {site.name: saved_pages(site, options.pages) for site in asked_sites(parser, options)}
    totals: Tally = defaultdict(lambda: [0, 0])
    for name, dressed_pages in sites.items():
        pages = list(islice((page for page in dressed_pages if page is not None), options.pages))
        if pages:
            count_site(pages, rules, totals)
        print(f"{name}: {len(pages)} pages", file=sys.stderr, flush=True)
    report(tables_of(totals, [*OURS, *rules]), options.figures)


if __name__ == "__main__":
    main()

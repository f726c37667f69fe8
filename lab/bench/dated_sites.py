"""Saved sites of which two versions are saved, crawled one after the other; imported, not run.

A folder holds a ``dated.json``: site -> {"versions": [older folder, newer folder], "start": path of its start
page, "content": XPaths of the container that holds its content, in order of preference, "furniture": XPaths
of what the generator puts into the container, such as signs that link to headings}.  Pages are read breadth
first in the older version, and those of the newer one that are saved under the same paths.

Gold: a page has changed where the text of its container has, but for its furniture and white space.  That is
as sure as the marks: what else a generator writes into the container (a line with its version, another word
on a link) counts as content, and what an author writes outside it as template.  A page that lacks the mark in
either version is left out.

ours    ``changed`` of an observation, by the memory of the first crawl, saved and read back
at end  the same, asked again after the second crawl, as items that are held are
both    as ``scrapy changes`` says, which has both crawls at hand

Cost: 6 separations a page, and what the hashes take.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from rich.table import Table

from lab.bench.saved_sites import SEEN, SavedPage, SavedSite, host_of
from templcrawl import Page
from templcrawl.memory.change_table import CHANGED
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.site import SiteMemory
from templcrawl.tools.commands.crawl_changes import CrawlChanges
from templcrawl.tools.commands.strippers import stripper

OURS = ("ours", "at end", "both")
_ALL = 1_000_000
_OPTIONS = MemoryOptions(sample_salt=0, max_tracked=100_000)

Hash = Callable[[Page, bytes], object]
Pair = tuple[SavedPage, SavedPage]


class DatedSite(NamedTuple):
    """A site of which two versions are saved."""

    name: str
    old: SavedSite
    new: SavedSite
    furniture: Sequence[str]

    def pairs(self) -> Iterator[Pair]:
        """Yield the pages that both versions have and mark, in the order of the older one."""
        for old in self.old.pages(_ALL):
            path = unquote(old.url.split("/", 3)[3])
            if (self.new.folder / path).is_file():
                new = self.new.page(path)
                if old.containers and new.containers:
                    yield old, new

    def content(self, page: SavedPage) -> str:
        """Return the text of the content of a page, without white space."""
        containers = page.containers
        if not containers:
            return ""
        tree = containers[0].getroottree()
        for node in (node for path in self.furniture for node in tree.xpath(path)):
            node.clear(keep_tail=True)
        return "".join("".join(text for node in containers for text in node.xpath(SEEN)).split())


class Counts(NamedTuple):
    """How a site was judged.

    pages         that are as they were, and that have changed
    false_alarms  rule -> pages that have not changed and are said to have
    misses        rule -> pages that have changed and are said not to have
    """

    pages: tuple[int, int]
    false_alarms: Mapping[str, int]
    misses: Mapping[str, int]


def dated_sites(folder: Path, names: Collection[str] = ()) -> list[DatedSite]:
    """Return the sites of a folder with a ``dated.json``, all or those named.  Raises ValueError."""
    known = json.loads((folder / "dated.json").read_text(encoding="utf-8"))
    unknown = set(names) - set(known)
    if unknown:
        raise ValueError(f"no site is called {', '.join(sorted(unknown))}")
    return [_dated_site(folder, name, site) for name, site in known.items() if name in names or not names]


def _dated_site(folder: Path, name: str, site: Mapping[str, Any]) -> DatedSite:
    old, new = (
        SavedSite(name, "dated", folder / version, site["start"], (host_of(name),), site["content"])
        for version in site["versions"]
    )
    return DatedSite(name, old, new, site.get("furniture", ()))


def count_dated(site: DatedSite, limit: int, rules: Mapping[str, Hash]) -> Counts:
    """Crawl the two versions of a site, and count who is wrong."""
    pairs = list(islice(site.pairs(), limit))
    said = {
        rule: [of(new.page, new.html) != of(old.page, old.html) for old, new in pairs]
        for rule, of in rules.items()
    }
    said |= by_memory([old.page for old, _ in pairs], [new.page for _, new in pairs])
    said["both"] = by_both([old.page for old, _ in pairs], [new.page for _, new in pairs])
    gold = [site.content(old) != site.content(new) for old, new in pairs]
    wrong = [
        {rule: sum(map((kind, not kind).__eq__, zip(gold, answers))) for rule, answers in said.items()}
        for kind in (False, True)
    ]
    return Counts((gold.count(False), gold.count(True)), *wrong)


def by_memory(old: Sequence[Page], new: Sequence[Page]) -> dict[str, list[bool]]:
    """Return which pages the memory of a site says to have changed, when it reads them and at the end."""
    memory = SiteMemory(old[0].host, _OPTIONS)
    for page in old:
        memory.observe(page, at=1)
    memory = SiteMemory.from_snapshot(memory.snapshot(), _OPTIONS)
    read = [memory.observe(page, at=2) for page in new]
    at_end = [memory.reclassify(observation) for observation in read]
    return {
        "ours": [observation.changed == CHANGED for observation in read],
        "at end": [observation.changed == CHANGED for observation in at_end],
    }


def by_both(old: Sequence[Page], new: Sequence[Page]) -> list[bool]:
    """Return which pages two crawls say to have changed, compared."""
    with CrawlChanges() as changes:
        for pages, add in ((old, changes.add_old), (new, changes.add_new)):
            with stripper("vote") as way:
                for page in pages:
                    way.learn(page)
                for page in pages:
                    add(way.separate(page))
        changed = {url for url, _ in changes.changed()}
    return [page.url in changed for page in old]


def dated_table(sites: Mapping[str, Counts], rules: Sequence[str]) -> Table:
    """Return a table of who is wrong: false alarms / misses; the last row is of all sites."""
    table = Table("site", "same", "changed", *rules, title="False alarms / misses, pages")
    for name, counts in sites.items():
        cells = [f"{counts.false_alarms[rule]} / {counts.misses[rule]}" for rule in rules]
        table.add_row(name, *map(str, counts.pages), *cells)
    same, changed = (sum(pages) for pages in zip(*(counts.pages for counts in sites.values())))
    sums = [
        f"{sum(counts.false_alarms[rule] for counts in sites.values())} / "
        f"{sum(counts.misses[rule] for counts in sites.values())}"
        for rule in rules
    ]
    table.add_row("all", str(same), str(changed), *sums)
    return table

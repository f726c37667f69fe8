"""How many pages does the template of a page cost, and how good is it?

From three key pages of each saved site, and from its longest page: the vote of the pages that
``scrapy template`` loads (``vote``, our default); the paper's mapping onto the complete subdigraph in the
paper's order of links (``plain``), with the links of the menu first (``menu``), each of them also with the
pages first that loaded pages link to (``+links``, ``--way etdm`` with ``menu``); and the vote of a site
memory, which loads no page.  The paper takes a subdigraph of n = 4 pages: the key pages alone, ``plain``, by
n from 1 to 8.

A page stands for itself under the path it was saved by; links to pages that were not saved lead nowhere.
Key pages of a site: three of its first ``READ`` pages with gold, spread evenly, the first among them.  Its
longest page is, of all saved ones with gold, that of the most bytes.

Gold: the words of the visible text runs outside of the marked container.  So what is outside and belongs to
one page alone (a breadcrumb, a table of contents) counts as template that no comparison of pages can find.

``loaded`` does not count the key page.  P, R and F1 are means over key pages, then over sites; the longest
pages have columns of their own.
Last run at 1e631aa.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from statistics import fmean
from typing import NamedTuple

import numpy as np
from rich.table import Table

from lab.bench.measures import Score, score
from lab.bench.options import asked_sites, new_parser
from lab.bench.saved_sites import SavedPage, SavedSite, Words, containers_of, words_of
from lab.bench.tables import report, table_of
from templcrawl import CrawlMemory
from templcrawl.algorithms.site_template.complete_subdigraph import SIZE, SubdigraphSearch
from templcrawl.algorithms.site_template.etdm import drop_hollow, extract_template
from templcrawl.algorithms.site_template.nodes import Nodes
from templcrawl.algorithms.site_template.template_search import alike_first, menu_order
from templcrawl.crawl.template_spider import PAGES, separate_by_pages
from templcrawl.memory.memory_options import MemoryOptions
from templcrawl.page.arrays import Flags
from templcrawl.page.page import Page
from templcrawl.page.tokens import START, VOID

READ = 60
MEMORY_PAGES = 100
KEY_PAGES = 3
LARGEST = 30
"""Pages of which the longest is that of the most bytes with gold."""
MARK = "data-node"
_NAME = re.compile(r"<[^\s/>]+").match


class SitePages:
    """The pages of a saved site, and who links to whom.

    first  its first pages, breadth first
    """

    def __init__(self, site: SavedSite) -> None:
        self.site = site
        self.first = list(site.pages(max(READ, MEMORY_PAGES)))
        self._pages = {page.url: page for page in self.first}
        self._paths = {site.url_of(path): path for path in site.files.values()}
        self._urls = {path: url for url, path in self._paths.items()}
        self._links: dict[str, list[tuple[str, int]]] = {}

    def page(self, url: str) -> SavedPage:
        """Return a page."""
        if url not in self._pages:
            self._pages[url] = self.site.page(self._paths[url])
        return self._pages[url]

    def links(self, url: str) -> list[tuple[str, int]]:
        """Return (page, number of its first link) of what a page links to, in document order."""
        if url not in self._links:
            first: dict[str, int] = {}
            for number, target in enumerate(self.page(url).page.links.urls):
                found = self._urls.get(self.site.find(target) or "")
                if found is not None and found != url:
                    first.setdefault(found, number)
            self._links[url] = list(first.items())
        return self._links[url]

    def key_pages(self) -> list[str]:
        """Return the key pages."""
        usable = [page.url for page in self.first[:READ] if (page.gold or "").strip()]
        step = max(1, (len(usable) - 1) // max(1, KEY_PAGES - 1))
        return usable[::step][:KEY_PAGES]

    def longest_page(self) -> str | None:
        """Return the longest page, None where none of the largest has gold."""
        sizes = {url: (self.site.folder / path).stat().st_size for url, path in self._paths.items()}
        largest = sorted(sizes, key=lambda url: (-sizes[url], url))[:LARGEST]
        return next((url for url in largest if (self.page(url).gold or "").strip()), None)


MEMORY = "site memory"
"""The way that loads no page: the vote over the first ``MEMORY_PAGES`` pages of the site."""

VOTE = "vote"
"""The default of ``scrapy template``: a vote of the pages of ``menu+links`` and those most like the page."""

ORDERS = {"plain": "", "menu": "menu", "plain+links": "links", "menu+links": "menu links"}
"""Way -> which links of a key page are tried first: those of the menu, those that loaded pages link to."""


SWEPT = {f"n = {size}": size for size in range(1, 9)}
"""Way of the paper's order of links -> pages of the subdigraph that is sought."""


def subdigraph(site: SitePages, key: str, order: str, size: int = SIZE) -> SubdigraphSearch[str]:
    """Run the search of a key page to its end."""
    links = site.links(key)
    ordered = [url for url, _ in links]
    if "menu" in order:
        of_number = {number: url for url, number in links}
        ordered = [of_number[at] for at in menu_order(Nodes(site.page(key).page), list(of_number))]
    search = SubdigraphSearch(ordered, size=size, follow_links="links" in order)
    while (page := search.next_page()) is not None:
        search.add_page(page, [url for url, _ in site.links(page)])
    return search


def gold_of(saved: SavedPage) -> Words | None:
    """Return the words of the template of a page, None where its container is not found."""
    page = saved.page
    inside = inside_container(page, saved.content)
    if inside is None:
        return None
    tree = Nodes(page)
    owners = np.where(tree.texts, page.elements.owner_array[tree.positions], tree.elements)
    return template_words(page, tree, ~inside[owners])


def template_words(page: Page, tree: Nodes, template: Flags) -> Words:
    """Return the words of the visible text runs of a template."""
    tokens = page.tokens
    seen = template & tree.texts & page.elements.visible_array[page.elements.owner_array[tree.positions]]
    return words_of(" ".join(tokens.forms[tokens.form_of[place]] for place in tree.positions[seen].tolist()))


def inside_container(page: Page, paths: Sequence[str]) -> Flags | None:
    """Return element -> whether it is the container of the content or in it, by lxml's tree of the page."""
    tokens, elements = page.tokens, page.elements
    parts = [tokens.forms[form] for form in tokens.form_of]
    for element, place in enumerate(elements.opens[1:], start=1):
        if tokens.kinds[place] in (START, VOID) and (name := _NAME(parts[place])):
            parts[place] = f'{name[0]} {MARK}="{element}"{parts[place][name.end() :]}'
    inside = np.zeros(len(elements), dtype=bool)
    containers = containers_of("".join(parts), paths)
    for node in (node for container in containers for node in container.iter()):
        if isinstance(node.tag, str) and node.get(MARK, "").isdigit():
            inside[int(node.get(MARK))] = True
    return inside if containers else None


class Found(NamedTuple):
    """What was found of one key page.

    longest  whether it is the longest page of its site
    size     pages of its subdigraph
    loaded   pages loaded besides the key page
    words    score of its template's words
    seconds  CPU time of the template, pages parsed before
    """

    longest: bool
    size: int
    loaded: int
    words: Score
    seconds: float


Told = tuple[Flags, int, int, float]
"""Which nodes of a key page are template; size, loaded and seconds of :class:`Found`."""


def by_etdm(site: SitePages, key: str, order: str, size: int = SIZE) -> Told:
    """Extract the template of a key page by its complete subdigraph."""
    search = subdigraph(site, key, order, size)
    page = site.page(key).page
    siblings = [site.page(url).page for url in search.best]
    began = time.process_time()
    tree = Nodes(page)
    template = drop_hollow(tree, extract_template(tree, map(Nodes, siblings)))
    seconds = time.process_time() - began
    if not siblings:
        template[:] = False
    return template, len(search.best), len(search.loaded), seconds


def by_vote(site: SitePages, key: str) -> Told:
    """Separate a key page by the vote of the pages that ``scrapy template`` loads."""
    search = subdigraph(site, key, ORDERS["menu+links"])
    links = [url for url, _ in site.links(key)]
    like = [url for url in alike_first(key, links) if url not in search.loaded]
    loaded = search.loaded + like[: max(0, PAGES - len(search.loaded))]
    page = site.page(key).page
    siblings = [site.page(url).page for url in loaded]
    began = time.process_time()
    mask = separate_by_pages(page, siblings, MemoryOptions()).content_mask
    seconds = time.process_time() - began
    return ~Nodes(page).content_nodes(mask), len(search.best), len(loaded), seconds


def by_memory(site: SitePages, key: str, memory: CrawlMemory) -> Told:
    """Separate a key page by what a crawl of its site has learned."""
    page = site.page(key).page
    began = time.process_time()
    mask = memory.observe(page).separation.content_mask
    seconds = time.process_time() - began
    return ~Nodes(page).content_nodes(mask), 0, 0, seconds


def site_runs(saved: SavedSite) -> dict[str, list[Found]]:
    """Return way -> what it found of each key page of a site with gold, the longest page last."""
    site = SitePages(saved)
    memory = CrawlMemory(sample_salt=0)
    for page in site.first[:MEMORY_PAGES]:
        memory.observe(page.page)
    ways: dict[str, Callable[[str], Told]] = {
        VOTE: partial(by_vote, site),
        **{way: partial(by_etdm, site, order=order) for way, order in ORDERS.items()},
        **{way: partial(by_etdm, site, order=ORDERS["plain"], size=size) for way, size in SWEPT.items()},
        MEMORY: partial(by_memory, site, memory=memory),
    }
    longest = site.longest_page()
    found: dict[str, list[Found]] = {way: [] for way in ways}
    for url, is_longest in [(url, False) for url in site.key_pages()] + (
        [(longest, True)] if longest else []
    ):
        key = site.page(url)
        gold = gold_of(key)
        if gold is None:
            continue
        for way, tell in ways.items():
            if is_longest and way in SWEPT:
                continue
            template, size, loaded, seconds = tell(url)
            words = score(template_words(key.page, Nodes(key.page), template), gold)
            found[way].append(Found(is_longest, size, loaded, words, seconds))
    return found


Runs = dict[str, list[Found]]
"""Way -> what it found of each key page of a site."""


def means_of(found: Iterable[Found], *, longest: bool) -> list[float]:
    """Return the means: size, loaded, P R F1 of words, milliseconds; [] without pages.

    longest  of the longest page, else of the key pages
    """
    rows = [
        (page.size, page.loaded, *page.words, 1000 * page.seconds)
        for page in found
        if page.longest == longest
    ]
    return [fmean(column) for column in zip(*rows)]


def sizes_table(sites: Sequence[Runs]) -> Table:
    """Return the mean over the sites by the pages that are sought, of the key pages."""
    rows = []
    for way in SWEPT:
        of_sites = filter(None, (means_of(found[way], longest=False) for found in sites))
        size, loaded, *scores, milliseconds = map(fmean, zip(*of_sites))
        shares = [f"{value:.3f}" for value in scores]
        rows.append([way, f"{size:.2f}", f"{loaded:.2f}", *shares, f"{milliseconds:.1f}"])
    heads = ["pages sought", "size", "loaded", "words P", "R", "F1", "ms"]
    return table_of(f"The paper's mapping: mean of {len(sites)} sites, three key pages of each", heads, rows)


def ways_table(sites: Sequence[Runs]) -> Table:
    """Return the mean over the sites of each way."""
    rows = []
    for way in (VOTE, *ORDERS, MEMORY):
        of_keys, of_longest = (
            [
                fmean(column)
                for column in zip(*filter(None, (means_of(found[way], longest=longest) for found in sites)))
            ]
            for longest in (False, True)
        )
        size, loaded, *scores, milliseconds = of_keys
        rows.append(
            [
                way,
                *(f"{value:.2f}" for value in (size, loaded, loaded + 1)),
                *(f"{value:.3f}" for value in scores),
                f"{milliseconds:.1f}",
                f"{of_longest[1]:.2f}",
                *(f"{value:.3f}" for value in of_longest[2:5]),
                f"{of_longest[5]:.0f}",
            ]
        )
    heads = ["way", "size", "loaded", "with key page", "words P", "R", "F1", "ms"]
    heads += ["longest: loaded", "words P", "R", "F1", "ms"]
    title = f"Mean of {len(sites)} sites: three key pages of each, and its longest page"
    return table_of(title, heads, rows)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.papers.template", __doc__, "--corpora --debian --sites --jobs=1 --figures")
    options = parser.parse_args(arguments)
    chosen = asked_sites(parser, options)
    sites: list[Runs] = []
    with ProcessPoolExecutor(options.jobs) as pool:
        for site, found in zip(chosen, pool.map(site_runs, chosen)):
            print(f"{site.name}: {len(found[MEMORY])} pages", file=sys.stderr, flush=True)
            sites += [found] if found[MEMORY] else []
    report({"ways": ways_table(sites), "sizes": sizes_table(sites)}, options.figures)


if __name__ == "__main__":
    main()

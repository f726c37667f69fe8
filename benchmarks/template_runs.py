"""Key pages of saved sites, their complete subdigraphs and templates, and how good these are.

A page stands for itself under the path it was saved by; links to pages that were not saved lead nowhere.
Key pages of a site: three of its first ``READ`` pages with gold, spread evenly, the first among them.

Gold: the visible text runs and elements of the body outside of the marked container are template, nodes
and words alike.  So what is outside and belongs to one page alone (a breadcrumb, a table of contents)
counts as template that no comparison of pages can find.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import NamedTuple

import lxml.etree
import lxml.html
import numpy as np

from benchmarks.metrics import NOTHING, Score, score
from benchmarks.saved_sites import SavedPage, SavedSite, Words, words_of
from templcrawl import CrawlMemory
from templcrawl.algorithms.site_template.complete_subdigraph import SubdigraphSearch
from templcrawl.algorithms.site_template.etdm import extract_template, without_hollow
from templcrawl.algorithms.site_template.menu_order import menu_order
from templcrawl.page.nodes import Flags, Nodes
from templcrawl.page.page import Page
from templcrawl.page.tags import START, VOID

READ = 60
MEMORY_PAGES = 100
_ALL = 10_000
KEY_PAGES = 3
MARK = "data-node"
_NAME = re.compile(r"<[^\s/>]+").match


class SitePages:
    """The pages of a saved site, and who links to whom.

    pages  URL -> page, breadth first
    """

    def __init__(self, site: SavedSite) -> None:
        self.site = site
        self.pages = {page.url: page for page in site.pages(_ALL)}
        self._urls = {site._find(url): url for url in self.pages}
        self._links: dict[str, list[tuple[str, int]]] = {}

    def links(self, url: str) -> list[tuple[str, int]]:
        """Return (page, number of its first link) of what a page links to, in document order."""
        if url not in self._links:
            first: dict[str, int] = {}
            for number, target in enumerate(self.pages[url].page.links.urls):
                target_url = self._urls.get(self.site._find(target) or "")
                if target_url is not None and target_url != url:
                    first.setdefault(target_url, number)
            self._links[url] = list(first.items())
        return self._links[url]

    def key_pages(self) -> list[str]:
        """Return the key pages."""
        usable = [url for url, page in list(self.pages.items())[:READ] if (page.gold or "").strip()]
        step = max(1, (len(usable) - 1) // max(1, KEY_PAGES - 1))
        return usable[::step][:KEY_PAGES]


class Order(NamedTuple):
    """An order in which the links of a key page are tried.

    menu     those of the menu first, or in document order
    follows  pages that loaded pages link to first
    """

    menu: bool
    follows: bool


MEMORY = "site memory"
"""The way that loads no page: the vote over the first ``MEMORY_PAGES`` pages of the site."""

ORDERS = {
    "plain": Order(menu=False, follows=False),
    "menu": Order(menu=True, follows=False),
    "plain+links": Order(menu=False, follows=True),
    "menu+links": Order(menu=True, follows=True),
}


def subdigraph(site: SitePages, key: str, order: Order) -> SubdigraphSearch[str]:
    """Run the search of a key page to its end."""
    links = site.links(key)
    if order.menu:
        of_number = {number: url for url, number in links}
        tree = Nodes(site.pages[key].page)
        ordered = [of_number[number] for number in menu_order(tree, list(of_number))]
    else:
        ordered = [url for url, _ in links]
    search = SubdigraphSearch(ordered, follow_links=order.follows)
    while (page := search.next_page()) is not None:
        search.tell(page, [url for url, _ in site.links(page)])
    return search


class Gold(NamedTuple):
    """What of a page is template.

    nodes  node -> whether it counts at all: it is seen, in the body
    truth  node -> whether it is template
    words  words of the template
    """

    nodes: Flags
    truth: Flags
    words: Words


def gold_of(saved: SavedPage) -> Gold | None:
    """Return what of a page is template, None where its container is not found."""
    page = saved.page
    tree = Nodes(page)
    inside = _inside(page, saved.content)
    if inside is None:
        return None
    visible = page.elements.visible_array.copy()
    for element, name in enumerate(page.elements.names):
        if name in ("", "html", "head", "body"):
            visible[element] = False
    owners = np.where(tree.texts, page.elements.owner_array[tree.positions], tree.elements)
    is_content = inside[owners]
    body_runs = tree.texts & (page.elements.visible_array[owners])
    counts = np.where(tree.texts, body_runs, visible[owners])
    return Gold(counts, counts & ~is_content, template_words(page, tree, counts & ~is_content))


def template_words(page: Page, tree: Nodes, template: Flags) -> Words:
    """Return the words of the visible text runs of a template."""
    tokens = page.tokens
    seen = template & tree.texts & page.elements.visible_array[page.elements.owner_array[tree.positions]]
    return words_of(
        " ".join(tokens.forms[tokens.form_of[position]] for position in tree.positions[seen].tolist())
    )


def _inside(page: Page, paths: Sequence[str]) -> Flags | None:
    """Return element -> whether it is the container of the content or in it, by lxml's tree of the page."""
    tokens, elements = page.tokens, page.elements
    parts = [tokens.forms[form] for form in tokens.form_of]
    for element, position in enumerate(elements.opens[1:], start=1):
        if tokens.kinds[position] in (START, VOID) and (name := _NAME(parts[position])):
            parts[position] = f'{name[0]} {MARK}="{element}"{parts[position][name.end() :]}'
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)
    try:
        root = lxml.html.document_fromstring("".join(parts).encode("utf-8", "replace"), parser=parser)
    except (lxml.etree.LxmlError, ValueError):
        return None
    for path in paths:
        containers = root.xpath(path)
        if containers:
            inside = np.zeros(len(elements), dtype=bool)
            for container in containers:
                for node in container.iter():
                    if isinstance(node.tag, str) and node.get(MARK, "").isdigit():
                        inside[int(node.get(MARK))] = True
            return inside
    return None


class Found(NamedTuple):
    """What was found of one key page.

    links    links to other saved pages of the site
    size     pages of its subdigraph
    loaded   pages loaded besides the key page
    nodes    score of its template's nodes
    words    score of its template's words
    seconds  CPU time of the template, pages parsed before
    """

    links: int
    size: int
    loaded: int
    nodes: Score
    words: Score
    seconds: float


def node_score(flags: Flags, gold: Gold) -> Score:
    """Return precision, recall and F1 of the nodes that count."""
    flags = flags & gold.nodes
    both = int((flags & gold.truth).sum())
    if not both:
        return NOTHING
    kept, truth = int(flags.sum()), int(gold.truth.sum())
    return Score(both / kept, both / truth, 2 * both / (kept + truth))


def by_etdm(site: SitePages, key: str, order: Order, gold: Gold) -> Found:
    """Extract the template of a key page by its complete subdigraph."""
    search = subdigraph(site, key, order)
    page = site.pages[key].page
    others = [site.pages[url].page for url in search.best]
    began = time.process_time()
    tree = Nodes(page)
    template = without_hollow(tree, extract_template(tree, map(Nodes, others)))
    seconds = time.process_time() - began
    if not others:
        template[:] = False
    words = score(template_words(page, tree, template), gold.words)
    size, loaded = len(search.best), len(search.loaded)
    return Found(len(search.links), size, loaded, node_score(template, gold), words, seconds)


def by_memory(site: SitePages, key: str, memory: CrawlMemory, gold: Gold) -> Found:
    """Separate a key page by what a crawl of its site has learned."""
    page = site.pages[key].page
    began = time.process_time()
    separation = memory.observe(page).separation
    seconds = time.process_time() - began
    tree = Nodes(page)
    template = ~tree.of_content(separation.content_mask)
    words = score(template_words(page, tree, template), gold.words)
    return Found(len(site.links(key)), 0, 0, node_score(template, gold), words, seconds)


def site_runs(site: SavedSite) -> dict[str, list[Found]]:
    """Return way -> what it found of each key page of a site with gold."""
    pages = SitePages(site)
    memory = CrawlMemory(sample_salt=0)
    for saved in list(pages.pages.values())[:MEMORY_PAGES]:
        memory.observe(saved.page)
    runs: dict[str, list[Found]] = {}
    for key in pages.key_pages():
        gold = gold_of(pages.pages[key])
        if gold is None:
            continue
        for name, order in ORDERS.items():
            runs.setdefault(name, []).append(by_etdm(pages, key, order, gold))
        runs.setdefault(MEMORY, []).append(by_memory(pages, key, memory, gold))
    return runs

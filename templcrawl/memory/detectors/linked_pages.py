"""``etdm``: a page is mapped onto pages that it links to and that link to each other.

What has no partner on each of them is content (:mod:`templcrawl.algorithms.site_template.etdm`); a page
without any such page is all content.  A page that nearly repeats another, template and all, is not mapped
onto that one, nor stored (:mod:`templcrawl.memory.content_index`).

*The pages that later pages are mapped onto.*  The HTML of a page is stored, packed, so that its tree can be
built again; and the names of the pages of its site that it links to.  The pages that an arriving page is
mapped onto are a complete subdigraph among the stored pages that it links to (see
:mod:`templcrawl.algorithms.site_template.complete_subdigraph`); its links are tried in the order of the
search on demand, those of the menu first.

A page goes by its *name*: its address without a slash, ``index.html`` or ``.html`` at the end.  A page that
was redirected, or saved as a file, does not have the address that links give it.

The least recently used page leaves, but none of those that served in a subdigraph last, half of the limit:
a menu outlives a long run of articles, and pages of a section that is over make room in the end.
Source of the rule: segmented LRU (Karedla, Love, Wherry 1994), its protected segment.

Bounds: a page that was not read to its end, has more than ``MOST_NODES`` nodes or takes more than
``MOST_BYTES`` packed is not stored; of its links ``MOST_LINKS`` are, those of the menu first.  A page has at
most ``MOST_PAGES`` candidates, as on demand.  Cost: O(length of the page) to keep one; O(links), and a sort
of them, for a subdigraph.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from templcrawl.algorithms.site_template.complete_subdigraph import MOST_PAGES, complete_subdigraph
from templcrawl.algorithms.site_template.etdm import separate_by_mapping
from templcrawl.algorithms.site_template.nodes import Nodes
from templcrawl.algorithms.site_template.template_search import menu_order, site_links
from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.content_index import WholeText, WholeTexts
from templcrawl.memory.detectors.detector import DetectorOptions, OnlineDetector
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.place import Place
from templcrawl.memory.snapshots import Frozen, Lists, Numbers, Section, Snapshot
from templcrawl.page.addresses import url_key
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation
from templcrawl.page.text import pack_text, unpack_text
from templcrawl.page.tokens import Limits


class MappedPage(NamedTuple):
    """A page, and the pages that it is mapped onto.

    tree        its nodes
    links       keys of the names of the pages that it links to
    text        its whole text, and which page it repeats
    subdigraph  pages that it links to and that link to each other
    """

    tree: Nodes
    links: Sequence[int]
    text: WholeText
    subdigraph: Sequence[LinkedPage]


class Etdm(OnlineDetector[MappedPage]):
    """The equal top-down mapping onto pages of the site's menu; page types are not used."""

    evidence = "pages that link to each other"
    sections = ("_pages", "_texts")

    def __init__(self, options: DetectorOptions) -> None:
        self._limits = options.limits
        self._pages = LinkedPages(limit=options.max_siblings)
        self._texts = WholeTexts(limit=options.max_siblings)

    def query(self, page: Page, place: Place) -> MappedPage:
        """Choose the pages that a page is mapped onto."""
        text = self._texts.read(name_key(page.url), page)
        tree = Nodes(page)
        links = linked_names(tree)
        subdigraph = self._pages.subdigraph(links, avoid=(text.key, text.repeats))
        return MappedPage(tree, links, text, subdigraph)

    def classify(self, evidence: MappedPage) -> Separation:
        """Map a page onto its subdigraph."""
        mapped = [tree_of(other.html, self._limits) for other in evidence.subdigraph]
        return Separation(evidence.tree.page, separate_by_mapping(evidence.tree, mapped))

    def update(self, evidence: MappedPage) -> None:
        """Remember a page, unless it is too large, and that those of its subdigraph served.

        A text leaves with its page.
        """
        self._pages.serve(evidence.subdigraph)
        if evidence.text.repeats is None:
            page = linked_page(evidence.tree, evidence.links)
            if page is None:
                return
            left = self._pages.insert(page)
            if left is not None:
                self._texts.drop(left)
        self._texts.insert_text(evidence.text)


MOST_NODES = 20_000
MOST_BYTES = 500_000
MOST_CHARACTERS = 2**23
MOST_LINKS = 2_000

_TREES = 32  # trees that the process keeps built, for all sites: some 0.2 MB each, at most 8

_ENDS = ("/index.html", "/index.htm", "/index.php", ".html", ".htm")


class LinkedPage(NamedTuple):
    """What is stored of a page.

    name   key of its name
    links  names of the pages of its site that it links to
    html   its HTML, packed
    """

    name: int
    links: frozenset[int]
    html: bytes


def name_key(url: str) -> int:
    """Return the key of the name of a page, equal in every process.

    >>> urls = ("http://e.org/tea", "http://e.org/tea/#top", "http://e.org/tea/index.html", "http://e.org/tea.html")
    >>> len({name_key(url) for url in urls}), name_key("http://e.org/tea?a=1") == name_key("http://e.org/tea")
    (1, False)
    """
    name = url.partition("#")[0].rstrip("/")
    end = next((end for end in _ENDS if name.endswith(end)), "")
    return url_key(name.removesuffix(end))


def linked_names(tree: Nodes) -> list[int]:
    """Return the names of the pages of its site that a page links to, as they are to be tried."""
    urls = tree.page.links.urls
    return [name_key(urls[number]) for number in menu_order(tree, site_links(tree.page))]


def linked_page(tree: Nodes, links: Iterable[int]) -> LinkedPage | None:
    """Return what is to be stored of a page, None for a page that is too large.

    links  what ``linked_names`` gives
    """
    page = tree.page
    if page.truncated or len(tree) > MOST_NODES or len(page.text) > MOST_CHARACTERS:
        return None
    html = pack_text(page.text, 1)
    if len(html) > MOST_BYTES:
        return None
    return LinkedPage(name_key(page.url), frozenset(islice(links, MOST_LINKS)), html)


@lru_cache(maxsize=_TREES)
def tree_of(html: bytes, limits: Limits) -> Nodes:
    """Return the nodes of a page, from its packed HTML."""
    return Nodes(Page(unpack_text(html), "", limits))


class LinkedPages(Section):
    """At most ``limit`` pages; the least recently used leave, those that served last after all others."""

    def __init__(self, *, limit: int) -> None:
        self._pages: LruDict[int, LinkedPage] = LruDict(limit)
        self._served: LruDict[int, None] = LruDict(limit // 2)

    def __len__(self) -> int:
        return len(self._pages)

    def __contains__(self, name: int) -> bool:
        return name in self._pages

    def insert(self, page: LinkedPage) -> int | None:
        """Insert a page as the latest; return the name of the page that was evicted, or None."""
        leaving = None
        if page.name not in self._pages and len(self._pages) == self._pages.limit:
            leaving = next(name for name in self._pages if name not in self._served)
            self._pages.pop(leaving)
        self._pages[page.name] = page
        return leaving

    def serve(self, pages: Iterable[LinkedPage]) -> None:
        """Note that stored pages served in a subdigraph."""
        for page in pages:
            self._pages.touch(page.name)
            self._served[page.name] = None

    def subdigraph(self, links: Iterable[int], avoid: Iterable[int | None] = ()) -> list[LinkedPage]:
        """Return the pages to map a page onto: a largest complete subdigraph of stored pages, [] for none.

        links  what ``linked_names`` gives for the page
        avoid  names of pages that will not do: the page itself, and what it nearly repeats
        """
        avoided = set(avoid)
        names = (name for name in dict.fromkeys(links) if name in self._pages and name not in avoided)
        stored = {name: page for name in islice(names, MOST_PAGES) if (page := self._pages.get(name))}
        chosen = complete_subdigraph({name: page.links for name, page in stored.items()})
        return [stored[name] for name in chosen]

    def columns(self) -> Frozen:
        """Return the pages, the least recently used first, and those that served."""
        pages = list(self._pages.values())
        return {
            "names": Numbers([page.name for page in pages]),
            "links": Lists([page.links for page in pages]),
            "htmls": Lists([page.html for page in pages], "u1"),
            "served": Numbers(list(self._served)),
        }

    def load(self, snapshot: Snapshot) -> None:
        """Take the pages; of more than the limit allows, those stay that would have stayed."""
        served = snapshot.numbers("served").tolist()
        self._served.fill(served, [None] * len(served))
        names = snapshot.numbers("names").tolist()
        links = snapshot.tuples("links", count=len(names), below=MOST_LINKS + 1)
        htmls = snapshot.strings("htmls", count=len(names), below=MOST_BYTES + 1)
        if not {*self._served} <= {*names}:
            raise InvalidSnapshot("served", "a page served that is not stored")
        for name, of_page, html in zip(names, links, htmls):
            unpacking = zlib.decompressobj()
            text = unpacking.decompress(html, 4 * MOST_CHARACTERS).decode("utf-8", "surrogatepass")
            if not unpacking.eof or len(text) > MOST_CHARACTERS:
                raise InvalidSnapshot("htmls", "a page is cut, or longer than any that is stored")
            self.insert(LinkedPage(name, frozenset(of_page), html))

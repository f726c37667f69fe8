"""What of a page survives in its Markdown, beside other converters?

Gold are the elements inside the marked container of a page of a saved site: blocks of code (``pre``, and what
Doxygen writes in its place), tables of two rows and columns or more, headings, links outside of code, list
items.  Markdown is read back as HTML by markdown-it-py (raw HTML in it counts).  An element survives if the
same one is there: a block with the same lines, a table with the same cells in the same rows, a heading of the
same level, a link to the same address, an item; each with the same text, white space aside.  Links to frames
and players, which some write, count nowhere.  *kept* is the share of the container's elements that survive,
*right* the share of the elements written that are the container's; both over the pages of a site from the
second on, then the mean of the sites.

templcrawl        pages in the order of a crawl, each judged by those before it
others            the library's Markdown of the whole page, of trafilatura that of the main content

ms is the time from a page's text to its Markdown, what a crawl learns of it included.  Needs the extra
``bench``; libraries that are not installed are left out, a page that one fails on has no Markdown.

Cost: every method reads every page once.
"""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from statistics import fmean
from typing import Any
from urllib.parse import unquote, urljoin

from markdown_it import MarkdownIt

from lab.bench.options import asked_sites, new_parser
from lab.bench.saved_sites import SavedSite, tree_of
from lab.bench.tables import report, table_of
from templcrawl import CrawlMemory, Page

KINDS = ("pre", "table", "h1-h6", "a", "li")
_PLAYERS = ("audio", "embed", "iframe", "object", "video")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_IGNORED = re.compile(r"[\s\u200b\ufeff]+")
_UNSEEN = ("script", "style", "noscript", "template")
_HAS_WORDS = re.compile(r"\w").search

Parts = Counter[tuple[str, object]]
"""(Kind, what is compared) of each element."""


def parts_of(nodes: Sequence[Any], base: str) -> Parts:
    """Return the elements of a tree that are compared; links in code are none."""
    parts: Parts = Counter()
    for node in nodes:
        in_code = {link for code in node.iter("pre", "div") if _is_code(code) for link in code.iter("a")}
        for element in node.iter(*_HEADINGS, "pre", "div", "table", "a", "li"):
            key = _key(element, base) if element not in in_code else ()
            if key:
                parts[_kind(element.tag), key] += 1
    return parts


def drop_players(parts: Parts, nodes: Sequence[Any], base: str) -> Parts:
    """Return parts without links to what plays or is framed in a tree: some converters write them."""
    players = [player for node in nodes for player in node.iter(*_PLAYERS)]
    sources = [*players, *(source for player in players for source in player.iter("source"))]
    written = [source.get(name) for source in sources for name in ("data-src", "src", "data")]
    addresses = {unquote(urljoin(base, address.strip())) for address in written if address}
    return Counter({part: number for part, number in parts.items() if not _leads_to(part, addresses)})


def _leads_to(part: tuple[str, object], addresses: set[str]) -> bool:
    kind, key = part
    return kind == "a" and isinstance(key, tuple) and key[1] in addresses


def _is_code(element: Any) -> bool:
    """Return whether an element is a block of code: ``pre``, or what Doxygen writes in its place."""
    return element.tag == "pre" or "fragment" in (element.get("class") or "").split()


def _kind(tag: str) -> str:
    return {"div": "pre", **dict.fromkeys(_HEADINGS, "h1-h6")}.get(tag, tag)


def _key(element: Any, base: str) -> object:
    """Return what is compared of an element; something empty where it does not count."""
    if element.tag in ("pre", "div"):
        return _code(element) if _is_code(element) and element.find(".//pre") is None else ()
    if element.tag == "table":
        return _table(element)
    if element.tag == "li":
        return _words(_text(element, "ul", "ol"))
    text = _words(_text(element))
    if element.tag != "a":
        return (element.tag, text) if text else ()
    if _is_permalink(element):
        return ()
    href = (element.get("href") or "").strip()
    if not text or not href or href.lower().startswith(("javascript:", "data:")):
        return ()
    try:
        return (text, unquote(urljoin(base, href)))
    except ValueError:
        return ()


def _is_permalink(element: Any) -> bool:
    """Return whether an element is a link without words to a place of a page: its sign is for display."""
    return element.tag == "a" and "#" in element.get("href", "") and not _HAS_WORDS(element.text_content())


def _text(element: Any, *left_out: str) -> str:
    return "".join(_strings(element, left_out))


def _strings(element: Any, left_out: Sequence[str]) -> Iterator[str]:
    """Yield the strings a reader sees inside an element, lists inside it aside where these are left out."""
    yield element.text or ""
    for child in element:
        is_seen = isinstance(child.tag, str) and child.tag not in (*left_out, *_UNSEEN)
        if is_seen and not _is_permalink(child):
            if child.tag == "br":
                yield "\n"
            yield from _strings(child, left_out)
        yield child.tail or ""


def _words(text: str) -> str:
    return _IGNORED.sub("", text)


def _code(element: Any) -> tuple[str, ...]:
    lines = element.xpath("./div[@class='line']") if element.tag == "div" else []
    text = "\n".join(map(_text, lines)) if lines else _text(element)
    lines = [line.rstrip() for line in text.replace("\xa0", " ").splitlines()]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    return tuple(lines)


def _table(element: Any) -> tuple[tuple[str, ...], ...]:
    """Return the texts of its cells by row, empty ones aside; () where it holds another or is no table."""
    if element.find(".//table") is not None:
        return ()
    rows = [
        tuple(filter(None, (_words(_text(cell)) for cell in row.iter("td", "th"))))
        for row in element.iter("tr")
    ]
    rows = [row for row in rows if row]
    return tuple(rows) if len(rows) > 1 and max(map(len, rows)) > 1 else ()


_READER = MarkdownIt("commonmark", {"html": True, "maxNesting": 100}).enable(["table", "strikethrough"])


def read_back(markdown: str, base: str) -> Parts:
    """Return the elements of Markdown that are compared."""
    html = _READER.render(markdown)
    return parts_of([tree_of(f"<div>{html}</div>")], base) if html.strip() else Counter()


def by_kind(parts: Parts) -> Counter[str]:
    """Return how many elements there are of each kind."""
    kinds: Counter[str] = Counter()
    for (kind, _), number in parts.items():
        kinds[kind] += number
    return kinds


Write = Callable[[str, str], str]
"""A way to Markdown: (HTML, its address) -> Markdown."""


@dataclass
class Score:
    """Of one method on one site: elements that there were, that survived, that were written; time, pages."""

    gold: Counter[str] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)
    written: int = 0
    seconds: float = 0.0
    pages: int = 0

    def add(self, gold: Parts, written: Parts, seconds: float) -> None:
        """Add a page."""
        self.gold += by_kind(gold)
        self.kept += by_kind(gold & written)
        self.written += written.total()
        self.seconds += seconds
        self.pages += 1


_TRAFILATURA = {
    "output_format": "markdown",
    "include_links": True,
    "include_formatting": True,
    "include_tables": True,
    "include_comments": False,
    "favor_recall": True,
}
_HTML_TO_MARKDOWN = {
    "extract_metadata": False,
    "escape_misc": True,
    "escape_asterisks": True,
    "escape_underscores": True,
    "compact_tables": True,
}


def _html_to_markdown(library: Any, html: str, url: str) -> str | None:
    content: str | None = library.convert(html, library.ConversionOptions(**_HTML_TO_MARKDOWN)).content
    return content


PEERS: dict[str, tuple[str, Callable[[Any, str, str], str | None]]] = {
    "trafilatura": (
        "trafilatura",
        lambda library, html, url: library.extract(html, url=url, **_TRAFILATURA),
    ),
    "html-to-markdown, whole page": ("html_to_markdown", _html_to_markdown),
    "turbohtml, whole page": ("turbohtml", lambda library, html, url: library.parse(html).to_markdown()),
    "markdownify, whole page": (
        "markdownify",
        lambda library, html, url: library.markdownify(html, heading_style="ATX", strip=["script", "style"]),
    ),
}
"""Name -> (module, what asks it: the module, HTML, URL -> Markdown)."""


def methods_of() -> dict[str, Write]:
    """Return the methods for a site; ours learns, so it is made anew for each."""
    memory = CrawlMemory(sample_salt=0)
    methods: dict[str, Write] = {
        "templcrawl": lambda html, url: memory.observe(Page(html, url)).content_markdown
    }
    for name, (module, ask) in PEERS.items():
        with suppress(ImportError):
            library = import_module(module)
            methods[name] = lambda html, url, ask=ask, library=library: ask(library, html, url) or ""  # type: ignore[misc]
    return methods


def run_site(site: SavedSite, pages: int) -> dict[str, Score]:
    """Put the pages of a site before every method."""
    methods = methods_of()
    scores = {name: Score() for name in methods}
    for number, saved in enumerate(site.pages(pages)):
        containers, base = saved.containers, saved.page.base_url
        gold = parts_of(containers, base)
        for name, write in methods.items():
            markdown = ""
            begun = time.perf_counter()
            with suppress(Exception):
                markdown = write(saved.page.text, saved.url)
            seconds = time.perf_counter() - begun
            if number and containers:
                written = drop_players(read_back(markdown, base), containers, base)
                scores[name].add(gold, written, seconds)
    return scores


def figures_of(scores: Sequence[Score]) -> list[str]:
    """Return the means of a method over the sites: of each kind, of all, right, ms a page."""
    figures = []
    for kind in KINDS:
        shares = [score.kept[kind] / score.gold[kind] for score in scores if score.gold[kind]]
        figures.append(fmean(shares) if shares else 0.0)
    figures.append(fmean(score.kept.total() / max(score.gold.total(), 1) for score in scores))
    figures.append(fmean(score.kept.total() / max(score.written, 1) for score in scores))
    milliseconds = 1000 * sum(score.seconds for score in scores) / sum(score.pages for score in scores)
    return [*(f"{share:.3f}" for share in figures), f"{milliseconds:.1f}"]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.markdown", __doc__, "--corpora! --sites --pages=25 --figures")
    options = parser.parse_args(arguments)
    scores: dict[str, list[Score]] = {}
    for site in asked_sites(parser, options):
        for name, score in run_site(site, options.pages).items():
            if score.pages:
                scores.setdefault(name, []).append(score)
        print(site.name, file=sys.stderr, flush=True)
    sites = next(iter(scores.values()))
    gold = sum((score.gold for score in sites), Counter[str]())
    title = f"What survives in Markdown: {len(sites)} sites, "
    title += ", ".join(f"{gold[kind]:,} {kind}" for kind in KINDS)
    rows = ((name, *figures_of(of_sites)) for name, of_sites in scores.items())
    heads = ("method", *KINDS, "all kept", "right", "ms")
    report({"survival": table_of(title, heads, rows)}, options.figures)


if __name__ == "__main__":
    main()

"""What of a page survives in its Markdown, beside other converters?

    python -m benchmarks.markdown --corpora FOLDER

Gold are the elements inside the marked container of a page of a saved site: code blocks (``pre``), tables of two
rows and columns or more, headings, links, list items.  Markdown is read back as HTML by markdown-it-py (raw HTML
in it counts).  An element survives if the same one is there: a block of code with the same lines, a table with the
same cells in the same rows, a heading of the same level, a link to the same address, an item, each with the same
text, white space aside.  *kept* is the share of the container's elements that survive, *right* the share of the
elements written that are the container's: mean over the pages of a site from the second on, then over sites.

templcrawl        pages in the order of a crawl, each judged by those before it
others, alone     the library's Markdown of the whole page, or of what it takes for the main content
others, of gold   the library's Markdown of the container itself: what is lost by converting alone

ms is the time from the page's text to its Markdown, for templcrawl what the crawl learns included.

Needs the extra ``bench``; libraries that are not installed are left out.  Cost: every method reads every page once.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from statistics import fmean
from typing import Any, NamedTuple
from urllib.parse import unquote, urljoin

import lxml.html
from rich.table import Table

from benchmarks.console import show
from benchmarks.options import add_json, add_sites, asked_sites, new_parser
from benchmarks.saved_sites import SavedPage, SavedSite, corpus_sites
from templcrawl import CrawlMemory
from templcrawl.page.markdown import markdown_of

KINDS = ("pre", "table", "h1-h6", "a", "li")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_IGNORED = re.compile(r"[\s¶\u200b\ufeff]+")

Parts = Counter[tuple[str, object]]
"""(Kind, what is compared) of each element."""


class Method(NamedTuple):
    """A way to Markdown.

    write  (saved page, HTML, its address) -> Markdown
    whole  whether it is given the page, not the container
    """

    name: str
    write: Callable[[SavedPage, str, str], str]
    whole: bool = True


class Score(NamedTuple):
    """Of one method on one site: what there was and what survived, by kind, and what was written."""

    gold: Counter[str]
    kept: Counter[str]
    written: int
    seconds: float
    pages: int


def parts_of(nodes: Sequence[Any], base: str) -> Parts:
    """Return the elements of a tree that are compared."""
    parts: Parts = Counter()
    for node in nodes:
        for element in node.iter(*_HEADINGS, "pre", "table", "a", "li"):
            key = _key(element, base)
            if key:
                parts[_kind(element.tag), key] += 1
    return parts


def _kind(tag: str) -> str:
    return "h1-h6" if tag in _HEADINGS else tag


def _key(element: Any, base: str) -> object:
    """Return what is compared of an element; something empty where it does not count."""
    if element.tag == "pre":
        return _code(element) if element.find(".//pre") is None else ()
    if element.tag == "table":
        return _table(element)
    if element.tag == "li":
        return _words(_own_text(element))
    text = _words(_text(element))
    if element.tag != "a":
        return (element.tag, text) if text else ()
    href = (element.get("href") or "").strip()
    if not text or not href or href.lower().startswith(("javascript:", "data:")):
        return ()
    try:
        return (text, unquote(urljoin(base, href)))
    except ValueError:
        return ()


def _text(element: Any) -> str:
    return "".join(_strings(element, ()))


def _own_text(element: Any) -> str:
    return "".join(_strings(element, ("ul", "ol")))


def _strings(element: Any, left_out: Sequence[str]) -> Iterator[str]:
    """Yield the strings a reader sees inside an element, lists inside it aside where these are left out."""
    yield element.text or ""
    for child in element:
        if isinstance(child.tag, str) and child.tag not in (
            *left_out,
            "script",
            "style",
            "noscript",
            "template",
        ):
            if child.tag == "br":
                yield "\n"
            yield from _strings(child, left_out)
        yield child.tail or ""


def _words(text: str) -> str:
    return _IGNORED.sub("", text)


def _code(element: Any) -> tuple[str, ...]:
    lines = [line.rstrip() for line in _text(element).replace("\xa0", " ").splitlines()]
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


class ReadBack:
    """Markdown as HTML again."""

    def __init__(self) -> None:
        from markdown_it import MarkdownIt

        self._markdown = MarkdownIt("commonmark", {"html": True, "maxNesting": 100}).enable(
            ["table", "strikethrough"]
        )

    def parts(self, markdown: str, base: str) -> Parts:
        """Return the elements of Markdown that are compared."""
        html = self._markdown.render(markdown)
        if not html.strip():
            return Counter()
        parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)
        tree = lxml.html.document_fromstring(f"<div>{html}</div>".encode("utf-8", "replace"), parser=parser)
        return parts_of([tree], base)


def _turbohtml() -> list[Method]:
    library = import_module("turbohtml")

    def whole(saved: SavedPage, html: str, url: str) -> str:
        return str(library.parse(html).to_markdown())

    def main(saved: SavedPage, html: str, url: str) -> str:
        content = library.parse(html).main_content()
        return "" if content is None else str(content.to_markdown())

    return [
        Method("turbohtml, whole page", whole),
        Method("turbohtml, main content", main),
        Method("turbohtml, of gold", whole, whole=False),
    ]


def _html_to_markdown() -> list[Method]:
    library = import_module("html_to_markdown")
    options = library.ConversionOptions(
        extract_metadata=False,
        escape_misc=True,
        escape_asterisks=True,
        escape_underscores=True,
        compact_tables=True,
    )

    def write(saved: SavedPage, html: str, url: str) -> str:
        return library.convert(html, options).content or ""

    return [
        Method("html-to-markdown, whole page", write),
        Method("html-to-markdown, of gold", write, whole=False),
    ]


def _markdownify() -> list[Method]:
    library = import_module("markdownify")

    def write(saved: SavedPage, html: str, url: str) -> str:
        return str(library.markdownify(html, heading_style="ATX", strip=["script", "style"]))

    return [Method("markdownify, whole page", write), Method("markdownify, of gold", write, whole=False)]


def _trafilatura() -> list[Method]:
    library = import_module("trafilatura")

    def write(saved: SavedPage, html: str, url: str) -> str:
        return (
            library.extract(
                html,
                url=url,
                output_format="markdown",
                include_links=True,
                include_formatting=True,
                include_tables=True,
                include_comments=False,
                favor_recall=True,
            )
            or ""
        )

    return [Method("trafilatura", write)]


PEERS = (_trafilatura, _html_to_markdown, _turbohtml, _markdownify)


def ours() -> list[Method]:
    """Return our own methods; they learn, so they are made anew for each site."""
    memory = CrawlMemory(sample_salt=0)
    return [
        Method(
            "templcrawl",
            lambda saved, html, url: memory.observe(SavedPage(saved.url, saved.html).page).content_markdown,
        ),
        Method("templcrawl, of gold", lambda saved, html, url: markdown_of(html, url).text, whole=False),
    ]


def methods_of(only: Sequence[str]) -> list[Method]:
    """Return the methods for a site."""
    methods = ours()
    for peer in PEERS:
        try:
            methods += peer()
        except ImportError:
            continue
    return [method for method in methods if not only or method.name.partition(",")[0] in only]


def run_site(site: SavedSite, pages: int, only: Sequence[str]) -> dict[str, Score]:
    """Put the pages of a site before every method."""
    methods, back = methods_of(only), ReadBack()
    totals = {method.name: [Counter[str](), Counter[str](), 0, 0.0, 0] for method in methods}
    for number, saved in enumerate(site.pages(pages)):
        containers = saved.containers
        base = saved.page.base_url
        gold = parts_of(containers, base)
        inside = "".join(lxml.html.tostring(node, encoding="unicode", with_tail=False) for node in containers)
        for method in methods:
            begun = time.perf_counter()
            markdown = method.write(saved, saved.page.text if method.whole else inside, base)
            seconds = time.perf_counter() - begun
            if number and containers:
                written = back.parts(markdown, base)
                total = totals[method.name]
                total[0] += Counter(_by_kind(gold))
                total[1] += Counter(_by_kind(gold & written))
                total[2] += written.total()
                total[3] += seconds
                total[4] += 1
    return {name: Score(*total) for name, total in totals.items()}


def _by_kind(parts: Parts) -> Counter[str]:
    kinds: Counter[str] = Counter()
    for (kind, _), number in parts.items():
        kinds[kind] += number
    return kinds


def figures_of(scores: Sequence[Score]) -> dict[str, float]:
    """Return the means of a method over the sites: of each kind, of all, right, ms a page."""
    figures = {}
    for kind in KINDS:
        shares = [score.kept[kind] / score.gold[kind] for score in scores if score.gold[kind]]
        figures[kind] = fmean(shares) if shares else 0.0
    figures["all kept"] = fmean(score.kept.total() / max(score.gold.total(), 1) for score in scores)
    figures["right"] = fmean(score.kept.total() / max(score.written, 1) for score in scores)
    figures["ms"] = 1000 * sum(score.seconds for score in scores) / sum(score.pages for score in scores)
    return figures


def table_of(scores: dict[str, list[Score]]) -> Table:
    """Return a row a method."""
    sites = max(map(len, scores.values()))
    gold = sum((score.gold for score in next(iter(scores.values()))), Counter[str]())
    counted = ", ".join(f"{gold[kind]:,} {kind}" for kind in KINDS)
    table = Table(title=f"What survives in Markdown: {sites} sites, {counted}", title_justify="left")
    table.add_column("method")
    for head in (*KINDS, "all kept", "right", "ms"):
        table.add_column(head, justify="right")
    for name, of_sites in scores.items():
        *shares, milliseconds = figures_of(of_sites).values()
        table.add_row(name, *(f"{share:.3f}" for share in shares), f"{milliseconds:.1f}")
    return table


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark and print its table."""
    parser = new_parser("benchmarks.markdown", __doc__, corpora=True)
    add_sites(parser)
    parser.add_argument("--pages", metavar="N", type=int, default=25, help="pages of a site (default 25)")
    parser.add_argument("--only", metavar="NAME", nargs="+", default=[], help="templcrawl or libraries")
    add_json(parser)
    options = parser.parse_args(arguments)
    scores: dict[str, list[Score]] = {}
    for site in asked_sites(parser, options):
        for name, score in run_site(site, options.pages, options.only).items():
            if score.pages:
                scores.setdefault(name, []).append(score)
        print(site.name, file=sys.stderr, flush=True)
    show(table_of(scores))
    if options.json:
        options.json.write_text(json.dumps({name: figures_of(of) for name, of in scores.items()}, indent=2))


if __name__ == "__main__":
    main()

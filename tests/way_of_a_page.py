"""The whole way of a page, step by step: what each step costs, and how much it writes.

Nothing is remembered from one way to the next: the tables of tags and runs that are known to the process
are emptied before.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from importlib.util import find_spec
from time import thread_time
from typing import Any

from templcrawl.algorithms.extraction.article import article_text
from templcrawl.algorithms.page_types.tag_paths import tag_paths
from templcrawl.algorithms.site_template.template_search import TemplateSearch, menu_order, site_links
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.memory.detectors import ARRIVING, WHOLE_SITE, load_detector
from templcrawl.outputs.archive.tables import page_rows
from templcrawl.outputs.report.figures import CrawlFigures
from templcrawl.outputs.report.greyed_page import greyed_page
from templcrawl.outputs.report.place_names import add_examples
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation
from templcrawl.page.template_page import template_page
from templcrawl.page.text import Memo
from templcrawl.tools.commands.strip_outputs import OutputFields, stripped_row
from templcrawl.tools.ranking.page_database import PageDatabase

URL = "http://hostile.example/shapes/{}.html"
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
HAS_MARKDOWN = find_spec("turbohtml") is not None
TABLES = [one for one in gc.get_objects() if issubclass(type(one), Memo)]  # an instance of any class may warn


class Way:
    """What a page and its sibling cost.

    seconds     step -> CPU seconds
    characters  step -> characters written
    """

    def __init__(self, html: str) -> None:
        self.seconds: dict[str, float] = {}
        self.characters: dict[str, int] = {}
        for table in TABLES:
            table.clear()
        self._body = html.encode("utf-8", "surrogatepass")
        self._sibling = self._page(0)
        self._key = self._page(1)
        with _quiet():
            self._read(self._key)
            separation = self._judge()
            self._order(separation.page)
            self._archive(separation)
            self._report(separation)
            self._strip(separation)
            self._detectors()
            self._template(separation)

    def _page(self, number: int) -> Page:
        body = self._body + b"<p>This is page %d." % number
        page: Page = self._do("decode", lambda: Page.from_html(body, URL.format(number)))
        return page

    @contextmanager
    def _step(self, name: str) -> Iterator[None]:
        started = thread_time()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + thread_time() - started

    def _do(self, name: str, work: Callable[[], Any]) -> Any:
        with self._step(name):
            return work()

    def _write(self, name: str, work: Callable[[], Any]) -> None:
        self.characters[name] = characters_of(self._do(name, work))

    def _read(self, page: Page) -> None:
        for view in ("tokens", "elements", "text_runs", "base_url", "links", "structure", "terms"):
            self._do(view, lambda view=view: getattr(page, view))
        self._write("anchors", lambda: [(link.url, link.text, link.rel) for link in page.links])
        self._do("tag paths", lambda: tag_paths(page.tokens, page.elements))

    def _judge(self) -> Separation:
        self._memory = CrawlMemory()
        self._do("observe the sibling", lambda: self._memory.observe(self._sibling))
        separation: Separation = self._do("observe", lambda: self._memory.observe(self._key))
        return separation

    def _order(self, page: Page) -> None:
        with self._step("order"):
            for url in page.links.urls:
                link = self._memory.open(page.host).links.classes(url)
                if link is not None:
                    self._memory.open(page.host).links.value(link)

    def _archive(self, separation: Separation) -> None:
        rows = self._do("archive", lambda: page_rows(separation, NOW))
        self.characters["archive"] = characters_of([*rows.values()])
        with PageDatabase() as tables:
            for page in (self._key, self._sibling):
                self._do("rank", lambda page=page: tables.add(page))

    def _report(self, separation: Separation) -> None:
        figures = CrawlFigures()
        for name in ("figures", "texts that were met before"):
            self._do(name, lambda: figures.count_page(separation))
        self._write("picture", lambda: greyed_page(separation))
        self._do("roles", lambda: add_examples({}, separation.page, min_links=3))

    def _strip(self, separation: Separation) -> None:
        fields = OutputFields(["extractor", "html", *(["markdown"] * HAS_MARKDOWN)], article_text)
        self._write("title", lambda: separation.page.title)
        for name in ("content_text", "content_html"):
            self._write(name, lambda name=name: getattr(separation, name))
        row = self._do("row", lambda: stripped_row(separation, fields))
        self._write("article_text", lambda: row["article_text"])
        if HAS_MARKDOWN:
            self._write("markdown", lambda: row["content_markdown"])
            self._write("headings", lambda: [section["path"] for section in row["content_headings"]])
        self._write("template_html", lambda: separation.template_html)

    def _detectors(self) -> None:
        for name in {*ARRIVING} - {"vote"}:
            memory = CrawlMemory(detector=name)
            with self._step(name):
                memory.observe(self._sibling)
                memory.observe(self._key)
        for name, make in ((name, load_detector(name)) for name in WHOLE_SITE):
            with self._step(name):
                site = make()
                site.learn(self._sibling)
                site.learn(self._key)
                site.separate(self._key)

    def _template(self, separation: Separation) -> None:
        with self._step("template"):
            search = TemplateSearch(self._key, size=1, most_pages=1)
            url = search.next_url()
            if url is not None:
                search.add_page(url, self._sibling)
            search.separation()
            menu_order(search.tree, site_links(self._key))
        self._write("template page", lambda: template_page(self._key, separation.content_mask))


def characters_of(written: Any) -> int:
    """Return how many characters there are in texts, and in lists of them."""
    if isinstance(written, str):
        return len(written)
    return sum(map(characters_of, written)) if isinstance(written, (list, tuple)) else 0


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the garbage collector out of what is measured."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()

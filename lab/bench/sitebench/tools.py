"""The tools that are compared, each one function: the pages of a site in, a text for each out.

    @tool("first-paragraph")
    def first_paragraph(pages):
        for html, url in pages:
            yield html.partition("<p>")[2].partition("</p>")[0]

A tool is *online* if it gives the text of a page before it takes the next, as a crawl needs it: ``pages``
is then an iterator that raises ReadAhead where the tool takes more.  A tool that needs the *whole* site is
given a list.  What a tool learns of a site is gone with the end of its function; it learns nothing across
sites.

The text of a page may be an exception, which counts as a failed page.  An exception that the function
raises fails that page and all the pages after it.

Cost: that of the tools.
"""

from __future__ import annotations

import inspect
import subprocess
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module, metadata
from shutil import which
from typing import Any

from lab.bench.peers import ALL_TEXT, PEERS, Ask, Pages, drop_targets
from lab.bench.site_runs import Method
from templcrawl import CrawlMemory, Page

HtmlAndUrl = tuple[str, str]
Text = str | Exception
Run = Callable[[Any], Iterable[Text]]
"""An iterator of (HTML, URL), or a list of them for a tool of the whole site -> a text for each."""

SECONDS_A_PAGE = 60


class ReadAhead(Exception):
    """An online tool took a page before it gave the text of the one before."""

    def __init__(self) -> None:
        super().__init__("took the next page before it gave the text of this one")


class TextMissing(Exception):
    """A tool gave fewer texts than it was given pages."""

    def __init__(self) -> None:
        super().__init__("gave no text for this page")


class ToolMissing(Exception):
    """A tool cannot be run here; says what it needs."""


@dataclass(frozen=True)
class Tool:
    """A tool that is compared.

    run       see the top of the module
    whole     whether it is given all pages of a site at once
    package   the distribution whose version the results name, "" for none
    modules   what is imported before it runs; ToolMissing if that fails
    programs  what must be found on the path
    """

    name: str
    run: Run
    whole: bool = False
    package: str = ""
    modules: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()

    @property
    def mode(self) -> str:
        """ "online" or "whole"."""
        return "whole" if self.whole else "online"

    def check(self) -> None:
        """Raise ToolMissing if what it needs is not installed."""
        try:
            for module in self.modules:
                import_module(module)
        except ImportError as error:
            raise ToolMissing(f"{self.name} needs {module}: {error}") from error
        for program in self.programs:
            if which(program) is None:
                raise ToolMissing(f"{self.name} needs the program {program}")

    def version(self) -> str:
        """Return the version of its package, "" if it has none."""
        try:
            return metadata.version(self.package) if self.package else ""
        except metadata.PackageNotFoundError:
            return ""

    def source(self) -> str:
        """Return the source of its function, with the texts that it is bound to; "" if there is none."""
        run: Any = self.run
        bound = ""
        if isinstance(run, partial):
            run, bound = run.func, " ".join(arg for arg in run.args if isinstance(arg, str))
        try:
            return inspect.getsource(run) + bound
        except (OSError, TypeError):
            return ""


TOOLS: dict[str, Tool] = {}
"""Name -> tool, in the order of the tables."""


def tool(name: str, **options: Any) -> Callable[[Run], Run]:
    """Register a function as a tool, with the fields of Tool; an earlier tool of the name is replaced."""

    def register(run: Run) -> Run:
        TOOLS[name] = Tool(name, run, **options)
        return run

    return register


def page_by_page(extract: Ask, pages: Iterable[HtmlAndUrl]) -> Iterator[Text]:
    """Give each page alone to a function (HTML, URL) -> text; where it raises, the page has failed."""
    for html, url in pages:
        try:
            yield extract(html, url)
        except Exception as error:
            yield error


@tool("templcrawl", package="templcrawl")
def _templcrawl(pages: Iterator[HtmlAndUrl]) -> Iterator[Text]:
    memory = CrawlMemory(sample_salt=0)
    return page_by_page(lambda html, url: memory.observe(Page(html, url)).separation.content_text, pages)


@tool("deboiler", whole=True, package="deboiler", modules=("deboiler",))
def _deboiler(pages: Sequence[HtmlAndUrl]) -> Iterator[Text]:
    return page_by_page(PEERS["deboiler"]()(pages), pages)


def _alone(peer: str, pages: Iterator[HtmlAndUrl]) -> Iterator[Text]:
    """Run a peer of :mod:`lab.bench.peers` that learns nothing of the site."""
    return page_by_page(PEERS[peer]()([]), pages)


for _peer, _package, _module in (
    ("trafilatura", "trafilatura", "trafilatura"),
    ("resiliparse", "resiliparse", "resiliparse.extract.html2text"),
    ("readability", "readability-lxml", "readability"),
    ("justext", "jusText", "justext"),
    ("boilerpy3", "boilerpy3", "boilerpy3.extractors"),
    ("turbohtml", "turbohtml", "turbohtml"),
    ("pagesift", "pagesift", "pagesift"),
    (ALL_TEXT, "", "templcrawl"),
):
    tool(_peer, package=_package, modules=(_module,))(partial(_alone, _peer))


@tool("rs-trafilatura", package="trafipy", modules=("trafipy",))
def _rs_trafilatura(pages: Iterator[HtmlAndUrl]) -> Iterator[Text]:
    extract = import_module("trafipy").extract
    return page_by_page(lambda html, url: str(extract(html, url=url).text), pages)


def run_program(command: Sequence[str], pages: Iterator[HtmlAndUrl]) -> Iterator[Text]:
    """Run a program once a page: HTML on its standard input, text on its standard output, both UTF-8."""

    def extract(html: str, url: str) -> str:
        given = html.encode("utf-8", "replace")
        done = subprocess.run(command, input=given, capture_output=True, timeout=SECONDS_A_PAGE, check=True)
        return done.stdout.decode("utf-8", "replace")

    return page_by_page(extract, pages)


@tool("mdream", programs=("mdream",))
def _mdream(pages: Iterator[HtmlAndUrl]) -> Iterator[Text]:
    for text in run_program(("mdream",), pages):
        yield drop_targets(text) if isinstance(text, str) else text


def find_tool(name: str) -> Tool:
    """Return a tool by its name, or by ``module:tool name`` from a module that registers it.

    Raises ToolMissing if there is none, or if it cannot be run here.
    """
    module, _, name_there = name.rpartition(":")
    if module:
        try:
            import_module(module)
        except ImportError as error:
            raise ToolMissing(f"no module {module}: {error}") from error
    if name_there not in TOOLS:
        raise ToolMissing(f"no tool is called {name_there}; there are {', '.join(TOOLS)}")
    found = TOOLS[name_there]
    found.check()
    return found


def method_of(tool: Tool) -> Method:
    """Return a tool as a method of :mod:`lab.bench.site_runs`, which is asked about every page in order."""

    def start(pages: Pages) -> Ask:
        handed_over: deque[HtmlAndUrl] = deque()

        def arriving() -> Iterator[HtmlAndUrl]:
            while handed_over:
                yield handed_over.popleft()
            raise ReadAhead

        texts = _answers(tool.run(list(pages) if tool.whole else arriving()))

        def ask(html: str, url: str) -> str:
            handed_over.append((html, url))
            text = next(texts)
            if isinstance(text, Exception):
                raise text
            return text

        return ask

    return Method(tool.name, lambda: start, ours=True)


def _answers(texts: Iterable[Text]) -> Iterator[Text]:
    """Yield the texts of a tool; after it has raised, or has ended, the error for each of the pages left."""
    error: Exception = TextMissing()
    try:
        yield from texts
    except Exception as raised:
        error = raised
    while True:
        yield error

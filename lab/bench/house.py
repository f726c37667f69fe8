"""How much code must a newcomer read?  Five measures of the package's structure, with their goals.

M1  what a default crawl loads: modules of ``templcrawl`` in ``sys.modules`` at the end of a crawl whose items
    have ``content_text`` and ``leaf_id``; their lines, and lines of code
M2  the import closure of ``memory/site.py``: the files that it imports when it is loaded, directly or not
M3  files outside its own that name an optional feature, in names or short strings of their code
M4  how many ways there are to say one thing: classes of one concept
M5  the way of a page from response to observation: of the calls of functions of the package, the files, the
    calls, and how often the next call is in another file, or in another folder

A line of code has a token that is neither comment nor docstring.  A module without code, as an empty
``__init__``, does not count.  M5 is the median over the later half of the pages.

Cost: some seconds, most of them the crawl.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from lab.bench.crawl import Pages, crawl  # the crawl imports this file: nothing here loads the package

PACKAGE = Path(__file__).parents[2] / "templcrawl"
LOADED, WALKS = "loaded", "walks"  # keys of what the crawl writes down at its end
_STRING_WORDS = 3  # a string of more words is a message, and names nothing


class Feature(NamedTuple):
    """An optional feature.

    own    files and folders that exist for it alone
    words  pattern of the names that mean it
    """

    own: tuple[str, ...]
    words: str


FEATURES = {
    "order focus": Feature(
        (
            *("algorithms/crawl_order/focus.py", "algorithms/crawl_order/distiller.py", "crawl/relevance.py"),
            *("crawl/orders/focus_order.py", "crawl/orders/distiller_order.py", "crawl/parts/harvest.py"),
            *("memory/topic_links.py", "memory/hub_table.py", "crawl/topic.py"),
        ),
        r"focus\w*|\w*relevance\w*|judge?ments?|topic\w*|\w*_topic|promise\w*",
    ),
    "order targets": Feature(
        (
            *("algorithms/crawl_order/link_regression.py", "memory/regression_table.py"),
            *("crawl/orders/targets_order.py", "memory/target_links.py", "crawl/target_examples.py"),
        ),
        r"\w*regression\w*|Targets\w*|TARGETS|target_\w+|is_target|TargetLinks|TargetExamples\w*|_is_wanted",
    ),
    "order changes": Feature(
        (
            *("algorithms/crawl_order/revisits.py", "crawl/recrawl.py", "memory/visit_table.py"),
            *("crawl/orders/changes_order.py", "memory/visit_records.py", "memory/altered_runs.py"),
            *("crawl/change_lines.py", "crawl/conditions.py", "crawl/leading_pages.py", "crawl/site_ends.py"),
            *("crawl/site_signals.py", "crawl/named_addresses.py", "crawl/known_links.py"),
            *("memory/visit_sums.py", "crawl/recrawl_middlewares.py"),
        ),
        r"\w*recrawl\w*|SignalsMiddleware|visits?|visits_\w+|\w*_visits?|revisits?",
    ),
    "changed fields": Feature(  # the order "changes" is built on it
        (
            *("crawl/change_lines.py", "crawl/recrawl.py", "crawl/site_ends.py", "memory/change_table.py"),
            *("crawl/orders/changes_order.py", "crawl/parts/change_counts.py", "memory/visit_table.py"),
            *(
                "algorithms/similarity/alterations.py",
                "tools/commands/changes_command.py",
                "outputs/change_line.py",
            ),
        ),
        r"change_table|ChangeTable|ChangeCounts|last_changed|content_hash",
    ),
    "page kinds": Feature(
        (
            "algorithms/page_kinds/",
            "memory/kind_table.py",
            "crawl/parts/kind_callbacks.py",
            "crawl/kind_values.py",
        ),
        r"page_kinds|kind_callbacks|KIND_CALLBACKS|Kind(Table|Callbacks|Counts)|kind_table|PageKind",
    ),
    "types by examples": Feature(
        (
            *("algorithms/page_types/type_classifiers.py", "algorithms/page_types/class_profiles.py"),
            *("page/saved_pages.py", "crawl/example_types.py"),
        ),
        r"\w*Classifier\w*|type_classifiers|ExampleReader|ExampleTypes",
    ),
    "stop and traps": Feature(
        (
            *("algorithms/crawl_order/traps.py", "crawl/parts/stop.py"),
            *("command/", "tools/"),  # there it is the program that is stopped
        ),
        r"StoppedSites|_?stopped|is_stopped|SpentSites|TrapLog|traps?|spent|is_spent|RecentPay",
    ),
    "archive": Feature(
        ("outputs/archive/", "tools/", "crawl/parts/crawl_archive.py"),
        r"archive\w*|CrawlArchive|crawl_archive",
    ),
    "report": Feature(
        ("outputs/report/", "tools/", "crawl/parts/html_report.py"),
        r"HtmlReport|CrawlFigures|report_contents|html_report",
    ),
    "Markdown": Feature(("page/markdown", "tools/"), r"markdown\w*|MARKDOWN|\w*_markdown\w*|Markdown\w*"),
}

CONCEPTS = {
    "a link": (
        *("Link", "Links", "LinkTable", "LinkPlaces", "LinkClasses", "WaitingLink", "LinkEvidence"),
        *("LinkFeatures", "TemplateLink", "LinkRecord", "LinkRow", "Mark"),
    ),
    "a store": (
        *("SnapshotStore", "SiteStore", "SqliteStore", "BackgroundStore", "SharedSites", "SharedStore"),
        *("SharedSqliteStore", "RedisStore", "StateFile", "SpilledSites"),
    ),
    "who is told": (
        *("on_received", "_listeners", "on_evicted", "on_written", "on_commit", "on_lost", "_on_unreadable"),
        *("_listener", "parts"),
    ),
    "pages of a leaf": (
        *("StoredPages", "FieldTable", "DrawnPages", "_samples", "TypeSample", "KindTable", "LeafSample"),
    ),
    "a column": ("Column", "Columns", "TypeColumns", "KernelArray", "KernelColumns", "ColumnTable"),
}

GOALS: Mapping[str, Sequence[int]] = {
    "M1": (75, 14_500, 9_000),
    "M2": (45,),
    "M3": (3,),
    "M4": (5, 4, 4, 3, 3),
    "M5": (35, 260, 170, 45),
}


@cache
def tree_of(file: Path) -> ast.Module:
    """Return the syntax tree of a file of the package."""
    return ast.parse(file.read_text(encoding="utf-8"))


def code_lines(source: str) -> int:
    """Return how many lines have a token that is neither comment nor docstring.

    >>> code_lines('\"\"\"A module.\"\"\"\\n\\nx = (\\n    1,  # one\\n)\\n# end\\n')
    3
    """
    docstrings = set[int]()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(getattr(first.value, "value", None), str):
                docstrings.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    silent = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    silent |= {tokenize.ENCODING, tokenize.ENDMARKER}
    lines = set[int]()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in silent:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - docstrings)


def files_of_package() -> Iterator[tuple[str, Path]]:
    """Yield the path of each file of the package, and the file."""
    for file in sorted(PACKAGE.rglob("*.py")):
        yield file.relative_to(PACKAGE).as_posix(), file


def file_of(module: str) -> Path | None:
    """Return the file of a module of the package, None if it is none."""
    path = PACKAGE.parent.joinpath(*module.split("."))
    return next((one for one in (path.with_suffix(".py"), path / "__init__.py") if one.is_file()), None)


def imports_of(file: Path) -> set[Path]:
    """Return the files that a file imports as it is loaded."""
    found = set[Path]()
    pending: list[ast.AST] = list(tree_of(file).body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.ImportFrom) and node.module:
            named = [f"{node.module}.{alias.name}" for alias in node.names]
            found.update(filter(None, map(file_of, [node.module, *named])))
        elif isinstance(node, ast.Import):
            found.update(filter(None, (file_of(alias.name) for alias in node.names)))
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            pending += node.orelse
        elif isinstance(node, (ast.If, ast.Try, ast.With)):
            pending += ast.iter_child_nodes(node)
    return {one for one in found if PACKAGE in one.parents}


def closure_of(file: Path) -> set[Path]:
    """Return the files that are loaded with a file, itself among them, but those without code."""
    found, pending = {file}, [file]
    while pending:
        new = imports_of(pending.pop()) - found
        found |= new
        pending += new
    return {one for one in found if code_lines(one.read_text(encoding="utf-8"))}


def names_of(file: Path) -> set[str]:
    """Return the names in the code of a file, and its short strings."""
    names = set[str]()
    for node in ast.walk(tree_of(file)):
        for field in ("id", "attr", "arg", "name", "asname", "module"):
            value = getattr(node, field, None)
            if isinstance(value, str):
                names.update(value.split("."))
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = node.value.split()
            names.update(words if len(words) <= _STRING_WORDS else ())
    return names


def naming(feature: Feature) -> list[str]:
    """Return the files outside of a feature's own that name it."""
    pattern = re.compile(feature.words)
    return [
        path
        for path, file in files_of_package()
        if not path.startswith(feature.own) and any(map(pattern.fullmatch, names_of(file)))
    ]


def defined(names: Sequence[str]) -> list[str]:
    """Return those of some names that are a class, or are set as an attribute, in the package."""
    found = set[str]()
    for _, file in files_of_package():
        for node in ast.walk(tree_of(file)):
            if isinstance(node, ast.ClassDef):
                found.add(node.name)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                found.add(node.attr)
            elif isinstance(node, ast.FunctionDef):
                found.add(node.name)
    return [name for name in names if name in found]


# the crawl, in a process of its own


class Watched(Pages):
    """A site whose crawl notes what it loads, and the ways of its pages."""

    def note(self, response: Any, crawler: Any) -> Mapping[str, Any]:
        return {
            LOADED: sorted(name for name in sys.modules if name.startswith("templcrawl")),
            WALKS: WAYS[-1:],
        }


WAYS: list[tuple[int, int, int, int]] = []


def way_of(call: Callable[[], Any]) -> tuple[Any, tuple[int, int, int, int]]:
    """Return what a call returns, and the files, calls, changes of file and of folder on its way."""
    calls, folder = list[Path](), str(PACKAGE)

    def watch(frame: Any, event: str, argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(folder) and not code.co_name.startswith("<"):
            calls.append(Path(code.co_filename))

    sys.setprofile(watch)
    try:
        result = call()
    finally:
        sys.setprofile(None)
    steps = [*pairwise(calls)]
    files = sum(before != after for before, after in steps)
    folders = sum(before.parent != after.parent for before, after in steps)
    return result, (len({*calls}), len(calls), files, folders)


class WatchedExtension:
    """An add-on that notes the way of each page."""

    def update_settings(self, settings: Any) -> None:
        from templcrawl.crawl.extension import CrawlExtension

        read = CrawlExtension.observe

        def watched(extension: Any, request: Any, response: Any) -> Any:
            result, way = way_of(lambda: read(extension, request, response))
            WAYS.append(way)
            return result

        CrawlExtension.observe = watched  # type: ignore[assignment, method-assign]


def watched_crawl() -> tuple[list[str], list[tuple[int, ...]]]:
    """Crawl generated pages; return the modules of the package that are loaded, and the way of each page."""
    from lab.sites.generated import generate_demo_site

    site = generate_demo_site(articles=28, products=12, chapters=12).pages
    pages = {f"http://demo.example{path}": page.html for path, page in site.items()}
    start = next(iter(pages))
    watched = Watched([start], pages, {start: [*pages]})
    crawled = crawl(
        watched,
        {
            "ADDONS": {"templcrawl.Addon": 500, "lab.bench.house.WatchedExtension": 600},
            "TEMPLCRAWL_ITEM_FIELDS": ["content_text", "leaf_id"],
        },
    )
    events = [event for event in crawled.responses if LOADED in event]
    return events[-1][LOADED], [tuple(way) for event in events for way in event[WALKS]]


def measures() -> Iterator[tuple[str, str, Sequence[float], str]]:
    """Yield (measure, what it is of, figures, names)."""
    loaded, ways = watched_crawl()
    sources = [file.read_text(encoding="utf-8") for name in loaded if (file := file_of(name))]
    codes = [code for code in map(code_lines, sources) if code]
    lines = sum(source.count("\n") for source in sources if code_lines(source))
    yield "M1", "modules, lines, code of a default crawl", (len(codes), lines, sum(codes)), ""
    yield "M2", "files loaded with memory/site.py", (len(closure_of(PACKAGE / "memory" / "site.py")),), ""
    for name, feature in FEATURES.items():
        files = naming(feature)
        yield "M3", name, (len(files),), ", ".join(files)
    for concept, names in CONCEPTS.items():
        there = defined(names)
        yield "M4", concept, (len(there),), ", ".join(there)
    late = ways[len(ways) // 2 :]
    yield "M5", "files, calls, changes of file, of folder", [median(figures) for figures in zip(*late)], ""


def main(arguments: Sequence[str] | None = None) -> None:
    from lab.bench.options import new_parser
    from lab.bench.tables import report, table_of

    parser = new_parser("lab.bench.house", __doc__, "--figures")
    parser.add_argument(
        "--names", action="store_true", help="print the files and names that are counted, too"
    )
    options = parser.parse_args(arguments)
    rows, concept = [], 0
    for measure, about, figures, names in measures():
        goals = GOALS[measure]
        if measure == "M4":
            goals, concept = goals[concept : concept + 1], concept + 1
        met = all(figure <= goal for figure, goal in zip(figures, goals))
        shown, goal = (" / ".join(f"{figure:,.0f}" for figure in some) for some in (figures, goals))
        rows.append((measure, about, shown, goal, "met" if met else "no"))
        if options.names and names:
            print(f"{measure} {about}: {names}")
    heads = ("measure", "of", "figures", "goal", "")
    report({"house": table_of("The house", heads, rows, left=2)}, options.figures)


if __name__ == "__main__":
    from lab.bench import house  # what is pickled is known under this name

    house.main()

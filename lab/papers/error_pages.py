"""Pages that are none, though they say 200: how often their kind is told, on made pages and on saved ones.

Of each saved site with page types that are of one kind the first ``PAGES`` pages are observed, as in a crawl
that asks for kinds.  Then pages that are none come, made in the frame of its last page: what is content there
is cut out, and a few words stand in its place.  Saved pages are those whose type is of one kind, named as the
crawl names them when they come.  The weights of kinds are those that templcrawl ships: they were fitted on
these sites, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from lab.bench.options import add_folder, new_parser
from lab.bench.saved_sites import ReadSite as Site
from lab.bench.saved_sites import read_sites
from lab.bench.tables import report, table_of
from lab.papers.kinds_of_types import kind_of_type
from templcrawl import CrawlMemory, Observation, Page

PAGES = 100

LOGIN = (
    "<form action=/login method=post><input name=user><input type=password name=pass>"
    "<button>Log in</button></form><p>You must log in to read this."
)
MADE = {
    "not found, in English": ("Page not found", "<h1>Page not found</h1><p>What you look for is not here."),
    "not found, in French": ("Page introuvable", "<h1>Page introuvable</h1><p>Rien ici."),
    "not found, named nowhere": ("", "<p>What you look for is not here."),
    "a wall before a login": ("Log in", LOGIN),
    "a frame alone": ("", ""),
}
"""Made pages -> their title, and what stands in the place of the content."""

EMPTY = "without any text"
SAVED = ("saved, logins and the like", "saved, others")
_TITLE = re.compile(r"<title.*?</title\s*>", re.IGNORECASE | re.DOTALL)


def frame_of(observation: Observation) -> tuple[str, str]:
    """Return the template of a page before its longest content and after it, without the title."""
    page, spans = observation.page, observation.content_spans
    starts = page.tokens.starts
    longest = max(spans, key=lambda span: starts[span[1]] - starts[span[0]], default=(0, 0))
    parts: tuple[list[str], list[str]] = ([], [])
    for start, stop in observation.template_spans:
        parts[start >= longest[1]].append(page.text[starts[start] : starts[stop]])
    before, after = ("".join(part) for part in parts)
    return _TITLE.sub("", before), _TITLE.sub("", after)


def made_pages(observation: Observation) -> Iterator[tuple[str, str]]:
    """Yield (case, HTML) of each made page in the frame of a page."""
    before, after = frame_of(observation)
    for case, (title, content) in MADE.items():
        yield case, f"<title>{title}</title>{before}{content}{after}"
    yield EMPTY, "<html><head></head><body><div id=app></div></body></html>"


def count_site(site: Site, named: Counter[tuple[str, str]]) -> None:
    """Count case -> kind of the made pages and the saved pages of a site."""
    memory = CrawlMemory(sample_salt=0, sections={"kinds": {}})
    for page, stated in zip(site.pages, site.types):
        last = memory.observe(page)
        kind = kind_of_type(site.name, stated)
        if kind is not None:
            named[SAVED[kind != "error"], last.page_kind or ""] += 1
    root = "/".join(last.page.url.split("/")[:3])
    for number, (case, html) in enumerate(made_pages(last)):
        named[case, memory.observe(Page(html, f"{root}/made/{number}")).page_kind or ""] += 1


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.papers.error_pages", __doc__, "--figures")
    add_folder(parser, "--sites", "saved sites with page types", required=True)
    options = parser.parse_args(arguments)
    named: Counter[tuple[str, str]] = Counter()
    for site in read_sites(options.sites, PAGES):
        if any(kind_of_type(site.name, stated) for stated in site.types):
            count_site(site, named)
    rows = []
    for case in (*MADE, EMPTY, *SAVED):
        of_case = Counter({name: count for (other, name), count in named.items() if other == case})
        rows.append([case, of_case.total(), of_case["error"], of_case["article"]])
    heads = ["pages", "number", "called error", "called article"]
    report({"errors": table_of("pages that are none", heads, rows)}, options.figures)


if __name__ == "__main__":
    main()

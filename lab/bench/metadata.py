"""How many sites, and single pages, declare each property of metadata, and what does reading it cost?

A site declares a property if a fifth of its pages do.  --single is a folder of pages ``NNNN.html`` that come
alone.  The cost is CPU time of ``read_declared`` over pages whose tokens are read.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from lab.bench.options import add_folder, asked_sites, new_parser
from lab.bench.tables import report, table_of
from templcrawl.page.declared import read_declared
from templcrawl.page.page import Page

SHOWN = "type headline name author datePublished dateModified inLanguage description image url price".split()
_SHARE = 0.2  # of the pages of a site that declare what the site declares


def declared_by(pages: Iterable[Page], seconds: list[float]) -> tuple[Counter[str], int]:
    """Return property -> pages that declare it, and how many pages there are; add the CPU time of each."""
    found: Counter[str] = Counter()
    count = 0
    for page in pages:
        _ = page.tokens.forms
        started = time.process_time()
        declared = read_declared(page)
        seconds.append(time.process_time() - started)
        found.update(set(declared.values) | ({"type"} if declared.kind else set()))
        count += 1
    return found, count


def main(arguments: list[str] | None = None) -> None:
    parser = new_parser("lab.bench.metadata", __doc__, "--corpora! --sites --pages=25 --figures")
    add_folder(parser, "--single", "pages that come alone")
    options = parser.parse_args(arguments)
    seconds: list[float] = []
    sites, of_sites = asked_sites(parser, options), Counter[str]()
    for site in sites:
        found, count = declared_by((saved.page for saved in site.pages(options.pages)), seconds)
        of_sites.update(name for name, pages in found.items() if pages >= _SHARE * count)
    single, singles = Counter[str](), 0
    if options.single:
        paths = sorted(Path(options.single).rglob("*.html"))
        single, singles = declared_by((Page.from_html(path.read_bytes(), "") for path in paths), seconds)
    rows = [
        [name, f"{of_sites[name] / len(sites):.2f}", f"{single[name] / max(singles, 1):.2f}"]
        for name in SHOWN
    ]
    rows.append(["ms a page", f"{1000 * sum(seconds) / len(seconds):.3f}", ""])
    rows.append(["measured", str(len(sites)), str(singles)])
    report({"declared": table_of("Metadata", ["property", "sites", "single pages"], rows)}, options.figures)


if __name__ == "__main__":
    main()

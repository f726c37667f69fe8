"""The command, seen: crawl a site with ``templcrawl``, and look at a page of it before and after.

``python -m lab.bench.demo`` serves a generated site on 127.0.0.1 and crawls it; a second and a third crawl
show how soon its products come, with one of them as an example and in Scrapy's own order.
``--site`` crawls any site, or reads a saved one.  All is in ``demo-output/``.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from shutil import rmtree

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from lab.bench.options import new_parser
from templcrawl import CrawlMemory, Observation
from templcrawl.outputs.page_file import PageFile
from templcrawl.page.render import visible_text

OUTPUT = Path("demo-output")
GENERATED_PAGES = 220
ANY_PAGES = 200
SCRAPYS_ORDER = ("-s", "TEMPLCRAWL_ORDER=off", "-s", "TEMPLCRAWL_CHANGES=")
PRODUCT = "/shop/product-"
LINES = 22  # of a page that are shown
WIDTH = 36  # of a line
STEPS = 10  # of a curve


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.demo", __doc__)
    parser.add_argument("--site", help="a URL, or the path of a saved site (default: a generated site)")
    parser.add_argument("--pages", type=int, help="pages to read, at most")
    options = parser.parse_args(arguments)
    console = Console()
    rmtree(OUTPUT, ignore_errors=True)
    if options.site:
        crawl(options.site, OUTPUT, options.pages or ANY_PAGES)
        console.print(before_and_after(OUTPUT))
    else:
        pages = options.pages or GENERATED_PAGES
        with served_site() as url:
            crawl(url, OUTPUT, pages)
            console.print(before_and_after(OUTPUT, "/news/article-"))
            console.print(curves(url, pages))
    console.print("\n[bold]Now your own site:[/]")
    console.print(
        f"  {Path(sys.executable).parent}/templcrawl https://example.org/ -o pages/", soft_wrap=True
    )


@contextmanager
def served_site() -> Iterator[str]:
    """Serve the generated site from a process of its own, and yield its address."""
    command = [sys.executable, "-m", "lab.sites.server"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        yield server.stdout.readline().strip()
    finally:
        server.terminate()
        server.wait()


def crawl(site: str, folder: Path, pages: int, *options: str) -> None:
    """Run the command on a site; ends the program if it fails."""
    command = ["templcrawl", site, "-o", str(folder), "--limit", str(pages), *options]
    print("$", *command, flush=True)
    code = subprocess.run([sys.executable, "-m", *command], check=False).returncode
    if code:
        sys.exit(code)


def observed(folder: Path) -> list[Observation]:
    """Return the pages of a folder, in the order in which they were read, each judged by all."""
    memory = CrawlMemory(sample_salt=0)
    with closing(PageFile(folder / "job" / "pages.sqlite")) as stored:
        pages = [record.page() for record in stored]
    for page in pages:
        memory.observe(page)
    return [memory.observe(page) for page in pages]


def before_and_after(folder: Path, named: str = "") -> Table:
    """Return a page as a browser shows it beside its content.

    named  what its address has; without it, or such a page, the page that loses most text is taken
    """
    pages = observed(folder)
    wanted = [page for page in pages if named and named in page.page.url] or pages
    shown = max(wanted, key=lambda page: (page.text_lengths[1] - page.text_lengths[0], page.page.url))
    table = Table(title=f"\nOne page: {escape(shown.page.url)}", title_justify="left")
    cells = []
    for head, text in (("as it is", visible_text(shown.page)), ("its content", shown.content_text)):
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        table.add_column(f"{head}: {len(lines)} lines")
        cut = [escape(f"{line[:WIDTH]}…" if len(line) > WIDTH else line) for line in lines[:LINES]]
        cells.append(
            "\n".join([*cut, f"[dim]and {len(lines) - LINES} more[/]"] if len(lines) > LINES else cut)
        )
    table.add_row(*cells)
    return table


def curves(url: str, pages: int) -> Table:
    """Return how soon the products of the generated site come: with one as an example, and without."""
    found = {}
    orders = {
        "like one product": ("--like", f"{url[:-1]}{PRODUCT}1.html"),
        "Scrapy's own order": SCRAPYS_ORDER,
    }
    for name, options in orders.items():
        folder = OUTPUT / "orders" / name.replace(" ", "-").replace("'", "")
        crawl(url, folder, pages, "--quiet", *options)
        with closing(PageFile(folder / "job" / "pages.sqlite")) as stored:
            found[name] = [PRODUCT in record.url for record in stored]
    most = max(sum(of_order) for of_order in found.values())
    table = Table(title=f"\nProducts found, of {most}, after so many pages", title_justify="left")
    table.add_column("order")
    at = [pages * step // STEPS for step in range(1, STEPS + 1)]
    for number in at:
        table.add_column(str(number), justify="right")
    for name, is_product in found.items():
        table.add_row(name, *(str(sum(is_product[:number])) for number in at))
    return table


if __name__ == "__main__":
    main()

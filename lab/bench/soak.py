"""Does a long crawl stay as it is?  Memory, CPU a page and snapshots, by tenth of the crawl.

    python -m lab.bench.soak [--pages 1000000] [--hosts 10000] [--detector vote] [--json FILE]
    python -m lab.bench.soak --pages 100000 --hosts 1

Every page has words, classes and addresses that no page had before, in a template of its host: whatever table
is not bounded grows.  Hosts come in turn, so that all but ``MAX_SITES`` of them have always left the memory.
No Scrapy, no store.

resident  megabytes of the process at the end of the tenth
CPU       milliseconds a page of the tenth, without the making of the pages
state     bytes of a site's snapshot as JSON, of the largest site in memory

Cost: some 2 ms a page.
"""

from __future__ import annotations

import gc
import json
import resource
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

from rich.table import Table

from lab.bench.options import add_json, new_parser
from lab.bench.tables import show
from templcrawl import CrawlMemory, Page
from templcrawl.memory.snapshots import pack

_SYLLABLES = "bo cla dri fen gur hax jil kov lum mip nez orf pux rusk sle tov urb vex wym yal zed".split()


def new_words(chance: Random, count: int) -> str:
    """Return words of which hardly any was there before."""
    return " ".join("".join(chance.choices(_SYLLABLES, k=5)) for _ in range(count))


def page_of(host: int, number: int) -> Page:
    """Return a page in the template of its host, with new words, classes and addresses."""
    chance = Random(f"{host} {number}")
    menu = "".join(f'<li><a href="/section/{n}">Section {n} of {host}</a></li>' for n in range(8))
    links = "".join(
        f'<p class="c{chance.getrandbits(40):x}">{new_words(chance, 12)} '
        f'<a href="/page/{chance.getrandbits(40)}?k{chance.getrandbits(20)}=1">{new_words(chance, 2)}</a></p>'
        for _ in range(4)
    )
    html = (
        f"<title>{new_words(chance, 3)}</title><ul class=menu>{menu}</ul>"
        f"<div><h1>{new_words(chance, 3)}</h1>{links}</div><footer>Imprint of {host}</footer>"
    )
    return Page(html, f"http://h{host}.example/page/{number}")


def resident() -> float:
    """Return the resident megabytes of this process."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 1e6


def soak(pages: int, hosts: int, detector: str) -> list[dict[str, float]]:
    """Observe so many pages; return the figures of each tenth."""
    memory = CrawlMemory(detector=detector)
    tenths = []
    for tenth in range(10):
        spent = 0.0
        for number in range(tenth * pages // 10, (tenth + 1) * pages // 10):
            page = page_of(number % hosts, number // hosts)
            started = time.process_time()
            memory.observe(page)
            spent += time.process_time() - started
        state = max(len(pack(site.snapshot())) for site in [*memory][:: max(1, len(memory) // 20)])
        tenths.append(
            {
                "pages": (tenth + 1) * pages // 10,
                "resident": resident(),
                "milliseconds": 1000 * spent / (pages // 10),
                "state": state,
                "sites": len(memory),
            }
        )
    return tenths


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures of each tenth."""
    parser = new_parser("lab.bench.soak", __doc__)
    parser.add_argument("--pages", metavar="N", type=int, default=1_000_000)
    parser.add_argument("--hosts", metavar="N", type=int, default=10_000)
    parser.add_argument("--detector", metavar="NAME", default="vote")
    add_json(parser)
    options = parser.parse_args(arguments)
    tenths = soak(options.pages, options.hosts, options.detector)
    title = f"{options.pages:,} pages of {options.hosts:,} hosts"
    table = Table("pages", "resident, MB", "CPU ms a page", "largest state, bytes", "sites", title=title)
    for figures in tenths:
        table.add_row(
            f"{figures['pages']:,}",
            f"{figures['resident']:.0f}",
            f"{figures['milliseconds']:.2f}",
            f"{figures['state']:,}",
            f"{figures['sites']:,}",
        )
    show(table)
    if options.json:
        options.json.write_text(json.dumps(tenths), encoding="utf-8")


if __name__ == "__main__":
    main()

"""``make beside``: crawl one site with and without the one line, beside each of the other add-ons.

Needs Debian's ``chromium`` and ``redis-server`` for two of them (``apt-get install chromium redis-server``);
what is missing is said, and its row left out.  Nothing leaves this machine.  The items of the two crawls
are compared byte for byte, as sorted lines of the feed, since the pages may come in another order.
The exit status is 1 if any differ, or if a row is left out.
"""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep
from typing import NamedTuple

from rich.table import Table

from lab.bench.beside.peers import Peer, peers
from lab.bench.options import new_parser
from lab.bench.tables import show
from lab.sites.generated import generate_demo_site
from lab.sites.server import LocalSite

ARTICLES = 20
ROOT = Path(__file__).parents[3]
_COMPLAINT = re.compile(r".*(?:Warning:| WARNING: | ERROR: | CRITICAL: |^\w*Error:).*", re.MULTILINE)
_CHANGES_EACH_TIME = re.compile(r"^\d{4}-\S+ \S+ |0x[0-9a-f]+|127\.0\.0\.1:\d+|/tmp/\S+")


class Crawl(NamedTuple):
    """What a crawl left behind.

    items       lines of its feed
    complaints  warnings and errors in its log, without what changes each time
    """

    items: list[bytes]
    pages: int
    complaints: list[str]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; return the exit status."""
    parser = new_parser("lab.bench.beside", __doc__)
    parser.add_argument("--only", metavar="NAME", help="run one row of the table")
    options = parser.parse_args(arguments)
    table = Table("beside", "version", "items", "the same", "pages without/with", "complaints without/with")
    new: list[str] = []
    missing: list[str] = []
    differ = False
    with redis_server() as port, LocalSite(generate_demo_site(articles=ARTICLES).html) as site:
        for name, peer in peers(port).items():
            if options.only not in (None, name):
                continue
            if peer.program and not shutil.which(peer.program):
                missing.append(f"{name} needs {peer.program}")
                continue
            without, with_it = (crawl(name, mode, port, site.url) for mode in ("without", "with"))
            same = sorted(without.items) == sorted(with_it.items) and bool(without.items)
            differ |= not same
            table.add_row(*_cells(name, peer, without, with_it, same=same))
            new += [f"{name}: {line}" for line in with_it.complaints if line not in without.complaints]
    show(table)
    for line in (*new, *missing):
        print(line)
    return int(differ or bool(missing))


def crawl(name: str, mode: str, port: int, url: str) -> Crawl:
    """Crawl in a process of its own.

    mode  "with" the one line, or "without"
    """
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-W", "default", "-m", "lab.bench.beside.crawl"]
        run = subprocess.run(
            [*command, name, mode, str(port), url, folder],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        feed, stats = Path(folder, "items.jsonl"), Path(folder, "stats.json")
        items = feed.read_bytes().splitlines() if feed.exists() else []
        pages = json.loads(stats.read_text()).get("response_received_count", 0) if stats.exists() else 0
    complaints = [_CHANGES_EACH_TIME.sub("", line) for line in _COMPLAINT.findall(run.stderr)]
    return Crawl(items, pages, complaints)


def _cells(name: str, peer: Peer, without: Crawl, with_it: Crawl, *, same: bool) -> list[str]:
    return [
        name,
        f"{peer.package} {version(peer.package)}",
        str(len(without.items)),
        "yes" if same else "NO",
        f"{without.pages}/{with_it.pages}",
        f"{len(without.complaints)}/{len(with_it.complaints)}",
    ]


@contextmanager
def redis_server() -> Iterator[int]:
    """Run a Redis server that keeps nothing, where there is one; yield its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    if not shutil.which("redis-server"):
        yield port
        return
    options = ["--bind", "127.0.0.1", "--port", str(port), "--save", "", "--appendonly", "no"]
    server = subprocess.Popen(["redis-server", *options], stdout=subprocess.DEVNULL)
    try:
        while server.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except ConnectionRefusedError:
                sleep(0.05)
        yield port
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    sys.exit(main())

"""How soon does a repeated crawl find new and changed pages, and how much may it leave out?

Every version of a site is crawled by Scrapy from its start page, in each order (see :mod:`lab.bench.crawl`).
What templcrawl has learned lasts from version to version in a file (``TEMPLCRAWL_STORE``), and the crawl's
time of day is that of the version.  The first crawl does not count.

changed     share of the pages that are new, or the words of whose marked content differ from the version
            before: the gold
90%, all    share of the requests of a whole crawl after which so much of the gold was fetched, 1 if a crawl
            ends before; mean over re-crawls, over those after the first, which has seen no change before, and
            over the last three
found       share of the gold that was fetched, and the share that nine of ten re-crawls have found at least
requests    share of the requests of a whole crawl that were sent, those answered 304 among them
bytes       of all answers, with their headers, by those of the pages of a whole crawl without headers
kept        share of the re-crawls of which no more was left of the gold than the crawl said at most
lost        re-crawls after which a change was still not fetched, at most
ms          CPU time a request

Sites are those of ``--dated``, a folder of git bundles with their ``dated.json`` (start page, hosts, XPaths
of the content, dates of the tags v0, v1 ...), and :mod:`lab.sites.living`: "living" sends no validators,
"living-true", "living-always" and "living-never" send these.  Dated sites send the hash of each page as its
ETag.  "mean" is that over the dated sites, and nine in ten of all their re-crawls.

Order "changes" reads all; "changes, ending" leaves out what its settings say.  ``--set`` gives settings to
both.  Cost: 2 to 10 ms a page for each crawl.
"""

from __future__ import annotations

import json
import subprocess
import sys
from argparse import ArgumentTypeError
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from rich.table import Table
from xxhash import xxh3_64_hexdigest

from lab.bench import order
from lab.bench.crawl import ADDON, Crawled, Pages, crawl, in_processes
from lab.bench.linked_sites import linked_site, reachable
from lab.bench.measures import mean_of_some, until
from lab.bench.options import add_folder, add_number, new_parser
from lab.bench.saved_sites import SavedSite, word_list
from lab.bench.tables import report, table_of
from lab.sites.living import BASE, VALIDATORS, generate_living_site

GOALS = (0.9, 1.0)
LAST = 3
_AT_LEAST = 8  # column of what nine of ten re-crawls have found
_CHANGES = {**ADDON, "TEMPLCRAWL_ORDER": "changes"}
ORDERS: dict[str, Mapping[str, Any]] = {
    **{name: order.ORDERS[name] for name in ("fifo", "lifo", "adaptive")},
    "changes": {**_CHANGES, "TEMPLCRAWL_MAY_MISS": 0},
    "changes, ending": _CHANGES,
}
BASELINES = ("fifo", "lifo", "adaptive")
LIVING = {"living" if name == "none" else f"living-{name}": name for name in VALIDATORS}


class Version(NamedTuple):
    """A version of a site.

    gold  addresses of the pages that are new, or whose content differs from the version before
    at    when it was published
    """

    pages: Pages
    gold: frozenset[str]
    at: datetime

    @property
    def addresses(self) -> list[str]:
        """What a whole crawl asks for, dead links included."""
        return reachable(self.pages.start[0], self.pages.targets)


def living_versions(name: str, count: int, **size: int) -> Iterator[Version]:
    """Yield versions of the generated site.

    name  a key of ``LIVING``
    size  how many posts and chapters it has, if not as many as it usually has
    """
    host = BASE.rstrip("/")
    for site in generate_living_site(count, validators=LIVING[name], **size):
        bodies = {host + path: page.html for path, page in site.pages.items()}
        targets: dict[str, list[str]] = {}
        for path, page in site.pages.items():
            targets[host + path] = [host + link for link in dict.fromkeys(page.links)]
            for dead in {*page.links} - site.pages.keys():
                targets[host + dead] = []
        headers = {host + path: site.headers(path) for path in site.pages}
        gold = frozenset(host + path for path in site.modified)
        yield Version(Pages([BASE], bodies, targets, headers), gold, site.published)


def dated_versions(folder: Path, name: str, about: Mapping[str, Any]) -> Iterator[Version]:
    """Yield the versions of a site that is a git bundle.

    folder  holds the bundle
    about   the site's entry in ``dated.json``
    """
    before: dict[str, list[str]] = {}
    with TemporaryDirectory() as work:
        repository = Path(work, "repository")
        _git("clone", "--no-checkout", str(folder.resolve() / f"{name}.bundle"), str(repository))
        for number, (day, _) in enumerate(about["snapshots"]):
            pages = Path(work, f"v{number}")
            _git("-C", str(repository), "worktree", "add", str(pages), f"v{number}")
            saved = SavedSite(name, "dated", pages, about["start"], about["hosts"], about["content"])
            site = linked_site(saved, sys.maxsize)
            words = {url: word_list(text) for url, text in site.contents.items()}
            gold = frozenset(url for url, content in words.items() if before.get(url) != content)
            before = words
            tags = {
                url: {"ETag": f'"{xxh3_64_hexdigest(_sent(html))}"'}
                for url, html in site.pages.bodies.items()
            }
            yield Version(
                replace(site.pages, headers=tags),
                gold,
                datetime.fromisoformat(day).replace(tzinfo=timezone.utc),
            )


def _sent(html: str) -> bytes:
    return html.encode("utf-8", "replace")


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True, capture_output=True)


@dataclass(frozen=True)
class Recrawled:
    """What a re-crawl of a version has found.

    number    of the version
    changed   share of the pages in the gold
    until     share of the requests of a whole crawl after which each of ``GOALS`` was found; None without
              gold
    found     share of the gold; None without gold
    requests  share of the requests of a whole crawl; sent: of its bytes
    is_kept   whether no more of the gold was left than the crawl said at most
    lost      re-crawls since the oldest change that it has not fetched, this one included
    """

    site: str
    order: str
    number: int
    changed: float
    until: Sequence[float | None]
    found: float | None
    requests: float
    sent: float
    is_kept: bool
    lost: int
    milliseconds: float


def crawl_versions(
    site: str, versions: Iterator[Version], orders: Mapping[str, Mapping[str, Any]], in_flight: int
) -> Iterator[Recrawled]:
    """Crawl each version of a site in each order, and yield what those after the first have found."""
    missed: dict[str, dict[str, int]] = {name: {} for name in orders}
    with TemporaryDirectory() as folder:
        for number, version in enumerate(versions):
            for name, settings in orders.items():
                store = {"TEMPLCRAWL_STORE": f"sqlite:{folder}/{name}"} if "ADDONS" in settings else {}
                crawled = crawl(
                    version.pages,
                    {"METAREFRESH_ENABLED": False, **settings, **store},  # a page with one is a page
                    order.server_for(in_flight),
                    in_flight,
                    warm_up=False,
                    began=version.at.timestamp(),
                )
                if number:
                    yield _recrawled(site, name, number, version, crawled, missed[name])


def _recrawled(
    site: str, name: str, number: int, version: Version, crawled: Crawled, missed: dict[str, int]
) -> Recrawled:
    """Return what a re-crawl has found.

    missed  address -> version of the oldest change that was not fetched; is brought up to date
    """
    whole, gold, came = len(version.addresses), version.gold, frozenset(crawled.pages)
    sent = sum(len(_sent(version.pages.bodies.get(url, ""))) for url in version.addresses)
    places = [number for number, url in enumerate(crawled.requests, 1) if url in gold & came]
    shares = [(until(places, goal, len(gold)) or whole) / whole if gold else None for goal in GOALS]
    for url in [*missed]:
        if url in came or url not in version.pages.bodies:
            del missed[url]
    for url in gold - came:
        missed.setdefault(url, number)
    return Recrawled(
        site,
        name,
        number,
        changed=len(gold) / len(version.pages.bodies),
        until=shares,
        found=len(gold & came) / len(gold) if gold else None,
        requests=len(crawled.requests) / whole,
        sent=crawled.stats["downloader/response_bytes"] / sent,
        is_kept=len(missed) <= crawled.stats.get("templcrawl/recrawl/at_most", 0),
        lost=number + 1 - min(missed.values(), default=number + 1),
        milliseconds=1000 * crawled.end["cpu"] / max(1, len(crawled.requests)),
    )


def tables_of(crawls: Sequence[Recrawled], in_flight: int) -> dict[str, Table]:
    """Return the table of means."""
    rows: dict[tuple[str, str], list[float | None]] = {}
    names = list(dict.fromkeys(one.order for one in crawls))
    for site in dict.fromkeys(one.site for one in crawls):
        for name in names:
            own = [one for one in crawls if (one.site, one.order) == (site, name)]
            rows[site, name] = [
                fmean(one.changed for one in own),
                *(
                    mean_of_some(one.until[goal] for one in some)
                    for goal in range(len(GOALS))
                    for some in (own, own[1:], own[-LAST:])
                ),
                mean_of_some(one.found for one in own),
                _nine_in_ten(own),
                *(fmean(one.requests for one in some) for some in (own, own[-LAST:])),
                fmean(one.sent for one in own),
                fmean(one.is_kept for one in own),
                max(one.lost for one in own),
                fmean(one.milliseconds for one in own),
            ]
    sites = list(dict.fromkeys(site for site, _ in rows if site not in LIVING))
    if len(sites) > 1:
        for name in names:
            of_sites = [rows[site, name] for site in sites]
            row = rows["mean", name] = [mean_of_some(values) for values in zip(*of_sites)]
            row[_AT_LEAST] = _nine_in_ten([one for one in crawls if one.site in sites and one.order == name])
    later, last = "from 2", f"last {LAST}"
    sooner = (f"{GOALS[0]:.0%}", later, last, "all", later, last)
    heads: tuple[str, ...] = ("site", "order", "changed", *sooner, "found", "nine in ten", "requests", last)
    heads += ("bytes", "kept", "lost", "ms")
    cells = (
        (*key, *map(_share, shares), f"{lost:.0f}", f"{milliseconds:.2f}")
        for key, (*shares, lost, milliseconds) in rows.items()
    )
    how = f"{in_flight} in flight"
    title = f"Requests until what has changed is found, {how}"
    return {f"means, {how}": table_of(title, heads, cells, left=2)}


def _nine_in_ten(crawls: Sequence[Recrawled]) -> float | None:
    """Return what share of the gold nine of ten re-crawls have found at least."""
    found = sorted(one.found for one in crawls if one.found is not None)
    return found[len(found) // 10] if found else None


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def crawl_site(
    site: str, dated: Path | None, versions: int, orders: Mapping[str, Mapping[str, Any]], in_flight: int
) -> list[Recrawled]:
    if site in LIVING or dated is None:
        found = living_versions(site, versions)
    else:
        found = dated_versions(dated, site, _about(dated)[site])
    return list(crawl_versions(site, found, orders, in_flight))


def _about(dated: Path | None) -> dict[str, Any]:
    sites: dict[str, Any] = json.loads((dated / "dated.json").read_text(encoding="utf-8")) if dated else {}
    return sites


def _setting(text: str) -> tuple[str, str]:
    name, mark, value = text.partition("=")
    if not mark:
        raise ArgumentTypeError("give NAME=VALUE")
    return name, value


def main(arguments: Sequence[str] | None = None) -> None:
    parser = new_parser("lab.bench.recrawl", __doc__, "--sites --jobs=2 --figures")
    add_folder(parser, "--dated", "git bundles of sites, with their dated.json")
    add = parser.add_argument
    add("--order", metavar="NAME", nargs="+", choices=ORDERS, default=BASELINES, help="orders")
    add("--set", metavar="NAME=VALUE", nargs="+", type=_setting, default=[], help="settings")
    add_number(parser, "--in-flight", 16, "requests in flight")
    add_number(parser, "--versions", 8, "versions of the generated site, the first included")
    options = parser.parse_args(arguments)
    dated = _about(options.dated)
    sites = options.sites or [*dated, "living"]
    if unknown := {*sites} - {*dated, *LIVING}:
        parser.error(f"no site is called {', '.join(sorted(unknown))}")
    if options.versions < 2:
        parser.error("a site that is crawled again has at least 2 versions")
    orders = {
        name: {**ORDERS[name], **dict(() if name in BASELINES else options.set)} for name in options.order
    }
    task: Any = partial(
        crawl_site,
        dated=options.dated,
        versions=options.versions,
        orders=orders,
        in_flight=options.in_flight,
    )
    crawls = [one for of_site in in_processes(task, sites, options.jobs) for one in of_site]
    report(tables_of(crawls, options.in_flight), options.figures)


if __name__ == "__main__":
    main()

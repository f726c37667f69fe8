"""Run the shop's spiders in a process of their own, and collect what they recorded."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.sites.generated import generate_demo_site
from lab.sites.server import Answer, LocalSite
from tests.scrapy_processes import WITHOUT, run_scrapy

ONE_LINE = {"ADDONS": {"templcrawl.Addon": 500}}
ADDON = {**ONE_LINE, "TEMPLCRAWL_ITEM_FIELDS": ["content_html", "content_text", "leaf_id"]}
SMALL_PARTS = {"ADDONS": {**ONE_LINE["ADDONS"], "lab.sites.shop.components.SmallParts": 1}}
ONE_BY_ONE = {
    "CONCURRENT_REQUESTS": 1,
    "HTTPCACHE_ENABLED": False,
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
}
# The next request leaves when the links of the last page are queued.  Otherwise one leaves while they are
# awaited, before Scrapy 2.18 each that is answered in 100 ms: so long a callback waits there.
PAGE_BY_PAGE = {**ONE_BY_ONE, "SCRAPER_SLOT_MAX_ACTIVE_SIZE": 1}

NO_REACTOR = {"TWISTED_REACTOR_ENABLED": False}
DEMO_SITE = generate_demo_site()


def demo_site_with_site_map() -> LocalSite:
    """Return the generated demo site with a site map of its first pages."""

    def answer(path: str) -> Answer:
        if path != "/sitemap.xml":
            return DEMO_SITE.html(path)
        urls = "".join(f"<url><loc>{site.url[:-1]}{page}</loc></url>" for page in [*DEMO_SITE.pages][:60])
        return 200, "application/xml", f"<urlset>{urls}</urlset>".encode()

    site = LocalSite(answer)
    return site


def listings(**numbers: Iterable[int]) -> Callable[[str], str | None]:
    """Return a site: a front page with a list of links for each kind of page; a ``copy`` is as any other."""
    pages = {f"/{kind}/{n}": kind for kind, listed in numbers.items() for n in listed}

    def answer(path: str) -> str | None:
        if path == "/":
            links = dict.fromkeys(numbers, "")
            for target, kind in pages.items():
                links[kind] += f"<li><a href={target}>{target}</a>"
            lists = (f"<ul class={kind}>{items}</ul>" for kind, items in links.items())
            return f"<html><body>{''.join(lists)}</body></html>"
        kind = pages.get(path)
        words = " ".join(f"{'the same' if kind == 'copy' else path} word {n}" for n in range(90))
        return kind and f"<html><body><h1>{kind}</h1><p>{words}</p></body></html>"

    return answer


@dataclass
class Crawl:
    """What a crawl left behind."""

    items: list[tuple[str, dict[str, Any]]]
    responses: list[dict[str, Any]]
    stats: dict[str, Any]
    log: str

    def texts(self) -> dict[str, str]:
        return {item["url"]: item["content_text"] for kind, item in self.items if kind == "dict"}


def run_crawl(
    spider: str,
    url: str,
    output: Path,
    settings: Mapping[str, Any] = ADDON,
    *,
    stop_when: Callable[[], bool] | None = None,
    with_signal: int = signal.SIGTERM,
    without: Sequence[str] = (),
) -> Crawl:
    """Run a spider of the shop; warnings of templcrawl are errors, and nobody else may warn either.

    without  modules that cannot be imported

    (Scrapy's queues may: before 2.17 they leave empty files open where a crawl is resumed.)
    """
    output.mkdir(exist_ok=True)
    file = output / "log.txt"
    run_scrapy(
        ["crawl", spider],
        settings,
        {
            "SCRAPY_SETTINGS_MODULE": "lab.sites.shop.settings",
            "SHOP_OUTPUT": str(output),
            "SHOP_URL": url,
            WITHOUT: " ".join(without),
        },
        file,
        stop_when=stop_when,
        with_signal=with_signal,
    )
    log = file.read_text(encoding="utf-8")
    assert "Warning" not in log, log

    def recorded(name: str) -> list[Any]:
        path = output / name
        if not path.exists():
            return []
        with path.open(encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]

    stats = recorded("stats.jsonl")
    items = [(kind, item) for kind, item in recorded("items.jsonl")]
    return Crawl(items, recorded("responses.jsonl"), stats[-1] if stats else {}, log)

"""One crawl, in a process of its own.

``python -m lab.bench.beside.crawl PEER with|without REDIS-PORT URL FOLDER`` leaves the feed as
``items.jsonl`` and the stats as ``stats.json`` in the folder.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from scrapy.crawler import AsyncCrawlerProcess, CrawlerProcess
from scrapy.utils.misc import load_object

from lab.bench.beside.peers import peers
from lab.sites.fixed_salt import FIXED_SALT

LINE = {"templcrawl.Addon": 500}


def main(name: str, mode: str, port: str, url: str, folder: str) -> None:
    """Crawl the site at an address, beside a peer."""
    peer = peers(int(port))[name]
    settings = {
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        "LOG_LEVEL": "INFO",
        "FEEDS": {str(Path(folder, "items.jsonl")): {"format": "jsonlines"}},
        **peer.settings,
    }
    if mode == "with":
        settings["ADDONS"] = {**settings.get("ADDONS", {}), **LINE}
        settings["EXTENSIONS"] = {**settings.get("EXTENSIONS", {}), **FIXED_SALT["EXTENSIONS"]}
    asyncio = "TWISTED_REACTOR" not in settings
    process = (AsyncCrawlerProcess if asyncio else CrawlerProcess)(settings)
    crawler = process.create_crawler(load_object(peer.spider))
    process.crawl(crawler, url=url)
    process.start()
    Path(folder, "stats.json").write_text(json.dumps(crawler.stats.get_stats(), default=str))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""The other add-ons: what each needs, and the settings that its documentation gives."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from typing import Any, NamedTuple

_SCHEMA = {
    "type": "object",
    "properties": {
        "url": {"type": "string"},
        "title": {"type": "string", "minLength": 1},
        "links": {"type": "integer"},
    },
    "required": ["url", "title", "links"],
    "additionalProperties": False,
}


class Peer(NamedTuple):
    """What a crawl is run beside.

    package   whose version is printed
    settings  as its documentation gives them
    spider    import path of the spider
    program   what has to be installed
    """

    package: str
    settings: Mapping[str, Any]
    spider: str = "lab.bench.beside.plain.PlainSpider"
    program: str | None = None


def _redis(port: int) -> dict[str, Any]:
    return {
        "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
        "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
        "ITEM_PIPELINES": {"scrapy_redis.pipelines.RedisPipeline": 300},
        "REDIS_URL": f"redis://127.0.0.1:{port}",
        "SCHEDULER_FLUSH_ON_START": True,
    }


def _playwright() -> dict[str, Any]:
    handler = "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"
    return {
        "DOWNLOAD_HANDLERS": {"http": handler, "https": handler},
        "PLAYWRIGHT_LAUNCH_OPTIONS": {
            "executable_path": shutil.which("chromium"),
            "args": ["--no-sandbox"],
        },
    }


_SPIDERMON = {
    "SPIDERMON_ENABLED": True,
    "EXTENSIONS": {"spidermon.contrib.scrapy.extensions.Spidermon": 500},
    "ITEM_PIPELINES": {"spidermon.contrib.scrapy.pipelines.ItemValidationPipeline": 800},
    "SPIDERMON_VALIDATION_SCHEMAS": {dict: _SCHEMA},
    "SPIDERMON_VALIDATION_DROP_ITEMS_WITH_ERRORS": True,
}


def peers(redis_port: int) -> dict[str, Peer]:
    """Return name -> peer.

    redis_port  where a Redis server answers
    """
    poet = {"ADDONS": {"scrapy_poet.Addon": 300}}
    zyte = {
        "ADDONS": {"scrapy_zyte_api.Addon": 400},
        "ZYTE_API_KEY": "none",
        "ZYTE_API_TRANSPARENT_MODE": False,
    }
    select = {"TWISTED_REACTOR": "twisted.internet.selectreactor.SelectReactor"}
    return {
        "asyncio reactor": Peer("scrapy", {}),
        "select reactor": Peer("twisted", select),
        "no reactor": Peer("scrapy", {"TWISTED_REACTOR_ENABLED": False}),
        "scrapy-poet": Peer("scrapy-poet", poet, "lab.bench.beside.poet.PoetSpider"),
        "scrapy-playwright": Peer(
            "scrapy-playwright", _playwright(), "lab.bench.beside.plain.RenderingSpider", "chromium"
        ),
        "scrapy-redis": Peer("scrapy-redis", _redis(redis_port), program="redis-server"),
        "spidermon, strict": Peer("spidermon", _SPIDERMON),
        "scrapy-zyte-api": Peer("scrapy-zyte-api", zyte),
    }

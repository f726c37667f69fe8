"""The project's own middlewares and pipeline; they also record what the tests compare."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from itemadapter import ItemAdapter
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.pipelines import ItemPipelineManager

OUTPUT = Path(os.environ.get("SHOP_OUTPUT", ""))


def _record(name: str, value: object) -> None:
    with (OUTPUT / name).open("a", encoding="utf-8") as file:
        file.write(json.dumps(value, sort_keys=True, default=str) + "\n")


def record_response(response: Response) -> None:
    """Record all of a response that a spider can see, but for its meta."""
    _record(
        "responses.jsonl",
        {
            "url": response.url,
            "status": response.status,
            "body": hashlib.sha256(response.body).hexdigest(),
            "class": type(response).__name__,
            "encoding": getattr(response, "encoding", None),
            "content type": str(response.headers.get("Content-Type")),
            "flags": [flag for flag in response.flags if flag != "cached"],
        },
    )


class OwnItemProcessor(ItemPipelineManager):
    """An item processor that a project may have of its own."""


class CopyMeta:
    """Copies the page's meta into every request, as users do."""

    async def process_spider_output(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        async for one in result:
            if isinstance(one, Request):
                one.meta.update(
                    {k: v for k, v in response.meta.items() if k not in one.meta and k != "depth"}
                )
            yield one


class AddHeader:
    """Sets a header of its own."""

    def process_request(self, request: Request) -> None:
        request.headers["X-Shop"] = "1"


class RecordItems:
    """Writes every item with its class."""

    async def process_item(self, item: Any) -> Any:
        _record("items.jsonl", [type(item).__name__, ItemAdapter(item).asdict()])
        return item


class RecordStats:
    """Writes the stats, the enabled components and the order of requests at the end."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        crawler.signals.connect(self.closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RecordStats:
        return cls(crawler)

    def closed(self) -> None:
        queue = self.crawler.settings["SCHEDULER_PRIORITY_QUEUE"]
        stats = {**self.crawler.stats.get_stats(), "queue": str(queue)}
        _record("stats.jsonl", stats)

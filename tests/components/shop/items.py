"""Items of every kind; some have room for what templcrawl adds, some have not."""

from __future__ import annotations

from dataclasses import dataclass

import attrs
import pydantic
import scrapy


class ScrapyItem(scrapy.Item):
    url = scrapy.Field()
    content_text = scrapy.Field()


class BareScrapyItem(scrapy.Item):
    url = scrapy.Field()


@dataclass
class DataItem:
    url: str
    content_html: str | None = None
    content_text: str = ""
    template_id: str | None = None


@dataclass(frozen=True)
class FrozenItem:
    url: str
    content_text: str | None = None


@attrs.define
class AttrsItem:
    url: str
    template_id: str | None = None


class PydanticItem(pydantic.BaseModel):
    url: str
    content_text: str | None = None


@dataclass
class OwnTextItem:
    url: str
    content_text: str = "written by the spider"


KINDS = (ScrapyItem, BareScrapyItem, DataItem, FrozenItem, AttrsItem, PydanticItem, OwnTextItem)

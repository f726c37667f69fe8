"""Items of every kind; some have room for what templcrawl adds, some have not."""

from __future__ import annotations

from dataclasses import dataclass

import attrs
import pydantic
import scrapy
from itemloaders.processors import TakeFirst
from scrapy.loader import ItemLoader

from templcrawl.outputs.items import PageItem


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
    leaf_id: str | None = None


@dataclass(frozen=True)
class FrozenItem:
    url: str
    content_text: str | None = None


@attrs.define
class AttrsItem:
    url: str
    leaf_id: str | None = None


class PydanticItem(pydantic.BaseModel):
    url: str
    content_text: str | None = None


@dataclass
class OwnTextItem:
    url: str
    content_text: str = "written by the spider"


class LoadedItem(scrapy.Item):
    url = scrapy.Field(output_processor=TakeFirst())
    content_html = scrapy.Field()


def loaded_item(url: str) -> LoadedItem:
    """Return an item as an ItemLoader makes it."""
    loader = ItemLoader(item=LoadedItem())
    loader.add_value("url", url)
    loaded: LoadedItem = loader.load_item()
    return loaded


class AskingDict(dict[str, object]):
    def __init__(self, url: str) -> None:
        super().__init__(url=url, content_text=None)


KINDS = (
    ScrapyItem,
    BareScrapyItem,
    DataItem,
    FrozenItem,
    AttrsItem,
    PydanticItem,
    OwnTextItem,
    loaded_item,
    AskingDict,
    PageItem,
)

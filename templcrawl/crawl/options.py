"""The parts, orders and components that settings ask for: one row each, imported on demand.

Nothing else of the core names an order, a judge, a part of a crawl, or a component that few crawls have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

_HERE = "templcrawl.crawl"
_PARTS = f"{_HERE}.parts"
_RECRAWL = f"{_HERE}.recrawl_middlewares"


class OrderRow(NamedTuple):
    """An order of ``TEMPLCRAWL_ORDER``.

    path   its class in :mod:`templcrawl.crawl.orders`
    needs  the setting that it needs; why, as a message adds it
    """

    path: str
    needs: str = ""
    why: str = ""


ORDERS = {
    "adaptive": OrderRow("adaptive_order.AdaptiveOrder"),
    "targets": OrderRow("targets_order.TargetsOrder", "targets"),
    "changes": OrderRow("changes_order.ChangesOrder", "store", ", to know what earlier crawls have read"),
    "template": OrderRow("template_order.TemplateOrder"),
    "focus": OrderRow("focus_order.FocusOrder", "relevance", ", or TEMPLCRAWL_TOPIC"),
    "distiller": OrderRow("distiller_order.DistillerOrder", "relevance", ", or TEMPLCRAWL_TOPIC"),
    "off": OrderRow("Order"),
}
PAY_ORDERS = ("adaptive", "targets")  # they fetch first what pays: traps and roles of links are told

# Attribute of a page that is known before its site sees it -> the setting that asks for it, its class.
JUDGES = {
    "page_type": ("page_type_examples", f"{_HERE}.example_types.ExampleTypes"),
    "relevance": ("relevance", f"{_HERE}.topic.Topic"),
}

# Whether the settings, or the sections of the memory, ask for a part of a crawl -> its class; in the order in
# which they are told of a page.
PARTS: Sequence[tuple[Callable[[Any, Mapping[str, Any]], object], str]] = (
    (lambda chosen, sections: chosen.kind_callbacks, f"{_PARTS}.kind_callbacks.KindCallbacks"),
    (lambda chosen, sections: chosen.order != "off", f"{_PARTS}.stop.SpentSites"),
    (lambda chosen, sections: chosen.order in PAY_ORDERS, f"{_PARTS}.stop.TrapLog"),
    (lambda chosen, sections: True, f"{_PARTS}.stats.BarePages"),
    (lambda chosen, sections: "kinds" in sections, f"{_PARTS}.kind_callbacks.KindCounts"),
    (lambda chosen, sections: chosen.relevance, f"{_PARTS}.harvest.HarvestRate"),
    (lambda chosen, sections: True, f"{_PARTS}.stats.CrawlStats"),
    (lambda chosen, sections: "changes" in sections, f"{_PARTS}.change_counts.ChangeCounts"),
    (lambda chosen, sections: chosen.archive, f"{_PARTS}.crawl_archive.CrawlArchive"),
    (lambda chosen, sections: chosen.report, f"{_PARTS}.html_report.HtmlReport"),
    (lambda chosen, sections: chosen.page_types_file, f"{_PARTS}.page_type_table.PageTypeTable"),
)


class ComponentRow(NamedTuple):
    """A component of Scrapy.

    setting   where Scrapy finds it
    order     its place there
    asked_by  the field of the settings that asks for it; "": each crawl has it
    """

    setting: str
    path: str
    order: int
    asked_by: str = ""


_DOWNLOADER, _SPIDER, _PIPELINES = "DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES", "ITEM_PIPELINES"
COMPONENTS = (
    ComponentRow("EXTENSIONS", f"{_HERE}.extension.CrawlExtension", 0),
    ComponentRow(_DOWNLOADER, f"{_HERE}.middlewares.ObserveMiddleware", 545),
    ComponentRow(_DOWNLOADER, f"{_RECRAWL}.RecrawlDownloaderMiddleware", 544, "recrawls"),
    ComponentRow(_DOWNLOADER, f"{_RECRAWL}.SignalsMiddleware", 546, "reads_signals"),
    ComponentRow(_SPIDER, f"{_RECRAWL}.RecrawlSpiderMiddleware", 951, "recrawls"),
    ComponentRow(_SPIDER, f"{_HERE}.target_examples.TargetExamplesMiddleware", 940, "target_pages"),
    ComponentRow(_SPIDER, f"{_HERE}.middlewares.TemplateSpiderMiddleware", 950),
    ComponentRow(_PIPELINES, f"{_HERE}.pipelines.SkipUnchangedPipeline", 5, "skip_unchanged"),
    ComponentRow(_PIPELINES, f"{_HERE}.pipelines.StripFieldsPipeline", 10, "strip_fields"),
    ComponentRow(_PIPELINES, f"{_HERE}.pipelines.NearDuplicatesPipeline", 20, "drop_near_duplicates"),
    ComponentRow(_PIPELINES, f"{_HERE}.pipelines.DatabasePipeline", 900, "database"),
)

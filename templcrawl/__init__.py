"""Template-aware crawling for Scrapy.

Without Scrapy: ``CrawlMemory`` and ``Page`` separate template and content of pages as they
arrive; the papers' algorithms can be called alone.  With Scrapy: ``ADDONS = {"templcrawl.Addon": 500}``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from templcrawl.algorithms.crawl_order.focus import TopicWords
    from templcrawl.algorithms.extraction.sandwich import sandwich
    from templcrawl.algorithms.page_types.fingerprint import FingerprintIndex, template_fingerprint
    from templcrawl.algorithms.page_types.type_classifiers import FingerprintClassifier, StructuralClassifier
    from templcrawl.algorithms.pagelets.partition import Pagelet, partition_pagelets
    from templcrawl.crawl.addon import Addon
    from templcrawl.crawl.response_page import content
    from templcrawl.crawl.site_spider import SiteSpider
    from templcrawl.errors import (
        InvalidOption,
        InvalidSnapshot,
        MissingExtra,
        TemplcrawlError,
    )
    from templcrawl.memory.crawl_memory import CrawlMemory
    from templcrawl.memory.observation import Observation
    from templcrawl.memory.page_types import TypedLeaf
    from templcrawl.memory.site import SiteMemory
    from templcrawl.page.addresses import Link
    from templcrawl.page.page import Page
    from templcrawl.page.separation import Separation

__version__ = "0.1.0"

__all__ = [
    "Addon",
    "CrawlMemory",
    "FingerprintClassifier",
    "FingerprintIndex",
    "InvalidOption",
    "InvalidSnapshot",
    "Link",
    "MissingExtra",
    "Observation",
    "Page",
    "Pagelet",
    "Separation",
    "SiteMemory",
    "SiteSpider",
    "StructuralClassifier",
    "TemplcrawlError",
    "TopicWords",
    "TypedLeaf",
    "content",
    "partition_pagelets",
    "sandwich",
    "template_fingerprint",
]


_MODULES = {
    "Addon": "crawl.addon",
    "CrawlMemory": "memory.crawl_memory",
    "FingerprintClassifier": "algorithms.page_types.type_classifiers",
    "FingerprintIndex": "algorithms.page_types.fingerprint",
    "Link": "page.addresses",
    "Observation": "memory.observation",
    "Page": "page.page",
    "TypedLeaf": "memory.page_types",
    "Pagelet": "algorithms.pagelets.partition",
    "Separation": "page.separation",
    "SiteMemory": "memory.site",
    "SiteSpider": "crawl.site_spider",
    "TopicWords": "algorithms.crawl_order.focus",
    "StructuralClassifier": "algorithms.page_types.type_classifiers",
    "content": "crawl.response_page",
    "partition_pagelets": "algorithms.pagelets.partition",
    "sandwich": "algorithms.extraction.sandwich",
    "template_fingerprint": "algorithms.page_types.fingerprint",
    **dict.fromkeys(("InvalidOption", "InvalidSnapshot", "MissingExtra", "TemplcrawlError"), "errors"),
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: Scrapy's command line loads this package on every start."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

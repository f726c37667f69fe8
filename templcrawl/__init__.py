"""Template-aware crawling for Scrapy.

Without Scrapy: :class:`CrawlMemory` and :class:`Page` tell template and content of pages apart as they
come, and the papers' algorithms stand beside them.  With Scrapy: ``ADDONS = {"templcrawl.Addon": 500}``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from templcrawl.algorithms.fingerprint import template_fingerprint
from templcrawl.algorithms.fingerprint_index import FingerprintIndex
from templcrawl.algorithms.pagelets import Pagelet, partition_pagelets
from templcrawl.algorithms.sandwich import sandwich
from templcrawl.errors import (
    BrokenInvariant,
    InvalidOption,
    InvalidSnapshot,
    MissingExtra,
    TemplcrawlError,
)
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.site import SiteMemory
from templcrawl.page.links import Link
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation, TemplateLink

if TYPE_CHECKING:
    from templcrawl.components.addon import Addon

__version__ = "0.1.0"

__all__ = [
    "Addon",
    "BrokenInvariant",
    "CrawlMemory",
    "FingerprintIndex",
    "InvalidOption",
    "InvalidSnapshot",
    "Link",
    "MissingExtra",
    "Page",
    "Pagelet",
    "Separation",
    "SiteMemory",
    "TemplateLink",
    "TemplcrawlError",
    "partition_pagelets",
    "sandwich",
    "template_fingerprint",
]


def __getattr__(name: str) -> Any:
    """Load the add-on, and Scrapy with it, only when it is asked for."""
    if name == "Addon":
        from templcrawl.components.addon import Addon

        return Addon
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

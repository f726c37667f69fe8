"""The parts of a crawl, and what asks for each: a file each, imported where the settings ask for it.

A new part is a file here and a row of ``PARTS``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.misc import load_object

from templcrawl.crawl.options import PAY_ORDERS
from templcrawl.crawl.part import Crawl, CrawlPart
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.guard import starting

# Whether the settings, or the sections of the memory, ask for it -> its class; in the order in which they are
# told of a page.
PARTS: Sequence[tuple[Callable[[TemplcrawlSettings, Mapping[str, Any]], object], str]] = (
    (lambda chosen, sections: chosen.kind_callbacks, f"{__name__}.kind_callbacks.KindCallbacks"),
    (lambda chosen, sections: chosen.order != "off", f"{__name__}.stop.SpentSites"),
    (lambda chosen, sections: chosen.order in PAY_ORDERS, f"{__name__}.trap_log.TrapLog"),
    (lambda chosen, sections: True, f"{__name__}.bare_pages.BarePages"),
    (lambda chosen, sections: "kinds" in sections, f"{__name__}.kind_callbacks.KindCounts"),
    (lambda chosen, sections: chosen.relevance, f"{__name__}.harvest.HarvestRate"),
    (lambda chosen, sections: True, f"{__name__}.stats.CrawlStats"),
    (lambda chosen, sections: "changes" in sections, f"{__name__}.change_counts.ChangeCounts"),
    (lambda chosen, sections: chosen.archive, f"{__name__}.crawl_archive.CrawlArchive"),
    (lambda chosen, sections: chosen.report, f"{__name__}.html_report.HtmlReport"),
    (lambda chosen, sections: chosen.page_types_file, f"{__name__}.page_type_table.PageTypeTable"),
)


def parts_of(crawl: Crawl) -> list[CrawlPart]:
    """Return the parts that the settings of a crawl ask for; raises what their constructors raise."""
    parts = list[CrawlPart]()
    for is_asked_for, path in PARTS:
        if is_asked_for(crawl.settings, crawl.memory.options.sections):
            with suppress(NotConfigured):  # it has failed, and was logged
                parts.append(_part(path, crawl.crawler, crawl))
    return parts


@starting
def _part(path: str, crawler: Crawler, crawl: Crawl) -> CrawlPart:
    part: CrawlPart = load_object(path)(crawl)
    return part

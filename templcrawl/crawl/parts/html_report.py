"""The report of a crawl: one HTML file with the figures of this run, written at the close.

Where it cannot be written, that is logged and counted.  Memory: some 120 MB at most
(:mod:`templcrawl.outputs.report.figures`).
"""

from __future__ import annotations

import time
from datetime import datetime, timezone

from scrapy import Request
from scrapy.http import Response

from templcrawl.crawl.claims import claim_file
from templcrawl.crawl.options import PAY_ORDERS
from templcrawl.crawl.part import Crawl, CrawlPart
from templcrawl.crawl.setting_values import PREFIX
from templcrawl.crawl.settings import SETTINGS, TemplcrawlSettings
from templcrawl.errors import NOT_SHOWN, shown
from templcrawl.guard import LogErrors
from templcrawl.memory.observation import Observation
from templcrawl.outputs.report.contents import CrawlFacts, report_contents
from templcrawl.outputs.report.figures import CrawlFigures
from templcrawl.outputs.report.html import load_template, write_report

_SETTING, _SECRET = f"{PREFIX}REPORT", f"{PREFIX}DATABASE"
_ERRORS = "templcrawl/errors/"


class HtmlReport(CrawlPart):
    """Writes the report of a crawl."""

    doing = "reporting"

    def __init__(self, crawl: Crawl) -> None:
        """Begin a report; raises InvalidOption, MissingExtra."""
        super().__init__(crawl)
        self._path = claim_file(self.crawler, _SETTING, self._settings.report or "")
        load_template()
        self._figures = CrawlFigures()

    def open(self) -> None:
        """Begin to count."""
        self._opened = time.monotonic()

    def page_observed(self, request: Request, response: Response, observation: Observation) -> None:
        """Count a page."""
        self._figures.count_page(observation)

    def close(self, reason: str) -> None:
        """Write the report."""
        with LogErrors(self.crawler, f"writing the report {self._path}"):
            stats, spider = self._stats, self.crawler.spider
            run = CrawlFacts(
                source=f"spider {spider.name}" if spider else "a crawl",
                made=datetime.now(timezone.utc),
                seconds=time.monotonic() - self._opened,
                errors=sum(count for name, count in stats.get_stats().items() if name.startswith(_ERRORS)),
                waited=stats.get_value("templcrawl/links/waited", 0),
                by_role=self._settings.order in PAY_ORDERS,
                settings=changed_settings(self._settings),
            )
            write_report(report_contents(self._figures, self._memory, run), self._path)
            self._log.info("templcrawl: the report of this crawl is %s", self._path)


def changed_settings(settings: TemplcrawlSettings) -> dict[str, str]:
    """Return setting -> value, where it differs from the default and is not a secret.

    >>> changed_settings(TemplcrawlSettings(stop=True, archive="s3://me:secret@bucket/crawl"))
    {'TEMPLCRAWL_STOP': 'True', 'TEMPLCRAWL_ARCHIVE': "'s3://…@bucket/crawl'"}
    """
    default = TemplcrawlSettings()
    values = {name: getattr(settings, each.name) for name, each in SETTINGS.items()}
    return {
        name: shown(NOT_SHOWN if name == _SECRET else value)
        for name, value in values.items()
        if value != getattr(default, SETTINGS[name].name)
    }

"""The extension that writes the HTML report of a crawl when its spider closes.

It keeps the figures of this run (at most some 120 MB, see :mod:`templcrawl.outputs.report.figures`).  Where
it cannot be made or written, that is logged and counted, and the crawl ends as it would.
"""

from __future__ import annotations

import logging
import time
from datetime import datetime, timezone
from pathlib import Path

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from templcrawl.crawl.components import PageListener
from templcrawl.crawl.extension import TemplateMemory
from templcrawl.crawl.jobs.claims import claim_target
from templcrawl.crawl.setting_values import PREFIX
from templcrawl.crawl.settings import SETTINGS, TemplcrawlSettings
from templcrawl.errors import NOT_SHOWN, InvalidOption, shown
from templcrawl.files import try_file
from templcrawl.guard import GuardedStats, Surviving
from templcrawl.memory.observation import Observation
from templcrawl.outputs.report.contents import Run, report_contents
from templcrawl.outputs.report.figures import CrawlFigures
from templcrawl.outputs.report.html import load_template, write_report

logger = logging.getLogger(__name__)

_SECRET = f"{PREFIX}DATABASE"
_ERRORS = "templcrawl/errors/"


class HtmlReport(PageListener):
    """Writes the report of a crawl."""

    doing = "reporting"
    setting = f"{PREFIX}REPORT"

    def __init__(self, crawler: Crawler) -> None:
        """Begin a report; raises NotConfigured, InvalidOption, MissingExtra."""
        super().__init__(crawler)
        if self._settings.report is None:
            raise NotConfigured
        target = claim_target(crawler, self.setting, self._settings.report, overwrites=True)
        self._path = writable_file(self.setting, target)
        load_template()
        self._figures = CrawlFigures()

    def open(self) -> None:
        """Begin to count."""
        super().open()
        self._opened = time.monotonic()

    def add(self, extension: TemplateMemory, observation: Observation, request: Request) -> None:
        """Count a page."""
        self._figures.update(observation)

    def close(self) -> None:
        """Write the report."""
        if self._extension is None:
            return
        with Surviving(self._crawler, f"writing the report {self._path}"):
            contents = report_contents(
                self._figures, self._extension.memory, self._run(self._extension.stats)
            )
            write_report(contents, self._path)
            logger.info(
                "templcrawl: the report of this crawl is %(path)s",
                {"path": self._path},
                extra={"spider": self._crawler.spider},
            )

    def _run(self, stats: GuardedStats) -> Run:
        spider = self._crawler.spider
        return Run(
            source=f"spider {spider.name}" if spider else "a crawl",
            made=datetime.now(timezone.utc),
            seconds=time.monotonic() - self._opened,
            errors=sum(count for name, count in stats.get_stats().items() if name.startswith(_ERRORS)),
            waited=stats.get_value("templcrawl/links/waited", 0),
            by_role=self._settings.policy.by_pay,
            settings=changed_settings(self._settings),
        )


def changed_settings(settings: TemplcrawlSettings) -> dict[str, str]:
    """Return setting -> value, of those that differ from the defaults, without what is secret.

    >>> changed_settings(TemplcrawlSettings(hold=5, archive="s3://me:secret@bucket/crawl"))
    {'TEMPLCRAWL_HOLD': '5', 'TEMPLCRAWL_ARCHIVE': "'s3://…@bucket/crawl'"}
    """
    default = TemplcrawlSettings()
    values = {name: getattr(settings, each.name) for name, each in SETTINGS.items()}
    return {
        name: shown(NOT_SHOWN if name == _SECRET else value)
        for name, value in values.items()
        if value != getattr(default, SETTINGS[name].name)
    }


def writable_file(setting: str, target: str) -> Path:
    """Return the file that a setting names; raises InvalidOption where it cannot be written."""
    path = Path(target)
    try:
        try_file(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidOption(setting, target, f"a file that can be written ({reason})") from error
    return path

"""What a crawl writes beside its feeds: by listeners that get each page, to targets that it has to itself.

*The report* has the figures of this run (at most some 120 MB, see :mod:`templcrawl.outputs.report.figures`).

*The table of page types* has a row for each leaf, which items join by their ``leaf_id``.  It goes to the JSON
file that ``TEMPLCRAWL_PAGE_TYPE_TABLE`` names.  The
archive (:mod:`templcrawl.crawl.crawl_archive`) writes its own.  Rows of sites that leave the memory wait in a
temporary file.  A crawl with a JOBDIR keeps the entries of what it has written before, for the sites that it
does not visit again.

Where one of them cannot be made or written, that is logged and counted, and the crawl ends as it would.

Cost: that of the page types of each site, once.  Memory: the names of the ``MOST_HOSTS`` hosts visited last;
entries that an earlier run has written for other hosts may stand twice, and then the later one holds.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime, timezone
from itertools import chain
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, ClassVar, NamedTuple

from scrapy import Request
from scrapy.crawler import Crawler

from templcrawl.crawl.job import Job
from templcrawl.crawl.output_names import claim_file
from templcrawl.crawl.setting_values import PREFIX
from templcrawl.crawl.settings import SETTINGS, TemplcrawlSettings
from templcrawl.errors import NOT_SHOWN, shown
from templcrawl.guard import CrawlLogger, GuardedStats, Surviving, starting
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.observation import Observation
from templcrawl.memory.page_types import TypedLeaf
from templcrawl.memory.site import SiteMemory
from templcrawl.outputs.items import entry_of, read_page_types, write_page_types
from templcrawl.outputs.report.contents import Run, report_contents
from templcrawl.outputs.report.figures import CrawlFigures
from templcrawl.outputs.report.html import load_template, write_report

if TYPE_CHECKING:
    from typing_extensions import Self

_SECRET = f"{PREFIX}DATABASE"
_ERRORS = "templcrawl/errors/"

MOST_HOSTS = 100_000


class Parts(NamedTuple):
    """The parts of a crawl that a listener needs; ``job`` is None without a JOBDIR."""

    crawler: Crawler
    settings: TemplcrawlSettings
    memory: CrawlMemory
    job: Job | None


class PageListener:
    """A part of a crawl that gets each page that was observed.

    doing      what it does with a page, as errors are logged
    setting    its setting
    _settings  all settings, frozen; and the memory, the stats, the job, a logger of the crawl
    """

    doing: ClassVar[str]
    setting: ClassVar[str]

    def __init__(self, parts: Parts) -> None:
        """Begin before the crawl has started; raises InvalidOption, InvalidSnapshot, MissingExtra."""
        self.crawler, self._settings, self._memory, self._job = parts
        self._stats, self._log = GuardedStats(self.crawler), CrawlLogger(type(self).__module__, self.crawler)
        self._memory.on_evicted.append(self._evict)

    @classmethod
    @starting
    def from_crawler(cls, crawler: Crawler, parts: Parts) -> Self:
        """Return the listener; raises what the constructor raises, NotConfigured where that fails."""
        return cls(parts)

    def open(self) -> None:
        """Begin; the spider is open."""

    def take(self, observation: Observation, request: Request) -> None:
        """Take in a page, and the request that it answers."""
        with self._surviving(observation.page.url):
            self.add(observation, request)

    def _evict(self, site: SiteMemory) -> None:
        with self._surviving(site.host):
            self.add_evicted(site)

    def add(self, observation: Observation, request: Request) -> None:
        """Take in a page; what it raises is logged."""
        raise NotImplementedError

    def add_evicted(self, site: SiteMemory) -> None:
        """Take in a site that leaves the memory; what it raises is logged."""

    def close(self) -> None:
        """End; the spider is closed."""
        raise NotImplementedError

    def _surviving(self, about: str) -> Surviving:
        return Surviving(self.crawler, f"{self.doing} {about}")


class HtmlReport(PageListener):
    """Writes the report of a crawl."""

    doing = "reporting"
    setting = f"{PREFIX}REPORT"

    def __init__(self, parts: Parts) -> None:
        """Begin a report; raises InvalidOption, MissingExtra."""
        super().__init__(parts)
        self._path = claim_file(self.crawler, self.setting, self._settings.report or "")
        load_template()
        self._figures = CrawlFigures()

    def open(self) -> None:
        """Begin to count."""
        self._opened = time.monotonic()

    def add(self, observation: Observation, request: Request) -> None:
        """Count a page."""
        self._figures.update(observation)

    def close(self) -> None:
        """Write the report."""
        with Surviving(self.crawler, f"writing the report {self._path}"):
            stats, spider = self._stats, self.crawler.spider
            run = Run(
                source=f"spider {spider.name}" if spider else "a crawl",
                made=datetime.now(timezone.utc),
                seconds=time.monotonic() - self._opened,
                errors=sum(count for name, count in stats.get_stats().items() if name.startswith(_ERRORS)),
                waited=stats.get_value("templcrawl/links/waited", 0),
                by_role=self._settings.policy.by_pay,
                settings=changed_settings(self._settings),
            )
            write_report(report_contents(self._figures, self._memory, run), self._path)
            self._log.info("templcrawl: the report of this crawl is %s", self._path)


def changed_settings(settings: TemplcrawlSettings) -> dict[str, str]:
    """Return setting -> value, of those that differ from the defaults, without what is secret.

    >>> changed_settings(TemplcrawlSettings(max_sites=5, archive="s3://me:secret@bucket/crawl"))
    {'TEMPLCRAWL_ARCHIVE': "'s3://…@bucket/crawl'", 'TEMPLCRAWL_MAX_SITES': '5'}
    """
    default = TemplcrawlSettings()
    values = {name: getattr(settings, each.name) for name, each in SETTINGS.items()}
    return {
        name: shown(NOT_SHOWN if name == _SECRET else value)
        for name, value in values.items()
        if value != getattr(default, SETTINGS[name].name)
    }


class PageTypeTable(PageListener):
    """Writes the page type of each leaf."""

    doing = "writing the page types"
    setting = f"{PREFIX}PAGE_TYPE_TABLE"

    def __init__(self, parts: Parts) -> None:
        """Find the file; raises InvalidOption."""
        super().__init__(parts)
        self._path = claim_file(self.crawler, self.setting, self._settings.page_type_table or "")
        self._hosts: LruDict[str, None] = LruDict(MOST_HOSTS)
        self._evicted: IO[str] | None = None  # made once a site leaves the memory

    def add(self, observation: Observation, request: Request) -> None:
        """Note the host of a page: its site has page types of this crawl."""
        self._hosts[observation.page.host] = None

    def add_evicted(self, site: SiteMemory) -> None:
        """Note the page types of a site."""
        if self._evicted is None:
            self._evicted = TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 (open until the close)
        self._evicted.writelines(f"{entry_of(leaf)}\n" for leaf in site.page_types())

    def close(self) -> None:
        """Write the table."""
        with self._surviving(str(self._path)):
            earlier: list[TypedLeaf] = []
            if self._job is not None and self._path.exists():
                with self._path.open(encoding="utf-8", errors="replace") as lines:
                    earlier = [leaf for leaf in read_page_types(lines) if leaf.host not in self._hosts]
            count = write_page_types(self._path, chain(earlier, self._leaves()))
            self._log.info("templcrawl: the page types of %d leaves are in %s", count, self._path)
        if self._evicted is not None:
            self._evicted.close()

    def _leaves(self) -> Iterator[TypedLeaf]:
        if self._evicted is not None:
            self._evicted.seek(0)
            yield from read_page_types(self._evicted)
        yield from self._memory.page_types()

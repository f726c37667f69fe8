"""The extension that writes a JSON file at the close: the final page type of each label of the crawl.

The file is one object, label -> label of its page type at the end, an entry a line: of each leaf and of each
name that a page type had, so that items of any store join by ``leaf_id`` (best) or ``template_id``.  It is
written aside and takes its place when it is whole.

Entries of sites that are evicted from the memory wait in a file beside it, ``NAME.evicted``.  A crawl with a
JOBDIR keeps the entries of what it has written before, for the sites that it does not visit again.  If a
label has two entries, the later one holds, as in readers of JSON.

Cost: O(labels), once.  Memory: the names of the ``MOST_HOSTS`` hosts visited last; entries that an earlier
run has written for other hosts may stand twice.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.utils.job import job_dir

from templcrawl.crawl.extension import TemplateMemory
from templcrawl.crawl.html_report import writable_file
from templcrawl.crawl.jobs.jobs import claim_target
from templcrawl.crawl.page_listener import PageListener
from templcrawl.crawl.setting_values import PREFIX
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.files import whole_file
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.observation import Observation
from templcrawl.memory.site import SiteMemory

logger = logging.getLogger(__name__)

MOST_HOSTS = 100_000


class LabelAliases(PageListener):
    """Writes the page type of each label."""

    doing = "writing the aliases of labels"
    setting = f"{PREFIX}ALIASES"

    def __init__(self, crawler: Crawler) -> None:
        """Find the file; raises NotConfigured, InvalidOption."""
        super().__init__(crawler)
        settings = TemplcrawlSettings.from_settings(crawler.settings)
        if not settings.enabled or settings.aliases is None:
            raise NotConfigured
        target = claim_target(crawler, self.setting, settings.aliases, overwrites=True)
        self._path = writable_file(self.setting, target)
        self._evicted = self._path.with_name(f"{self._path.name}.evicted")
        self._is_resumable = job_dir(crawler.settings) is not None
        self._hosts: LruDict[str, None] = LruDict(MOST_HOSTS)

    def open(self) -> None:
        """Begin to note the labels of evicted sites."""
        super().open()
        if not self._is_resumable:
            self._evicted.unlink(missing_ok=True)
        if self._memory is not None:
            self._memory.memory.on_evicted.append(self._note)

    def add(self, memory: TemplateMemory, observation: Observation) -> None:
        """Note the host of a page: its site has labels of this crawl."""
        self._hosts[observation.page.host] = None

    def _note(self, site: SiteMemory) -> None:
        memory = self._memory
        if memory is not None:
            with (
                memory.surviving(self.doing, str(self._evicted)),
                self._evicted.open("a", encoding="utf-8") as file,
            ):
                file.writelines(f"{line}\n" for line in _lines(site.final_labels()))

    def close(self) -> None:
        """Write the file."""
        memory = self._memory
        if memory is None:
            return
        with memory.surviving(self.doing, str(self._path)):
            count = 0
            with whole_file(self._path) as file:
                for line in self._all_lines(memory):
                    file.write((",\n" if count else "{\n").encode() + line.encode())
                    count += 1
                file.write(b"\n}\n" if count else b"{}\n")
            self._evicted.unlink(missing_ok=True)
            logger.info(
                "templcrawl: the page types of %(count)d labels are in %(path)s",
                {"count": count, "path": self._path},
                extra={"spider": self._crawler.spider},
            )

    def _all_lines(self, memory: TemplateMemory) -> Iterator[str]:
        """Yield the entries as JSON: of earlier runs of the job, of evicted sites, of those in memory."""
        if self._is_resumable:
            earlier = _entries(self._path)
            yield from _lines({label: name for label, name in earlier if _host(label) not in self._hosts})
        yield from (line for label, name in _entries(self._evicted) for line in _lines({label: name}))
        for site in memory.memory:
            yield from _lines(site.final_labels())


def _lines(labels: Mapping[str, str]) -> Iterator[str]:
    for label, name in labels.items():
        yield f"{json.dumps(label)}: {json.dumps(name)}"


def _entries(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (label, page type) of the lines of a file that have both; nothing where there is no file."""
    if not path.exists():
        return
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                entry = json.loads(f"{{{line.strip().rstrip(',')}}}")
            except ValueError:
                continue
            yield from ((label, name) for label, name in entry.items() if isinstance(name, str))


def _host(label: str) -> str:
    return label.rpartition("#")[0]

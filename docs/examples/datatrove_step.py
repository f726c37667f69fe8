"""A step for datatrove: the text of each document without the template of its site.

    LocalPipelineExecutor([
        WarcReader("crawl/", glob_pattern="*.warc.gz"),
        SiteText(),
        JsonlWriter("texts/"),
    ]).run()

The documents of a host must follow one another, as they do where the input is sorted by host.  The HTML is
the text of a document, its address ``metadata["url"]``.  The step writes how many pages of the site were
known to ``metadata["site_pages"]``.

Cost and memory: see :mod:`host_texts`.  A host that returns is learned anew (statistic "host_again"), so that
a shard that is not sorted costs quality, not memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, tee
from typing import Any

from datatrove.data import Document
from datatrove.pipeline.base import PipelineStep
from host_texts import HELD_PAGES, host_of, host_texts


class SiteText(PipelineStep):
    """Replace the HTML of documents by their text without the template of their site.

    held        pages of a host that are held back, see :mod:`host_texts`
    least_pages  documents that were judged by fewer pages of their site are dropped (statistic "lone")
    """

    name = "templcrawl"
    type = "🛢 - EXTRAC"

    def __init__(self, held: int = HELD_PAGES, least_pages: int = 0) -> None:
        super().__init__()
        self.held = held
        self.least_pages = least_pages

    def run(self, data: Any, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Yield the documents that have text; the order stays."""
        hosts: set[str] = set()
        for host, documents in groupby(data, key=lambda document: host_of(document.metadata["url"])):
            if host in hosts:
                self.stat_update("host_again")
            hosts.add(host)
            yield from self._strip_host(documents)

    def _strip_host(self, documents: Iterator[Document]) -> Iterator[Document]:
        given, written = tee(documents)
        texts = host_texts(((one.text, one.metadata["url"]) for one in given), self.held)
        for document, found in zip(written, texts):
            self.stat_update("total")
            if found.pages < self.least_pages:
                self.stat_update("lone")
            elif not found.text:
                self.stat_update("dropped")
            else:
                document.text = found.text
                document.metadata["site_pages"] = found.pages
                self.stat_update("forwarded")
                self.update_doc_stats(document)
                yield document

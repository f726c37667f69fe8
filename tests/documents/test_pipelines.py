"""The stages for data pipelines in ``docs/examples`` give the text of pages without their site's template."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from importlib import import_module
from itertools import groupby
from pathlib import Path

import pytest

from lab.bench.peers import ALL_TEXT, PEERS
from templcrawl import CrawlMemory, Page
from tests.documents.example_pages import EXAMPLES, LONE, content_share, load_example, pages_of_hosts

host_texts = load_example("host_texts")


def _of_hosts(pages: list[tuple[str, str]], held: int = 100) -> dict[str, tuple[str, int]]:
    """Return URL -> text and pages of pages that come host after host."""
    found = {}
    for _, group in groupby(pages, key=lambda page: host_texts.host_of(page[0])):
        some = list(group)
        texts = host_texts.host_texts([(html, url) for url, html in some], held)
        found.update({url: tuple(one) for (url, _), one in zip(some, texts)})
    return found


def test_pages_that_are_held_back_are_judged_by_all() -> None:
    """The first page has no menu left, and a memory that reads all pages twice gives the same answers."""
    pages = pages_of_hosts()
    found = _of_hosts(pages)
    assert content_share({url: text for url, (text, _) in found.items()}) > 0.93
    all_text = PEERS[ALL_TEXT]()([])
    assert content_share({url: all_text(html, url) for url, html in pages}) < 0.88
    site = [(url, html) for url, html in pages if "//tea." in url]
    memory = CrawlMemory(link_evidence=False, sample_salt=0)
    for url, html in site:
        memory.observe(Page.from_html(html, url=url))
    twice = {url: memory.observe(Page.from_html(html, url=url)).content_text for url, html in site}
    assert {url: found[url] for url in twice} == {url: (text, len(site)) for url, text in twice.items()}
    assert found[LONE[0]] == ("One page about tea leaves and nothing more.", 1)


def test_pages_after_those_are_read_once() -> None:
    """With two pages held back the answers are those of a crawl from page 3 on, and the counts grow."""
    site = [(url, html) for url, html in pages_of_hosts() if "//tea." in url]
    found = _of_hosts(site, held=2)
    memory = CrawlMemory(link_evidence=False, sample_salt=0)
    crawled = [memory.observe(Page.from_html(html, url=url)).content_text for url, html in site]
    assert [found[url] for url, _ in site[2:]] == [(text, n) for n, text in enumerate(crawled[2:], 3)]
    assert [found[url][1] for url, _ in site[:2]] == [2, 2]


def test_a_url_without_a_host_is_of_no_host() -> None:
    assert [host_texts.host_of(url) for url in ("mailto:x", "http://[", "HTTP://Tea.example:80/")] == [
        "",
        "",
        "tea.example",
    ]


def test_every_example_is_short_and_named_in_the_document() -> None:
    document = (EXAMPLES.parent / "pipelines.md").read_text(encoding="utf-8")
    for path in EXAMPLES.glob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) < 100
        assert f"examples/{path.name}" in document


class TestDatatrove:
    """The step in a pipeline of datatrove."""

    @pytest.fixture(autouse=True)
    def step(self) -> None:
        pytest.importorskip("datatrove")
        self.site_text = load_example("datatrove_step").SiteText

    def _documents(self, pages: list[tuple[str, str]]):
        from datatrove.data import Document

        return [Document(html, str(n), metadata={"url": url}) for n, (url, html) in enumerate(pages)]

    def test_it_gives_the_text_of_the_pages_of_each_host(self) -> None:
        pages = pages_of_hosts()
        expected = _of_hosts(pages)
        found = list(self.site_text().run(iter(self._documents(pages))))
        assert [(one.metadata["url"], one.text, one.metadata["site_pages"]) for one in found] == [
            (url, text, known) for url, (text, known) in expected.items() if text
        ]

    def test_lone_pages_can_be_left_to_another_step(self) -> None:
        step = self.site_text(least_pages=2)
        found = list(step.run(iter(self._documents(pages_of_hosts()))))
        assert LONE[0] not in {one.metadata["url"] for one in found}
        assert step.stats["lone"].total == 1

    def test_a_host_that_returns_is_counted(self) -> None:
        pages = pages_of_hosts()
        step = self.site_text()
        assert list(step.run(iter(self._documents([pages[0], LONE, pages[1]]))))
        assert step.stats["host_again"].total == 1

    @pytest.mark.parametrize("kind", ["Parquet", "Warc"])
    def test_a_pipeline_writes_the_texts_of_a_file(self, tmp_path: Path, kind: str) -> None:
        """In a process of its own: datatrove leaves an event loop open."""
        if kind == "Warc":
            pytest.importorskip("magic")
            pytest.importorskip("cchardet")
        pages = pages_of_hosts()
        (tmp_path / "pages").mkdir()
        WRITERS[kind](tmp_path / "pages", pages)
        command = [sys.executable, "-W", "ignore", "-c", PIPELINE, f"{kind}Reader", str(tmp_path)]
        done = subprocess.run(command, cwd=EXAMPLES, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-2000:]
        (file,) = (tmp_path / "texts").glob("*.jsonl")
        found = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        expected = {url: text for url, (text, _) in _of_hosts(pages).items() if text}
        assert {one["metadata"]["url"]: one["text"] for one in found} == expected


def _write_parquet(folder: Path, pages: list[tuple[str, str]]) -> None:
    rows = [{"id": url, "url": url, "text": html} for url, html in pages]
    arrow = pytest.importorskip("pyarrow")
    import_module("pyarrow.parquet").write_table(arrow.Table.from_pylist(rows), folder / "pages.parquet")


def _write_warc(folder: Path, pages: list[tuple[str, str]]) -> None:
    with gzip.open(folder / "pages.warc.gz", "wb") as file:
        for number, (url, html) in enumerate(pages):
            body = html.encode()
            http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(body)
            head = (
                f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{number}>\r\n"
                f"WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: {url}\r\n"
                "WARC-Identified-Payload-Type: text/html\r\n"
                "Content-Type: application/http; msgtype=response\r\n"
                f"Content-Length: {len(http + body)}\r\n\r\n"
            )
            file.write(head.encode() + http + body + b"\r\n\r\n")


WRITERS = {"Parquet": _write_parquet, "Warc": _write_warc}
PIPELINE = """
import sys
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline import readers
from datatrove.pipeline.writers.jsonl import JsonlWriter
from datatrove_step import SiteText

reader, folder = sys.argv[1:]
read = getattr(readers, reader)(f"{folder}/pages")
write = JsonlWriter(f"{folder}/texts", compression=None)
LocalPipelineExecutor([read, SiteText(), write], logging_dir=f"{folder}/logs").run()
"""

"""The stages for data pipelines in ``docs/examples`` give the text of pages without their site's template."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from lab.bench.peers import ALL_TEXT, PEERS
from templcrawl import CrawlMemory, Page
from tests.documents.example_pages import EXAMPLES, LONE, content_share, load_example, pages_of_hosts
from tests.tools.readers.archives import Answer, write_warc

host_texts = load_example("host_texts")


def _of_hosts(pages: list[tuple[str, str]], held: int = 100) -> dict[str, tuple[str, int]]:
    """Return URL -> text and pages of pages that come host after host."""
    found = {}
    for _, group in groupby(pages, key=lambda page: host_texts.host_of(page[0])):
        some = list(group)
        texts = host_texts.host_texts([(html, url) for url, html in some], held)
        found.update({url: tuple(one) for (url, _), one in zip(some, texts)})
    return found


def test_pages_that_are_held_back_are_judged_by_all_and_others_are_read_once() -> None:
    """As by a memory that reads all pages twice; with two held back as in a crawl, from page 3 on."""
    pages = pages_of_hosts()
    found = _of_hosts(pages)
    assert content_share({url: text for url, (text, _) in found.items()}) > 0.93
    all_text = PEERS[ALL_TEXT]()([])
    assert content_share({url: all_text(html, url) for url, html in pages}) < 0.88
    assert found[LONE[0]] == ("One page about tea leaves and nothing more.", 1)
    site = [(url, html) for url, html in pages if "//tea." in url]
    memory = CrawlMemory(sample_salt=0)
    once, twice = (
        [memory.observe(Page.from_html(html, url=url)).content_text for url, html in site] for _ in range(2)
    )
    assert [found[url] for url, _ in site] == [(text, len(site)) for text in twice]
    first, second, *later = _of_hosts(site, held=2).values()
    assert (first[1], second[1]) == (2, 2)
    assert later == [(text, number) for number, text in enumerate(once[2:], 3)]


def test_every_example_is_short_and_named_in_the_document() -> None:
    urls = ("mailto:x", "http://[", "HTTP://Tea.example:80/")
    assert [host_texts.host_of(url) for url in urls] == ["", "", "tea.example"]
    document = (EXAMPLES.parent / "crawling.md").read_text(encoding="utf-8")
    for path in EXAMPLES.glob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) < 100
        assert f"examples/{path.name}" in document


def test_a_step_of_datatrove_gives_the_texts_of_each_host() -> None:
    document_of = pytest.importorskip("datatrove.data").Document
    site_text = load_example("datatrove_step").SiteText

    def run(step: Any, pages: list[tuple[str, str]]) -> list[tuple[str, str, int]]:
        documents = [document_of(html, url, metadata={"url": url}) for url, html in pages]
        return [(one.id, one.text, one.metadata["site_pages"]) for one in step.run(iter(documents))]

    pages = pages_of_hosts()
    expected = [(url, text, known) for url, (text, known) in _of_hosts(pages).items() if text]
    assert run(site_text(), pages) == expected
    without_lone, returning = site_text(least_pages=2), site_text()
    assert run(without_lone, pages) == expected[:-1]
    assert without_lone.stats["lone"].total == 1
    assert len(run(returning, [pages[0], LONE, pages[1]])) == 3
    assert returning.stats["host_again"].total == 1


@pytest.mark.parametrize("kind", ["Parquet", "Warc"])
def test_a_pipeline_of_datatrove_writes_the_texts_of_a_file(tmp_path: Path, kind: str) -> None:
    """In a process of its own: datatrove leaves an event loop open."""
    pytest.importorskip("datatrove")
    pages = pages_of_hosts()[:-1]
    folder = tmp_path / "pages"
    folder.mkdir()
    if kind == "Warc":
        pytest.importorskip("magic")
        pytest.importorskip("cchardet")
        write_warc(folder / "pages.warc.gz", [Answer(url, html.encode()) for url, html in pages])
    else:
        rows = [{"id": url, "url": url, "text": html} for url, html in pages]
        table = pytest.importorskip("pyarrow").Table.from_pylist(rows)
        import_module("pyarrow.parquet").write_table(table, folder / "pages.parquet")
    command = [sys.executable, "-W", "ignore", "-c", PIPELINE, f"{kind}Reader", str(tmp_path)]
    done = subprocess.run(command, cwd=EXAMPLES, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    (file,) = (tmp_path / "texts").glob("*.jsonl")
    found = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    expected = {url: text for url, (text, _) in _of_hosts(pages).items() if text}
    assert {one["metadata"]["url"]: one["text"] for one in found} == expected


PIPELINE = """
import sys
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline import readers
from datatrove.pipeline.writers.jsonl import JsonlWriter
from datatrove_step import SiteText

read = getattr(readers, sys.argv[1])(f"{sys.argv[2]}/pages")
write = JsonlWriter(f"{sys.argv[2]}/texts", compression=None)
LocalPipelineExecutor([read, SiteText(), write], logging_dir=f"{sys.argv[2]}/logs").run()
"""

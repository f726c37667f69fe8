"""The file of aliases: what each label of a crawl's items stands for at the end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler
from templcrawl.crawl.aliases import LabelAliases

from lab.sites.generated import generate_demo_site
from lab.sites.server import LocalSite
from templcrawl.crawl.extension import TemplateMemory
from tests.crawl.crawls import DEMO_SITE, ONE_BY_ONE, ONE_LINE, run_crawl

PAGES = [page.html for page in generate_demo_site().pages.values()][:30]


@pytest.fixture(scope="module")
def site() -> Iterator[LocalSite]:
    with LocalSite(DEMO_SITE.html) as served:
        yield served


def crawler_of(aliases: Path, **more: object) -> Crawler:
    extensions = {"EXTENSIONS": {"templcrawl.crawl.extension.TemplateMemory": 0}}
    return get_crawler(Spider, {**extensions, "TEMPLCRAWL_ALIASES": str(aliases), **more})


def crawl_hosts(crawler: Crawler, hosts: list[str]) -> None:
    """Let the pages of some hosts pass through the extension, host after host."""
    listener = LabelAliases.from_crawler(crawler)
    memory = TemplateMemory.of(crawler)
    listener.open()
    for host in hosts:
        for number, html in enumerate(PAGES):
            request = Request(f"http://{host}/{number}")
            response = HtmlResponse(request.url, body=html.encode(), request=request)
            memory.observe(request, response)
            listener.listen(response, request)
    listener.close()
    memory.close()


def test_items_of_a_crawl_join_by_it(site: LocalSite, tmp_path: Path) -> None:
    path = tmp_path / "aliases.json"
    fields = {"TEMPLCRAWL_ITEM_FIELDS": ["template_id", "leaf_id"], "TEMPLCRAWL_ALIASES": str(path)}
    crawl = run_crawl("plain", site.url, tmp_path / "out", {**ONE_LINE, **fields})
    aliases = json.loads(path.read_text())
    items = [item for kind, item in crawl.items if kind == "dict"]
    assert len(items) > 100
    final = {aliases[item["leaf_id"]] for item in items}
    assert final == {aliases[label] for label in final} <= {*aliases.values()}
    assert {item["template_id"] for item in items} <= aliases.keys()
    assert 3 < len(final) < len({item["leaf_id"] for item in items})
    assert f"labels are in {path}" in crawl.log
    assert not [stat for stat in crawl.stats if stat.startswith("templcrawl/errors")]
    assert [file.name for file in tmp_path.iterdir() if "aliases" in file.name] == ["aliases.json"]


def test_few_pages_of_a_crawl_have_another_label_at_its_end(site: LocalSite, tmp_path: Path) -> None:
    """A page of a new type is near no page before it, and is named by a view that knows it."""
    path = tmp_path / "aliases.json"
    fields = {"TEMPLCRAWL_ITEM_FIELDS": ["template_id", "leaf_id"], "TEMPLCRAWL_ALIASES": str(path)}
    crawl = run_crawl("plain", site.url, tmp_path / "out", {**ONE_LINE, **ONE_BY_ONE, **fields})
    aliases = json.loads(path.read_text())
    items = [item for kind, item in crawl.items if kind == "dict"]
    renamed = [item for item in items if item["template_id"] != aliases[item["leaf_id"]]]
    assert len(items) > 100
    assert len(renamed) <= 5


def test_sites_that_left_the_memory_are_in_it(tmp_path: Path) -> None:
    path, hosts = tmp_path / "aliases.json", ["a.example", "b.example", "c.example"]
    crawl_hosts(crawler_of(path, TEMPLCRAWL_MAX_SITES=1), hosts)
    few = json.loads(path.read_text())
    assert {label.partition("#")[0] for label in few} == {*hosts}
    crawl_hosts(crawler_of(path), hosts)
    assert json.loads(path.read_text()) == few
    crawl_hosts(crawler_of(path), [])
    assert json.loads(path.read_text()) == {}


def test_a_job_keeps_what_it_has_written_of_sites_that_it_does_not_visit_again(tmp_path: Path) -> None:
    path, job = tmp_path / "aliases.json", str(tmp_path / "job")
    crawl_hosts(crawler_of(path, JOBDIR=job), ["a.example"])
    first = json.loads(path.read_text())
    (tmp_path / "aliases.json.evicted").write_text('"d.example#1": "d.example#2"\n"d.example#3": "d.exa')
    crawl_hosts(crawler_of(path, JOBDIR=job), ["b.example"])
    both = json.loads(path.read_text())
    assert both == {
        **first,
        "d.example#1": "d.example#2",
        **{label.replace("a.", "b."): name.replace("a.", "b.") for label, name in first.items()},
    }


def test_hosts_that_are_forgotten_lose_no_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, job, hosts = tmp_path / "aliases.json", str(tmp_path / "job"), ["a.example", "b.example"]
    monkeypatch.setattr("templcrawl.crawl.aliases.MOST_HOSTS", 1)
    crawl_hosts(crawler_of(path, JOBDIR=job), hosts)
    first = path.read_text()
    crawl_hosts(crawler_of(path, JOBDIR=job), hosts)
    assert json.loads(path.read_text()) == json.loads(first)
    assert len(path.read_text()) > len(first)


def test_where_it_cannot_be_written_the_crawl_does_not_start(site: LocalSite, tmp_path: Path) -> None:
    settings = {**ONE_LINE, "TEMPLCRAWL_ALIASES": "/no/such/folder/aliases.json"}
    crawl = run_crawl("plain", site.url, tmp_path / "out", settings)
    assert not crawl.responses
    assert "TEMPLCRAWL_ALIASES = '/no/such/folder/aliases.json' is not accepted" in crawl.log

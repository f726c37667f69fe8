"""The sites that workers crawl, as files and a plan: saved ones, or generated ones; imported, not run.

A plan says of each page where its HTML lies, and of each address on a page which page that is, so that any
worker can answer any request.  Gold and page types stay with the benchmark.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from lab.bench.page_types.page_sets import page_types
from lab.bench.saved_sites import SavedSite, Words, corpus_sites, words_of
from lab.sites.generated import generate_demo_site
from templcrawl import Page

PLAN = "plan.json"


class Known(NamedTuple):
    """What is known of a page beforehand: words of its content, None if not scored, and its type."""

    site: str
    gold: Words | None
    kind: str | None


class Plan(NamedTuple):
    """What workers are given, and what they are measured by.

    starts   address of the first page of each site
    files    address of each page -> its file
    aliases  address on a page -> address of the page behind it
    known    address of each page -> what is known of it
    """

    starts: list[str]
    files: dict[str, str]
    aliases: dict[str, str]
    known: dict[str, Known]

    def write(self, folder: Path) -> None:
        """Write what workers are given."""
        given = {"starts": self.starts, "files": self.files, "aliases": self.aliases}
        (folder / PLAN).write_text(json.dumps(given), encoding="utf-8")

    def add(self, url: str, html: bytes, known: Known, folder: Path) -> None:
        """Add a page."""
        path = folder / f"{len(self.files)}.html"
        path.write_bytes(html)
        self.files[url] = str(path)
        self.aliases[url] = url
        self.known[url] = known


def _add_saved(plan: Plan, site: SavedSite, kinds: dict[bytes, str], pages: int, folder: Path) -> None:
    saved = list(site.pages(pages))
    plan.starts.append(saved[0].url)
    url_of = {}
    for one in saved:
        kind = kinds.get(unquote_to_bytes(one.url.split("/", 3)[3]))
        gold = words_of(one.gold or "")
        plan.add(one.url, one.html, Known(site.name, gold if gold.total() >= 30 else None, kind), folder)
        url_of[site.find(one.url)] = one.url
    for one in saved:
        for url in one.page.links.urls:
            behind = url_of.get(site.find(url))
            if behind is not None:
                plan.aliases[url.partition("#")[0]] = behind


def _add_generated(plan: Plan, seed: int, pages: int, folder: Path) -> None:
    size = max(1, pages // 3)
    site = generate_demo_site(seed=seed, articles=size, products=size, chapters=size)
    host = f"http://generated{seed}.example"
    plan.starts.append(f"{host}/")
    for path, page in site.pages.items():
        gold = words_of(" ".join(page.content_words))
        known = Known(f"generated {seed}", gold if gold.total() >= 30 else None, page.template)
        plan.add(f"{host}{path}", page.html.encode(), known, folder)
    for url, file in list(plan.files.items()):
        if url.startswith(host):
            for link in Page.from_html(Path(file).read_bytes(), url).links.urls:
                target = link.partition("#")[0]
                if target in plan.files:
                    plan.aliases[target] = target


def make_plan(folder: Path, corpora: Path | None, names: Sequence[str], pages: int) -> Plan:
    """Write the pages of sites into a folder, and return the plan of them."""
    plan = Plan([], {}, {}, {})
    if corpora is None:
        for seed in (1, 2, 3):
            _add_generated(plan, seed, pages, folder)
    else:
        kinds = page_types(corpora)
        for site in corpus_sites(corpora):
            if not names or site.name in names:
                _add_saved(plan, site, kinds.get(site.name, {}), pages, folder)
    plan.write(folder)
    return plan

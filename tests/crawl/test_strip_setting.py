"""``TEMPLCRAWL_TEMPLATE_OF`` in a real crawl of a generated site with a shop, a forum and a catalogue."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from lab.sites.areas import words_of
from lab.sites.fact_sites import generate_mixed_site
from lab.sites.server import LocalSite
from tests.crawl.crawls import ADDON, ONE_BY_ONE, run_crawl

LAST = 24
IN_ORDER = {**ONE_BY_ONE, "TEMPLCRAWL_ORDER": "off"}
"""The listings come first, then some records of each kind in turn."""

SITE = {page.path: page for page in generate_mixed_site()}


def text(words: str) -> str:
    return f" {' '.join(words_of(words))} "


def test_items_lose_what_their_page_type_repeats_and_keep_their_facts(tmp_path: Path) -> None:
    with LocalSite({path: page.html for path, page in SITE.items()}) as site:
        settings = {**ADDON, **IN_ORDER, "TEMPLCRAWL_TEMPLATE_OF": "page type"}
        texts = run_crawl("plain", site.url, tmp_path, settings).texts()
    found = [(SITE[urlsplit(url).path], text(content)) for url, content in texts.items()]
    records = [(page, content) for page, content in found if page.facts][-LAST:]
    facts = [text(f"{label} {value}") in content for page, content in records for label, value in page.facts]
    assert sum(facts) >= 0.98 * len(facts)
    assert not [page.path for page, content in records if text(page.notice) in content]

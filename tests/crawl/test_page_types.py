"""Page types from examples, in a running crawl."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from scrapy.utils.test import get_crawler

from lab.sites.server import LocalSite
from templcrawl.crawl.extension import CrawlExtension
from templcrawl.errors import InvalidOption
from tests.crawl.crawls import DEMO_SITE, ONE_LINE, run_crawl

PATHS = {"article": "/news/article-", "product": "/shop/product-", "chapter": "/manual/chapter-"}


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """Three pages of each type, in a folder of folders."""
    for kind, start in PATHS.items():
        folder = tmp_path / "types" / kind
        folder.mkdir(parents=True)
        for number, path in enumerate([path for path in DEMO_SITE.pages if path.startswith(start)][:3]):
            (folder / f"{number}.html").write_text(DEMO_SITE.pages[path].html, encoding="utf-8")
    return tmp_path / "types"


def test_items_say_which_type_of_page_they_are_from(examples: Path, tmp_path: Path) -> None:
    with LocalSite(DEMO_SITE.html) as site:
        settings = {
            **ONE_LINE,
            "TEMPLCRAWL_ITEM_FIELDS": "page_type",
            "TEMPLCRAWL_PAGE_TYPE_EXAMPLES": str(examples),
        }
        crawl = run_crawl("plain", site.url, tmp_path / "out", settings)
    items = [item for kind, item in crawl.items if kind == "dict"]
    told = Counter(
        (kind, item["page_type"]) for item in items for kind, start in PATHS.items() if start in item["url"]
    )
    right = sum(count for (kind, found), count in told.items() if kind == found)
    wrong = sum(count for (kind, found), count in told.items() if found not in (kind, None))
    assert right > 0.9 * told.total() > 50
    assert wrong == 0
    assert crawl.stats["templcrawl/pages/typed"] >= right


@pytest.mark.parametrize(
    ("folder", "accepted"),
    [
        ("missing", "a folder of pages for each"),
        ("empty", "page"),
        ("types", "out of the page types article"),
    ],
)
def test_a_folder_without_examples_stops_the_start_and_says_what_is_wanted(
    folder: str, accepted: str, examples: Path, tmp_path: Path
) -> None:
    (tmp_path / "empty" / "article").mkdir(parents=True)
    settings = {"ORDER": "targets", "TARGETS": ["thread"], "PAGE_TYPE_EXAMPLES": str(tmp_path / folder)}
    crawler = get_crawler(settings_dict={f"TEMPLCRAWL_{name}": value for name, value in settings.items()})
    with pytest.raises(InvalidOption, match=rf"TEMPLCRAWL_.* is not accepted: give .*{accepted}"):
        CrawlExtension(crawler)

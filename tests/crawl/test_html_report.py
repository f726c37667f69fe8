"""The report of a crawl is written when the spider closes, and is never in the way of the crawl."""

from __future__ import annotations

import errno
import signal
from pathlib import Path

import pytest
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from lab.sites.server import LocalSite
from templcrawl.crawl.claims import claim_file
from templcrawl.crawl.parts.html_report import changed_settings
from templcrawl.crawl.settings import TemplcrawlSettings
from templcrawl.errors import InvalidOption
from tests.crawl.crawls import ADDON, ONE_BY_ONE, run_crawl
from tests.outputs.report.reading import Reader, assert_inert

pytest.importorskip("jinja2")


def settings_for(report: object, **more: object) -> dict[str, object]:
    return {**ADDON, **ONE_BY_ONE, "TEMPLCRAWL_REPORT": str(report), **more}


def tiles(reader: Reader) -> dict[str, str]:
    words = [text.strip() for text in reader.texts if text.strip()]
    return {name: words[place + 1] for place, name in reversed(list(enumerate(words[:-1])))}


def test_it_says_what_the_stats_say(site: LocalSite, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    stats = run_crawl("plain", site.url, tmp_path / "out", settings_for(path)).stats
    reader = assert_inert(path.read_text(encoding="utf-8"))
    found = tiles(reader)
    for name, stat in (
        ("pages", "pages"),
        ("sites", "sites"),
        ("page types", "page_types"),
        ("near-duplicates", "pages/near_duplicates"),
        ("links that waited", "links/waited"),
    ):
        assert found[name] == f"{stats.get(f'templcrawl/{stat}', 0):,}", name
    share = stats["templcrawl/text/template_characters"] / stats["templcrawl/text/characters"]
    assert found["of the visible text is template"] == f"{share:.0%}"
    assert found["errors of templcrawl"] == "0"
    assert "TEMPLCRAWL_REPORT = " in reader.text
    assert "What links led to" in reader.text
    assert stats["templcrawl/pages"] > 100


@pytest.mark.exhaustive
def test_it_is_written_after_a_signal(site: LocalSite, tmp_path: Path) -> None:
    path, most = tmp_path / "report.html", len(site.targets) + 30
    run_crawl(
        "plain",
        site.url,
        tmp_path / "out",
        settings_for(path),
        stop_when=lambda: len(site.targets) >= most,
        with_signal=signal.SIGTERM,
    )
    assert_inert(path.read_text(encoding="utf-8"))


@pytest.mark.exhaustive
def test_where_it_cannot_be_written_the_crawl_ends_as_it_would(site: LocalSite, tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    most = len(site.targets) + 10

    def removed() -> bool:
        if len(site.targets) >= most and folder.exists():
            folder.rmdir()
        return False

    settings = settings_for(folder / "report.html", CLOSESPIDER_PAGECOUNT=40)
    crawl = run_crawl("plain", site.url, tmp_path / "out", settings, stop_when=removed)
    assert len(crawl.responses) >= 40
    assert crawl.stats["templcrawl/errors/FileNotFoundError"] == 1
    assert "templcrawl failed while writing the report" in crawl.log
    assert crawl.stats["finish_reason"] == "closespider_pagecount"


def test_a_target_that_cannot_be_written_is_found_out_at_the_start(tmp_path: Path, monkeypatch) -> None:
    def read_only(path: Path, content: bytes) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    crawler = get_crawler()
    (tmp_path / "report.html").write_text("before")
    assert claim_file(crawler, "TEMPLCRAWL_REPORT", str(tmp_path / "report.html")) == tmp_path / "report.html"
    monkeypatch.setattr(Path, "write_bytes", read_only)
    with pytest.raises(InvalidOption, match=r"a file that can be written \(Read-only file system\)$"):
        claim_file(crawler, "TEMPLCRAWL_REPORT", str(tmp_path / "report.html"))
    assert [path.read_text() for path in tmp_path.iterdir()] == ["before"]


def test_without_jinja_the_crawl_does_not_start(site: LocalSite, tmp_path: Path) -> None:
    settings = settings_for(tmp_path / "report.html")
    settings["ADDONS"] = {"lab.sites.shop.components.NoJinja": 1, "templcrawl.Addon": 500}
    crawl = run_crawl("plain", site.url, tmp_path / "out", settings)
    assert not crawl.responses
    assert "pip install 'templcrawl[report]'" in crawl.log


def test_settings_that_were_changed_are_named_without_what_is_secret() -> None:
    assert changed_settings(TemplcrawlSettings()) == {}
    found = changed_settings(TemplcrawlSettings(limits={}, stop=True, archive="s3://key:secret@bucket/crawl"))
    assert found == {"TEMPLCRAWL_STOP": "True", "TEMPLCRAWL_ARCHIVE": "'s3://…@bucket/crawl'"}
    given = {
        "DATABASE": "postgresql://me:pa/ss@db/crawl",
        "ITEM_FIELDS": ["leaf_id"],
        "LIMITS": {"max_sites": 7},
    }
    written = Settings({f"TEMPLCRAWL_{name}": value for name, value in given.items()})
    found = changed_settings(TemplcrawlSettings.from_settings(written))
    assert {*found} == {f"TEMPLCRAWL_{name}" for name in given}, "and none that nobody can set"
    assert found["TEMPLCRAWL_DATABASE"] == "…"

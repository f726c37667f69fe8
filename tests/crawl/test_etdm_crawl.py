"""A real crawl with the detector ``etdm``, straight and with a pause.

The site is of one template: a start page, five pages of a menu, whose last one lists the articles, and
articles that link to the menu and to the next one.  It has more pages than are kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from lab.sites.menu_site import MENU, page, path_of
from lab.sites.server import LocalSite
from lab.sites.words import prose
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.site import SiteMemory, learned_with
from tests.crawl.crawls import ADDON, ONE_BY_ONE, Crawl, run_crawl
from tests.memory.invariants import check
from tests.memory.stores import saved_in

ARTICLES = [f"article{number}" for number in range(50)]


def pages() -> dict[str, str]:
    """Return path -> page."""
    found = {path_of(name): page(name) for name in MENU}
    for name, after in zip(ARTICLES, (*ARTICLES[1:], ARTICLES[0])):
        found[path_of(name)] = page(name, f"<a href={path_of(after)}>{after}</a>")
    found["/"] = page("start")
    found[path_of(MENU[-1])] = page(
        MENU[-1], " ".join(f"<a href={path_of(name)}>{name}</a>" for name in ARTICLES)
    )
    return found


@pytest.fixture(scope="module")
def site() -> Iterator[LocalSite]:
    with LocalSite(pages()) as served:
        yield served


def settings_for(job: Path, **more: object) -> dict[str, object]:
    return {**ADDON, **ONE_BY_ONE, "TEMPLCRAWL_DETECTOR": "etdm", "JOBDIR": str(job), **more}


def learned(job: Path, site: LocalSite) -> SiteMemory:
    snapshot = saved_in(job, site.url.split("/")[2])
    assert snapshot is not None
    assert learned_with(snapshot) == "etdm"
    memory = SiteMemory.from_snapshot(snapshot, MemoryOptions(detector="etdm"))
    check(memory)
    return memory


@pytest.fixture(scope="module")
def straight(site: LocalSite, tmp_path_factory: pytest.TempPathFactory) -> tuple[Crawl, SiteMemory]:
    """The crawl without interruption."""
    job = tmp_path_factory.mktemp("job")
    crawl = run_crawl("plain", site.url, tmp_path_factory.mktemp("out"), settings_for(job))
    return crawl, learned(job, site)


def test_of_each_article_its_own_words_are_left(site: LocalSite, straight: tuple[Crawl, SiteMemory]) -> None:
    texts = straight[0].texts()
    for name, after in pairwise(ARTICLES):
        words = texts[site.url + path_of(name)[1:]].split("\n")
        assert words == [after, f"About {name}", prose(name), prose(f"{name} again")]
    assert len(straight[1].snapshot().numbers("detector/pages/names")) == 32
    assert " ERROR: " not in straight[0].log


@pytest.mark.exhaustive
def test_a_paused_crawl_ends_with_the_same_texts_and_the_same_memory(
    site: LocalSite, straight: tuple[Crawl, SiteMemory], tmp_path: Path
) -> None:
    job, output = tmp_path / "job", tmp_path / "out"
    run_crawl("plain", site.url, output, settings_for(job, CLOSESPIDER_PAGECOUNT=25))
    assert 10 < learned(job, site).pages < straight[1].pages
    crawl = run_crawl("plain", site.url, output, settings_for(job))
    expected = straight[0].texts()
    del expected[site.url]  # the start page is fetched, and judged, again
    assert expected.items() <= crawl.texts().items()
    assert learned(job, site).snapshot().section("detector") == straight[1].snapshot().section("detector")
    assert " ERROR: " not in crawl.log

"""``strip="page type"``: what a page type repeats goes from a generated site, and its facts stay."""

from __future__ import annotations

import random

import pytest

from lab.sites.areas import words_of
from lab.sites.fact_sites import FactPage, generate_mixed_site
from templcrawl.errors import InvalidOption
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.site import SiteMemory
from templcrawl.page.page import Page
from templcrawl.tools.whole_site.site_detector import SiteVote

LEARNING = 60
HOST = "h.example"


def shuffled() -> list[FactPage]:
    site = generate_mixed_site()
    random.Random(1).shuffle(site)
    return site


def page_of(page: FactPage) -> Page:
    return Page(page.html, f"http://{HOST}{page.path}")


def has(text: str, phrase: str) -> bool:
    return f" {' '.join(words_of(phrase))} " in f" {' '.join(words_of(text))} "


def facts_and_notices(answers: list[tuple[FactPage, str]]) -> tuple[float, float]:
    """Return the share of facts and that of notices that answers have."""
    facts = [has(text, f"{label} {value}") for page, text in answers for label, value in page.facts]
    notices = [has(text, page.notice) for page, text in answers if page.notice]
    return sum(facts) / len(facts), sum(notices) / len(notices)


@pytest.mark.parametrize(("strip", "notices"), [("site", 1.0), ("page type", 0.0)])
def test_notices_of_a_kind_of_record_go_and_its_facts_stay(strip: str, notices: float) -> None:
    memory = CrawlMemory(sample_salt=1, strip=strip)
    answers = [(page, memory.observe(page_of(page)).content_text) for page in shuffled()]
    assert facts_and_notices(answers[LEARNING:]) == (1.0, notices)


@pytest.mark.parametrize(("strip", "notices"), [("site", 1.0), ("page type", 0.0)])
def test_a_finished_site_is_stripped_so_too(strip: str, notices: float) -> None:
    site, pages = SiteVote(strip), shuffled()
    for page in pages:
        site.learn(page_of(page))
    answers = [(page, site.separate(page_of(page)).content_text) for page in pages]
    assert facts_and_notices(answers) == (1.0, notices)


def test_a_snapshot_of_the_other_kind_is_resumed() -> None:
    by_site, by_type = MemoryOptions(sample_salt=1), MemoryOptions(sample_salt=1, strip="page type")
    for before, after in ((by_site, by_type), (by_type, by_site)):
        site = SiteMemory(HOST, before)
        for page in shuffled()[:20]:
            site.observe(page_of(page))
        again = SiteMemory.from_snapshot(site.snapshot(), after)
        assert again.pages == 20
        assert again.snapshot() == site.snapshot()


def test_a_page_that_is_judged_again_is_stripped_by_what_is_known_since() -> None:
    site, pages = SiteMemory(HOST, MemoryOptions(sample_salt=1, strip="page type")), shuffled()
    first = next(page for page in pages if page.notice)
    early = site.observe(page_of(first))
    for page in pages:
        site.observe(page_of(page))
    late = site.reclassify(early)
    assert has(early.content_text, first.notice)
    assert not has(late.content_text, first.notice)


@pytest.mark.parametrize("values", [{"strip": "type"}, {"strip": None}])
def test_a_value_that_is_not_accepted_is_named(values: dict[str, str]) -> None:
    with pytest.raises(InvalidOption, match="strip"):
        MemoryOptions(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize(("picture", "stays"), [("/boat{}.png", True), ("/van.png", False)])
def test_pictures_of_a_page_stay_with_a_caption_that_all_pages_have(picture: str, stays: bool) -> None:
    memory = CrawlMemory(sample_salt=1, strip="page type")
    for number in range(24):
        prose = " ".join(f"word{number}x{n}" for n in range(30))
        figure = f"<figure><img src={picture.format(number)}><figcaption>From the pier</figcaption></figure>"
        html = f"<nav><a href=/>Home</a></nav><h1>Boat {number}</h1><p>{prose}</p>{figure}<p>{prose}</p>"
        answer = memory.observe(Page(html, f"http://{HOST}/{number}"))
    assert ("From the pier" in answer.content_text) == stays
    assert (picture.format(23) in answer.content_html) == stays

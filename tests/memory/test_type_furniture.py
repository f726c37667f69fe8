"""``strip="page type"``: what a page type repeats goes from a generated site, and its facts stay."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lab.sites.areas import words_of
from lab.sites.fact_sites import FactPage, generate_mixed_site
from templcrawl.errors import InvalidOption
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.memory.memory_options import MemoryOptions
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


PROSE = " ".join(f"prose{n}" for n in range(24))
FIELDS = {
    "before": "<div><div>{label}</div><div>{value}</div></div>",
    "behind": "<div><div><b>{value}</b></div><div><span>{label}</span></div></div>",
    "bold": "<p><b>{label}</b> {value}</p>",
    "items": "<ul><li><span>{label}</span> <span>{value}</span></li></ul>",
    "terms": "<dl><dt>{label}</dt><dd>{value}</dd></dl>",
    "long terms": "<dl><dt>{label}</dt><dd><p>{value}</p><p>{prose}</p></dd></dl>",
    "cells": "<table><tr><th>{label}</th><td>{value}</td></tr></table>",
    "long cells": "<table><tr><th>{label}</th><td><p>{value}</p><p>{prose}</p></td></tr></table>",
    "captions": "<table><caption>{label}</caption><tr><td>{value}</td></tr></table>",
    "legends": "<fieldset><legend>{label}</legend><div>{value}</div><div>{prose}</div></fieldset>",
    "summaries": "<details><summary>{label}</summary><p>{value}</p><p>{prose}</p></details>",
    "long values": "<div><div>{label}</div><div><p>{value}</p><p>{prose}</p></div></div>",
}
HEADINGS = {
    "bare": "<{tag}>{heading}</{tag}>{entries}",
    "boxes": "<section><{tag}>{heading}</{tag}>{entries}</section>",
    "headers": "<div><div><{tag}>{heading}</{tag}><span>more</span></div>{entries}</div>",
    "links": "<div><{tag}><a href=/all>{heading}</a></{tag}>{entries}</div>",
}
NOTICE = "We answer letters on working days and none on holidays or at night"
NOTHING = "Nothing is known of it"


def type_of_pages(
    fields: list[str], headings: list[str], tag: str
) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield pages of a type: HTML, and pairs of what only the page has and what it is called."""
    for page in range(16):
        html, pairs = f"<h1>LeafDistances {page}</h1>", []
        for number, field in enumerate(fields):
            label, value = f"Label{number} of it", f"v{page}x{number}"
            html += FIELDS[field].format(label=label, value=value, prose=PROSE)
            pairs.append((value, label))
        for number, markup in enumerate(headings):
            heading, own = f"Heading {number} of some words", f"entry{page}x{number}"
            is_there = (page + number) % 3 > 0
            entries = f"<ul><li>{NOTHING}</li>{f'<li>{own}</li>' * is_there}</ul>"
            html += HEADINGS[markup].format(tag=tag, heading=heading, entries=entries)
            if is_there:
                pairs.append((own, heading))
        menu = "".join(f"<li><a href=/{n}>entry of the menu {n}</a></li>" for n in range(9))
        yield f"<body><nav><ul>{menu}</ul></nav><main>{html}<h2>Post</h2><p>{NOTICE}</p></main>", pairs


def text_of_last(pages: Sequence[str], strip: str) -> str:
    memory = CrawlMemory(sample_salt=1, strip=strip)
    for number, html in enumerate(pages):
        text: str = memory.observe(Page(html, f"http://{HOST}/places/{number}")).content_text
    return text


@pytest.mark.usefixtures("reader")
@given(
    st.lists(st.sampled_from(sorted(FIELDS)), max_size=4),
    st.lists(st.sampled_from(sorted(HEADINGS)), min_size=1, max_size=3),
    st.sampled_from(["h2", "h3", "h5"]),
)
@example(["bold", "bold"], ["bare", "bare"], "h2")
def test_a_value_stays_with_its_label_and_a_section_with_its_heading(
    fields: list[str], headings: list[str], tag: str
) -> None:
    """Of what the vote of the site selects: it may leave out a word behind a record and repeated rows."""
    pages, pairs_of = zip(*type_of_pages(fields, headings, tag))
    text = text_of_last(pages, "page type")
    assert NOTICE not in text
    lost = {value for value, label in pairs_of[-1] if value not in text or label not in text}
    assert not lost or lost.isdisjoint(text_of_last(pages, "site").split())


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    "form", ["<a href=/{word}>{word} ({count})</a>", "<label><input type=checkbox> {word} ({count})</label>"]
)
def test_filters_go_though_their_numbers_are_new(form: str) -> None:
    memory = CrawlMemory(sample_salt=1)
    words = [f"Tents of kind {number}" for number in range(12)]
    for page in range(16):
        counts = [(page * 7 + number * 5) % 90 for number in range(12)]
        filters = "".join(f"<li>{form.format(word=word, count=count)}" for word, count in zip(words, counts))
        goods = "".join(f"<div><h3>Thing {page} x {n}</h3><p>{page}{n}.50 (each)</p></div>" for n in range(9))
        html = (
            f"<main><h1>Shelf {page}</h1><p>In stock ({page})</p><div><ul>{filters}</ul></div>{goods}</main>"
        )
        text = memory.observe(Page(html, f"http://{HOST}/shelves/{page}")).content_text
    assert "Tents" not in text
    assert "In stock (15)" in text
    assert all(f"15{n}.50 (each)" in text for n in range(9))


def good(number: int) -> str:
    text = " ".join(f"word{number}x{place}" for place in range(40))
    return f"<body><main><h1>Good {number}</h1><p>{text}</p><div><p>We ship on Mondays</p></div></main>"


def table(number: int) -> str:
    rows = "".join(f"<tr><td>cell{number}x{row}<td>value{number}x{row}" for row in range(30))
    return f"<body><table class=list><caption>List {number}</caption>{rows}</table>"


@pytest.mark.usefixtures("reader")
def test_a_page_does_not_vote_on_its_copy_at_another_address() -> None:
    memory = CrawlMemory(sample_salt=1, strip="page type")
    for number in range(6):
        memory.observe(Page(table(number), f"http://{HOST}/{number}"))
    for number in range(3):
        memory.observe(Page(good(number), f"http://{HOST}/good/{number}"))
    copied = memory.observe(Page(good(0), f"http://{HOST}/copy")).separation
    assert "Mondays" in copied.content_text  # on two others, too few to tell
    fourth = memory.observe(Page(good(3), f"http://{HOST}/good/3")).separation
    assert "Mondays" not in fourth.content_text

"""What has become of a page since it was last read: by hand, on generated sites, in another process."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.bench.changes import generated_pages
from lab.sites.page_edits import (
    OF_TEMPLATE,
    Dressed,
    Edit,
    comment,
    one_word,
    paragraph,
    paragraph_gone,
)
from templcrawl.algorithms.similarity.alterations import MAX_RUNS, RunSketch
from templcrawl.memory.change_kinds import CHANGED, NEW, SAME, TEMPLATE_ONLY
from templcrawl.memory.change_table import ChangeTable, PageRecord
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.memory.memory_options import MemoryOptions
from templcrawl.memory.observation import Observation
from templcrawl.memory.site import SiteMemory
from templcrawl.memory.states import pack, unpack
from templcrawl.page.page import Page
from tests.memory.invariants import check
from tests.memory.pages import article, prose

OPTIONS = MemoryOptions(sample_salt=0, sections={"changes": {"limit": 1_000}})
PAGES = 24
OF_OLD_TEMPLATE = {name: OF_TEMPLATE[name] for name in ("token", "menu_entry", "footer_year")}


@lru_cache(maxsize=1)
def dressed_pages() -> list[Dressed]:
    pages = [page for page in generated_pages() if page is not None]
    return pages[:: len(pages) // PAGES][:PAGES]


@lru_cache(maxsize=1)
def learned() -> bytes:
    memory = SiteMemory("generated.example", OPTIONS)
    for page in dressed_pages():
        assert memory.observe(read(page), at=1).changed == NEW
    return pack(memory.snapshot())


def known() -> SiteMemory:
    return SiteMemory.from_snapshot(unpack("learned", learned()), OPTIONS)


def read(page: Dressed, *edits: Edit) -> Page:
    copy = page.copied()
    for edit in edits:
        edit(copy)
    return Page.from_html(copy.html, page.name, content_type="text/html; charset=utf-8")


def seen(memory: SiteMemory, pages: list[Page], at: int = 2) -> list[Observation]:
    return [memory.observe(page, at=at) for page in pages]


def of_another_crawl(memory: SiteMemory) -> SiteMemory:
    return SiteMemory.from_snapshot(memory.snapshot(), OPTIONS)


def articles(count: int = 6) -> SiteMemory:
    """Return what is known of some articles before another crawl."""
    memory = SiteMemory("example.org", OPTIONS)
    for number in range(count):
        memory.observe(article(number), at=10)
    return of_another_crawl(memory)


def test_by_hand() -> None:
    memory = articles()
    menu = "<li><a href='/shop'>Shop</a></li></ul>"
    shop = [Page(article(n).text.replace("</ul>", menu), article(n).url) for n in range(6)]
    first = memory.observe(article(1), at=20)
    assert (first.changed, first.first_seen, first.last_changed) == (
        SAME,
        "1970-01-01T00:00:10+00:00",
        "1970-01-01T00:00:10+00:00",
    )
    assert memory.observe(shop[1], at=30).changed == TEMPLATE_ONLY
    edited = memory.observe(Page(shop[2].text.replace("Title 2", "Title two"), shop[2].url), at=40)
    assert (edited.changed, edited.last_changed) == (CHANGED, "1970-01-01T00:00:40+00:00")
    memory = of_another_crawl(memory)
    again = memory.observe(Page(shop[2].text.replace("Title 2", "Title two"), shop[2].url), at=50)
    assert (again.changed, again.content_hash, again.last_changed) == (
        SAME,
        edited.content_hash,
        edited.last_changed,
    )
    assert memory.observe(article(7), at=60).changed == NEW


@pytest.mark.parametrize(
    ("clock", "shown"),
    [
        (-(10**12), "1970-01-01T00:00:00+00:00"),
        (-1, "1970-01-01T00:00:00+00:00"),
        (2**32, "2106-02-07T06:28:15+00:00"),
        (10**15, "2106-02-07T06:28:15+00:00"),
    ],
)
def test_a_clock_that_is_wrong_costs_the_date_and_no_page(clock: int, shown: str) -> None:
    memory = SiteMemory("tea.example", OPTIONS)
    page = Page("<p>Tea and milk", "http://tea.example/")
    one, again = memory.observe(page, at=clock), memory.observe(page, at=1_000)
    assert (one.changed, one.first_seen, one.last_changed) == (NEW, shown, shown)
    assert (again.changed, again.first_seen) == (NEW, shown)


def test_a_page_that_is_read_twice_in_a_crawl_is_what_it_was_said_to_be_first() -> None:
    """Its first callback may have yielded nothing, or have asked for it again."""
    memory = SiteMemory("example.org", OPTIONS)
    menu, title = article(1).text.replace("Help", "Shop"), article(1).text.replace("Title 1", "Title one")
    for crawl, html, kinds in (
        (1, article(1).text, (NEW, NEW)),
        (2, article(1).text, (SAME, SAME)),
        (3, menu, (TEMPLATE_ONLY, TEMPLATE_ONLY)),
        (4, title, (CHANGED, CHANGED)),
        (5, title, (SAME, SAME)),
    ):
        for number in range(2, 8):
            memory.observe(article(number), at=crawl)
        for kind in kinds:
            said = memory.observe(Page(html, article(1).url), at=crawl)
            assert (crawl, said.changed, memory.reclassify(said).changed) == (crawl, kind, kind)
        memory = of_another_crawl(memory)


def test_what_more_has_changed_since_it_was_read_first_in_a_crawl_counts() -> None:
    memory = articles()
    edited = article(1).text.replace("Title 1", "Title one")
    htmls = (article(1).text, edited, edited.replace("Help", "Shop"))
    said = [memory.observe(Page(html, article(1).url), at=20).changed for html in htmls]
    assert said == [SAME, CHANGED, CHANGED]
    new = [Page(article(9).text.replace("Title 9", title), article(9).url) for title in ("One", "Two")]
    assert [memory.observe(page, at=30).changed for page in new] == [NEW, CHANGED]


def recall(page: Page) -> Page:
    status, notice = '<p id="x-status">', "<p>This is recalled: it may catch fire.</p>"
    assert status in page.text
    return Page(page.text.replace(status, notice + status), page.url)


@pytest.mark.parametrize("count", [2, PAGES // 3])
def test_what_has_changed_on_some_pages_alike_has_changed_on_each(count: int) -> None:
    pages = [read(page) for page in dressed_pages()]
    recalled = [*map(recall, pages[:count])]
    memory = known()
    said = seen(memory, [*recalled, *pages[count:]])
    expected = [CHANGED] * count + [SAME] * (PAGES - count)
    assert [one.changed for one in said] == [memory.reclassify(one).changed for one in said] == expected
    memory = of_another_crawl(memory)
    assert [one.changed for one in seen(memory, pages)] == expected


@pytest.mark.parametrize(
    "text", ["", "<aside><a href=/old>The post of last week</a></aside>", "<h2>News</h2>"]
)
def test_what_all_pages_have_alike_is_template_once_most_of_the_sample_was_read_again(text: str) -> None:
    """A banner changes on each page of a site, which comes to know it in each crawl."""
    memory, pages = known(), [read(page) for page in dressed_pages()]
    for week in range(1, 4):
        banner = f"<body><div class=week>{text}<p>Week {week} has new lamps and chairs.</p></div>"
        with_banner = [Page(re.sub("<body[^>]*>", banner, page.text), page.url) for page in pages]
        said = seen(memory, with_banner, at=week)
        assert {one.changed for one in said[PAGES * 3 // 4 :]} == {TEMPLATE_ONLY}
        assert not any(f"Week {week}" in one.content_text for one in said[PAGES * 3 // 4 :])
        memory = of_another_crawl(memory)


@settings(deadline=None, max_examples=8)
@given(st.sets(st.sampled_from(sorted(OF_OLD_TEMPLATE)), min_size=1), st.randoms(use_true_random=False))
def test_an_edit_of_what_is_known_as_template_is_no_change(names: set[str], chance: Any) -> None:
    """Left out are the page that was read first, and those of sections of which few are known."""
    pages = list(dressed_pages()[1:20])
    chance.shuffle(pages)
    memory = known()
    said = seen(memory, [read(page, *(OF_OLD_TEMPLATE[name] for name in names)) for page in pages])
    assert {one.changed for one in said} <= {SAME, TEMPLATE_ONLY}
    assert {memory.reclassify(one).changed for one in said} <= {SAME, TEMPLATE_ONLY}


@settings(deadline=None, max_examples=8)
@given(
    st.sampled_from([one_word, paragraph, paragraph_gone, comment]),
    st.sets(st.sampled_from(sorted(OF_TEMPLATE))),
    st.sets(st.integers(0, PAGES - 1), min_size=1, max_size=PAGES // 3),
)
def test_an_edit_of_the_content_is_a_change_whatever_else_is_edited(
    edit: Edit, names: set[str], edited: set[int]
) -> None:
    edits = [OF_TEMPLATE[name] for name in sorted(names)]
    pages = [read(page, *edits, *[edit] * (number in edited)) for number, page in enumerate(dressed_pages())]
    memory = known()
    said = seen(memory, pages)
    assert {said[number].changed for number in edited} == {CHANGED}
    assert {memory.reclassify(said[number]).changed for number in edited} == {CHANGED}


@pytest.mark.exhaustive
def test_the_same_pages_are_the_same_in_another_process() -> None:
    code = (
        "import json, sys\n"
        "from tests.memory.test_change_table import OPTIONS, dressed_pages, read\n"
        "from templcrawl.memory.site import SiteMemory\n"
        "from templcrawl.memory.states import unpack\n"
        "memory = SiteMemory.from_snapshot(unpack('it', sys.stdin.buffer.read()), OPTIONS)\n"
        "said = [memory.observe(read(page), at=9) for page in dressed_pages()]\n"
        "print(json.dumps([[one.changed, one.content_hash, one.last_changed] for one in said]))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], input=learned(), capture_output=True, check=True)
    here = [
        [one.changed, one.content_hash, one.last_changed]
        for one in seen(known(), [*map(read, dressed_pages())])
    ]
    assert json.loads(run.stdout) == here
    assert {change for change, _, _ in here} == {SAME}


def test_nobody_who_does_not_ask_is_told_or_keeps_anything() -> None:
    memory = CrawlMemory(sample_salt=0)
    said = memory.observe(article(1), at=5)
    assert (said.change, said.changed, said.content_hash, said.first_seen, said.last_changed) == (None,) * 5
    assert not memory.open("example.org").snapshot().section("changes")


def test_a_memory_that_was_learned_without_is_taken_up_and_begins_anew() -> None:
    memory = SiteMemory("example.org", MemoryOptions(sample_salt=0))
    memory.observe(article(1))
    again = SiteMemory.from_snapshot(memory.snapshot(), OPTIONS)
    assert again.observe(article(1), at=1).changed == NEW
    without = SiteMemory.from_snapshot(again.snapshot(), MemoryOptions(sample_salt=0))
    assert without.observe(article(1)).changed is None


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9])
def test_a_page_is_kept_as_it_is(count: int) -> None:
    runs, content = np.arange(3, 3 + count, dtype=np.uint32), np.arange(count) % 3 == 0
    years = {int(run): int(run) + 9 for run in runs[::2]}
    record = PageRecord(RunSketch(1, 2**64 - 1, runs, content, years), f"{255:016x}", 1, 2, 3)
    again = PageRecord.unpacked(record.packed())
    for one in (record, again):
        text, said, *arrays, kept = one.sketch
        assert (text, said, kept, one[1:]) == (1, 2**64 - 1, years, (f"{255:016x}", 1, 2, 3))
        assert [array.tolist() for array in arrays] == [runs.tolist(), content.tolist()]
    for damaged in (record.packed()[:-1], record.packed() + b"\0"):
        with pytest.raises(ValueError, match=r"bytes of bits|buffer"):
            PageRecord.unpacked(damaged)


def table_of(pages: int, *, limit: int, words: int = 5) -> ChangeTable:
    table, memory = (
        ChangeTable(MemoryOptions(), limit=limit),
        SiteMemory("example.org", MemoryOptions(sample_salt=0)),
    )
    for number in range(pages):
        text = "".join(f"<p>{prose((number, part), 4)}</p>" for part in range(words))
        separation = memory.observe(article(number, extra=text)).separation
        table.compare(separation.page.key, separation, 1)
        check(table)
    return table


def test_it_is_bounded_by_pages_and_by_bytes() -> None:
    assert len(table_of(12, limit=5)) == 5
    huge = table_of(6, limit=5, words=700)
    assert 1 <= len(huge) < 4
    assert len(pack(table_of(40, limit=20).snapshot())) < 20 * 1_100


def test_of_a_site_that_is_too_large_the_same_pages_stay_until_they_are_gone() -> None:
    options = MemoryOptions(sample_salt=0, sections={"changes": {"limit": 5}})

    def crawl(known: SiteMemory, at: int, numbers: range) -> tuple[SiteMemory, list[str | None]]:
        kinds = [known.observe(article(number), at=at).changed for number in numbers]
        changes = known.get(ChangeTable)
        assert changes is not None
        assert changes.refused == kinds.count(NEW) - (5 if at == 1 else 2 if at == 4 else 0)
        return SiteMemory.from_snapshot(known.snapshot(), options), kinds

    known, _ = crawl(SiteMemory("example.org", options), 1, range(8))
    known, kinds = crawl(known, 2, range(8))
    assert kinds == [SAME] * 5 + [NEW] * 3
    known, _ = crawl(known, 3, range(2, 8))  # two pages are gone
    known, kinds = crawl(known, 4, range(2, 8))
    assert kinds == [SAME] * 3 + [NEW] * 3
    assert crawl(known, 5, range(2, 8))[1] == [SAME] * 5 + [NEW]


def test_it_survives_a_snapshot() -> None:
    table = table_of(9, limit=5)
    again = ChangeTable(MemoryOptions(), limit=5)
    again.restore(table.snapshot())
    assert again.snapshot() == table.snapshot()
    check(again)


WORDS = "amber cedar delta fjord kelp lantern maple quartz sable thistle umber willow".split()
CONTENT = (
    "<h2>{heading}</h2><p>{prose} now</p><p>A lantern of <a href=/there>tin</a></p>"
    "<ul><li>one piece<li>two pieces</ul><img src=a.png alt=A><img data-src=late.png alt=late>"
    "<p>It costs <s>old price</s> six <i hidden>or seven</i> crowns</p>"
    "<hr><table><tr><td>Height<td>nine<tr><td>Weight<td>ten</table>"
)
# Edits of the HTML of a content, which has "lantern" in a paragraph of its own.
UNSEEN = {
    "a class": lambda html: html.replace("<p>", "<p class=wide>"),
    "an id": lambda html: html.replace("<p>", "<p id=x7>", 1),
    "a comment": lambda html: html.replace("<p>", "<!-- made at noon --><p>", 1),
    "a soft hyphen": lambda html: html.replace("lantern", "lan&shy;tern"),
    "white space": lambda html: html.replace(" ", "\n  "),
    "a reference": lambda html: html.replace("lantern", "l&#97;ntern"),
    "a span": lambda html: html.replace("lantern", "<span data-n=3>lantern</span>"),
    "a program": lambda html: f"{html}<script>draw({len(html)})</script>",
}
SEEN = {
    **{
        f"<{name}>": lambda html, name=name: html.replace("lantern", f"<{name}>lantern</{name}>")
        for name in ("s", "del", "b", "em", "code", "a href=/x", "sup", "div")
    },
    "what is struck out": lambda html: html.replace("<s>old", "<s>old price").replace(
        "price</s>", "</s>price"
    ),
    "a heading": lambda html: html.replace("h2", "h3"),
    "a list": lambda html: html.replace("ul>", "ol>"),
    "a picture": lambda html: html.replace("a.png", "b.png"),
    "a late picture": lambda html: html.replace("late.png", "later.png"),
    "what a picture shows": lambda html: html.replace("alt=A", "alt=Another"),
    "a link": lambda html: html.replace("/there", "/elsewhere"),
    "a word": lambda html: html.replace("lantern", "torch"),
    "a text that is hidden": lambda html: html.replace("<p>", "<p hidden>", 1),
    "a text that is shown": lambda html: html.replace("<i hidden>", "<i>"),
    "the order": lambda html: "".join(reversed(html.partition("<hr>"))),
    "a break": lambda html: html.replace(" lantern", "<br>lantern"),
    "a wide cell": lambda html: html.replace("<td>", "<td colspan=2>", 1),
}


@given(
    words=st.lists(st.sampled_from(WORDS), min_size=8, max_size=20),
    unseen=st.sets(st.sampled_from(sorted(UNSEEN)), max_size=3),
    seen=st.sets(st.sampled_from(sorted(SEEN)), max_size=2),
)
@settings(max_examples=120, deadline=None)
def test_a_page_is_the_same_exactly_where_what_is_handed_out_is(
    words: list[str], unseen: set[str], seen: set[str]
) -> None:
    content = CONTENT.format(heading=" ".join(words[:3]), prose=" ".join(words[3:]))
    edited = content
    for name in sorted(seen):
        edited = SEEN[name](edited)
    for name in sorted(unseen):
        edited = UNSEEN[name](edited)

    def page(number: int, html: str) -> Page:
        menu = "<ul class=menu><li><a href=/a>Teas of the world</a><li><a href=/b>Cups and pots</a></ul>"
        return Page.from_html(
            f"<title>Page</title>{menu}<main>{html}</main><footer>By post since long ago</footer>",
            f"http://torvik.test/{number}",
        )

    memory = SiteMemory("torvik.test", OPTIONS)
    for number in range(1, 6):
        memory.observe(page(number, f"<p>{WORDS[number]} {WORDS[number + 3]} number {number}</p>"), at=1)
    before = memory.observe(page(0, content), at=1)
    memory = of_another_crawl(memory)
    after = memory.observe(page(0, edited), at=2)
    texts = [(one.content_text, one.content_markdown) for one in (memory.reclassify(before), after)]
    assert (after.changed == SAME) is (texts[0] == texts[1] and not seen), (texts, after.changed)


def test_there_is_room_for_a_site_of_long_pages() -> None:
    """900 pages of as many runs as are kept of a page, each of which has a year on every tenth."""
    runs = np.arange(MAX_RUNS, dtype=np.uint32)
    years = {number: number for number in range(0, MAX_RUNS, 10)}
    sketch = RunSketch(1, 2, runs, np.ones(MAX_RUNS, dtype=bool), years)
    record = PageRecord(sketch, f"{7:016x}", 1, 2, 3)
    table = ChangeTable(MemoryOptions())
    for key in range(1, 901):
        table._put(key, record.packed())
    assert (len(table), table.refused) == (900, 0)


@pytest.mark.parametrize(("footer", "text", "changed"), [("six", "", []), ("five", "A new lamp. ", [0])])
def test_the_footer_of_the_page_that_was_read_first_is_no_content(
    footer: str, text: str, changed: list[int]
) -> None:
    def page(number: int, until: str = "five", text: str = "") -> Page:
        body = f"<h1>Lamp {number}</h1><p>{text}Lamp {number} is of oak, {number * 7} feet high.</p>"
        closing = f"<div class=footer>Open from nine to {until}. <a href=/c>Write to us today</a></div>"
        return Page(f"<body>{body}{closing}", f"http://lamps.example/{number}")

    memory = SiteMemory("lamps.example", OPTIONS)
    seen(memory, [page(number) for number in range(12)], at=1)
    memory = of_another_crawl(memory)
    said = seen(memory, [page(number, footer, text if not number else "") for number in range(12)])
    assert [number for number, one in enumerate(said) if one.changed == CHANGED and number < 4] == changed


def test_a_site_that_once_gave_the_same_error_on_every_page_is_known_again() -> None:
    memory, pages = known(), [read(page) for page in dressed_pages()]
    seen(memory, [Page("<title>Back soon</title><p>We are back soon.", page.url) for page in pages], at=3)
    for week in (4, 5):
        memory = of_another_crawl(memory)
        again = seen(memory, pages, at=week)
    whole = known()
    usual = [whole.observe(page, at=2) for page in pages]
    assert [one.content_text for one in again] == [one.content_text for one in usual]

"""What has become of a page since it was last read: by hand, on generated sites, in another process."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.changes import generated_pages
from benchmarks.page_edits import (
    OF_TEMPLATE,
    Dressed,
    Edit,
    adverts,
    banner,
    comment,
    next_furniture,
    one_word,
    paragraph,
    paragraph_gone,
    visits,
)
from templcrawl.algorithms.similarity.alterations import RunSketch
from templcrawl.errors import BrokenInvariant, InvalidSnapshot
from templcrawl.memory.change_table import CHANGED, NEW, SAME, TEMPLATE_ONLY, ChangeTable, PageRecord
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.entries import pack
from templcrawl.memory.observation import Observation
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.site import SiteMemory
from templcrawl.page.page import Page
from tests.memory.pages import article, prose

OPTIONS = MemoryOptions(sample_salt=0, max_tracked=1_000)
PAGES = 24
AT_ONCE = {name: OF_TEMPLATE[name] for name in ("token", "menu_entry", "footer_year", "banner")}


@lru_cache(maxsize=1)
def dressed_pages() -> list[Dressed]:
    pages = [page for page in generated_pages() if page is not None]
    return pages[:: len(pages) // PAGES][:PAGES]


@lru_cache(maxsize=1)
def learned() -> str:
    memory = SiteMemory("generated.example", OPTIONS)
    for page in dressed_pages():
        assert memory.observe(read(page), at=1).changed == NEW
    return json.dumps(memory.snapshot())


def known() -> SiteMemory:
    return SiteMemory.from_snapshot(json.loads(learned()), OPTIONS)


def read(page: Dressed, *edits: Edit) -> Page:
    copy = page.copied()
    for edit in edits:
        edit(copy)
    return Page.from_html(copy.html, page.name, content_type="text/html; charset=utf-8")


def seen(memory: SiteMemory, pages: list[Page], at: int = 2) -> list[Observation]:
    return [memory.observe(page, at=at) for page in pages]


def test_by_hand() -> None:
    memory = SiteMemory("example.org", OPTIONS)
    for number in range(6):
        memory.observe(article(number), at=10)
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
    again = memory.observe(Page(shop[2].text.replace("Title 2", "Title two"), shop[2].url), at=50)
    assert (again.changed, again.content_hash, again.last_changed) == (
        SAME,
        edited.content_hash,
        edited.last_changed,
    )
    assert memory.observe(article(7), at=60).changed == NEW


def test_the_first_pages_are_judged_otherwise_and_have_not_changed() -> None:
    """The first page is all content when it is first read."""
    memory = SiteMemory("example.org", OPTIONS)
    first = memory.observe(article(0), at=1)
    assert "Made by hand" in first.content_text
    for number in range(1, 8):
        memory.observe(article(number), at=1)
    footless = article(0).text.replace("Made by hand, all rights reserved", "")
    again = memory.observe(Page(footless, article(0).url), at=2)
    assert (again.changed, again.content_hash) == (TEMPLATE_ONLY, first.content_hash)


def test_a_page_that_is_judged_again_is_no_evidence_for_itself() -> None:
    memory = known()
    news = [read(page).text.replace("<h1>", "<p>An addition of both</p><h1>") for page in dressed_pages()[:2]]
    said = seen(memory, [Page(html, page.name) for html, page in zip(news, dressed_pages())])
    assert [one.changed for one in said] == [CHANGED] * 2
    assert [memory.judge_again(one).changed for one in said] == [CHANGED] * 2


def test_what_was_the_templates_when_a_page_was_read_still_is() -> None:
    memory, page = known(), dressed_pages()[0]
    (said,) = seen(memory, [read(page, one_word)])
    change = said.change
    assert memory.changes is not None
    assert change is not None
    assert change.earlier is not None
    assert (change.kind, change.of_template) == (CHANGED, frozenset())
    old, new = (set(record.sketch.content.tolist()) for record in (change.earlier, change.record))
    for of_template, kind in ((old ^ new, TEMPLATE_ONLY), (old - new, CHANGED), (new - old, CHANGED)):
        before = change._replace(of_template=frozenset(of_template))
        assert memory.changes.see_again(said.page.key, said.separation, before).kind == kind


def test_the_runs_of_a_banner_are_the_templates_once_others_show_them() -> None:
    said = seen(known(), [read(page, banner) for page in dressed_pages()[:4]])
    assert [one.changed for one in said] == [CHANGED] * 2 + [TEMPLATE_ONLY] * 2
    assert [len(one.change.of_template) for one in said if one.change is not None][:2] == [0, 0]


def test_adverts_and_counts_that_one_crawl_has_met_are_no_change_to_the_next() -> None:
    memory = known()
    seen(memory, [read(page, adverts, visits) for page in dressed_pages()])
    memory = SiteMemory.from_snapshot(json.loads(json.dumps(memory.snapshot())), OPTIONS)
    pages = dressed_pages()[:10]
    said = seen(memory, [read(page, adverts, visits, next_furniture) for page in pages], at=3)
    assert {one.changed for one in said} <= {SAME, TEMPLATE_ONLY}
    edited = seen(memory, [read(page, adverts, visits, next_furniture, one_word) for page in pages], at=4)
    assert {one.changed for one in edited} == {CHANGED}


@settings(deadline=None, max_examples=8)
@given(st.sets(st.sampled_from(sorted(AT_ONCE)), min_size=1), st.randoms(use_true_random=False))
def test_an_edit_outside_the_content_is_no_change(names: set[str], chance: Any) -> None:
    """Two pages may be taken for changed until others show the same; asked again, not even those."""
    pages = list(dressed_pages())
    chance.shuffle(pages)
    memory = known()
    said = seen(memory, [read(page, *(AT_ONCE[name] for name in names)) for page in pages])
    assert {one.changed for one in said[2:]} <= {SAME, TEMPLATE_ONLY}
    assert {memory.judge_again(one).changed for one in said} <= {SAME, TEMPLATE_ONLY}


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
    assert {memory.judge_again(said[number]).changed for number in edited} == {CHANGED}


def test_the_same_pages_are_the_same_in_another_process() -> None:
    code = (
        "import json, sys\n"
        "from tests.memory.test_change_table import OPTIONS, dressed_pages, read\n"
        "from templcrawl.memory.site import SiteMemory\n"
        "memory = SiteMemory.from_snapshot(json.load(sys.stdin), OPTIONS)\n"
        "said = [memory.observe(read(page), at=9) for page in dressed_pages()]\n"
        "print(json.dumps([[one.changed, one.content_hash, one.last_changed] for one in said]))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], input=learned(), capture_output=True, text=True, check=True
    )
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
    assert "changes" not in memory.site("example.org").snapshot()


def test_a_memory_that_was_learned_without_is_taken_up_and_begins_anew() -> None:
    memory = SiteMemory("example.org", MemoryOptions(sample_salt=0))
    memory.observe(article(1))
    again = SiteMemory.from_snapshot(memory.snapshot(), OPTIONS)
    assert again.observe(article(1), at=1).changed == NEW
    without = SiteMemory.from_snapshot(again.snapshot(), MemoryOptions(sample_salt=0))
    assert without.observe(article(1)).changed is None


def test_what_is_only_marked_up_otherwise_is_no_change() -> None:
    memory = SiteMemory("example.org", OPTIONS)
    for number in range(6):
        memory.observe(article(number), at=1)
    for number, replacement in ((1, "<b>Title</b> {}"), (2, "Title&nbsp;<a href=/>{}</a>"), (3, "Titel {}")):
        html = article(number).text.replace(f"Title {number}", replacement.format(number))
        assert html != article(number).text
        changed = memory.observe(Page(html, article(number).url), at=2).changed
        assert changed == (CHANGED if number == 3 else SAME)


def test_of_the_slots_of_a_page_those_of_its_content_are_kept() -> None:
    content, rest = np.array([3, 5], dtype=np.uint32), np.array([7], dtype=np.uint32)
    sketch = RunSketch(1, content, rest, {5: 50}, {3: 30, 5: 31, 7: 32})
    record = PageRecord.unpacked(PageRecord(sketch, "ff", 1, 2, 3).packed())
    assert record.sketch.slots == {3: 30, 5: 31}
    assert (record.sketch.masks, record.content_hash, record[2:]) == ({5: 50}, f"{255:016x}", (1, 2, 3))
    assert [record.sketch.content.tolist(), record.sketch.rest.tolist()] == [[3, 5], [7]]


def table_of(pages: int, *, limit: int, words: int = 5) -> ChangeTable:
    table, memory = ChangeTable(limit=limit), SiteMemory("example.org", MemoryOptions(sample_salt=0))
    for number in range(pages):
        text = "".join(f"<p>{prose((number, part), 4)}</p>" for part in range(words))
        separation = memory.observe(article(number, extra=text)).separation
        table.see(separation.page.key, separation, 1)
        table.check()
    return table


def test_it_is_bounded_by_pages_and_by_bytes() -> None:
    assert len(table_of(12, limit=5)) == 5
    huge = table_of(6, limit=5, words=700)
    assert 1 <= len(huge) < 4
    assert len(json.dumps(table_of(40, limit=20).snapshot())) < 20 * 1_400 + 5_000


def test_it_survives_a_snapshot_and_refuses_a_wrong_one() -> None:
    table = table_of(9, limit=5)
    snapshot = json.loads(json.dumps(table.snapshot()))
    again = ChangeTable(limit=5)
    again.restore(snapshot)
    assert again.snapshot() == table.snapshot()
    smaller = ChangeTable(limit=2)
    smaller.restore(snapshot)
    assert len(smaller) == 2
    for name in ("pages", "sizes", "records"):
        with pytest.raises(InvalidSnapshot):
            ChangeTable(limit=5).restore(
                {**snapshot, name: snapshot[name][: len(snapshot[name]) // 2 // 4 * 4]}
            )
    again._bytes += 1
    with pytest.raises(BrokenInvariant):
        again.check()


def test_what_another_worker_has_read_last_is_what_a_page_is_compared_with() -> None:
    ours, theirs = SiteMemory("example.org", OPTIONS), SiteMemory("example.org", OPTIONS)
    for number in range(6):
        ours.observe(article(number), at=1)
        theirs.observe(article(number), at=1)
    edited = Page(article(2).text.replace("Title 2", "Title two"), article(2).url)
    assert theirs.observe(edited, at=2).changed == CHANGED
    theirs.observe(article(9), at=2)
    together = SiteMemory("example.org", OPTIONS)
    together.unite([ours, theirs])
    together.check()
    assert together.changes is not None
    assert len(together.changes) == 7
    ours.hear(together)
    said = ours.observe(edited, at=3)
    assert (said.changed, said.last_changed) == (SAME, "1970-01-01T00:00:02+00:00")
    assert ours.observe(article(9), at=3).changed == SAME
    assert ours.observe(article(8), at=3).changed == NEW


@pytest.mark.parametrize(
    "record",
    [
        b"",
        b"x" * 39,
        b"\xff" * 40,
        b"\0" * 41,
        b"\0" * 28 + b"\1" + b"\0" * 11,
        b"\0" * 32 + b"\1" + b"\0" * 11,
        b"\0" * 36 + b"\1" + b"\0" * 7,
    ],
)
def test_a_record_that_cannot_be_is_refused(record: bytes) -> None:
    snapshot = table_of(0, limit=5).snapshot()
    damaged = {"pages": pack([7]), "sizes": pack([len(record)]), "records": pack(record, "B")}
    with pytest.raises(InvalidSnapshot):
        ChangeTable(limit=5).restore({**snapshot, **damaged})

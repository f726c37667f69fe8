"""The pages of a folder: what one crawl notes of a page is what has become of it since the crawl before."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from templcrawl.crawl.stored_site import drop_gone
from templcrawl.memory.change_kinds import CHANGED, GONE, NEW
from templcrawl.outputs.change_line import change_line
from templcrawl.outputs.page_file import PageFile, StoredPage

URL = "http://x.org/tea"


def put(stored: PageFile, words: str, changed: str | None = None, url: str = URL) -> None:
    stored.put(StoredPage(url, words.encode(), "text/html", url, "2026-01-01", words, changed=changed))


def noted(stored: PageFile) -> list[tuple[str, str | None, str | None]]:
    """Return the changes, with the hashes before and now."""
    lines = map(json.loads, stored.changes())
    return [(one["change"], (one["before"] or {}).get("content_hash"), one["content_hash"]) for one in lines]


def test_a_page_that_was_gone_and_is_there_again_in_one_crawl_is_not_gone() -> None:
    stored = PageFile(Path(":memory:"))
    put(stored, "tea")
    stored.begin()
    stored.drop(URL, "status 404")
    assert noted(stored) == [(GONE, "tea", None)]
    put(stored, "tea")
    assert noted(stored) == []
    stored.drop(URL, "status 404")
    put(stored, "cups")
    assert noted(stored) == [(CHANGED, "tea", "cups")]


@given(st.lists(st.sampled_from(["tea", "cups", ""]), max_size=6), st.booleans())
def test_changes_take_what_a_crawl_knew_to_what_it_has_left(steps: list[str], was_there: bool) -> None:
    """Whatever is put and dropped ("") in one crawl, one line at most says what has become of a page."""
    stored = PageFile(Path(":memory:"))
    before = now = "tea" if was_there else ""
    if was_there:
        put(stored, "tea")
    stored.begin()
    for words in steps:
        if words:
            put(stored, words, CHANGED if now not in ("", words) else None)
        else:
            stored.drop(URL, "status 404")
        now = words
    change = GONE if not now else NEW if not before else CHANGED
    assert noted(stored) == ([(change, before or None, now or None)] if before != now else [])


def test_the_last_line_about_a_page_says_whether_it_is_gone(tmp_path: Path) -> None:
    stored, changes = PageFile(Path(":memory:")), tmp_path / "changes.jsonl"
    put(stored, "tea")
    put(stored, "cups", url=f"{URL}/cups")
    lines = [
        change_line(URL, GONE, None, why="status 404"),
        change_line(URL, NEW, None),
        change_line(f"{URL}/cups", GONE, None, why="status 404"),
    ]
    changes.write_text("\n".join(lines))
    drop_gone(stored, changes)
    assert (URL in stored, f"{URL}/cups" in stored) == (True, False)

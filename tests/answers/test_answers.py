"""No answer changes unseen: the digest of generated sites is what was kept, by either reader."""

from __future__ import annotations

from importlib.metadata import version

import pytest

from tests.answers.digest import KEPT, differences, digest_of_site, generated_sites, read_digest
from tests.parts import exhaustive_but
from tests.scrapy_processes import ROOT

pytest.importorskip("turbohtml", reason="the digest has rows of Markdown")

_PINNED = (
    f"turbohtml=={version('turbohtml')}" in (ROOT / ".ci/constraints.txt").read_text(encoding="utf-8").split()
)
_OF_MARKDOWN = ("crawl.markdown:", "crawl.headings:")
"""Rows that other versions of the library of Markdown may answer otherwise."""


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("site", exhaustive_but(["damaged"], generated_sites()))
def test_answers_are_those_that_were_kept(site: str) -> None:
    now = digest_of_site(generated_sites()[site]())
    changed = [
        row
        for row in differences(read_digest(KEPT)[site], now)
        if _PINNED or not row.startswith(_OF_MARKDOWN)
    ]
    assert not changed, "if answers were changed on purpose: python -m tests.answers --write"


def test_every_generated_site_is_kept_with_the_same_kinds_of_answers() -> None:
    kept = read_digest(KEPT)
    assert set(kept) == set(generated_sites())
    assert len({tuple(kinds) for kinds in kept.values()}) == 1


def test_a_difference_names_kind_and_page() -> None:
    pages = [(f"https://e.org/{n}", f"<nav>Menu here</nav><p>Page {n} of three") for n in range(3)]
    was = digest_of_site(pages)
    now = digest_of_site([*pages[:2], (pages[2][0], pages[2][1] + " more")])
    assert "crawl.vote.content_text: 1 pages, first [2]" in differences(was, now)
    assert not [row for row in differences(was, now) if row.startswith("page.pagelets")]

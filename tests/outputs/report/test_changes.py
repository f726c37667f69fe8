"""The page of what has changed: text of pages as text, words that differ marked, nothing that runs."""

from __future__ import annotations

import pytest

pytest.importorskip("jinja2")

from templcrawl.algorithms.similarity.alterations import Difference
from templcrawl.outputs.report.html import ChangesContents, Row, report_html
from tests.outputs.report.reading import assert_inert

EVIL = "</p><script>alert(1)</script><img src=x onerror=alert(1)>"


def contents(*differences: Difference, url: str = "https://example.org/a", new: str = "b") -> ChangesContents:
    return ChangesContents(("old", "new"), {"changed": 1, "same": 2_000}, [(url, differences)], [new], [])


def test_a_line_and_the_one_that_took_its_place_stand_word_by_word() -> None:
    difference = Difference(("A red tea, hot", "Gone"), ("A green tea, hot", "Quite another line", "More"))
    (rows,) = contents().parts([difference])
    assert rows == [
        Row(False, (("A", False), ("red", True), ("tea, hot", False))),
        Row(True, (("A", False), ("green", True), ("tea, hot", False))),
        Row(False, (("Gone", True),)),
        Row(True, (("Quite another line", True),)),
        Row(True, (("More", True),)),
    ]


def test_what_it_shows() -> None:
    reader = assert_inert(report_html(contents(Difference((), ("Added to it",)))))
    for text in ("Added to it", "/a", "2,000", "old", "New"):
        assert text in reader.text
    assert "Gone" not in reader.text


@pytest.mark.parametrize("evil", [EVIL, "\x00\x1b[31m", "{{ 7 * 7 }}", "\ud800"])
def test_nothing_of_a_page_runs(evil: str) -> None:
    html = report_html(contents(Difference((evil,), (evil + " x",)), url=f"javascript:{evil}", new=evil))
    reader = assert_inert(html)
    assert "<script" not in html
    assert not [href for href in reader.attributes("a") if "script" in str(href)]
    html.encode("utf-8")

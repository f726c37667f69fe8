"""Parts of a project that are unusual: a crawl does what it does without templcrawl, and items are filled."""

from __future__ import annotations

from typing import Any

import pytest

from tests.crawl.small_crawls import PAGES, in_new_process


@pytest.fixture(scope="module")
def crawls() -> dict[str, dict[str, Any]]:
    done: dict[str, dict[str, Any]] = in_new_process("crawl.beside_parts")
    return done


def test_nothing_fails(crawls: dict[str, dict[str, Any]]) -> None:
    for name, crawl in crawls.items():
        assert (crawl["failure"], crawl["log"], crawl["warnings"]) == ("", [], []), name
        assert crawl["errors"] == {}, name
        assert len(crawl["texts"]) >= PAGES, name


@pytest.mark.parametrize(
    "name",
    [
        "strict stats",
        "HTML made",
        "request replaced",
        "unset attributes",
        "defaultdict",
        "kept requests",
    ],
)
def test_all_items_have_their_texts(name: str, crawls: dict[str, dict[str, Any]]) -> None:
    texts = crawls[name]["texts"]
    assert all("word" in text for text in texts)
    assert len({*texts}) == PAGES
    assert not [text for text in crawls[name]["said"] if "has not read" in text]


def test_where_nothing_can_be_read_one_line_says_why(crawls: dict[str, dict[str, Any]]) -> None:
    crawl = crawls["text made"]
    assert {*crawl["texts"]} == {"no field"}
    (said,) = [text for text in crawl["said"] if "has not read" in text]
    assert "it is a TextResponse, no HtmlResponse" in said


def test_what_a_strict_collector_refuses_is_said_once_and_nothing_behind_it_is_lost(
    crawls: dict[str, dict[str, Any]],
) -> None:
    said = crawls["strict stats"]["said"]
    assert len([text for text in said if "Words refuses what templcrawl counts" in text]) == 1
    assert [text for text in said if "the page reader is" in text]
    assert [text for text in said if "13 items stripped" in text]
    assert crawls["strict stats"]["pages"] == PAGES + 1


def test_pages_are_not_in_memory_while_their_requests_are_kept(crawls: dict[str, dict[str, Any]]) -> None:
    surplus = crawls["kept requests"]["surplus"]
    assert len(surplus) == PAGES + 1
    assert max(surplus) <= 0

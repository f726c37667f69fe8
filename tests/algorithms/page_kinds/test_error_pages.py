"""Pages that are none: soft 404s, walls, empty pages; and what looks like them and is none."""

from __future__ import annotations

import pytest

from templcrawl import Page
from templcrawl.algorithms.page_kinds.classifier import classify_kind
from templcrawl.algorithms.page_kinds.kind_chances import ERROR
from tests.algorithms.page_kinds.pages import SENTENCE, article, error, page, product, separated

LOGIN = (
    "<form action=/login><input name=user><input type=password name=pass><button>Log in</button></form>"
    "<p>You must log in to read this."
)


@pytest.mark.parametrize(
    "wrong",
    [
        error(),
        error("404"),
        error("Error 404", "The address may be mistyped."),
        error("Seite nicht gefunden", "Leider gibt es hier nichts."),
        error("Page introuvable", "Rien ici."),
        error("This product is no longer available"),
        error("ページが見つかりません", "ここには何もありません。"),
        page("/thread/9", "Log in", LOGIN),
        page("/thread/9", "Access denied", "<p>You may not read this."),
        Page("", "https://quay.example/a"),
        Page(
            "<html><body><div id=root></div><script>start()</script></body></html>", "https://quay.example/b"
        ),
    ],
)
def test_it_is_an_error(wrong: Page) -> None:
    judged = classify_kind(separated(wrong))
    assert judged.is_error
    assert judged.logs.argmax() == ERROR


def test_a_frame_without_content_is_an_error_where_the_frame_is_known() -> None:
    known = [article(number) for number in range(12)]
    frame = page("/blog/empty", "", "")
    assert classify_kind(separated(*known, frame)).is_error
    assert not classify_kind(separated(frame)).is_error
    shown = page("/blog/map", "Map", "<p>Hull<img src=map.png></p>")
    assert not classify_kind(separated(*known, shown)).is_error


@pytest.mark.parametrize(
    "right",
    [
        article(),
        product(),
        page("/blog/404/", "Why your 404 page matters: page not found", f"<p>{SENTENCE}</p>" * 12),
        page("/product/404", "Peugeot 404 model", "<p>A car of tin.</p><p class=price>$20</p>"),
        page("/help/log-in", "How to log in", f"<p>{SENTENCE}</p>" * 9),
        Page("<img src=map.png>", "https://quay.example/map"),
    ],
)
def test_it_is_none(right: Page) -> None:
    assert not classify_kind(separated(right)).is_error

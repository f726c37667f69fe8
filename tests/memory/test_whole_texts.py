"""Which page nearly repeats another, template and all."""

from __future__ import annotations

import json

from templcrawl.memory.content_index import WholeTexts
from templcrawl.page.page import Page
from tests.memory.pages import article, prose


def test_a_copy_is_recognised_and_a_page_of_the_same_template_is_not() -> None:
    texts = WholeTexts(limit=3)
    first, other = article(1, text=prose("one", 400)), article(2, text=prose("two", 400))
    texts.add_text(texts.read(1, first))
    assert texts.read(2, other).repeats is None
    copy = Page(first.text.replace("Title", "Print"), "https://example.org/print")
    assert texts.read(3, copy).repeats == 1
    assert texts.read(1, first).repeats is None, "a page does not repeat itself"
    again = WholeTexts(limit=3)
    again.restore(json.loads(json.dumps(texts.snapshot())))
    assert again.read(3, copy).repeats == 1


def test_what_is_forgotten_is_repeated_by_none() -> None:
    texts = WholeTexts(limit=3)
    texts.add_text(texts.read(1, article(1)))
    texts.drop(1)
    texts.drop(2)
    texts.validate()
    assert len(texts) == 0
    assert texts.read(2, article(1)).repeats is None

"""From text runs to spans of tokens."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from templcrawl.page.page import Page
from templcrawl.page.separation import Separation
from templcrawl.page.spans import content_spans
from tests.strategies import mask_of, noises, soups


@settings(deadline=None)
@given(soups, noises)
def test_every_run_is_what_it_was_said_to_be(html, noise) -> None:
    page = Page(html, "")
    is_template = np.frombuffer(mask_of(noise, len(page.text_runs)), dtype=bool)
    spans = content_spans(page, is_template)
    separation = Separation(page, spans)
    mask = separation.content_mask
    assert [mask[position] == 0 for position in page.text_runs.positions.tolist()] == is_template.tolist()
    covered = sorted((*separation.content_spans, *separation.template_spans))
    edges = [edge for span in covered for edge in span]
    assert edges[1:-1:2] == edges[2::2]
    assert not len(page.tokens) or (edges[0], edges[-1]) == (0, len(page.tokens))


def test_an_image_is_what_is_around_it() -> None:
    page = Page("<div>menu<img src=a></div><div><p>words</p><img src=b></div>", "")
    separation = Separation(page, content_spans(page, np.array([True, False])))
    assert separation.content_html == "<div><p>words</p><img src=b></div>"
    assert "<img src=a>" in separation.template_html


def test_a_page_without_a_word_is_content() -> None:
    page = Page("<div><img></div>", "")
    assert content_spans(page, np.zeros(0, dtype=bool)) == ((0, 3),)

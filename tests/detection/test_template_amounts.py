"""How much of a page is template."""

from __future__ import annotations

from hypothesis import given, settings

from templcrawl.detection.separated_pages import Amounts, template_amounts
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation
from tests.strategies import mask_of, noises, soups, spans_of


def test_amounts_are_those_of_the_template_spans() -> None:
    page = Page("<ul><li><a href=/é>Tea</a></ul><p>Two words <a href=/b>more</a>", "http://a.example/")
    template, whole = template_amounts(Separation(page, [(6, len(page.tokens))]))
    assert template == Amounts(len("<ul><li><a href=/é>Tea</a></ul>".encode()), 1, 1)
    assert whole == Amounts(len(page.text.encode()), 4, 2)


@settings(deadline=None)
@given(soups, noises)
def test_template_and_content_add_up(html, noise) -> None:
    page = Page(html, "http://a.example/")
    mask = mask_of(noise, len(page.tokens))
    one, whole = template_amounts(Separation(page, spans_of(mask)))
    other, again = template_amounts(Separation(page, spans_of(bytes(1 - value for value in mask))))
    assert tuple(a + b for a, b in zip(one, other)) == whole == again
    assert whole.html == len(html.encode("utf-8", "replace"))

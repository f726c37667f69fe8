"""What is seen of a page: by hand, bounded, the same by both readers, and nothing of menus."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from templcrawl import Page
from templcrawl.algorithms.page_kinds.evidence import evidence_of
from templcrawl.algorithms.page_kinds.words import tag_words, text_word, url_words
from templcrawl.page.tokens import Limits
from tests.algorithms.page_kinds.pages import article, product, separated

CLAIM = '<script type="application/ld+json">{"@graph": [{"@type": ["Product", "schema:Thing"]}]}</script>'


def of(page: Page, *earlier: Page) -> tuple[frozenset[str], dict[str, float]]:
    separation = separated(*earlier, page)
    words, numbers, _ = evidence_of(separation.page, separation.content_mask)
    return words, dict(numbers)


def test_a_product_by_hand() -> None:
    words, numbers = of(product(3))
    assert {"class price", "text add to cart", "directory product", "field quantity", "action cart"} <= words
    assert {"title lamp", "heading lamp", "input number", "text $13.50"} <= words
    assert (numbers["prices"], numbers["<form>"], numbers["<img>"], numbers["url depth"]) == (1, 1, 1, 2)
    assert numbers["links main"] == 0
    assert numbers["<img> per words main"] == 1 / (1 + numbers["words main"])
    assert numbers["sentences per links main"] == numbers["sentences"]
    assert numbers["links"] == 4


def test_menus_and_footers_are_not_seen() -> None:
    words, numbers = of(article(1), article(2), article(3))
    assert "text shop" not in words
    assert numbers["linked main"] < 0.1
    assert numbers["words main"] < numbers["words"]


def test_claims_are_words() -> None:
    assert tag_words(CLAIM.removesuffix("</script>")) == {"claims Product", "claims Thing"}
    assert tag_words('<div itemscope itemtype="https://schema.org/Recipe">') == {"claims Recipe"}
    assert tag_words('<meta property="og:type" content="Article">') == {"meta og:type", "claims article"}
    assert tag_words('<body class="single-product">') == set()


@given(st.text(alphabet="<>/ =\"'abcdefp@:#typeitemproclasid-[]{}\x00é文", max_size=200))
def test_whatever_stands_on_a_page_both_readers_see_the_same(text: str) -> None:
    seen = []
    for kernel in ("off", "auto"):
        page = Page(
            f"<title>{text}</title>{text}<p class={text}>", f"https://a.example/{text}", Limits(kernel=kernel)
        )
        mask = np.ones(len(page.tokens), dtype=np.uint8).tobytes()
        seen.append(evidence_of(page, mask))
    assert seen[0] == seen[1]
    assert all(value >= 0 for value in seen[0].numbers.values())
    assert len(text_word(text)) < 30
    assert url_words(f"https://[{text}") is not None

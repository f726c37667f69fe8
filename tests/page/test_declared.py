from __future__ import annotations

import json
from collections.abc import Callable
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl import Page
from templcrawl.page import declared
from templcrawl.page.declared import MAX_TEXT, MAX_VALUES, PROPERTIES, read_declared
from templcrawl.page.tokens import Limits

PRODUCT = {
    "@context": "https://schema.org",
    "@type": "Product",
    "name": "Tea &amp; <b>milk</b>",
    "image": ["/a.jpg", {"@type": "ImageObject", "url": "/b.jpg"}],
    "brand": {"@type": "Brand", "name": "Hill"},
    "offers": [{"@type": "Offer", "price": 12.5, "priceCurrency": "EUR"}],
    "aggregateRating": {"ratingValue": "4.5", "reviewCount": 3},
    "unknown": "left out",
}


def page(*blocks: Any, rest: str = "") -> Page:
    scripts = "".join(f"<script type='application/ld+json'>{json.dumps(one)}</script>" for one in blocks)
    return Page(f"<html lang=de><head>{scripts}</head><body>{rest}</body></html>", "https://a.example/p/")


def test_a_product_in_json_ld() -> None:
    told = read_declared(page({"@type": "WebSite", "name": "The shop"}, PRODUCT))
    assert told.kind == "Product"
    assert told.values == {
        "name": ["Tea & milk"],
        "image": ["https://a.example/a.jpg", "https://a.example/b.jpg"],
        "brand": ["Hill"],
        "price": ["12.5"],
        "priceCurrency": ["EUR"],
        "ratingValue": ["4.5"],
        "reviewCount": ["3"],
        "inLanguage": ["de"],
    }
    assert told.first("headline", "name") == "Tea & milk"


def test_a_graph_names_its_author_elsewhere_and_its_page_says_the_rest() -> None:
    graph = [
        {"@type": "WebPage", "name": "Storm - The paper", "inLanguage": "en", "dateModified": "2026-02-03"},
        {"@type": ["NewsArticle"], "headline": "Storm", "author": {"@id": "#ann"}, "datePublished": "2026"},
        {"@type": "Person", "@id": "#ann", "name": "Ann Lee"},
    ]
    told = read_declared(page({"@graph": graph}))
    assert (told.kind, told.values["author"], told.values["headline"]) == (
        "NewsArticle",
        ["Ann Lee"],
        ["Storm"],
    )
    assert (told.values["dateModified"], told.values["inLanguage"]) == (["2026-02-03"], ["en"])


def test_the_thing_that_a_page_is_about() -> None:
    told = read_declared(page({"@type": "ItemPage", "mainEntity": {"@type": "Recipe", "name": "Soup"}}))
    assert (told.kind, told.values["name"]) == ("Recipe", ["Soup"])


@pytest.mark.parametrize("way", ["json", "microdata"])
def test_a_page_that_lists_things_is_about_none(way: str) -> None:
    marked = "".join(
        f"<div itemscope itemtype='http://schema.org/Product'><b itemprop=name>{n}</b></div>" for n in "ab"
    )
    several = page(PRODUCT, {**PRODUCT, "name": "Cake"}) if way == "json" else page(rest=marked)
    assert read_declared(several) == ("", {"inLanguage": ["de"]})


def test_microdata_with_scopes_inside() -> None:
    html = """
    <div itemscope itemtype="https://schema.org/Product">
      <h1 itemprop=name>Green <i>tea</i> &amp; cup</h1><img itemprop=image src=/t.jpg>
      <div itemprop=offers itemscope itemtype="https://schema.org/Offer">
        <meta itemprop=priceCurrency content=EUR><span itemprop=price content=12.50>12,50 €</span></div>
      <div itemprop=brand itemscope itemtype="https://schema.org/Brand"><span itemprop=name>Hill</span></div>
      <div itemprop=review itemscope itemtype="https://schema.org/Review"><b itemprop=name>Fine</b>
        <span itemprop=author>Bo</span></div>
      <b itemprop=sku>77</b>
    </div><b itemprop=category>Drinks</b>"""
    for kernel in ("off", "auto"):
        told = read_declared(Page(html, "https://a.example/", Limits(kernel=kernel)))
        assert told == (
            "Product",
            {
                "name": ["Green tea & cup"],
                "priceCurrency": ["EUR"],
                "price": ["12.50"],
                "brand": ["Hill"],
                "sku": ["77"],
                "image": ["https://a.example/t.jpg"],
            },
        )


def test_metas_the_canonical_address_and_json_before_them() -> None:
    metas = """<link rel=canonical href="/tea"><meta property="og:title" content=Milk>
    <meta name=AUTHOR content="Bo"><meta property="article:author" content="https://social.example/bo">
    <meta property="og:image" content="//i.example/1.png">
    <meta name=viewport content=x><!-- <meta name=description content=hidden> -->"""
    values = read_declared(page({"@type": "Article", "headline": "Tea"}, rest=metas)).values
    assert values["headline"] == ["Tea"]
    assert values["author"] == ["Bo"]
    assert values["url"] == ["https://a.example/tea"]
    assert values["image"] == ["https://i.example/1.png"]
    assert "description" not in values


@pytest.mark.parametrize(
    "broken",
    ["{", "[1, 2", '{"@type": "Product", "name": }', "nothing", "", "[" * 9_000, "[" * 700 + "1" + "]" * 700],
)
def test_json_that_is_none_is_passed_over(broken: str) -> None:
    start = "<script type=application/ld+json>"
    html = f"{start}{broken}</script>{start}<!-- {json.dumps(PRODUCT)}; //--></script>"
    assert read_declared(Page(html, "")).kind == "Product"


def test_values_are_cut_and_counted() -> None:
    many = {"@type": "Article", "headline": "x" * 50_000, "keywords": [str(n) for n in range(900)]}
    values = read_declared(page(many)).values
    assert len(values["headline"][0]) == MAX_TEXT
    assert len(values["keywords"]) == MAX_VALUES


SHAPES = (
    lambda n: "<div itemscope itemprop=brand>" * n + "<b itemprop=name>x",
    lambda n: "<div itemscope><p itemprop=name>" + "<i>word " * n,
    lambda n: "<p itemprop=name>" * n + "word " * n,
    lambda n: '<meta name="' * n,
)


@pytest.mark.parametrize("shape", SHAPES)
def test_hostile_pages_cost_no_more_than_their_length(shape: Callable[[int], str]) -> None:
    def cost(n: int) -> float:
        read = Page(shape(n), "")
        assert min(len(read.tokens), len(read.elements)) > 0
        start = process_time()
        assert set(read_declared(read).values) <= PROPERTIES
        return process_time() - start

    assert any(cost(20_000) < 8 * (cost(5_000) + 0.002) for _ in range(3))


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=9),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(
                    ["@type", "@id", "@graph", "name", "offers", "author", "mainEntity", "image"]
                ),
                inner,
                max_size=5,
            )
        ),
    )
)
def test_any_json_is_read(data: Any) -> None:
    told = read_declared(page(data, rest="<p itemprop='name price' itemscope><b itemprop=name>x"))
    assert set(told.values) <= PROPERTIES
    assert all(texts and all(texts) for texts in told.values.values())


@given(
    st.lists(
        st.sampled_from(
            [
                "<div itemscope>",
                "<p itemprop=name>",
                "<b itemprop=brand itemscope>",
                "<i itemprop=offers itemscope itemtype=/Offer>",
                "</div>",
                "</p>",
                "</b>",
                "</i>",
                "word",
                "<meta itemprop=price content=1>",
                "<script type='application/ld+json'>",
                "</script>",
            ]
        ),
        max_size=30,
    )
)
def test_both_readers_of_pages_declare_the_same(parts: list[str]) -> None:
    html = " ".join(parts)
    told = [
        read_declared(Page(html, "https://a.example/", Limits(kernel=kernel))) for kernel in ("off", "auto")
    ]
    assert told[0] == told[1]


def test_the_properties_of_metas_are_properties() -> None:
    assert set(declared._METAS.values()) <= PROPERTIES

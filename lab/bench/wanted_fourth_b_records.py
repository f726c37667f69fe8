"""Tables of records that a person would ask for, of the sites of the fourth list, second part.

Entries, summaries, products, verses, posts, interviews, comments, parameters.
Data of :mod:`lab.bench.wanted`, not run.
"""

from __future__ import annotations

from lab.bench.wanted_fields import Wanted
from lab.bench.wanted_fourth_b import ARTICLE, BLOG_POST, ENTRY, between, until

FOURTH_B_RECORDS = (
    Wanted(
        "mt_riversedge",
        "archives/",
        f"{ENTRY}/div[@class='byline']",
        {
            "title": ".",
            "date": "preceding-sibling::h2[1]",
            "text": until("", "div[@class='byline']"),
            "time": "following-sibling::div[@class='byline'][1]/a[1]",
            "comments": (
                between("(", ")", "following-sibling::div[@class='byline'][1]/a[2]"),
                "following-sibling::div[@class='byline'][1]/a[2]",
            ),
            "link": "following-sibling::div[@class='byline'][1]/a[1]/@href",
        },
        f"{ENTRY}/h3",
    ),
    Wanted(
        "own_donbosco_it",
        "Objects/Pagina",
        "//span[@class='Titolo2']",
        {
            "title": ".//span[@class='Titolo2']",
            "subtitle": ".//span[@class='Sottotitolo2'][normalize-space()]",
            "text": ".//span[@class='Testo'][normalize-space()]",
            "picture": ".//img[@class='IcoSommario']/@src",
            "link": ".//a[@class='aOut']/@href",
        },
        "//div[@id='Testo']//td[@class='Fondo1'][span or table]/table[.//span[@class='Titolo2']]",
    ),
    Wanted(
        "shop_lpinnova_es",
        "(product-category|product-tag|shop)/",
        "",
        {
            "name": "(.//h2[has-class('woocommerce-loop-product__title')])[1]",
            "category": "(.//span[@class='loop-product-categories'])[1]",
            "description": ".//div[@class='product-short-description']",
            "picture": ".//img/@src",
            "link": "(.//a[has-class('woocommerce-LoopProduct-link')])[1]/@href",
        },
        "//ul[has-class('products')]/li[has-class('product')]",
    ),
    Wanted(
        "squarespace_flagship",
        "blog",
        "",
        {
            "title": ".//h1[@class='blog-title']/a",
            "link": ".//h1[@class='blog-title']/a/@href",
        },
        "//article[has-class('blog-basic-grid--container')]",
    ),
    Wanted(
        "tailwind_quran",
        "surah/",
        "",
        {
            "text": ".//div[has-class('font-arabic')]",
            "number": ".//div[has-class('tracking-tighter')]",
        },
        "//main//article//div[starts-with(@id,'ayat-')]",
    ),
    Wanted(
        "tumblr_theforest",
        "archive",
        "//a[has-class('brick')]",
        {
            "title": "div[@class='title']",
            "date": ".//div[@class='date']",
            "notes": ".//div[@class='notes']",
            "tags": ".//div[@class='tag_count']",
            "picture": "img/@src",
            "link": "@href",
        },
        "//a[has-class('brick')]",
    ),
    Wanted(
        "tumblr_theforest",
        "(page|tagged)/",
        "//div[@id='index_page']",
        {
            "title": ".//div[@class='header']/h3",
            "link": "div[@class='read-more']/a/@href",
            "picture": "div[@class='thumbnail']//img/@src",
            "text": "*[self::p or has-class('caption')]",
        },
        "//div[@id='index_page']/div[has-class('post')]",
    ),
    Wanted(
        "wp_annacurra_gaa",
        "",
        "//body[has-class('archive') or has-class('blog')]",
        {
            "title": ".//h1[@class='entry-title']",
            "date": ".//header//time",
            "author": ".//header//span[has-class('author')]",
            "categories": "footer//span[@class='cat-links']/a",
            "text": "div[@class='entry-content']",
            "link": ".//h1[@class='entry-title']/a/@href",
        },
        ARTICLE,
    ),
    Wanted(
        "wp_hasheelon",
        "(category|tag|author)/",
        "",
        {
            "title": "h4/a",
            "date": "substring-before(substring-after(small/text()[contains(., '•')], '• '), ' •')",
            "categories": "small/a[contains(@rel, 'category')]",
            "text": "div[@class='entry']",
            "link": "h4/a/@href",
        },
        "//div[@id='content']/div[@class='post'][h4]",
    ),
    Wanted(
        "wp_hasheelon",
        r"\d{4}/\d\d/\d\d/[^/]+/index",
        "",
        {
            "author": ".//cite",
            "date": ".//small[has-class('commentmetadata')]/a",
            "text": "p[not(has-class('thdrpy'))]",
        },
        "//ol[has-class('commentlist')]/li",
    ),
    Wanted(
        "weebly_cinema",
        "blog/archives/",
        "",
        {
            "title": ".//h2[@class='blog-title']",
            "date": ".//p[@class='blog-date']",
            "text": "div[@class='blog-content']",
            "picture": "(div[@class='blog-content']//img)[1]/@src",
            "link": ".//h2[@class='blog-title']/a/@href",
        },
        BLOG_POST,
    ),
    Wanted(
        "docusaurus_webmidi",
        "api/classes/",
        "",
        {
            "parameter": "td[1]",
            "type": "td[2]",
            "default": "td[3]",
            "description": "td[4]",
        },
        "//div[has-class('parameter-table-container')]//tr[td]",
    ),
)

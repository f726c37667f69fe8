"""Fields that a person would ask for, of sites that no other list has, fourth list, second part.

Staff, a journal, a manual, a school, a shop, chapters, posts, a club, research, interviews, classes.
Data of :mod:`lab.bench.wanted`, not run.
"""

from __future__ import annotations

from lab.bench.wanted_fields import Wanted

_POSITION = "//div[@itemprop='articleBody']/h3[1][not(contains(., 'About') or contains(., 'bio'))]"
ENTRY = "//div[@id='mainClm']"
_CRUMBS = "//div[has-class('content-header')]//ol/li"
_HEAD = "//section[@id='page-title']"
_CREATED = "substring-before(concat(//p[@class='post-meta-date'], ' · '), ' · ')"
_UPDATED = "substring-after(//p[@class='post-meta-date'], ' · ')"
_SUMMARY = "//div[has-class('entry-summary')]"
_AMP = "//header[@class='amp-article-header']"
_META = "//div[@class='blog-item-meta-wrapper']"
_CHAPTER = "//main//article/div[1]/a[1]"
_ORDER = "(//main//article/nav)[1]"
_POST = "//div[@id='permalink_page']/div[has-class('post')]"
ARTICLE = "//article[has-class('type-post')]"
_DETAILS = "//div[@class='article-head']/div[has-class('details')]"
_INTERVIEW = "//div[@id='content']/div[@class='post'][h2]"
BLOG_POST = "//div[@class='blog-post']"
_API = "//div[has-class('theme-doc-markdown')]"


def _since(label: str, path: str) -> str:
    return f"normalize-space(substring-after({path}[contains(., '{label}')][1], '{label}'))"


def until(start: str, end: str) -> str:
    """Return the XPath of the elements behind one, as far as the next of a kind."""
    return f"set:leading({start}following-sibling::*, {start}following-sibling::{end}[1])"


def between(start: str, end: str, path: str) -> str:
    """Return the XPath of what a text says between two others."""
    return f"normalize-space(substring-before(substring-after({path}, '{start}'), '{end}'))"


FOURTH_B = (
    Wanted(
        "joomla_idrc",
        ".*staff-pages/",
        "//h2[@itemprop='headline']",
        {
            "name": "//h2[@itemprop='headline']",
            "position": (_POSITION, f"substring-after({_POSITION}, 'Position: ')"),
            "phone": _since("Phone:", "//div[@itemprop='articleBody']//text()"),
            "text": "//div[@itemprop='articleBody']",
        },
    ),
    Wanted(
        "joomla_idrc",
        ".*(completed|ongoing|new)-projects/",
        "//h2[@itemprop='headline']",
        {
            "title": "//h2[@itemprop='headline']",
            "text": "//div[@itemprop='articleBody']",
        },
    ),
    Wanted(
        "mt_riversedge",
        r"archives/\d{6}",
        f"{ENTRY}/span[@class='byline']",
        {
            "title": f"{ENTRY}/h3[1]",
            "date": f"{ENTRY}/h2[1]",
            "posted": _since(" at ", f"{ENTRY}/span[@class='byline']/text()"),
            "text": until(f"{ENTRY}/h3[1]/", "span[@class='byline']"),
        },
    ),
    Wanted(
        "next_phporgua",
        r"manual/uk/function\.",
        "//article//pre/code[has-class('language-methodsynopsis')]",
        {
            "name": "//article//h1",
            "versions": (
                "//article//h1/following-sibling::p[1]",
                "translate(//article//h1/following-sibling::p[1], '()', '')",
            ),
            "what it does": _since("—", "//article//h1/following-sibling::p[2]"),
            "signature": "//article//pre/code[has-class('language-methodsynopsis')]",
            "returns": until("//h3[.='Значення, що повертаються']/", "h3"),
        },
    ),
    Wanted(
        "next_phporgua",
        r"manual/uk/class\.",
        "//article//pre/code[has-class('language-classsynopsis')]",
        {
            "name": ("//article//h1", "substring-after(//article//h1, ' ')"),
            "versions": (
                "//article//h1/following-sibling::p[1]",
                "translate(//article//h1/following-sibling::p[1], '()', '')",
            ),
            "introduction": until("//h2[.='Вступ']/", "h2"),
            "synopsis": "//article//pre/code[has-class('language-classsynopsis')]",
        },
    ),
    Wanted(
        "own_boostjp",
        "archive/boost_docs/libs/[^/]+/",
        "//div[@itemprop='articleBody']",
        {
            "title": "//h1[@itemprop='name']",
            "library": f"{_CRUMBS}[5][following-sibling::li]",
            "updated": "//div[has-class('edit-button')]//time",
            "updated by": "//div[has-class('edit-button')]//span[@itemprop='author']",
            "text": "//div[@itemprop='articleBody']",
        },
    ),
    Wanted(
        "own_donbosco_it",
        "Objects/Pagina",
        "",
        {
            "title": f"{_HEAD}//h1",
            "subtitle": f"{_HEAD}/div/span[normalize-space()]",
            "department": f"{_HEAD}//ol/li/a[2]",
            "section": f"{_HEAD}//ol/li/a[3]",
            "text": "//div[@id='Testo']",
        },
    ),
    Wanted(
        "own_phrakham_th",
        "nt/[^/]+/[^/]+/",
        "//article[has-class('post-content')]",
        {
            "title": ("//h1", "//h1/span[@class='study-only']", "//h1/span[@class='reading-only']"),
            "created": (f"substring-after({_CREATED}, 'สร้าง ')", _CREATED),
            "updated": (f"substring-after({_UPDATED}, 'อัพเดท ')", _UPDATED),
            "text": "//div[@itemprop='articleBody']",
        },
    ),
    Wanted(
        "shop_lpinnova_es",
        "product/",
        "//h1[has-class('product_title')]",
        {
            "name": "//h1[has-class('product_title')]",
            "category": "//span[@class='posted_in']/a",
            "tags": "//span[@class='tagged_as']/a",
            "short description": f"{_SUMMARY}/div[contains(@class,'short-description')]",
            "description": "//div[@id='tab-description']/div[has-class('electro-description')]",
            "picture": "(//div[has-class('woocommerce-product-gallery__image')])[1]/a/@href",
        },
    ),
    Wanted(
        "squarespace_flagship",
        "blog/",
        "//h1[has-class('entry-title')]",
        {
            "title": "//h1[has-class('entry-title')]",
            "categories": f"{_META}//a[has-class('blog-item-category')]",
            "text": "//div[has-class('blog-item-content')]",
        },
    ),
    Wanted(
        "squarespace_flagship",
        "blog/",
        _AMP,
        {
            "title": f"{_AMP}/h1",
            "picture": "//amp-img[@class='amp-article-main-image']/@src",
            "text": "//div[@class='amp-article-html-block']",
        },
    ),
    Wanted(
        "tailwind_quran",
        "surah/",
        _CHAPTER,
        {
            "name": f"{_CHAPTER}/p[1]",
            "arabic name": f"{_CHAPTER}//button/preceding-sibling::span",
            "meaning": f"substring-before({_CHAPTER}/p[2], ' • ')",
            "verses": (
                between("• ", " ayat", f"{_CHAPTER}/p[2]"),
                f"normalize-space(substring-after({_CHAPTER}/p[2], '• '))",
            ),
            "number": (f"substring-before({_ORDER}/span, ' /')", f"{_CHAPTER}/div/span[1]"),
            "previous": f"{_ORDER}/span/preceding-sibling::a/span",
            "next": f"{_ORDER}/span/following-sibling::a/span",
        },
    ),
    Wanted(
        "tumblr_theforest",
        "post/",
        _POST,
        {
            "title": f"({_POST}/div[@class='header']//*[self::h1 or self::h3])[1]",
            "date": f"{_POST}/div[@class='footer']//span[has-class('pubDate')]",
            "tags": f"{_POST}/div[@class='footer']/p/a",
            "text": f"{_POST}/*[not(has-class('header') or has-class('footer') or has-class('HighRes'))]",
            "picture": f"({_POST}/a/img|{_POST}/img)[1]/@src",
        },
    ),
    Wanted(
        "wp_annacurra_gaa",
        "",
        "//body[has-class('single-post')]",
        {
            "title": f"{ARTICLE}//h1[@class='entry-title']",
            "date": f"{ARTICLE}//header//time",
            "author": f"{ARTICLE}//header//span[has-class('author')]",
            "categories": f"{ARTICLE}/footer//a[contains(@rel,'category')]",
            "text": f"{ARTICLE}/div[@class='entry-content']",
            "picture": f"({ARTICLE}/div[@class='entry-content']//img)[1]/@src",
        },
    ),
    Wanted(
        "wp_marinebon",
        "",
        "//div[@class='single-article']",
        {
            "title": "//h1[@id='article-title']",
            "date": f"normalize-space(substring-before({_DETAILS}, '/'))",
            "author": f"{_DETAILS}/strong",
            "text": "//div[has-class('article-content')]",
        },
    ),
    Wanted(
        "wp_hasheelon",
        r"\d{4}/\d\d/\d\d/[^/]+/index",
        _INTERVIEW,
        {
            "title": f"{_INTERVIEW}/h2",
            "date": (
                f"substring-before(substring-after({_INTERVIEW}/small/text()[contains(., '•')], '• '), ' •')"
            ),
            "categories": f"{_INTERVIEW}/small/a[contains(@rel, 'category')]",
            "tags": f"{_INTERVIEW}//a[@rel='tag']",
            "text": (f"{_INTERVIEW}/div[@class='entry']/p", f"{_INTERVIEW}/div[@class='entry']"),
            "picture": f"({_INTERVIEW}/div[@class='entry']//img)[1]/@src",
        },
    ),
    Wanted(
        "weebly_cinema",
        "blog/",
        "//body[has-class('wsite-blog-post')]",
        {
            "title": f"{BLOG_POST}//h2[@class='blog-title']",
            "date": f"{BLOG_POST}//p[@class='blog-date']",
            "text": f"{BLOG_POST}/div[@class='blog-content']",
            "picture": f"({BLOG_POST}/div[@class='blog-content']//img)[1]/@src",
        },
    ),
    Wanted(
        "typo3_oslic",
        "(de|en)/",
        "//div[@id='col3']//h2",
        {
            "section": "//span[@id='smTitle']",
            "title": "(//div[@id='col3']//h2)[1]",
            "text": "//div[@id='col3']",
            "picture": "(//div[@id='col2']//img)[1]/@src",
        },
    ),
    Wanted(
        "docusaurus_webmidi",
        "api/classes/",
        _API,
        {
            "name": f"{_API}//h1",
            "description": f"({_API}//h1/following::p)[1]",
        },
    ),
    Wanted(
        "docusaurus_webmidi",
        "docs/",
        _API,
        {
            "title": f"{_API}//h1",
            "section": "//ul[@class='breadcrumbs']/li[2][following-sibling::li]",
            "text": _API,
        },
    ),
)

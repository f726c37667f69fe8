"""Fields that a person would ask for of pages of saved sites, by XPath.

The XPaths were written from the pages alone, before a table of the site was seen.  Of a field with several
each gives the value in another form, such as a number with and without its unit.  An XPath that ends in
``@href`` or ``@src`` gives an address.
Data of :mod:`lab.bench.wanted`, not run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

Paths = str | Sequence[str]


class Wanted(NamedTuple):
    """Fields of the pages of a site, or of the records on them.

    paths   regular expression that matches at the start of the path of such a page
    mark    XPath that finds something on such a page
    fields  name -> XPaths; of records they start at the record
    record  XPath of the records; "" where the page is the record
    """

    site: str
    paths: str
    mark: str
    fields: Mapping[str, Paths]
    record: str = ""


def _cell(label: str) -> str:
    return f"//td[normalize-space()='{label}']/following-sibling::td[1]"


def heading_cell(label: str) -> str:
    """Return the XPath of the first cell behind a heading cell of this text."""
    return f"(//th[normalize-space()='{label}']/following-sibling::td[1])[1]"


def javadoc_link(what: str) -> str:
    """Return the XPath of the first link behind a label of Javadoc: what a type extends or implements."""
    labels = f"//span[has-class('{what}LabelInType') or has-class('{what}-label-in-type')]"
    return f"({labels}/following-sibling::a[1])[1]"


def _definition(label: str) -> str:
    return f"//dt[normalize-space()='{label}']/following-sibling::dd[1]"


def _behind_em(label: str) -> str:
    return f"//p/em[normalize-space()='{label}']/following-sibling::text()[normalize-space()][1]"


def _text_behind(label: str) -> str:
    return f"//body//text()[normalize-space()='{label}']/following::text()[normalize-space()][1]"


def _parent(label: str) -> str:
    cell = f"//td[normalize-space()='{label}']"
    return (
        f"{cell}/following-sibling::*[self::a or self::td][1]/descendant-or-self::a"
        f"|{cell}/following-sibling::td[1]/following-sibling::a[1]"
    )


_ARTICLE = "//div[contains(@class,'ms-article__content')]"
_MAIN = "//div[@id='main_content']"
_TOP = "//details[has-class('top-doc')]/div[has-class('docblock')]"
_HEADER = "//header/div[1]/span"
_FIRST_POST = "(//article[contains(@class,'Post')])[1]"
_TYPE = "//h4[starts-with(normalize-space(),'Session Type')]"
_READ = "substring-before(substring-after(//h3[has-class('catbg')][span/@id='author'], '(Read '), ' times)')"
_ON = "(//div[@class='keyinfo'])[1]/div[@class='smalltext'][strong]"

PROTOTYPED = (
    Wanted(
        "opencart_freshbao",
        "",
        "//div[@class='product-infos']",
        {
            "name": "//div[@class='product-infos']//div[@class='title']",
            "price": "//div[@class='product-infos']//div[@class='price']/span[@class='price-new']",
            "sku": "//tr[@class='sku']/td[2]",
            "brand": "//tr[@class='brand']//a",
            "sold": "//div[@id='img-carousel']//div[@class='label-howmanybought']/span",
            "description": "//div[@id='product-description']",
        },
    ),
    Wanted(
        "gramps_mcpherson",
        "ppl/",
        "",
        {
            "name": "//div[@id='IndividualDetail']/h3",
            "gender": _cell("Gender"),
            "father": _parent("Father"),
            "mother": _parent("Mother"),
            "age at death": _cell("Age at Death"),
        },
    ),
    Wanted(
        "wix_asfhomes",
        "properties/",
        "",
        {
            **{
                name.lower(): f"({_text_behind(name)})[1]"
                for name in (
                    "Property Type",
                    "Square Footage",
                    "Bedrooms",
                    "Number of Stories",
                    "Bathrooms",
                    "Garage",
                )
            },
            "title": "//h1",
            "price": "//h2[contains(., '$')]",
        },
    ),
    Wanted(
        "ojs_jurnalsosial",
        ".*article/view",
        "",
        {
            "title": "//h1[contains(@class,'page_title')]",
            "first author": "(//ul[contains(@class,'authors')]/li/span[@class='name'])[1]",
            "keywords": "//section[contains(@class,'keywords')]/span[@class='value']",
            "published": "//div[contains(@class,'published')]//div[@class='value']/span",
            "abstract": "//section[contains(@class,'abstract')]/p",
        },
    ),
    Wanted(
        "wp_mysaline",
        "",
        f"{_ARTICLE}[//div[contains(@class,'ms-author-box')]]",
        {
            "title": "//h1[contains(@class,'ms-article__title')]",
            "date": "//div[contains(@class,'ms-article__meta')]/time",
            "category": "//header//span[contains(@class,'ms-cat-badge')]/a",
            "tags": "//div[@class='ms-tags']/a",
            "text": (
                f"{_ARTICLE}/p[normalize-space()][not(contains(@class,'wp-caption'))]",
                _ARTICLE,
            ),
        },
    ),
    Wanted(
        "next_jobslist_ar",
        r"ar/blog/[^/]+/index",
        "//div[@class='article']",
        {
            "title": "(//h1)[1]",
            "date": "//header//time",
            "lead": "//header/p",
            "author": f"{_HEADER}[1]",
            "reading time": f"{_HEADER}[last()]",
            "tags": "//header//span[contains(@class,'badge-gray')]",
            "text": ("//div[@class='article']/p", "//div[@class='article']"),
        },
    ),
    Wanted(
        "flarum_intent",
        "d/",
        "",
        {
            "title": "//h2[contains(@class,'DiscussionHero-title')]",
            "tag": "//li[contains(@class,'item-tags')]//span[contains(@class,'TagLabel-text')]",
            "first author": f"{_FIRST_POST}//span[@class='username']",
            "first date": f"{_FIRST_POST}//span[contains(@class,'PostMeta-time')]",
            "first text": "(//article[contains(@class,'CommentPost')])[1]"
            "//div[contains(@class,'Post-body')]/p",
        },
    ),
)
"""What the design of the tables was first tried on."""

CHOSEN = (
    Wanted(
        "shopify_food123",
        "(?:.*/)?products/",
        "//div[has-class('product__title')]",
        {
            "name": "//div[has-class('product__title')]/h1",
            "price": "(//div[starts-with(@id,'price-')]//div[has-class('price__regular')]"
            "/span[has-class('price-item--regular')])[1]",
            "description": "//div[has-class('product__description')][has-class('quick-add-hidden')]",
            "image": "(//li[starts-with(@id,'Slide-template')]//img)[1]/@src",
            "collection": "//nav[has-class('breadcrumbs')]//li[position()=2][following-sibling::li]/a",
            "sodium": _cell("Sodium"),
        },
    ),
    Wanted(
        "smf_momopeds",
        "",
        "//div[@id='forumposts']",
        {
            "title": "(//div[@class='keyinfo']/h5)[1]",
            "board": "(//div[@class='navigate_section'])[1]/ul/li[last()-1]/a/span",
            "times read": _READ,
            "first author": "(//div[@class='poster']/h4)[1]",
            "first date": f"({_ON}/strong/following-sibling::text())[1]",
            "first text": "(//div[@class='post']/div[@class='inner'])[1]",
        },
    ),
    Wanted(
        "smf_momopeds",
        "",
        "//div[@id='detailedinfo']",
        {
            "user": "//div[@class='username']/h4/text()[1]",
            "posts": _definition("Posts:"),
            "registered": _definition("Date Registered:"),
            "last active": _definition("Last Active:"),
        },
    ),
    Wanted(
        "django_openehr",
        ".*industry_partners_detail/",
        "",
        {
            "name": "//div[@id='Content']/h1",
            "headquarters": _behind_em("Headquarters:"),
            "size": _behind_em("Size:"),
            "trading since": _behind_em("Trading since:"),
            "membership level": _behind_em("Membership level:"),
            "website": "//div[@id='Content']//a[normalize-space()='website']/@href",
        },
    ),
    Wanted(
        "django_openehr",
        ".*provider_deployments_detail/",
        "",
        {
            "country": _behind_em("Country:"),
            "customer": _behind_em("Customer:"),
            "vendor": _behind_em("Vendor:"),
            "deployment date": _behind_em("Deployment date:"),
            "products": "//p[em[normalize-space()='Products:']]/following-sibling::ul[1]/li",
        },
    ),
    Wanted(
        "django_openehr",
        "news_events/[^/]+/[0-9]+",
        "",
        {
            "title": "//div[@id='Content']/h2[1]",
            "date": "substring-after(//div[@id='Content']/h6[1], '| ')",
        },
    ),
    Wanted(
        "own_sansgluten_fr",
        "",
        "//article[@class='article-wrap']",
        {
            "title": "//h1[@class='article-title']",
            "category": "//div[@class='article-cat']",
            "date": "//div[@class='article-meta']/span[contains(., '📅')]",
            "reading time": "//div[@class='article-meta']/span[contains(., 'de lecture')]",
            "picture": "//img[@class='article-hero']/@src",
            "text": "//div[@class='article-body']",
            "questions": "//div[@class='faq-item']/button/text()",
        },
    ),
    Wanted(
        "wp_ixda10",
        "",
        "//h2[has-class('proposal-title')]",
        {
            "title": "//h2[has-class('proposal-title')]",
            "presenter": "//h4[normalize-space()='Presenter']/following-sibling::p[1]",
            "type": f"substring-after({_TYPE}, ': ')",
            "abstract": f"{_TYPE}/following-sibling::*[following-sibling::h4[normalize-space()='Biography']]",
            "biography": "//h4[normalize-space()='Biography']/following-sibling::p",
            "comments": ("//div[@id='comments-list']/h3/span", "//div[@id='comments-list']/h3"),
        },
    ),
    Wanted(
        "rustdoc_argmin",
        "",
        "//pre[has-class('item-decl')]",
        {
            "name": "//div[@class='main-heading']/h1/span[1]",
            "kind": "//div[@class='main-heading']/h1/text()[1]",
            "declaration": "//pre[has-class('item-decl')]",
            "crate": "(//div[@class='rustdoc-breadcrumbs']/a)[1]",
            "description": _TOP,
            "source": "//span[@class='sub-heading']/a[@class='src']/@href",
        },
    ),
    Wanted(
        "own_ucfnews",
        "",
        f"{_MAIN}/p[@class='article_info']",
        {
            "title": f"{_MAIN}/h2",
            "author": (
                "//p[@class='article_info']/text()[1]",
                "substring-after(//p[@class='article_info']/text()[1], 'By ')",
            ),
            "date": "//p[@class='article_info']/span[@class='date']",
            "photo": "//div[@class='article_img']/img/@src",
            "photo credit": (
                "//p[@class='photo_credit']",
                "substring-after(//p[@class='photo_credit'], 'Photo: ')",
            ),
            "caption": "//div[@class='article_img']/p[not(@class)]",
            "first contact": "(//div[@id='related']//h4/a[normalize-space()])[1]",
            "text": f"{_MAIN}/p[not(@id)][not(@class='article_info')]",
        },
    ),
    Wanted(
        "pelican_pyvideo",
        "",
        "//div[@class='details-content']",
        {
            "title": "//h2[@class='entry-title']/a",
            "date": "//footer/time",
            "speakers": "//address/a",
            "event": "//li[starts-with(normalize-space(),'Event:')]/a",
            "language": "substring-after(//li[starts-with(normalize-space(),'Language:')], ': ')",
            "media": "(//li[starts-with(normalize-space(),'Media URL:')]/a)[1]/@href",
            "description": "//h3[.='Description']/following-sibling::*",
        },
    ),
)
"""One of the shops, forums, registers, recipes, events, references, news and talks, chosen by a hash."""

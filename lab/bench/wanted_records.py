"""Tables of records that a person would ask for of saved sites: cards, rows and posts, by XPath.

As :mod:`lab.bench.wanted_fields`; the XPaths of fields start at the record.
Data of :mod:`lab.bench.wanted`, not run.
"""

from __future__ import annotations

from lab.bench.wanted_fields import Wanted

_PRICE = ".//div[@class='price__regular']/span[has-class('price-item--regular')]"
_CARD = ".//div[@class='card__information']/h3[has-class('h5')]/a"
_SUBJECT = "td[has-class('subject')]"
_STATS = "td[has-class('stats')]/text()[normalize-space()]"


def _pair(label: str) -> str:
    return f".//dt[normalize-space()='{label}']/following-sibling::dd[1]"


def _count(name: str, unit: str) -> tuple[str, str]:
    count = f".//div[@class='{name}']"
    return f"substring-before({count}, ' {unit}')", count


RECORDS = (
    Wanted(
        "shop_dabhobbies",
        "(product-category|shop)/",
        "",
        {
            "name": ".//p[@class='product-title']/a",
            "price": ".//span[@class='price']",
            "categories": ".//div[@class='products-page-cats']/a",
            "link": ".//p[@class='product-title']/a/@href",
        },
        "//div[@class='content-product']",
    ),
    Wanted(
        "shopify_food123",
        "collections/[^/]+$",
        "",
        {
            "name": _CARD,
            "price": _PRICE,
            "vendor": ".//div[@class='caption-with-letter-spacing']",
            "link": f"{_CARD}/@href",
        },
        "//ul[@id='product-grid']/li",
    ),
    Wanted(
        "wp_inkszo_pl",
        "(index|page|category|author)",
        "//div[@class='main-loop']",
        {
            "title": ".//h2[@class='entry-title']/a",
            "category": ".//span[has-class('cat-links')]/a",
            "comments": ".//span[has-class('comments-link')]",
            "picture": ".//div[@class='post-image']//img/@src",
            "link": ".//h2[@class='entry-title']/a/@href",
        },
        "//div[@class='main-loop']/article",
    ),
    Wanted(
        "smf_momopeds",
        "",
        "//div[@id='messageindex']",
        {
            "subject": f"{_SUBJECT}//span/a",
            "starter": f"{_SUBJECT}/div/p/a[1]",
            "replies": (f"substring-before({_STATS}[1], ' Repl')", f"{_STATS}[1]"),
            "views": (f"substring-before({_STATS}[2], ' View')", f"{_STATS}[2]"),
            "last date": "td[has-class('lastpost')]/text()[normalize-space()][1]",
            "last poster": "td[has-class('lastpost')]/a[last()][normalize-space()]",
            "link": f"{_SUBJECT}//span/a/@href",
        },
        "//div[@id='messageindex']//tr[td[has-class('subject')]]",
    ),
    Wanted(
        "vbulletin_sneakycrab",
        "forum/",
        "",
        {
            "title": ".//a[has-class('topic-title')]",
            "starter": ".//div[has-class('topic-info')]/a",
            "started": ".//div[has-class('topic-info')]/span[@class='date']",
            "responses": _count("posts-count", "response"),
            "views": _count("views-count", "view"),
            "likes": _count("votes-count", "like"),
            "last poster": ".//div[@class='lastpost-by']/a",
            "last date": ".//span[@class='post-date']",
        },
        "//tr[has-class('topic-item')]",
    ),
    Wanted(
        "xenforo_tti",
        "(forums|categories)/",
        "",
        {
            "title": ".//div[@class='structItem-title']/a[last()]",
            "starter": ".//ul[@class='structItem-parts']/li[1]",
            "started": ".//li[has-class('structItem-startDate')]//time",
            "replies": _pair("Replies"),
            "views": _pair("Views"),
            "last date": ".//time[has-class('structItem-latestDate')]",
            "last poster": ".//div[has-class('structItem-cell--latest')]/div[@class='structItem-minor']",
        },
        "//div[has-class('structItem--thread')]",
    ),
    Wanted(
        "punbb_bittorrent",
        "_viewtopic/",
        "",
        {
            "number": ("h2/span/span[@class='conr']", "translate(h2/span/span[@class='conr'], '#', '')"),
            "date": "h2/span/a",
            "author": ".//div[@class='postleft']//dt",
            "rank": ".//dd[@class='usertitle']",
            "text": ".//div[@class='postmsg']",
        },
        "//div[has-class('blockpost')]",
    ),
    Wanted(
        "flarum_intent",
        "d/",
        "",
        {
            "author": ".//h3//span[@class='username']",
            "date": (".//a[has-class('Dropdown-toggle')]/time", ".//span[@class='PostMeta-time']"),
            "number": (
                ".//span[@class='PostMeta-number']",
                "substring-after(.//span[@class='PostMeta-number'], '#')",
                "substring-after(.//span[@class='PostMeta-number'], 'Post ')",
            ),
            "text": ".//div[has-class('Post-body')]",
        },
        "//article[has-class('CommentPost')]",
    ),
    Wanted(
        "discourse_iati",
        "docs/t/",
        "",
        {
            "author": (".//span[@class='creator']/a", ".//span[@class='creator']"),
            "date": ".//time[has-class('post-time')]",
            "number": (
                ".//span[@itemprop='position']",
                "translate(.//span[@itemprop='position'], '#', '')",
            ),
            "text": ".//div[@class='post']",
        },
        "//div[has-class('crawler-post')]",
    ),
    Wanted(
        "mybb_squarepenguin",
        "thread-",
        "",
        {
            "author": ".//div[@class='author']",
            "date": ".//div[@class='dateline']",
            "text": "div[@class='message']",
        },
        "//div[@id='content']/div[@class='post']",
    ),
)
"""Three of sites with cards, three of sites with rows and four of sites with posts, chosen by a hash."""

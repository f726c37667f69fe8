"""Tables of records that a person would ask for, of the sites of :mod:`lab.bench.wanted_fourth_c`.

All of these sites are held out; the XPaths were written from their pages, before a table was seen.
Data of :mod:`lab.bench.wanted`, not run.
"""

from __future__ import annotations

from lab.bench.wanted_fields import Wanted

_TOPIC = "td[@class='forumdetails']"
_STARTED = f"{_TOPIC}/span[has-class('forum-descriptions')]"
_LAST = "td[has-class('tablet')][contains(.,'Dernier message')]"


def _count(name: str) -> tuple[str, str]:
    count = f".//div[@class='sabai-questions-{name}-count']"
    return f"{count}//span[@class='sabai-number']", count


FOURTH_C_RECORDS = (
    *(
        Wanted(
            "blogger_lafuite",
            paths,
            "//h3[has-class('post-title')]/a",
            {
                "title": ".//h3[has-class('post-title')]/a",
                "link": ".//h3[has-class('post-title')]/a/@href",
                "date": "ancestor::div[@class='date-outer']/h2/span",
                "author": ".//span[@class='fn']",
                "comments": (
                    "substring-before(.//a[contains(@href,'#comments')],' commentaire')",
                    ".//a[contains(@href,'#comments')]",
                ),
            },
            "//div[has-class('hentry')]",
        )
        for paths in (r"20\d\d/\d\d/index", "search/")
    ),
    Wanted(
        "drupal_dsetool",
        ".*glossary.html",
        "",
        {"term": ".", "definition": "following-sibling::dd[1]"},
        "//dt[@class='term-title']",
    ),
    Wanted(
        "drupal_soundsoftware",
        "archive",
        "",
        {
            "title": ".//span[has-class('views-field-title')]//a",
            "link": ".//span[has-class('views-field-title')]//a/@href",
            "date": ".//span[has-class('views-field-created')]",
            "text": ".//div[has-class('views-field-teaser')]",
        },
        "//div[@id='content-area']//div[has-class('views-row')]",
    ),
    Wanted(
        "drupal_soundsoftware",
        "taxonomy/term/",
        "",
        {
            "title": "h2/a",
            "link": "h2/a/@href",
            "tags": ".//div[has-class('terms')]//li/a",
            "text": (".//div[@class='content']/p", ".//div[@class='content']"),
            "picture": ".//div[has-class('image-attach-teaser')]//img/@src",
        },
        "//div[@id='content-area']/div[has-class('node-teaser')]/div[@class='node-inner']",
    ),
    Wanted(
        "joomla_climbingjordan",
        "topos/[^/]+/[^/]+/",
        "",
        {
            "number": "td[1]",
            "name": "td[2]",
            "grade": "td[3]",
            "protection": "td[4]",
            "length": "td[5]",
            "first ascent": "td[6]",
            "year": "td[7]",
        },
        "//div[@class='item-page']//table//tr[count(td)=7]",
    ),
    Wanted(
        "mediawiki_vikisosyon",
        "index.php/Category_",
        "",
        {"page": "a", "link": "a/@href"},
        "//div[@id='mw-pages']//div[@class='mw-category-group']//li",
    ),
    Wanted(
        "phpbb_eaglecraft_fr",
        "viewforum",
        "",
        {
            "title": f"{_TOPIC}/a[@class='topictitle']",
            "link": f"{_TOPIC}/a[@class='topictitle']/@href",
            "author": f"{_STARTED}/span[has-class('username-coloured') or has-class('username')]",
            "date": (f"substring-after({_STARTED},'» ')", f"{_STARTED}/text()[contains(.,'»')]"),
            "answers": ("td[has-class('forumtopics')]/div/span", "td[has-class('forumtopics')]/div"),
            "views": ("td[has-class('forumposts')]/div/span", "td[has-class('forumposts')]/div"),
            "last author": f"{_LAST}/span[not(@class='fade')]",
            "last date": f"{_LAST}/span[@class='fade']",
        },
        f"//table[@class='cat']//tr[{_TOPIC}/a[@class='topictitle']]",
    ),
    Wanted(
        "phpbb_eaglecraft_fr",
        "viewtopic",
        "",
        {
            "author": ".//span[@class='vtusername']/*",
            "date": ".//span[@class='vtdate']",
            "rank": ".//span[@class='ranktitle']",
            "text": ".//div[@class='vtcontent']/div[has-class('content')]",
        },
        "//div[@class='vtouter']",
    ),
    Wanted(
        "phpbb_eaglecraft_fr",
        "index.php@archive",
        "",
        {
            "title": "h3/a",
            "link": "h3/a/@href",
            "author": "p[@class='author']/strong",
            "date": (
                "substring-after(p[@class='author'],'» ')",
                "p[@class='author']/text()[contains(.,'»')]",
            ),
            "text": "div[@class='inner']",
        },
        "//div[@class='postbody']",
    ),
    Wanted(
        "spip_wechange",
        r"spip\.php\?rubrique",
        "",
        {
            "title": "h3[@class='titre']/a",
            "link": "h3[@class='titre']/a/@href",
            "date": "text()[normalize-space()][1]",
            "picture": "a/img/@src",
        },
        "//div[@class='liste-articles']//li[h3]",
    ),
    *(
        Wanted(
            "wp2010_rprojekt",
            paths,
            "",
            {
                "title": "h2[@class='entry-title']/a",
                "link": "h2[@class='entry-title']/a/@href",
                "author": "div[@class='entry-meta']/a",
                "tags": ".//span[@class='tag-links']/a",
            },
            "//div[@id='content']/div[has-class('hentry')]",
        )
        for paths in ("hirek/", "tag/")
    ),
    Wanted(
        "wp2010_rprojekt",
        "kerdesek/cimkek/",
        "",
        {
            "question": ".//div[@class='sabai-questions-title']/a",
            "link": ".//div[@class='sabai-questions-title']/a/@href",
            "votes": _count("vote"),
            "answers": _count("answer"),
            "views": _count("view"),
            "author": ".//a[has-class('sabai-user')]",
            "tags": ".//div[@class='sabai-questions-taxonomy']/a[contains(@href,'/cimkek/')]",
        },
        "//div[has-class('sabai-entity')][.//div[@class='sabai-questions-title']]",
    ),
    *(
        Wanted(
            "wp_baldr_nl",
            paths,
            "",
            {
                "title": ".//h2[has-class('wp-block-post-title')]/a",
                "link": ".//h2[has-class('wp-block-post-title')]/a/@href",
                "date": ".//div[has-class('wp-block-post-date')]/time",
                "text": ".//p[has-class('wp-block-post-excerpt__excerpt')]",
                "picture": ".//figure//img/@src",
            },
            "//li[has-class('wp-block-post')]",
        )
        for paths in ("(index|page/)", "category/")
    ),
    Wanted(
        "javadoc_jmeter",
        "api/.*package-summary",
        "",
        {"name": ".", "link": "a/@href", "description": "following-sibling::div[1]"},
        "//div[@id='class-summary']//div[has-class('col-first') and not(has-class('table-header'))]",
    ),
    *(
        Wanted(
            "hexo_futurecreator",
            paths,
            "",
            {
                "title": "p[has-class('title')]/a",
                "link": "p[has-class('title')]/a/@href",
                "date": ".//time",
                "category": ".//div[has-class('article-meta')]//a",
                "text": "div[has-class('content')]",
            },
            "//article[has-class('card-content')][p[has-class('title')]]",
        )
        for paths in ("categories/.", "tags/.")
    ),
    Wanted(
        "hexo_futurecreator",
        "archives/",
        "",
        {
            "title": ".//p[@class='title']/a",
            "link": ".//p[@class='title']/a/@href",
            "date": ".//time",
            "category": ".//p[@class='categories']/a",
        },
        "//div[@class='timeline']/article",
    ),
    Wanted(
        "googlesites_brandydandy",
        "",
        "",
        {
            "name": ".//div[@class='sites-attachments-name']/node()[not(self::div)]",
            "link": "div[has-class('sites-attachments-icon-accessible')]/a/@href",
            "size": ".//div[@class='sites-attachments-name']/div",
            "date": ".//div[@class='sites-attachments-author']/div",
        },
        "//div[@class='sites-attachments-row'][.//div[@class='sites-attachments-name']]",
    ),
    Wanted(
        "django_mozreps",
        "u/[^/]+/index",
        "",
        {"event": "td[1]/a", "link": "td[1]/a/@href", "date": "td[2]", "role": "td[3]"},
        "//h5[starts-with(.,'Past Events')]/following-sibling::table[1]/tbody/tr",
    ),
    Wanted(
        "chirpy_is2you2_ko",
        "(tags|categories)/.",
        "",
        {"title": "a", "link": "a/@href", "date": "time"},
        "//ul[has-class('content')]/li[time]",
    ),
)

"""Fields that a person would ask for, of sites that no other list has, fourth list, part C.

All of these sites are held out; the XPaths were written from their pages, before a table was seen.  Blogs,
a forum, events, reports and profiles, packages, routes to climb, terms, activities, files.
Data of :mod:`lab.bench.wanted`, not run.
"""

from __future__ import annotations

from lab.bench.wanted_fields import Wanted

_ITEM = "//div[@class='item-page']"
_CHIRPY = "//main/article/header"
_LICENSE = "//div[has-class('licensing-meta')]//div[h6='{}']/p"
_PARAGRAPHS = (
    "//td[has-class('body_text')]/p[not(@class or @align='right' or contains(@style,'text-align'))]"
    "[not(.//a[@class='title1'])]"
)
_QUESTION = "//div[@id='sabai-body']/div[has-class('sabai-entity-bundle-name-questions')]"
_TAXONOMY = "div[@class='sabai-questions-taxonomy']/a[contains(@href,'{}')]"
_WRITTEN = "//div[@class='entry-meta']/text()[contains(.,'napján')]"
_NEWS = "//div[@class='postbody']"
_NODE = "//div[has-class('node-type-story') or has-class('node-type-event')]"
_BALDR = "//main//div[has-class('wp-block-post-{}')]"
_FILE = "//table[has-class('filehistory')]//tr[td[has-class('filehistory-selected')]]"


def _labelled(label: str) -> tuple[str, str]:
    whole = f"({_ITEM}//p[starts-with(normalize-space(),'{label}:')])[1]"
    return f"normalize-space(substring-after({whole},'{label}:'))", whole


def _place(label: str) -> str:
    paragraph = f"//p[span[has-class('label')][normalize-space()='{label}']]"
    return f"{paragraph}/a|{paragraph}/text()[normalize-space()]"


def _profile(label: str) -> tuple[str, str]:
    item = f"//p[@class='profile-item'][span[has-class('label')][normalize-space()='{label}']]"
    whole = f"normalize-space(substring-after({item},'{label}'))"
    return f"{item}/a|{item}/text()[string-length(normalize-space())>1]", whole


def _report(label: str) -> str:
    return f"//section[has-class('report-item')][h4='{label}']/*[not(self::h4)][normalize-space()][1]"


FOURTH_C = (
    Wanted(
        "blogger_lafuite",
        r"20\d\d/\d\d/[^/]+$",
        "//h3[has-class('post-title')][not(a)]",
        {
            "title": "//h3[has-class('post-title')]",
            "date": "//h2[@class='date-header']",
            "author": "//div[@class='post-header']/span[@class='fn']",
            "text": "//div[has-class('post-body')]",
            "comments": (
                "substring-before(//div[@id='comments']/h4,'\xa0commentaire')",
                "//div[@id='comments']/h4",
            ),
        },
    ),
    Wanted(
        "drupal_dsetool",
        "",
        "//div[has-class('term-listing-heading')]//div[has-class('field-name-field-type')]",
        {
            "term": "substring-before(//title,' | ')",
            "type": "//div[has-class('field-name-field-type')]//div[has-class('field-item')]",
        },
    ),
    Wanted(
        "drupal_soundsoftware",
        "",
        f"{_NODE}[not(has-class('node-teaser'))]",
        {
            "title": "//div[@id='content-header']/h1",
            "tags": f"{_NODE}//div[has-class('terms')]//li/a",
            "text": (f"{_NODE}//div[@class='content']/*", f"{_NODE}//div[@class='content']"),
            "picture": "(//div[has-class('all-attached-images')]//img)[1]/@src",
        },
    ),
    Wanted(
        "drupal_soundsoftware",
        "node/",
        "//div[has-class('node-type-image')]",
        {
            "name": "//div[@id='content-header']/h1",
            "picture": "//div[has-class('node-type-image')]//div[@class='content']/img/@src",
        },
    ),
    Wanted(
        "joomla_climbingjordan",
        "topos/[^/]+/[^/]+/",
        _ITEM,
        {
            "name": f"({_ITEM}/h1[normalize-space()])[1]",
            "orientation": _labelled("Orientation"),
            "grades": _labelled("Grades"),
            "potential": _labelled("Potential"),
            "rock quality": _labelled("Rock quality"),
            "protection": _labelled("Protection"),
            "gear": _labelled("Gear"),
            "picture": f"({_ITEM}//img)[1]/@src",
        },
    ),
    Wanted(
        "mediawiki_vikisosyon",
        "index.php/(?!(Category|File|User|Talk|Wikisocion)_)",
        "",
        {
            "title": "//h1[@id='firstHeading']",
            "categories": "//div[@id='mw-normal-catlinks']/ul/li/a",
            "redirected from": "//span[@class='mw-redirectedfrom']/a",
            "text": (
                "//div[@class='mw-parser-output']/*[not(self::div or self::table)]",
                "//div[@class='mw-parser-output']/*[not(self::div)]",
                "//div[@class='mw-parser-output']",
            ),
            "sections": "//div[@class='mw-parser-output']/h2/span[@class='mw-headline']",
        },
    ),
    Wanted(
        "mediawiki_vikisosyon",
        "index.php/File_",
        "",
        {
            "name": ("substring-after(//h1[@id='firstHeading'],'File:')", "//h1[@id='firstHeading']"),
            "file": "//div[@id='file']/a/@href",
            "uploaded": f"{_FILE}/td[has-class('filehistory-selected')]/a",
            "user": f"{_FILE}//bdi",
            "mime type": "//span[@class='mime-type']",
            "size": "substring-before(substring-after(//span[@class='fileInfo'],'file size: '),',')",
        },
    ),
    Wanted(
        "moodle_utc",
        "mod/[a-z]+/view",
        "",
        {
            "name": "(//section[@id='region-main']//h2)[1]",
            "introduction": "//div[@id='intro']",
            "section": "(//ul[@class='breadcrumb']/li)[5]/*[not(@class='divider')]",
        },
    ),
    Wanted(
        "moodle_utc",
        "mod/glossary/print",
        "//div[@class='modname']",
        {"date": "//div[@class='displaydate']", "glossary": "//div[@class='modname']/span"},
    ),
    Wanted(
        "phpbb_eaglecraft_fr",
        "index.php@news",
        "",
        {
            "title": ("substring-after(//main//h1,' : ')", "//main//h1"),
            "author": f"{_NEWS}/p[@class='author']/strong",
            "date": (
                f"substring-after({_NEWS}/p[@class='author'],'» ')",
                f"{_NEWS}/p[@class='author']/text()[contains(.,'»')]",
            ),
            "text": f"{_NEWS}/div[@class='inner']",
            "topic": f"{_NEWS}/div[@class='notice']/em/a/@href",
            "comments": f"{_NEWS}/div[@class='notice']/strong[starts-with(.,'Commentaires')]"
            "/following-sibling::em[1]",
        },
    ),
    Wanted(
        "phpbb_eaglecraft_fr",
        "viewtopic",
        "",
        {
            "title": ("substring-after(//main//h1,' : ')", "//main//h1"),
            "forum": "(//main//span[@itemprop='itemListElement'])[last()-1]/a",
            "messages": (
                "substring-before((//div[@class='pagination'])[1],' message')",
                "(//div[@class='pagination'])[1]/text()[contains(.,'message')]",
            ),
        },
    ),
    Wanted(
        "spip_wechange",
        r"spip\.php\?article",
        "//a[@class='title1']",
        {
            "title": "//a[@class='title1']",
            "date": "substring-before(//a[@class='title1']/following::p[contains(@style,'rtl')][1],' -')",
            "section": "//p[@class='content-nav']/a[last()]",
            "text": _PARAGRAPHS,
            "logo": "//img[has-class('spip_logo_left')]/@src",
        },
    ),
    Wanted(
        "wp2010_rprojekt",
        r"20\d\d/\d\d/\d\d/",
        "//div[@id='content']/div[has-class('hentry')]",
        {
            "title": "//h1[@class='entry-title']",
            "author": "//div[@class='entry-meta']/a",
            "date": (
                f"substring-before(substring-after({_WRITTEN},'írta '),' napján')",
                f"substring-after({_WRITTEN},'írta ')",
                _WRITTEN,
            ),
            "text": "//div[@class='entry-content']",
            "tags": "//span[@class='tag-links']/a",
            "comments": (
                "substring-before(//h3[@id='comments-title'],' Response')",
                "//h3[@id='comments-title']",
            ),
        },
    ),
    Wanted(
        "wp2010_rprojekt",
        "kerdesek/kerdes/",
        _QUESTION,
        {
            "question": "//h1[@class='entry-title']",
            "text": f"{_QUESTION}//div[@class='sabai-questions-body']",
            "author": f"({_QUESTION}//ul[@class='sabai-entity-activity'])[1]//a[has-class('sabai-user')]",
            "votes": f"({_QUESTION}//div[has-class('sabai-voting-updown')]/span)[1]",
            "category": f"{_QUESTION}//{_TAXONOMY.format('/kategoriak/')}",
            "tags": f"{_QUESTION}//{_TAXONOMY.format('/cimkek/')}",
        },
    ),
    Wanted(
        "wp_baldr_nl",
        "",
        "//body[has-class('single-post')]",
        {
            "title": "//main//h1[has-class('wp-block-post-title')]",
            "date": f"{_BALDR.format('date')}/time",
            "author": "//main//p[@class='wp-block-post-author__name']",
            "category": "//main//div[has-class('taxonomy-category')]/a",
            "picture": "//main//figure[has-class('wp-block-post-featured-image')]/img/@src",
            "text": "//main//div[has-class('entry-content')]",
        },
    ),
    Wanted(
        "wp_jvn_vi",
        "",
        "//body[has-class('single-post')]",
        {
            "title": "//article[has-class('post-item')]/h1",
            "author": "//div[@class='meta']/span[@class='author']/span",
            "date": "//div[@class='meta']/span[@class='date']",
            "text": "//article[has-class('post-item')]/div[@class='content']",
        },
    ),
    Wanted(
        "javadoc_jmeter",
        "api/.*package-summary",
        "",
        {
            "name": ("//div[@class='package-signature']/span[has-class('element-name')]", "//main//h1"),
            "description": "//section[has-class('package-description')]/div[@class='block']",
        },
    ),
    Wanted(
        "hexo_futurecreator",
        "posts/",
        "",
        {
            "title": "//article//h1",
            "date": "//div[has-class('article-meta')]//time",
            "category": "//div[has-class('article-meta')]//a",
            "tags": "//div[has-class('article-tags')]/a",
            "updated": _LICENSE.format("Updated on"),
            "text": ("//article/div[has-class('content')]/*", "//article/div[has-class('content')]"),
        },
    ),
    Wanted(
        "googlesites_brandydandy",
        "",
        "//span[@id='sites-page-title']",
        {
            "title": "//span[@id='sites-page-title']",
            "parent": "//div[@id='title-crumbs']/a[last()]",
            "text": ("//div[@id='sites-canvas-main']",),
            "subpages": "//div[@class='sites-subpages']/span/a",
        },
    ),
    Wanted(
        "django_mozreps",
        "e/",
        "",
        {
            "name": "//h1[has-class('event-single-title')]",
            "day": "//div[has-class('event-single-date')]//div[@class='number']",
            "month": "//div[has-class('event-single-date')]//div[@class='month']",
            "start": "//div[has-class('event-single-date')]//div[@class='time-start']",
            "venue": _place("Venue"),
            "city": _place("City"),
            "category": _place("Category"),
        },
    ),
    Wanted(
        "django_mozreps",
        "u/[^/]+/index",
        "",
        {
            "name": "//main//h1",
            "picture": "//img[@id='profiles-view-avatar']/@src",
            "location": _profile("Location"),
            "timezone": _profile("Timezone"),
            "gender": _profile("Gender"),
            "mentor": _profile("Mentor"),
        },
    ),
    Wanted(
        "django_mozreps",
        "u/[^/]+/r/",
        "",
        {
            "activity": _report("Activity"),
            "date": _report("Date of activity"),
            "place": _report("Contribution location"),
            "mentor": _report("Mentored by"),
            "by": "//main//h3/a",
        },
    ),
    Wanted(
        "chirpy_is2you2_ko",
        "posts/",
        "",
        {
            "title": f"{_CHIRPY}/h1",
            "posted": f"{_CHIRPY}//span[starts-with(normalize-space(),'Posted')]/time",
            "updated": f"{_CHIRPY}//span[starts-with(normalize-space(),'Updated')]/time",
            "reading time": (
                f"{_CHIRPY}//span[has-class('readtime')]/em",
                f"{_CHIRPY}//span[has-class('readtime')]",
            ),
            "categories": "//main//div[has-class('post-tail-wrapper')]/div[has-class('post-meta')]/a",
            "tags": "//main//div[@class='post-tags']/a",
            "text": "//main/article/div[has-class('content')]",
        },
    ),
)

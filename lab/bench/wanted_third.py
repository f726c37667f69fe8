"""Fields that a person would ask for, of sites that no other list has, third list.

A catalogue of languages, a shop, a tracker, providers, sessions, profiles, references, events, news.  Of the
sites that are held out the XPaths were written from what such software prints, not from their pages.
Data of :mod:`lab.bench.wanted`, not run.
"""

from __future__ import annotations

from lab.bench.wanted_fields import Wanted, heading_cell, javadoc_link

_TITLE = "//h1[@id='page-title']"
_NEW_TITLE, _OLD_TITLE = "//h1[@class='title']", "//h2[@class='title']"
_ADDED = "//div[has-class('issue')]/p[@class='author']"
_POST = "(//table[@class='forumline']//span[@class='postdetails'][contains(.,'Verfasst am:')])[1]"
_DOXYGEN = "//div[@class='headertitle']//div[@class='title']"


def _value(name: str) -> str:
    return f"//div[has-class('{name}') and has-class('attribute')]/div[@class='value']"


def _field(name: str) -> str:
    return f"//div[@id='content']//div[has-class('field-name-{name}')]//div[has-class('field-item')]"


def _profile(label: str) -> str:
    cell = f"//td[span[starts-with(normalize-space(),'{label}')]]/following-sibling::td[1]"
    return f"({cell}//span[@class='genmed'][normalize-space()])[1]"


def _pair(label: str) -> str:
    return f"//div[has-class('memberHeader')]//dt[normalize-space()=\"{label}\"]/following-sibling::dd[1]"


THIRD = (
    Wanted(
        "tables_langmaker",
        "db/mdl_",
        "//th[.='Language Name']",
        {
            "name": heading_cell("Language Name"),
            "author": heading_cell("Language Author"),
            "began": heading_cell("Year Began"),
            "type": heading_cell("Language Type"),
            "sources": heading_cell("Language Sources"),
            "lexicon": heading_cell("Lexicon Size"),
            "submitted": heading_cell("Date Submitted"),
        },
    ),
    Wanted(
        "tables_langmaker",
        "db/bks_",
        "//th[.='ISBN ISSN']",
        {
            "title": heading_cell("Book"),
            "year": heading_cell("Year"),
            "author": heading_cell("Author/Editor/Director"),
            "isbn": heading_cell("ISBN ISSN"),
        },
    ),
    Wanted(
        "shopify_sarman",
        "(collections/[^/]+/)?products/",
        "//h1[has-class('product__title')]",
        {
            "name": "//h1[has-class('product__title')]",
            "price": "(//div[has-class('product__price')]/span[1]//span[has-class('money')])[1]",
            "old price": "(//div[has-class('product__price')]/s//span[has-class('money')])[1]",
            "description": "//div[has-class('product-description')]",
        },
    ),
    Wanted(
        "redmine_prelude",
        r"issues/\d+",
        "//div[has-class('issue')]",
        {
            "subject": "//div[@class='subject']//h3",
            "status": _value("status"),
            "priority": _value("priority"),
            "version": _value("fixed-version"),
            "start date": _value("start-date"),
            "author": f"{_ADDED}/a[1]",
            "description": "//div[has-class('issue')]/div[@class='description']/div[@class='wiki']",
        },
    ),
    Wanted(
        "plone_plonecom",
        "providers/",
        "//div[has-class('provider-table')]",
        {
            "name": "//h1[@id='parent-fieldname-title']",
            "home page": heading_cell("Home page"),
            "location": (heading_cell("Location"), f"{heading_cell('Location')}/a"),
        },
    ),
    Wanted(
        "drupal_midcamp2015",
        "node/",
        "//body[has-class('node-type-session')]",
        {
            "title": _TITLE,
            "speakers": _field("field-speakers"),
            "track": _field("field-track"),
            "audience": _field("field-audience"),
            "length": _field("field-length"),
            "text": _field("body"),
        },
    ),
    Wanted(
        "drupal_midcamp2015",
        "users/",
        "//div[has-class('panel-2col')]",
        {
            "name": "(//div[@id='content']//h2)[1]",
            "job title": _field("field-job-title"),
            "organization": _field("field-organization"),
            "website": _field("field-company-website"),
            "twitter": _field("field-twitter-handle"),
        },
    ),
    Wanted(
        "phpbb2_cfnet",
        r"profile.php\?mode=viewprofile",
        "//table[@class='forumline']",
        {
            "joined": _profile("Anmeldungsdatum:"),
            "posts": _profile("Beiträge insgesamt:"),
            "place": _profile("Wohnort:"),
            "job": _profile("Beruf:"),
            "interests": _profile("Interessen:"),
            "rank": "(//table[@class='forumline']//td[@class='row2'])[1]//span[@class='postdetails']",
        },
    ),
    Wanted(
        "phpbb2_cfnet",
        r"viewtopic.php\?t",
        "//table[@class='forumline']",
        {
            "title": "(//table[@class='forumline']//span[@class='cattitle'])[1]",
            "first author": "(//table[@class='forumline']//span[@class='name'])[1]",
            "first date": (
                f"substring-before(substring-after({_POST}/text()[normalize-space()][1], 'am: '), '\xa0')",
                f"substring-after({_POST}/text()[normalize-space()][1], 'am: ')",
            ),
            "first text": "(//table[@class='forumline']//span[@class='postbody'])[1]",
        },
    ),
    Wanted(
        "xenforo_antemortem",
        "members/",
        "//div[has-class('memberHeader')]",
        {
            "name": "//h1[has-class('memberHeader-name')]",
            "joined": (_pair("Inscrit"), f"{_pair('Inscrit')}//time"),
            "last seen": (_pair("Dernière vue"), f"{_pair('Dernière vue')}//time"),
            "posts": _pair("Messages"),
            "likes": _pair("J'aime"),
            "points": _pair("Points"),
        },
    ),
    Wanted(
        "scaladoc_twitter_util",
        "docs/",
        "//h4[@id='signature']",
        {
            "name": "//div[@id='definition']/h1/text()|//div[@id='definition']/h1/a",
            "kind": "//h4[@id='signature']//span[@class='kind']",
            "package": "//p[@id='owner']",
            "description": "//div[@id='comment']/div[has-class('cmt')]",
        },
    ),
    Wanted(
        "jazzy_realm_swift",
        ".*docs/(Structs|Extensions|Enums|Protocols|Classes)/",
        "",
        {
            "name": "//article//h1",
            "declaration": "(//article/section/section)[1]/div[@class='declaration']//pre",
        },
    ),
    Wanted(
        "wpbridge_uniwa",
        ".*event/",
        "//div[@id='tribe-events-content']",
        {
            "title": "//h1[has-class('tribe-events-single-event-title')]",
            "when": "//div[has-class('tribe-events-schedule')]/h2",
            "start": (
                "//abbr[has-class('tribe-events-start-date')]",
                "//abbr[has-class('tribe-events-start-datetime')]",
            ),
            "place": "//dd[@class='tribe-venue']",
            "text": "//div[has-class('tribe-events-single-event-description')]",
        },
    ),
    Wanted(
        "own_dpp",
        "(news|media|anti_rumor)/contents/",
        "//article[has-class('news_content')]",
        {
            "title": "//div[@id='print_parts']/h2",
            "date": "//p[has-class('news_content_date')]",
        },
    ),
    Wanted(
        "sharepoint_iata",
        "pressroom/pr/Pages/",
        "//p[@id='date']",
        {
            "title": "//div[@id='col-mn']//h1",
            "number": (
                "//p[@class='pr-rel-numb']/text()[normalize-space()]",
                "substring-after(//p[@class='pr-rel-numb'], 'No.:')",
            ),
            "date": ("substring-after(//p[@id='date'], 'Date:')", "//p[@id='date']"),
        },
    ),
    Wanted(
        "shop_jwhisky",
        "product/",
        "",
        {
            "name": "//h1[has-class('product_title')]",
            "price": "(//p[@class='price'])[1]",
            "categories": "//span[@class='posted_in']/a",
            "description": "//div[@id='tab-description']",
        },
    ),
    Wanted(
        "javadoc_dagger",
        "api/latest/(?!.*class-use)(?!.*package-).*/[A-Z][^/]*[.]html",
        "",
        {
            "name": f"substring-after({_NEW_TITLE}|{_OLD_TITLE}, ' ')",
            "kind": f"substring-before({_NEW_TITLE}|{_OLD_TITLE}, ' ')",
            "package": javadoc_link("package"),
            "description": "((//section[has-class('description')]|//section[has-class('class-description')]"
            "|//div[@class='description'])//div[@class='block'])[1]",
        },
    ),
    Wanted(
        "doxygen_rapidjson",
        "(class|struct)",
        "//div[@class='headertitle']",
        {
            "name": (
                f"substring-before({_DOXYGEN}, ' Class ')",
                f"substring-before({_DOXYGEN}, ' Struct ')",
                _DOXYGEN,
            ),
            "brief": (
                "(//div[@class='contents']/p)[1]",
                "(//div[@class='contents']/p)[1]/text()[normalize-space()][1]",
            ),
        },
    ),
    Wanted(
        "ipb_rcub",
        r"forum/index.php\?(showtopic|t\d)",
        "",
        {
            "title": ("//div[@class='maintitle']//b", "//div[@class='maintitle']"),
            "first author": "(//span[@class='normalname'])[1]",
            "first text": "(//div[@class='postcolor'])[1]",
        },
    ),
)
"""Chosen of the saved sites by what they are, before a table of one was seen."""

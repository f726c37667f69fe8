"""Fields that a person would ask for, of sites that no other list has, fourth list, first part.

School news, guides, artworks, proceedings, sessions, sponsors, a diary, libraries, profiles, a wiki, mails.
Data of :mod:`lab.bench.wanted`, not run.
"""

from __future__ import annotations

from lab.bench.wanted_fields import Wanted

_POST = "//article[has-class('node-post')]"
_TOMBSTONE = "//div[@id='tombstone']"
_LINES = f"{_TOMBSTONE}/h3/following-sibling::p[1]/text()[normalize-space()]"
_RESOURCE = f"{_TOMBSTONE}/p[1]/strong"
_PROCEEDINGS = "(//div[has-class('field--name-body')]/p)[1]"
_SUBMITTED = "//span[@property='dc:date dc:created']"
_BLOG_DATE = f"substring-after({_SUBMITTED}/a/following-sibling::text()[1], 'il ')"
_NEWS = "//div[has-class('node-article')]"
_PHOTO = "//div[has-class('node-article')]//div[has-class('field-name-field-image')]//img"
_STATISTICS = "//table[has-class('tborder3')]"
_HEADING = "//header[has-class('m-heading')]"
_MAIL = "//body[pre]"


def _field(name: str) -> str:
    return f"//div[has-class('field-name-{name}')]"


def _items(name: str) -> str:
    return f"{_field(name)}//div[has-class('field-item')]"


def _behind_label(name: str) -> str:
    return f"{_field(name)}/text()[normalize-space()]"


def _statistic(label: str) -> str:
    return f"{_STATISTICS}//td[starts-with(normalize-space(),'{label}')]/following-sibling::td[1]"


def _element(name: str) -> str:
    return f"//div[@id='dublin-core-{name}']/div[has-class('element-text')]"


def _behind_bold(label: str) -> str:
    return f"//p/b[normalize-space()='{label}']/following-sibling::i[1]"


FOURTH_A = (
    Wanted(
        "backdrop_mercy",
        "(headlines|announcements)/",
        _POST,
        {
            "title": "//div[has-class('hero-page-title-content')]",
            "date": (
                f"substring-after({_POST}//p[@class='submitted'], 'on ')",
                f"{_POST}//p[@class='submitted']",
            ),
            "text": f"{_POST}{_field('body')}",
            "picture": f"{_POST}{_field('field-image')}//img/@src",
            "tags": f"{_POST}{_field('field-tags')}//a",
        },
    ),
    Wanted(
        "docfx_prism",
        "docs/",
        "//article[@id='_content']/h1",
        {
            "title": "(//article[@id='_content']/h1)[1]",
            "text": ("//article[@id='_content']", "//article[@id='_content']/*[not(self::h1)]"),
            "sections": "//article[@id='_content']/h2",
            "first code": "(//article[@id='_content']//pre)[1]",
        },
    ),
    Wanted(
        "drupal6_irvingpenn",
        "",
        f"{_TOMBSTONE}/h3",
        {
            "title": "//h1[@class='title']",
            "date": f"{_TOMBSTONE}/h3/text()[normalize-space()]",
            "medium": f"({_LINES})[1]",
            "size": f"({_LINES})[2]",
            "credit": f"({_LINES})[last()]",
            "picture": "//div[@id='artwork-image']//img/@src",
            "related": "//div[@id='block-aicexhibitions-artwork_related_categories']//a",
        },
    ),
    Wanted(
        "drupal6_irvingpenn",
        "",
        _RESOURCE,
        {
            "title": _RESOURCE,
            "kind": f"substring-before({_RESOURCE}, ':')",
            "text": f"{_TOMBSTONE}/p[2]",
            "picture": "//div[@id='artwork-body']//img/@src",
        },
    ),
    Wanted(
        "drupal8_jaiio",
        "Anales/.*Contribuciones",
        "",
        {
            "name": f"({_PROCEEDINGS}//text()[normalize-space()])[2]",
            "issn": (
                f"substring-after({_PROCEEDINGS}, 'ISSN ')",
                f"({_PROCEEDINGS}//text()[contains(.,'ISSN')])[1]",
            ),
        },
    ),
    Wanted(
        "drupal_campct2014",
        "content/",
        "//article[has-class('node-session')]",
        {
            "title": "//h1[@id='page-title']",
            "author": f"{_SUBMITTED}/a",
            "posted": f"substring-after({_SUBMITTED}/a/following-sibling::text()[1], 'on ')",
            "text": "//article/div[has-class('body')]",
            "skill": _behind_label("field-skill"),
            "category": _behind_label("field-category"),
            "time": _behind_label("field-time"),
            "room": _behind_label("field-room-number"),
        },
    ),
    Wanted(
        "drupal_campct2014",
        "content/",
        "//article[has-class('node-sponsor')]",
        {
            "name": "//h1[@id='page-title']",
            "level": _behind_label("field-sponsor-level"),
            "logo": f"//article{_field('field-logo')}//img/@src",
            "information": f"//article{_field('field-information')}",
            "website": f"//article{_field('field-website')}/a",
        },
    ),
    Wanted(
        "drupal_nelatko",
        r"node/\d",
        "//td[@id='main']/h2",
        {
            "title": "//td[@id='main']/h2",
            "date": "substring-after(//span[@class='node_submitted'], ' v ')",
            "text": "//td[@id='main']/div[has-class('node')]/div[@class='content']",
            "first picture": "(//td[@id='main']//div[@class='content']//img)[1]/@src",
        },
    ),
    Wanted(
        "drupal_rcpl",
        "news/",
        _NEWS,
        {
            "title": "//h1[@id='page-title']",
            "picture": f"{_PHOTO}/@src",
            "branch": f"({_PHOTO}/following-sibling::text()[normalize-space()])[1]",
            "text": f"{_NEWS}{_field('body')}",
        },
    ),
    Wanted(
        "drupal_rcpl",
        "locations/",
        "//div[has-class('node-branch')]",
        {
            "name": "//h1[@id='page-title']",
            "manager": "//section[@id='locationManager']//div[has-class('views-field-title')]",
            "about manager": "//section[@id='locationManager']//div[has-class('views-field-body')]",
            "plans": "//section[@id='renovationPlans']/*[not(self::h2)]",
        },
    ),
    Wanted(
        "drupal_sod_it",
        "archivio/user/",
        "//div[has-class('profile2-main')]",
        {
            "name": "//h1[has-class('page-header')]",
            "picture": f"{_field('field-profile-avatar')}//img/@src",
            "communities": _items("field-profile-comunita-appartene"),
            "cities": _items("field-profiles-address-citta"),
            "tags": _items("field-profile-keywords"),
            "member since": "//dt[normalize-space()='Iscritto da']/following-sibling::dd[1]",
        },
    ),
    Wanted(
        "drupal_sod_it",
        "archivio/(blog|content|node)/",
        "//article[has-class('node-blog') and not(has-class('node-teaser'))]",
        {
            "title": "//h1[has-class('page-header')]",
            "author": f"({_SUBMITTED})[1]/a",
            "date": _BLOG_DATE,
            "text": f"//article{_field('body')}",
        },
    ),
    Wanted(
        "drupal_sod_it",
        "archivio/(content|node)/",
        "//article[has-class('node-session') and not(has-class('node-teaser'))]",
        {
            "title": "//h1[has-class('page-header')]",
            "author": f"({_SUBMITTED})[1]/a",
            "date": _BLOG_DATE,
            "kind": _items("field-tipo-di-attivit-"),
            "difficulty": _items("field-livello-di-difficolta"),
            "duration": _items("field-durata"),
            "text": f"//article{_field('body')}",
        },
    ),
    Wanted(
        "forum_starbound_fr",
        r"forum/member.php\?action=profile",
        _STATISTICS,
        {
            "name": "//span[@class='proname']",
            "reputation": "//div[@class='prorstat']//strong",
            "joined": "//span[@class='largetext'][contains(.,'Inscription')]/following-sibling::text()[1]",
            "last visit": _statistic("Dernière visite"),
            "posts": (
                f"substring-before({_statistic('Nombre total de messages')}, ' (')",
                _statistic("Nombre total de messages"),
            ),
            "threads": (
                f"substring-before({_statistic('Nombre total de sujets')}, ' (')",
                _statistic("Nombre total de sujets"),
            ),
            "online": _statistic("Temps passé en ligne"),
        },
    ),
    Wanted(
        "ghost_anantharajuc",
        "",
        "//body[has-class('post-template')]",
        {
            "title": f"{_HEADING}/h1",
            "tag": f"{_HEADING}//a[has-class('m-heading__meta__tag')]",
            "date": f"{_HEADING}//span[has-class('m-heading__meta__time')]",
            "text": "//div[has-class('js-post-content')]",
            "picture": "//section[has-class('m-hero')]//img/@src",
        },
    ),
    Wanted(
        "ghost_anantharajuc",
        "tag/",
        "//body[has-class('tag-template')]",
        {
            "name": "//h1[has-class('m-hero-title')]",
            "description": "//p[has-class('m-hero-description')]",
            "posts": (
                "substring-before(//ul[has-class('m-hero-stats')]/li[1], ' post')",
                "//ul[has-class('m-hero-stats')]/li[1]",
            ),
            "picture": "//section[has-class('m-hero')]//img/@src",
        },
    ),
    Wanted(
        "mediawiki_freegle",
        "index.php/",
        "//body[has-class('ns-0')]",
        {
            "title": "//h1[@id='firstHeading']",
            "text": "//div[has-class('mw-parser-output')]",
            "categories": "//div[@id='mw-normal-catlinks']//li/a",
            "edited": (
                "substring-after(//li[@id='footer-info-lastmod'], 'edited on ')",
                "//li[@id='footer-info-lastmod']",
            ),
        },
    ),
    Wanted(
        "omeka_spaces",
        "(exhibits|items)/",
        "//body[has-class('items')]",
        {
            "title": _element("title"),
            "description": _element("description"),
            "rights": _element("rights"),
            "picture": "//div[@id='itemfiles']//img/@src",
            "address": "//div[@id='item-citation']//span[@class='citation-url']",
        },
    ),
    Wanted(
        "omeka_spaces",
        "exhibits/",
        "//div[@id='exhibit-blocks']",
        {
            "title": "//h1/span[@class='exhibit-page']",
            "exhibit": "//div[@id='secondary']/h2/a",
            "text": "//div[@id='exhibit-blocks']",
            "first picture": "(//div[@id='exhibit-blocks']//img)[1]/@src",
        },
    ),
    Wanted(
        "pipermail_imagej",
        r"imagej-devel/[^/]+/\d",
        _MAIL,
        {
            "subject": (f"{_MAIL}/h1", f"substring-after({_MAIL}/h1, '[ImageJ-devel] ')"),
            "author": f"{_MAIL}/b[1]",
            "mail": f"{_MAIL}/a[1]",
            "date": f"{_MAIL}/i[1]",
            "text": f"{_MAIL}/pre",
        },
    ),
    Wanted(
        "pipermail_imagej",
        "imagej-devel/[^/]+/[a-z]",
        "//p/b[.='Messages:']",
        {
            "month": ("substring-before(//h1, ' Archives')", "//h1"),
            "start": _behind_bold("Starting:"),
            "end": _behind_bold("Ending:"),
            "messages": "//p/b[.='Messages:']/following-sibling::text()[1]",
        },
    ),
    Wanted(
        "plone_pyconjp2011",
        "news/",
        "//body[has-class('portaltype-news-item')]",
        {
            "title": "//h1[has-class('documentFirstHeading')]",
            "description": "//div[has-class('documentDescription')]",
            "text": "//div[@id='parent-fieldname-text']",
        },
    ),
    Wanted(
        "plone_pyconjp2011",
        "",
        "//body[has-class('portaltype-image')]",
        {
            "name": "//h1[has-class('documentFirstHeading')]",
            "picture": "//div[@id='content-core']/a[1]/img/@src",
            "size": "substring-after(//div[@id='content-core']/span[has-class('discreet')], ':')",
        },
    ),
)
"""Chosen of the saved sites by what they are, before a table of one was seen."""

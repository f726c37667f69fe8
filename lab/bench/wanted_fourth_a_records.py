"""Tables of records that a person would ask for, of the sites of the fourth list of fields, first part.

News, papers, people, threads, posts, pages of a category, mails; the XPaths of fields start at the record.
Data of :mod:`lab.bench.wanted`, not run.
"""

from __future__ import annotations

from lab.bench.wanted_fields import Wanted

_THREAD = "td[3]//span[starts-with(@id,'tid_')]/a"
_COUNTS = "td[contains(.,'Réponse')]"
_LAST = "td[last()]/span[has-class('lastpost')]"
_STAMP = ".//div[has-class('m-article-card__timestamp')]"

FOURTH_A_RECORDS = (
    Wanted(
        "backdrop_mercy",
        "tags/",
        "",
        {
            "title": ".//div[has-class('views-field-title')]//a",
            "link": ".//div[has-class('views-field-title')]//a/@href",
            "date": ".//div[has-class('views-field-created')]",
            "text": ".//div[has-class('views-field-body')]",
        },
        "//div[has-class('views-view-grid')]/div[has-class('views-grid-box')]",
    ),
    Wanted(
        "drupal8_jaiio",
        "Anales/.*Contribuciones",
        "",
        {
            "authors": "text()[normalize-space()][1]",
            "title": "a",
            "link": "a/@href",
            "pages": "a/following-sibling::text()[normalize-space()][last()]",
        },
        "//div[has-class('field--name-body')]/ul/li[a]",
    ),
    Wanted(
        "drupal_rcpl",
        r"news(\?|/index)",
        "",
        {
            "title": "div[@class='cushion']/a/h2",
            "text": "div[@class='cushion']/a/p",
            "branch": "div[@class='cushion']/div[has-class('tag')]/a",
            "link": "div[@class='cushion']/a/@href",
        },
        "//article[div[@class='cushion']]",
    ),
    Wanted(
        "drupal_sod_it",
        "archivio/community",
        "",
        {
            "name": ".//div[has-class('views-field-name')]//a",
            "link": ".//div[has-class('views-field-name')]//a/@href",
            "picture": ".//img/@src",
        },
        "//div[has-class('view-sod-users-user-search')]//td[.//a]",
    ),
    Wanted(
        "drupal_sod_it",
        "archivio/(content|node)/",
        "//article[has-class('node-session')]",
        {
            "name": ".//div[has-class('views-field-name')]//a",
            "link": ".//div[has-class('views-field-name')]//a/@href",
            "picture": ".//img/@src",
        },
        "//div[has-class('view-sessions-lista-partecipanti')]//td[.//a]",
    ),
    Wanted(
        "forum_starbound_fr",
        "forum/forumdisplay",
        "",
        {
            "subject": _THREAD,
            "link": f"{_THREAD}/@href",
            "author": "td[3]/div/div[has-class('author')]/a",
            "replies": f"{_COUNTS}/a",
            "views": (
                f"substring-before({_COUNTS}/br/following-sibling::text()[1], ' Vue')",
                f"{_COUNTS}/br/following-sibling::text()[1]",
            ),
            "last date": f"{_LAST}/text()[normalize-space()][1]",
            "last author": f"{_LAST}/a[2]",
        },
        "//tr[has-class('inline_row')][.//span[starts-with(@id,'tid_')]]",
    ),
    Wanted(
        "ghost_anantharajuc",
        "",
        "",
        {
            "title": ".//h2[has-class('m-article-card__title')]",
            "link": ".//a[has-class('m-article-card__info-link')]/@href",
            "tag": ".//a[has-class('m-article-card__tag')]",
            "age": f"{_STAMP}/span[1]",
            "reading time": f"{_STAMP}/span[3]",
            "picture": ".//img[has-class('m-article-card__picture-background')]/@src",
        },
        "//article[has-class('m-article-card')]",
    ),
    Wanted(
        "mediawiki_freegle",
        "index.php/Category",
        "",
        {"name": "a", "link": "a/@href", "letter": "../../h3"},
        "//div[has-class('mw-category-generated')]/div[@id='mw-pages']//div[has-class('mw-category-group')]/ul/li",
    ),
    Wanted(
        "pipermail_imagej",
        "imagej-devel/[^/]+/(subject|author|date|thread)",
        "",
        {"subject": "a[@href][1]", "link": "a[@href][1]/@href", "author": "i[1]"},
        "//ul/li[i and a[@href]]",
    ),
)
"""Chosen of the saved sites by what they are, before a table of one was seen."""

"""More fields that a person would ask for, of sites that no other list has.

Trackers, a game's register, class references, exhibitions, a forum, a shop.  Of the sites that are held out
the XPaths were written from what such software prints, not from their pages.
Data of :mod:`lab.bench.wanted`, not run.
"""

from __future__ import annotations

from lab.bench.wanted_fields import Wanted, heading_cell, javadoc_link

_SOURCE = "//div[@id='page-content']/p[starts-with(normalize-space(),'Source:')]"
_ENTRY = "//div[has-class('page-title')]/span"
_SORT = "//div[@id='page-content']/p[2]/em"
_CRUMBS = "//ul[has-class('tsd-breadcrumb')]/li"
_FIRST_AUTHOR = "(//p[has-class('author')])[1]"
_OLD_TITLE, _NEW_TITLE = "//h2[@class='title']", "//h1[@class='title']"


def _behind_strong(label: str) -> str:
    strong = f"//div[@id='page-content']/p/strong[normalize-space()='{label}']"
    return f"{strong}/following-sibling::text()[normalize-space()][1]"


SECOND = (
    Wanted(
        "trac_ckan",
        "ticket/",
        "//div[@id='ticket']",
        {
            "summary": "//h2[has-class('summary')]",
            "status": (
                "//h1/span[@class='status']",
                "substring-before(substring-after(//h1/span[@class='status'], '('), ')')",
            ),
            "reporter": heading_cell("Reported by:"),
            "owner": heading_cell("Owned by:"),
            "priority": heading_cell("Priority:"),
            "component": heading_cell("Component:"),
            "opened": "//div[@id='ticket']/div[@class='date']/p[starts-with(normalize-space(),'Opened')]/a",
            "description": "//div[@id='ticket']/div[@class='description']/div",
        },
    ),
    Wanted(
        "wikidot_dnd5e",
        "spell:",
        "//strong[normalize-space()='Casting Time:']",
        {
            "name": _ENTRY,
            "school": _SORT,
            "casting time": _behind_strong("Casting Time:"),
            "range": _behind_strong("Range:"),
            "components": _behind_strong("Components:"),
            "duration": _behind_strong("Duration:"),
            "source": (_SOURCE, f"substring-after({_SOURCE}, 'Source: ')"),
        },
    ),
    Wanted(
        "wikidot_dnd5e",
        "wondrous-items:",
        "//p/em[contains(., 'ondrous item')]",
        {
            "name": _ENTRY,
            "rarity": _SORT,
            "source": (_SOURCE, f"substring-after({_SOURCE}, 'Source: ')"),
        },
    ),
    Wanted(
        "typedoc_labkey",
        "(?:functions|variables|types|interfaces|classes|enums)/",
        "",
        {
            "name": ("substring-after(//h1, ' ')", f"({_CRUMBS}/a)[last()]"),
            "kind": "substring-before(//h1, ' ')",
            "module": f"{_CRUMBS}[last()-1]/a",
        },
    ),
    Wanted(
        "typedoc_labkey",
        "functions/",
        "",
        {
            "returns": "//h4[has-class('tsd-returns-title')]/*[1]",
            "source": "(//aside[has-class('tsd-sources')]//a)[1]",
        },
    ),
    Wanted(
        "drupal_wattis",
        "exhibitions/",
        "//div[has-class('node-exhibition')]",
        {
            "title": "//h1[@id='page-title']",
            "gallery": "//div[has-class('field-name-field-gallery')]//div[has-class('field-item')]",
            "dates": "//div[has-class('field-name-field-date')]//div[has-class('field-item')]",
            "text": "//div[has-class('node-exhibition')]//div[has-class('field-name-body')]",
        },
    ),
    Wanted(
        "bugzilla_bibletime",
        r"show_bug.cgi\?id",
        "//span[@id='short_desc_nonedit_display']",
        {
            "summary": "//span[@id='short_desc_nonedit_display']",
            "status": "//span[@id='static_bug_status']",
            "component": "//td[@id='field_container_component']",
            "version": heading_cell("Version:"),
            "reported": heading_cell("Reported:"),
            "qt version": "//td[@id='field_container_cf_qt_version']",
            "first text": "(//pre[has-class('bz_comment_text')])[1]",
            "assigned": "(//th[starts-with(normalize-space(),'Assigned To')]/following-sibling::td[1])[1]",
        },
    ),
    Wanted(
        "phpbb_losersjuegos",
        "foro/viewtopic",
        "",
        {
            "title": ("(//h2/a[contains(@href,'viewtopic')])[1]", "(//h2[has-class('topic-title')])[1]"),
            "first author": (
                f"{_FIRST_AUTHOR}//strong/a",
                "(//dl[has-class('postprofile')])[1]/dt/a[normalize-space()]",
            ),
            "first text": "(//div[@class='content'])[1]",
            "first date": f"substring-after({_FIRST_AUTHOR}, '» ')",
        },
    ),
    Wanted(
        "javadoc_jgrapht",
        "javadoc/(?!.*class-use)(?!.*package-).*/[A-Z][^/]*[.]html",
        "",
        {
            "name": f"substring-after({_NEW_TITLE}|{_OLD_TITLE}, ' ')",
            "kind": f"substring-before({_NEW_TITLE}|{_OLD_TITLE}, ' ')",
            "module": javadoc_link("module"),
            "package": javadoc_link("package"),
            "author": "(//dt[.='Author:']/following-sibling::dd[1])[1]",
            "description": "((//section[has-class('description')]|//section[has-class('class-description')]"
            "|//div[@class='description'])//div[@class='block'])[1]",
        },
    ),
    Wanted(
        "magento_smullin",
        "knives/",
        "//div[has-class('product-essential')]|//div[has-class('product-info-main')]",
        {
            "name": "//div[has-class('product-name')]/h1|//div[has-class('product-name')]/h2"
            "|//h1[has-class('page-title')]",
            "price": (
                "(//div[has-class('product-shop')]//*[has-class('price-box')]//span[@class='price'])[last()]",
                "(//div[has-class('product-info-main')]//span[@class='price'])[1]",
            ),
        },
    ),
)
"""Chosen of the saved sites by what they are, before a table of one was seen."""

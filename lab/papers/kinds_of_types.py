"""The kind of a page by the type that the markup of its site states: facts about publishing software.

``KINDS_OF_TYPES`` maps software -> page type -> kind; ``SOFTWARE`` maps a site to its software.  A type that
pages of several kinds have is left out: the static page of a blog, an entry of a wiki, a ticket, the front
page of an organisation, a session of a conference.  The rows of one site, below its name, come before those
of its software; an empty kind leaves a type out.
"""

from __future__ import annotations

from collections.abc import Mapping


def _rows(**types_of_kind: str) -> dict[str, str]:
    """Return type -> kind, from kind -> types with blanks between them."""
    return {kind: name for name, kinds in types_of_kind.items() for kind in kinds.split()}


_FORUM = _rows(
    forum="thread topic viewtopic section-viewtopic thread_view messages-show printpage",
    listing="forum_list forum_view category_view board boardindex viewforum section-viewforum channel recent "
    "memberlist section-memberlist member_list search search_results section-search whats_new_posts list "
    "boards-show",
    profile="member member_view profile profile-viewprofile user member_about",
    error="login login-wall register register_form lost_password section-ucp profile-register "
    "profile-sendpassword section-posting message-center",
)
_WORDPRESS = _rows(
    article="single-post single-news single-newsandupdates",
    listing="archive-category archive-author archive-tag archive-date archive-post-type-archive",
    other="attachment single-tribe_venue",
)
_SHOP = _rows(
    product="product single-product catalog-product-view",
    collection="collection archive-tax archive-post-type-archive list-collections product-list",
    article="article",
    listing="blog archive-category",
)
_CODE = _rows(
    documentation="package-index-page tree-page deprecated-list-page index-page help-page "
    "package-declaration-page class-declaration-page package-tree-page md_page file namespace compound group "
    "members index mkdocs dokka-package dokka-other dokka-classlike dokka-member package trait class object "
    "page api gallery-example rustdoc-mod item"
)

KINDS_OF_TYPES: Mapping[str, Mapping[str, str]] = {
    "antora": _rows(
        documentation="docs-wrapper", article="single-post", listing="blog-landing", error="status-404"
    ),
    "bugzilla": _rows(listing="buglist describecomponents", error="login createaccount"),
    "discourse": _FORUM,
    "django": _rows(
        article="news",
        listing="news-list clinical_news-list industry_partners-list organisation_partners-list "
        "professional_members-list affiliates-list jurisdictions-list research_projects-list",
        profile="industry_partners_detail profile",
    ),
    "docusaurus": _rows(
        documentation="docs-doc-page",
        article="blog-post-page",
        listing="blog-list-page",
    ),
    "dokuwiki": _rows(error="mode_login mode_register mode_denied"),
    "drupal": _rows(
        article="node-type-article node-type-blog node-type-news node-type-story",
        listing="page-news page-blog page-taxonomy page-search glossary-list",
        profile="page-user node-type-sponsor",
        other="node-type-job node-type-image",
    ),
    "ghost": _rows(article="post-template", listing="author-template tag-template home-template"),
    "joomla": _rows(
        listing="blog category-list categories-list content-category content-categories blog-featured",
        error="login remind reset users users-remind users-reset",
    ),
    "magento": _SHOP | _rows(error="checkout-cart-index"),
    "mediawiki": _rows(listing="ns-14", other="ns-6", profile="ns-2"),
    "movable type": _rows(article="entry", listing="archive"),
    "pelican": _rows(listing="list", other="video"),
    "phpbb": _FORUM | _rows(article="news-article"),
    "phpbb 2": _FORUM,
    "plone": _rows(
        article="portaltype-news-item",
        listing="portaltype-collection listing search",
        profile="portaltype-provider",
        other="portaltype-image",
    ),
    "redmine": _rows(
        listing="projects-index search-index activities-index issues-index versions-index",
        profile="users-show",
        forum="messages-show",
        error="account-login account-lost_password",
    ),
    "shopify": _SHOP,
    "smf": _FORUM,
    "spip": _rows(article="article breve", listing="rubrique plan"),
    "trac": _rows(listing="trac-report trac-query trac-timeline", error="trac-register"),
    "vbulletin": _FORUM,
    "weebly": _rows(article="wsite-blog-post", listing="wsite-blog-index"),
    "woocommerce": _SHOP,
    "wordpress": _WORDPRESS,
    "xenforo": _FORUM,
    **dict.fromkeys(("dokka", "doxygen", "javadoc", "rustdoc", "scaladoc", "sphinx"), _CODE),
    # sites whose types mean something of their own
    **dict.fromkeys(
        "wp_330k_blog wp_abapblog wp_semifluid wp_inkszo_pl wp_slovotolk wp_escucha_ja wp_annacurra_gaa "
        "wp_baldr_nl wp_johnsonlu_zh wp_postlibertarian".split(),
        _rows(listing="home"),
    ),
    "shop_dabhobbies": {"archive-category": "listing"},
}

SOFTWARE: Mapping[str, str] = {
    "apache_cassandra": "antora",
    "javadoc_jmeter": "javadoc",
    "okhttp_dokka_mkdocs": "dokka",
    "mt_riversedge": "movable type",
    "phpbb2_cfnet": "phpbb 2",
    "forum_starbound_fr": "wordpress",
    "shop_dabhobbies": "woocommerce",
    "shop_jwhisky": "woocommerce",
    "shop_lpinnova_es": "woocommerce",
    **{
        f"{start}_": software
        for start, software in {
            "bugzilla": "bugzilla", "discourse": "discourse", "django": "django", "docusaurus": "docusaurus",
            "dokuwiki": "dokuwiki", "doxygen": "doxygen", "drupal": "drupal", "ghost": "ghost",
            "javadoc": "javadoc", "joomla": "joomla", "magento": "magento", "mediawiki": "mediawiki",
            "pelican": "pelican", "phpbb": "phpbb", "plone": "plone", "redmine": "redmine",
            "rustdoc": "rustdoc", "scaladoc": "scaladoc", "shopify": "shopify", "smf": "smf",
            "sphinx": "sphinx", "spip": "spip", "trac": "trac", "vbulletin": "vbulletin",
            "weebly": "weebly", "wp": "wordpress", "xenforo": "xenforo",
        }.items()
    },
}  # fmt: skip
"""Site, or how the names of sites begin -> software."""


def software_of(site: str) -> str:
    """Return the software of a site, the site itself where it is not known.

    >>> software_of("wp_abapblog"), software_of("hugo_ninenines")
    ('wordpress', 'hugo_ninenines')
    """
    return SOFTWARE.get(site) or SOFTWARE.get(site.partition("_")[0] + "_") or site


def kind_of_type(site: str, page_type: str | None) -> str | None:
    """Return the kind of the pages of a type, None where pages of it may be of several kinds.

    >>> kind_of_type("wp_abapblog", "single-post"), kind_of_type("wp_abapblog", "page")
    ('article', None)
    """
    if page_type is None:
        return None
    of_site, of_software = KINDS_OF_TYPES.get(site, {}), KINDS_OF_TYPES.get(software_of(site), {})
    return of_site.get(page_type, of_software.get(page_type)) or None

"""What the names of an element (its class words, its id) say of the text in it, as bits.

A name counts where a word of it begins so: behind no letter, or at a capital behind a small one
("relatedPosts", "more-related").  Names are words that web designers write in any language of the web.
An element that is hidden by its attributes has the bit ``HIDDEN``.

Cost: O(length of the tag); a word is read once for all pages of a process.
"""

from __future__ import annotations

import re

from templcrawl.page.memo import Memo
from templcrawl.page.tags import Tag

NAMES = {
    "comments": "comment|disqus|repl(?:y|ies)|respond",
    "sharing": "share|sharing|social|follow",
    "related": "related|recommend|similar|suggest|trending|popular|upsell|cross-?sell|read-?more|more-"
    "|recent|latest|featured|next|prev|teaser|promoted|also",
    "advertising": "promo|advert|ads?(?![a-z])|sponsor|banner|newsletter|subscri|sign-?up|cta|donat",
    "dialogs": "modal|pop-?up|cookie|consent|gdpr|overlay|drawer|off-?canvas|flyout|mini-?cart|cart|login"
    "|lightbox|dialog|toast|tooltip|notice|alert|announce",
    "sides": "side|widget|rail|aside|complementary",
    "menus": "menu|nav|breadcrumb|crumb|toolbar|tabs?(?![a-z])|pagination|pager|toc(?![a-z])|skip|dropdown"
    "|mega",
    "filters": "filter|facet|sort|refine|search",
    "foot": "foot|copyright|legal|colophon|disclaimer",
    "head": "header|masthead|top-?bar|hero",
    "particulars": "meta|byline|author|date|time|tags?(?![a-z])|categor|badge|label|avatar|user|profile"
    "|signature|stats|count|rating",
    "out of sight": "hidden|hide(?![a-z])|invisible|sr-only|visually|screen-?reader|d-none|collapsed",
    "body": "content|article|post|entry|story|body|text|main|prose|rich|markdown|copy",
    "product": "product|price|sku|spec|feature|option|variant|descript|detail|attribute|summary",
    "records": "card|item|result|listing|grid|row|tile|list|col(?![a-z])",
    "reviews": "review|testimonial|quote|faq|accordion|question|answer",
}
"""What is named -> how words begin that name it."""

BITS = {named: 1 << bit for bit, named in enumerate((*NAMES, "hidden"))}
"""What is named -> its bit; the last is of elements hidden by their attributes."""

ALL_BITS = 1 << len(BITS)
"""One more than the largest sum of bits."""

_LONGEST_TAG = 1_000
_UNNAMED = frozenset({"html", "body"})
_NAMED_SO = re.compile(
    "(?:(?<![a-zA-Z])|(?<=[a-z])(?=[A-Z]))(?i:" + "|".join(f"({words})" for words in NAMES.values()) + ")"
).finditer
_HIDDEN = re.compile(
    r"""\shidden(?=[\s>=/])|aria-hidden=["']?true|display:\s{0,3}none""", re.IGNORECASE | re.ASCII
).search


def name_bits(tag: Tag, form: str) -> int:
    """Return the bits of a start tag.

    form  the tag as written

    >>> from templcrawl.page.tags import read_tag
    >>> name_bits(read_tag(form := '<div class="relatedPosts">'), form) == BITS["related"] | BITS["body"]
    True
    """
    bits = 0
    if tag.name not in _UNNAMED:
        for word in (*tag.classes, tag.id) if tag.id else tag.classes:
            bits |= _SAID[word]
    if ("hid" in form or "none" in form) and _HIDDEN(form, 0, _LONGEST_TAG):
        bits |= BITS["hidden"]
    return bits


def _read(word: str) -> int:
    bits = 0
    for match in _NAMED_SO(word):
        bits |= 1 << ((match.lastindex or 1) - 1)
    return bits


_SAID = Memo(_read)

"""Read class words: which of them say what stands in an element, and what they say.

A word that numbers things, or says what state or category an element is in, says nothing, unless it ends in
one that names a thing ("item--price").  Of a word the last part that names a thing counts: ``price`` of
``product-price``.

Source: our own.  Cost: O(length of the word).
"""

from __future__ import annotations

import re
from functools import lru_cache

AUTHOR = "author"
MAX_WORDS = 4_000  # that are remembered
# Words of markup that say what stands there; in a class word the last of them counts.
SAYING = frozenset(
    """title headline name subtitle subject price amount cost currency sku brand vendor manufacturer model
    author byline user username date time published updated modified created category categories
    section tags tag rating score stars reviews comments replies views likes votes count description
    summary excerpt intro lead body text content message caption location address city country
    region venue organizer company salary phone tel email website weight size color colour material
    stock availability quantity isbn publisher language license version status type image photo
    picture thumbnail logo avatar signature breadcrumb breadcrumbs question answer duration distance
    position rank year month day start end deadline""".split()
)
_MEANING = {
    **dict.fromkeys(
        "by von par byline writer poster username nickname fn autor auteur verfasser".split(), AUTHOR
    ),
    **dict.fromkeys("cat cats topic genre kategorie categorie categoria".split(), "category"),
    **dict.fromkeys("datetime timestamp pubdate postdate datum fecha posted".split(), "date"),
    **dict.fromkeys("desc abstract teaser blurb".split(), "description"),
    **dict.fromkeys("heading titel titre titulo".split(), "title"),
    **dict.fromkeys("preis prix precio prezzo".split(), "price"),
    **dict.fromkeys("keyword keywords tagged".split(), "tags"),
    **dict.fromkeys("img thumb pic".split(), "image"),
    **dict.fromkeys("telephone mobile tel".split(), "phone"),
    **dict.fromkeys("mail".split(), "email"),
    **dict.fromkeys("crumb crumbs crumbtrail".split(), "breadcrumbs"),
}  # words of markup -> what they mean
RECORDS = frozenset(
    """product post article entry comment review result event job topic thread message reply story news book
    movie film ticket member category question answer offer recipe episode video photo album project person
    author package release version file document course property house car hotel restaurant""".split()
)
# Words that say how elements are laid out, shown or used.
LAYOUT = frozenset(
    """col cols column columns row rows wrapper wrap inner outer container left right center centre content
    main box block grid sizer flex clearfix clear half full width small large medium area holder group
    desktop mobile push pull offset float hidden visible js btn button link links item items list layout view
    slide slider swiper carousel loop page style styles bold italic font line odd even first last wp div span
    test p m h l u c o is has no d e s t hide hover on widget element elements default rounded relative
    absolute fixed sticky truncate uppercase lowercase shadow border transition cursor pointer lazy lazyload
    lazypreload preload alignleft alignright aligncenter alignnone nowrap concealed inline ajax
    current""".split()
)
_STYLES = tuple(
    "align items- attachment- size- is- has- text- font- u- js- col- fa- icon- d- screen-reader".split()
)
# Class words of libraries of styles, of frameworks and of generated code.
_IS_UTILITY = re.compile(
    r"[mp][trblxy]?-(?:auto|px)|(?:[a-z]+:)*-?(?:text|bg|flex|grid|gap|leading|tracking|font|w|h|min|max|border|rounded|shadow"
    r"|col|row|justify|space|items|self|inline|block|absolute|relative|top|left|right|bottom|z|overflow|align|object|float"
    r"|btn|fa|elementor|wp|js|d|size|thumb|attachment|comp|css|sc|jsx|svelte|chakra|mui|ng|vue|vc|et|fl|has|is|no)"
    r"[-_:].*|.*\d.*",
    re.IGNORECASE,
).fullmatch
_NAMES_FIELD = "field--name-"  # of Drupal, before the name of a field
# Class words of a framework around the name of a field, and beside it.
_FIELD = re.compile(
    r"(?:views-field|field--?name)-(?:field-)?(.+)|views-(?:row|element|fieldset|label)(?:-.*)?"
    r"|(?:views-)?field(?:--?(?:type|label|items?|content)(?:-.*)?)?"
).fullmatch
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])").findall
# Two digits in a row number things, but in the name of a block ("meta56__date").
_IS_PLAIN = re.compile(r"(?!.{0,40}\d\d(?!.{0,40}__))[A-Za-z][\w-]{0,39}").fullmatch
_STATE = re.compile(
    r"first|last|alt|odd|even|(?:odd|even)[-_](?:row|line|item)(?:[-_].*)?|(?:.*[-_])?(?:row|line|item)[-_](?:odd|even)|active|current|selected|open|closed|hidden|visible|disabled|enabled|new|sticky|featured|sale|on-?sale"
    r"|in-?stock|out-?of-?stock|sold-?out|on-?backorder|purchasable|taxable|shipping-taxable|has-.*|is-.*|.*--.*"
    r"|(?:product_|post_)?(?:cat|tag|category)-.*|pa_.*|(?:format|state|contenttype|status|priority|tracker|author|level|depth|byuser)-.*|columns?-.*",
    re.IGNORECASE,
).fullmatch


@lru_cache(maxsize=MAX_WORDS)
def says(word: str) -> bool:
    """Return whether a word says what stands in an element.

    >>> [says(word) for word in ("price", "post-1234", "meta56__date", "sale", "card--large", "item--price")]
    [True, False, True, False, False, True]
    >>> says("even-row-color"), says("views-row-odd"), says("field-odd")
    (False, False, True)
    """
    if not _IS_PLAIN(word):
        return False
    _, modifier, ending = word.rpartition("--")
    names = modifier and (word.startswith(_NAMES_FIELD) or not SAYING.isdisjoint(parts_of_word(ending)[-1:]))
    return bool(names) or not _STATE(word)


def meaning_of(word: str) -> str:
    """Return the meaning of a word: "author" for "by"."""
    return _MEANING.get(word.lower(), word)


def parts_of_word(word: str) -> list[str]:
    """Split a class word into parts; plurals become singular where that is a known word."""
    if word.startswith(_STYLES):
        return []
    parts = [*map(meaning_of, plain_parts(_field(word)))]
    return [part if part in SAYING or part[:-1] not in SAYING else part[:-1] for part in parts]


def _field(word: str) -> str:
    """Return a class word without what a framework puts around the name of a field.

    >>> [_field(word) for word in ("field-name-field-job-title", "views-field-body", "field-item", "offield")]
    ['job-title', 'body', '', 'offield']
    """
    match = _FIELD(word)
    return match[1] or "" if match else word


def plain_parts(word: str) -> list[str]:
    """Split a class word into parts as it is written, in lower case.

    >>> plain_parts("postList-item_2")
    ['post', 'list', 'item']
    """
    return [part.lower() for part in _PARTS(word)]


def spoken(word: str) -> str:
    """Return a class word as a name, "" of one about layout or style, or that nobody can say.

    >>> spoken("tea-shop__distillery"), spoken("gap-y-1"), spoken("outer-wrapper")
    ('distillery', '', '')
    """
    if _IS_UTILITY(word) and SAYING.isdisjoint(parts_of_word(word)):
        return ""
    plain = _field(word).partition("--")[0].rpartition("__")[2]
    parts = [part for part in plain_parts(plain) if len(part) > 2 and part not in LAYOUT]
    if parts and all(map(can_be_spoken, parts)):
        return "_".join(parts[-2:])
    return "" if plain.isascii() else plain.replace("-", "_")


def can_be_spoken(word: str) -> bool:
    """Return whether a word has vowels and consonants like a word of a language.

    >>> [word for word in ("distillery", "kfmxq", "haeiou", "brand") if can_be_spoken(word)]
    ['distillery', 'brand']
    """
    return len(word) <= 15 and 0.18 <= sum(letter in "aeiouy" for letter in word) / len(word) <= 0.7


def names_thing(word: str) -> bool:
    """Return whether a class word names what stands in an element: "entry-title", "price"."""
    return not SAYING.isdisjoint(parts_of_word(word))


@lru_cache(maxsize=MAX_WORDS)
def names_record(word: str) -> bool:
    """Return whether a class word names a kind of record.

    >>> names_record("comment"), names_record("row")
    (True, False)
    """
    return not RECORDS.isdisjoint(plain_parts(word))

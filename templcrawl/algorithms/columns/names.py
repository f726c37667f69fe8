"""Name columns by the words of their markup, and read these words.

*A name* is what a person would take: the label; else the property that pages declare; else the word of the
markup, nearest first, that says what stands there (``price`` of ``product-price``, ``author`` of ``byline``),
else the last class word that is about no layout, is no utility (``gap-y-1``) and can be spoken, else what the
kind or the tag says (``date``, ``link``, ``text``).  A name that is taken gets a word of the elements around
it, else a number.

Source: our own.  Cost: O(length of the place).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import chain, islice

from templcrawl.algorithms.columns.units import SCOPE, parts_of
from templcrawl.algorithms.columns.value_kinds import DATE, MONEY, NUMBER, PICTURE, TEXT, WORDS
from templcrawl.page.text import storable
from templcrawl.page.vocabulary import HEADINGS

LONGEST_NAME = 40
_MAX_HEADING = 4  # words of a heading that names a table
_MAX_TAGS = 6  # that a page has, on average; more are those of the site
AUTHOR = "author"
OLD = frozenset({"del", "s", "strike"})  # elements of what holds no longer


# Words of markup that say what stands there; in a class word the last of them counts.
_SAYING = frozenset(
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
    **dict.fromkeys("keyword keywords".split(), "tags"),
    **dict.fromkeys("img thumb pic".split(), "image"),
    **dict.fromkeys("telephone mobile tel".split(), "phone"),
    **dict.fromkeys("mail".split(), "email"),
    **dict.fromkeys("crumb crumbs crumbtrail".split(), "breadcrumbs"),
}  # words of markup -> what they mean
_BY = ("by", "von", "par")
_PLAIN = frozenset("body text content name type user tag count time end start lead day title section".split())
_BLURBS = frozenset("summary excerpt description lead".split())  # in a heading they are a title
_DATES = frozenset(
    "date time published updated modified created year month day start end deadline birthday".split()
)
_PICTURES = frozenset("image photo picture thumbnail logo avatar icon".split())
_SAID_OF = {
    PICTURE: _PICTURES,
    DATE: _DATES,
    WORDS: _SAYING - _PICTURES - _DATES,
}  # kind -> words that say it
_RECORDS = frozenset(
    """product post article entry comment review result event job topic thread message reply story news book
    movie film ticket member category question answer offer recipe episode video photo album project person
    author package release version file document course property house car hotel restaurant""".split()
)
# Words that say how elements are laid out, shown or used.
_LAYOUT = frozenset(
    """col cols column columns row rows wrapper wrap inner outer container left right center centre content
    main box block grid sizer flex clearfix clear half full width small large medium area holder group
    desktop mobile push pull offset float hidden visible js btn button link links item items list layout view
    slide slider swiper carousel loop page style styles bold italic font line odd even first last wp div span
    test p m h l u c o is has no d e s t hide hover on widget element elements default rounded relative
    absolute fixed sticky truncate uppercase lowercase shadow border transition cursor pointer lazy lazyload
    lazypreload preload alignleft alignright aligncenter alignnone nowrap concealed inline ajax
    current""".split()
)
_WORDLESS = frozenset("a span b strong em".split())  # elements that the one around them names
_STYLES = tuple(
    "align items- attachment- size- is- has- text- font- u- js- col- fa- icon- d- screen-reader".split()
)
# Class words of libraries of styles, of frameworks and of generated code.
_UTILITY = re.compile(
    r"[mp][trblxy]?-(?:auto|px)|(?:[a-z]+:)*-?(?:text|bg|flex|grid|gap|leading|tracking|font|w|h|min|max|border|rounded|shadow"
    r"|col|row|justify|space|items|self|inline|block|absolute|relative|top|left|right|bottom|z|overflow|align|object|float"
    r"|btn|fa|elementor|wp|js|d|size|thumb|attachment|comp|css|sc|jsx|svelte|chakra|mui|ng|vue|vc|et|fl|has|is|no)"
    r"[-_:].*|.*\d.*",
    re.IGNORECASE,
).fullmatch
# Class words of a framework around the name of a field, and beside it.
_FIELD = re.compile(
    r"(?:views-field|field--?name)-(?:field-)?(.+)|views-(?:row|element|fieldset|label)(?:-.*)?"
    r"|(?:views-)?field(?:--?(?:type|label|items?|content)(?:-.*)?)?"
).fullmatch
_LETTERS = re.compile(r"[^\W\d_]+")
_IS_PLURAL = re.compile(r"[a-z]{3,}[^sui]s").fullmatch
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
# Words of markup around what is not data: pagers, buttons to share, forms, what a sidebar shows, code.
_FURNITURE = frozenset(
    """next prev previous newer older pager pagination paging pagenav pagenavi share sharing sharedaddy social
    respond notices notice recently sidebar""".split()
)
_UNSEEN = ("screen-reader", "visually-hidden", "sr-only", "visuallyhidden")
_NO_DATA = frozenset("button label legend".split())


def name_of(label: str, place: str, kind: str) -> str:
    """Return the name of a column.

    label  "" without one
    place  of its values

    >>> name_of("ISBN", "td", "text"), name_of("By", "a", "text"), name_of("", "div/h1.product_title", "text")
    ('ISBN', 'author', 'title')
    """
    return (
        _of_label(" ".join(storable(label).split())[:LONGEST_NAME].strip(" :#"))
        or said_of(place, kind)
        or _left(place, kind)
    )


def _of_label(label: str) -> str:
    return AUTHOR if label.lower() in _BY else label


def meaning_of(word: str) -> str:
    """Return the meaning of a word: "author" for "by"."""
    return _MEANING.get(word.lower(), word)


def are_tags(place: str, number: float) -> bool:
    """Return whether the markup calls the texts of a place tags or categories, and a page has few of them."""
    return number <= _MAX_TAGS and said_of(place, TEXT) in ("tags", "category", "categories")


def free_name(name: str, place: str, taken: Collection[str]) -> str:
    """Return a unique name (case does not count): with a word of the place added, else with a number.

    >>> free_name("title", "div.related/a.title", {"Title"}), free_name("price", "", {"price", "price_2"})
    ('related_title', 'price_3')
    """
    taken = {other.lower() for other in taken}
    longer = (plain if name.lower() in plain.lower() else f"{plain}_{name}" for plain in _plain_words(place))
    numbered = (f"{name}_{number}" for number in range(2, len(taken) + 3))
    candidates = chain([name], (one[:LONGEST_NAME] for one in longer), numbered)
    return next(one for one in candidates if one.lower() not in taken)


@lru_cache(maxsize=4_000)
def said_of(place: str, kind: str) -> str:
    """Return the nearest meaningful word of markup at a place, from its element upwards; "" without one.

    >>> said_of("p.price/span.amount", "money"), said_of("p.price/del/b", "money"), said_of("b", "text")
    ('price', 'old_price', '')
    >>> said_of("h2/a.summary", "text"), said_of("div.author/h2", "text")
    ('title', 'author')
    """
    steps = [parts_of(step) for step in reversed(place.split("/"))]
    if kind == MONEY and any("price" in _parts(word) for _, words in steps for word in words):
        return "price" if OLD.isdisjoint(tag for tag, _ in steps) else "old_price"
    says = _SAID_OF.get(kind, _SAYING - _PICTURES)
    for depth, (tag, words) in enumerate(steps):
        if tag == "h1":
            return "title"
        said = [part for word in words for part in _parts(word) if part in says]
        plain = [part for part in said if part not in _PLAIN]
        above, around = steps[depth + 1] if depth + 1 < len(steps) else ("", ())
        if plain and plain[-1] in _BLURBS and above in HEADINGS:
            return "title"
        if plain or (said and (depth == 0 or (depth == 1 and steps[0][0] in _WORDLESS))):
            return (plain or said)[-1]
        if (tag == "time" and kind != WORDS) or (tag in HEADINGS and kind not in (DATE, NUMBER)):
            if tag != "time" and any("author" in _parts(word) for word in around):
                return "author"
            return "image" if kind == PICTURE else "date" if tag == "time" else "title"
    return "image" if kind == PICTURE else ""


def _left(place: str, kind: str) -> str:
    """Return the name of a column whose markup has no meaningful word."""
    tag, words = parts_of(place.rpartition("/")[2])
    kind, no_words = (TEXT, _PICTURES | _DATES) if kind == WORDS else (kind, _PICTURES)
    if kind not in (TEXT, NUMBER):
        return "price" if kind == MONEY else kind
    if place == SCOPE or (tag == "p" and not words):
        return "text"
    names = (word for word in _plain_words(place) if no_words.isdisjoint([meaning_of(word), *_parts(word)]))
    return next(names, "link" if tag == "a" else kind)


def _parts(word: str) -> list[str]:
    """Split a class word into parts; plurals become singular where that is a known word."""
    if word.startswith(_STYLES):
        return []
    parts = [_MEANING.get(part.lower(), part.lower()) for part in _WORDS.findall(_field(word))]
    return [part if part in _SAYING or part[:-1] not in _SAYING else part[:-1] for part in parts]


def _field(word: str) -> str:
    """Return a class word without what a framework puts around the name of a field.

    >>> [_field(word) for word in ("field-name-field-job-title", "views-field-body", "field-item", "offield")]
    ['job-title', 'body', '', 'offield']
    """
    match = _FIELD(word)
    return match[1] or "" if match else word


def _plain_words(place: str) -> Iterator[str]:
    """Yield the class words of a place as names, nearest first, without those about layout."""
    for step in reversed(place.split("/")):
        for word in reversed(parts_of(step)[1]):
            plain = _field(word.removeprefix("#")).partition("--")[0].rpartition("__")[2]
            if _UTILITY(word.removeprefix("#")) and not _SAYING.intersection(_parts(word)):
                continue
            says = [
                part
                for part in map(str.lower, _WORDS.findall(plain))
                if len(part) > 2 and part not in _LAYOUT
            ]
            if says and all(map(_can_be_spoken, says)):
                yield "_".join(says[-2:])[:LONGEST_NAME]
            elif not plain.isascii():
                yield plain.replace("-", "_")[:LONGEST_NAME]


def _can_be_spoken(word: str) -> bool:
    """Return whether a word has vowels and consonants like a word of a language.

    >>> [word for word in ("distillery", "kfmxq", "haeiou", "brand") if _can_be_spoken(word)]
    ['distillery', 'brand']
    """
    return len(word) <= 15 and 0.18 <= sum(letter in "aeiouy" for letter in word) / len(word) <= 0.7


def rows_name(row: str, heading: str, kinds: Collection[str], taken: Collection[str]) -> str:
    """Return a unique name for a table of records.

    row      place of a record
    heading  what stands above the records on most pages, "" if nothing does
    kinds    of the columns that most records have, and their names

    >>> rows_name("ul.products/li.item.type-simple", "You may like", (), ()), rows_name("div/div", "", (), ())
    ('product', 'item')
    >>> rows_name("ul.products/li", "You may like", (), ("product",)), rows_name("div", "", ("money",), ())
    ('you_may_like', 'product')
    >>> rows_name("ul.artworks-more/li", "", (), ())
    'artworks'
    """
    words = [word for step in reversed(row.split("/")) for word in parts_of(step)[1]]
    parts = [part for word in words for part in map(str.lower, _WORDS.findall(word))]
    singular = (
        one for part in parts for one in (part, part.removesuffix("s"), f"{part.removesuffix('ies')}y")
    )
    several = (part for part in parts if _IS_PLURAL(part) and part not in _LAYOUT and _can_be_spoken(part))
    by_kind = "product" if MONEY in kinds else "post" if DATE in kinds else "item"
    by_kind = "fact" if "label" in kinds else by_kind
    known = [next((one for one in singular if one in _RECORDS), ""), heading_name(heading)]
    named = [*filter(None, known), *islice(several, 1), by_kind]
    lower = {other.lower() for other in taken}
    return next((one for one in named if one not in lower), "") or free_name(by_kind, "", taken)


@lru_cache(maxsize=4_000)
def names_record(word: str) -> bool:
    """Return whether a class word names a kind of record.

    >>> names_record("comment"), names_record("row")
    (True, False)
    """
    return not _RECORDS.isdisjoint(map(str.lower, _WORDS.findall(word)))


def heading_name(heading: str) -> str:
    """Return a heading as a name, "" if it is too long for one.

    >>> heading_name("Related works (12)"), heading_name("What others have bought who liked this one")
    ('related_works', '')
    """
    words = [word.lower() for word in _LETTERS.findall(heading)]
    return "_".join(words) if len(words) <= _MAX_HEADING else ""


@lru_cache(maxsize=4_000)
def is_furniture(place: str) -> bool:
    """Return whether the markup of a place rules out data: a pager, a button, a widget.

    >>> is_furniture("nav.woo-pagination/a"), is_furniture("li.widget/a"), is_furniture("div.x-widget/a")
    (True, True, False)
    """
    for tag, words in map(parts_of, place.split("/")):
        if tag in _NO_DATA or any(_is_about_furniture(word.removeprefix("#").lower()) for word in words):
            return True
    return False


def _is_about_furniture(word: str) -> bool:
    return (
        not _FURNITURE.isdisjoint(word.replace("_", "-").split("-"))
        or word.startswith(("widget_", *_UNSEEN))
        or word.endswith("_widget")
        or word in ("widget", "page-numbers")
    )

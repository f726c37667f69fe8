"""Name columns by the words of their markup.

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

from templcrawl.algorithms.columns.class_words import (
    AUTHOR,
    LAYOUT,
    RECORDS,
    SAYING,
    can_be_spoken,
    meaning_of,
    names_record,
    parts_of_word,
    plain_parts,
    spoken,
)
from templcrawl.algorithms.columns.signatures import is_signature
from templcrawl.algorithms.columns.units import SCOPE, parts_of
from templcrawl.algorithms.columns.value_kinds import DATE, MONEY, NUMBER, PICTURE, TEXT, WORDS
from templcrawl.page.text import storable
from templcrawl.page.vocabulary import HEADINGS

LONGEST_NAME = 40
_MAX_HEADING = 4  # words of a heading that names a table
_MAX_TAGS = 6  # that a page has, on average; more are those of the site
OLD = frozenset({"del", "s", "strike"})  # elements of what holds no longer
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
    WORDS: SAYING - _PICTURES - _DATES,
}  # kind -> words that say it
_WORDLESS = frozenset("a span b strong em".split())  # elements that the one around them names
_LETTERS = re.compile(r"[^\W\d_]+")
_IS_PLURAL = re.compile(r"[a-z]{3,}[^sui]s").fullmatch
# Words of markup around what is no data of any page: pagers, buttons to share, forms.
_CONTROLS = frozenset(
    "pager pagination paging pagenav pagenavi share sharing sharedaddy social respond".split()
)
# Words around what is no data of its page, but may be records, if these differ: neighbours, a sidebar.
_BESIDE = frozenset("next prev previous newer older notices notice recently sidebar".split())
# Parts of a class word that is not of the sidebar.
_AROUND = frozenset("content main no has with wrap wrapper layout".split())
_NEIGHBOURS = {"next": "next", "newer": "next"} | dict.fromkeys(("prev", "previous", "older"), "previous")
_TITLES = ("", "title", "name")
_NEAR = 3  # steps of a place that may say so
_UNSEEN = ("screen-reader", "visually-hidden", "sr-only", "visuallyhidden", "assistive-text")
_AROUND_FOOTER = 2  # elements around the footer of an article, up to that
_FRAME = re.compile(r"(?:^|[/.#])(?:footer|nav)\b").search
_NO_DATA = frozenset("button label legend".split())


def name_of(label: str, place: str, kind: str) -> str:
    """Return the name of a column.

    label  "" without one
    place  of its values

    >>> name_of("ISBN", "td", "text"), name_of("By", "a", "text"), name_of("", "div/h1.product_title", "text")
    ('ISBN', 'author', 'title')
    """
    said = said_of(place, kind)
    return (
        _of_label(" ".join(storable(label).split())[:LONGEST_NAME].strip(" :#"))
        or neighbour_of(place)
        or said
        or _left(place, kind)
    )


@lru_cache(maxsize=4_000)
def neighbour_of(place: str) -> str:
    """Return "next" or "previous" if the markup calls a title that of a neighbour of the page, else "".

    >>> neighbour_of("div.post/div.nav-older/a/span.title"), neighbour_of("a.next/span.price")
    ('previous', '')
    """
    steps = place.split("/")
    for at in range(len(steps) - 1, max(len(steps) - _NEAR - 2, -1), -1):
        parts = (part for word in parts_of(steps[at])[1] for part in plain_parts(word))
        if called := next((_NEIGHBOURS[part] for part in parts if part in _NEIGHBOURS), ""):
            return called if said_of("/".join(steps[at + 1 :]), TEXT) in _TITLES else ""
    return ""


def _of_label(label: str) -> str:
    return AUTHOR if label.lower() in _BY else label


def are_tags(place: str, number: float) -> bool:
    """Return whether the markup calls the texts of a place tags or categories, and a page has few of them."""
    return number <= _MAX_TAGS and says_tags(place)


def says_tags(place: str) -> bool:
    """Return whether the markup calls what is at a place tags or categories."""
    return said_of(place, TEXT) in ("tag", "tags", "category", "categories")


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
    if kind in (TEXT, WORDS) and is_signature(place):
        return "signature"
    steps = [parts_of(step) for step in reversed(place.split("/"))]
    if kind == MONEY and any("price" in parts_of_word(word) for _, words in steps for word in words):
        return "price" if OLD.isdisjoint(tag for tag, _ in steps) else "old_price"
    says = _SAID_OF.get(kind, SAYING - _PICTURES)
    for depth, (tag, words) in enumerate(steps):
        if tag == "h1":
            return "title"
        said = [part for word in words for part in parts_of_word(word) if part in says]
        plain = [part for part in said if part not in _PLAIN]
        above, around = steps[depth + 1] if depth + 1 < len(steps) else ("", ())
        if plain and plain[-1] in _BLURBS and above in HEADINGS:
            return "title"
        if plain or (said and (depth == 0 or (depth == 1 and steps[0][0] in _WORDLESS))):
            return (plain or said)[-1]
        if (tag == "time" and kind != WORDS) or (tag in HEADINGS and kind not in (DATE, NUMBER)):
            if tag != "time" and any("author" in parts_of_word(word) for word in around):
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
    names = (
        word for word in _plain_words(place) if no_words.isdisjoint([meaning_of(word), *parts_of_word(word)])
    )
    return next(names, "link" if tag == "a" else kind)


def _plain_words(place: str) -> Iterator[str]:
    """Yield the class words of a place as names, nearest first, without those about layout."""
    words = (word for step in reversed(place.split("/")) for word in reversed(parts_of(step)[1]))
    return filter(None, (spoken(word.removeprefix("#"))[:LONGEST_NAME] for word in words))


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
    parts = [part for word in words for part in plain_parts(word)]
    singular = (
        one for part in parts for one in (part, part.removesuffix("s"), f"{part.removesuffix('ies')}y")
    )
    several = (part for part in parts if _IS_PLURAL(part) and part not in LAYOUT and can_be_spoken(part))
    by_kind = "product" if MONEY in kinds else "post" if DATE in kinds else "item"
    by_kind = "fact" if "label" in kinds else by_kind
    known = [next((one for one in singular if one in RECORDS), ""), heading_name(heading)]
    named = [*filter(None, known), *islice(several, 1), by_kind]
    lower = {other.lower() for other in taken}
    return next((one for one in named if one not in lower), "") or free_name(by_kind, "", taken)


def heading_name(heading: str) -> str:
    """Return a heading as a name, "" if it is too long for one.

    >>> heading_name("Related works (12)"), heading_name("What others have bought who liked this one")
    ('related_works', '')
    """
    words = [word.lower() for word in _LETTERS.findall(heading)]
    return "_".join(words) if len(words) <= _MAX_HEADING else ""


@lru_cache(maxsize=4_000)
def is_furniture(place: str) -> bool:
    """Return whether the markup of a place rules out data of a page: a pager, a button, a sidebar.

    >>> is_furniture("nav.woo-pagination/a"), is_furniture("li.widget/a"), is_furniture("div.x-widget/a")
    (True, True, False)
    >>> [is_furniture(f"{step}/p") for step in ("div.page-sidebar", "div.content-sidebar-wrap", "div#__next")]
    [True, False, False]
    """
    return rules_out_records(place) or any(map(_is_beside, _words(place)))


@lru_cache(maxsize=4_000)
def is_in_frame(place: str) -> bool:
    """Return whether a place is in the footer or the navigation of a page, not in the footer of an article.

    >>> is_in_frame("div.post/div.footer/a"), is_in_frame("body.post/footer/a"), is_in_frame("article/nav/a")
    (False, True, True)
    """
    match = _FRAME(place)
    around = place[: match.start()].split("/")[-_AROUND_FOOTER:] if match and "footer" in match[0] else ()
    return match is not None and not any(
        tag == "article" or (tag != "body" and any(map(names_record, words)))
        for tag, words in map(parts_of, around)
    )


@lru_cache(maxsize=4_000)
def rules_out_records(place: str) -> bool:
    """Return whether the markup of a place rules out records: a pager, a button.

    >>> [rules_out_records(place) for place in ("ul.pagination/li", "div.sidebar/li", "li.widget")]
    [True, False, False]
    """
    tags = (parts_of(step)[0] for step in place.split("/"))
    return not _NO_DATA.isdisjoint(tags) or is_unseen(place) or any(map(_is_control, _words(place)))


@lru_cache(maxsize=4_000)
def is_unseen(place: str) -> bool:
    """Return whether the markup of a place says that only screen readers read it.

    >>> is_unseen("nav/h2.screen-reader-text"), is_unseen("nav/h2")
    (True, False)
    """
    return any(word.startswith(_UNSEEN) for word in _words(place))


def _words(place: str) -> Iterator[str]:
    return (word.removeprefix("#").lower() for step in place.split("/") for word in parts_of(step)[1])


def _is_beside(word: str) -> bool:
    parts = set(word.replace("_", "-").split("-"))
    found = parts & _BESIDE
    is_around = found == {"sidebar"} and not parts.isdisjoint(_AROUND)
    is_widget = word == "widget" or word.startswith("widget_") or word.endswith("_widget")
    return is_widget or (found != set() and not is_around and not word.startswith("__"))


def _is_control(word: str) -> bool:
    is_control = not _CONTROLS.isdisjoint(word.replace("_", "-").split("-"))
    return is_control or word == "page-numbers"

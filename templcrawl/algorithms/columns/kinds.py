"""What kind of value a column has, and what it is called.

*Kinds*: ``picture``, ``address`` (of a link), ``money``, ``number``, ``date``, ``text``.  A column is of the
kind that ``MOST_ARE`` of its values have, by what they look like in any language: money has a sign or a code
of a currency beside its number, a date a year and a second number, or two marks between numbers.

*Names* are what a person would take: the label; else the word of the markup, nearest first, that says what
stands there (``price`` of ``product-price``), else a heading, else the last class word or tag.  A name that
is taken gets a word of the elements around it, else a number.

Source: our own.  Cost: O(length of the values).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from templcrawl.algorithms.columns.places import parts_of
from templcrawl.page.text import storable

PICTURE, ADDRESS, MONEY, NUMBER, DATE, TEXT = "picture", "address", "money", "number", "date", "text"
MOST_ARE = 0.8
LONGEST_NAME = 40
_AMOUNT = r"\d[\d.,'\u2019 \xa0]{0,24}"
_SIGN = (
    r"(?:[$€£¥₹₽₩₺₴₫฿₪₱¢]|(?:US|A|C|NZ|HK|S|R)\$|R\$|Rp\.?|Rs\.?|kr\.?|zł|Kč|Ft|lei|лв\.?|руб\.?|Fr\.?"
    r"|AUD|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HKD|HUF|IDR|INR|JPY|KRW|MXN|NOK|NZD|PLN|RON|RUB|SEK|SGD|THB|TRY|UAH"
    r"|USD|VND|ZAR|円|元)"
)
_MONEY = re.compile(rf"[^\d]{{0,20}}(?:{_SIGN}\s?{_AMOUNT}|{_AMOUNT}\s?{_SIGN})[^\d]{{0,12}}", re.IGNORECASE)
_NUMBER = re.compile(rf"[+\-−#]?{_AMOUNT}\s?(?:%|[a-zA-Z°µ²³\"]{{1,5}})?\.?")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|\d\s?年")
_CLOCK = re.compile(r"(?<!\d)\d{1,4}[/.\-]\d{1,2}[/.\-]\d{1,4}(?!\d)|(?<!\d)\d{1,2}:\d\d(?!\d)")
_LONGEST_DATE = 48
_DIGITS_OF_DATES = (
    0.3  # digits for a letter: "Wednesday, May 3, 2026" is one, "Single Cask 12 / 2018" is none
)
_DIGITS = re.compile(r"\d+")

# Words of markup that say what stands there; in a class word the last of them counts.
_SAYING = frozenset(
    """title headline name subtitle price amount cost currency sku brand vendor manufacturer model
    author byline user username date time published updated modified created category categories
    section tags tag rating score stars reviews comments replies views likes votes count description
    summary excerpt intro lead body text content message caption location address city country
    region venue organizer company salary phone tel email website weight size color colour material
    stock availability quantity isbn publisher language license version status type image photo
    picture thumbnail logo avatar signature breadcrumb breadcrumbs question answer duration distance
    position rank year month day start end deadline""".split()
)
_PLAIN = frozenset("body text content name type user tag count time end start lead day title section".split())
_STYLES = (
    "align",
    "attachment-",
    "size-",
    "is-",
    "has-",
    "text-",
    "font-",
    "u-",
    "js-",
    "col-",
    "fa-",
    "icon-",
    "d-",
)  # of words that say how
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def kind_of(values: Sequence[str]) -> str:
    """Return the kind of some texts.

    >>> kind_of(["$ 12.50", "$ 8"]), kind_of(["3 May 2026", "2026-05-03"]), kind_of(["1,204", "17 kg"])
    ('money', 'date', 'number')
    """
    least = MOST_ARE * len(values)
    for kind, holds in ((MONEY, _is_money), (DATE, _is_date), (NUMBER, _is_number)):
        if values and sum(map(holds, values)) >= least:
            return kind
    return TEXT


def _is_money(text: str) -> bool:
    return len(text) <= _LONGEST_DATE and _MONEY.fullmatch(text) is not None


def _is_number(text: str) -> bool:
    return len(text) <= _LONGEST_DATE and _NUMBER.fullmatch(text) is not None


def _is_date(text: str) -> bool:
    letters, digits = sum(map(str.isalpha, text)), sum(map(str.isdigit, text))
    if len(text) > _LONGEST_DATE or digits < _DIGITS_OF_DATES * letters:
        return False
    return _CLOCK.search(text) is not None or (
        _YEAR.search(text) is not None and len(_DIGITS.findall(text)) > 1
    )


def name_of(label: str, place: str, kind: str, taken: Collection[str]) -> str:
    """Return the name of a column, which no other has, capital letters or not.

    label  "" without one
    place  of its values

    >>> name_of("ISBN", "td", "text", ()), name_of("", "div.product/h1.product_title", "text", ())
    ('ISBN', 'title')
    >>> name_of("", "div.related/a.title", "text", {"title"})
    'related_title'
    """
    steps = [parts_of(step) for step in reversed(place.split("/"))]
    name = " ".join(storable(label).split())[:LONGEST_NAME].strip(" :#") or _said(steps, kind)
    taken = {other.lower() for other in taken}
    if name.lower() not in taken:
        return name
    for _, words in steps:
        for word in reversed(words):
            plain = _plain(word)
            longer = plain if name.lower() in plain.lower() else f"{plain}_{name}"
            if longer[:LONGEST_NAME].lower() not in taken:
                return longer[:LONGEST_NAME]
    numbered = (f"{name}_{number}" for number in range(2, len(taken) + 3))
    return next(longer for longer in numbered if longer.lower() not in taken)


def _said(steps: Iterable[tuple[str, tuple[str, ...]]], kind: str) -> str:
    """Return what the markup says of a place, from its element upwards."""
    steps = list(steps)
    for depth, (tag, words) in enumerate(steps):
        if tag == "h1":
            return "title"
        said = [part for word in words for part in _parts(word) if part in _SAYING]
        plain = [part for part in said if part not in _PLAIN]
        if plain or (said and depth == 0):
            return (plain or said)[-1]
        if tag in ("h2", "h3", "h4", "h5", "h6", "time"):
            return "date" if tag == "time" else tag
    if steps[0] == ("p", ()):
        return "text"
    if kind not in (TEXT, NUMBER):
        return "image" if kind == PICTURE else kind
    return next((_plain(word) for _, words in steps for word in reversed(words)), _plain(steps[0][0]))


def _parts(word: str) -> list[str]:
    return [] if word.startswith(_STYLES) else [part.lower() for part in _WORDS.findall(word)]


def _plain(word: str) -> str:
    """Return a class word as a name: what is said of an element of a block, in BEM, without hyphens."""
    return word.removeprefix("#").strip("*").rpartition("__")[2].replace("-", "_")[:LONGEST_NAME] or "value"


def rows_name(row: str, taken: Collection[str]) -> str:
    """Return the name of a table of records.

    row  place of a record

    >>> rows_name("ul.products/li.product.type-simple", ()), rows_name("table.offers/tr", ())
    ('product', 'offers')
    """
    words = next((words for _, words in map(parts_of, reversed(row.split("/"))) if words), ["rows"])
    return name_of(_plain(min(words, key=len)), row, TEXT, taken)


_VALUED = frozenset(
    """author byline brand vendor manufacturer category section user username status availability stock
    language""".split()
)


def says_value(place: str) -> bool:
    """Return whether the markup of a place says that a value stands there that may seldom differ.

    >>> says_value("div.meta/span.post-author/a"), says_value("div.meta/span.label")
    (True, False)
    """
    said = (part for step in place.split("/")[-2:] for word in parts_of(step)[1] for part in _parts(word))
    return not _VALUED.isdisjoint(said)

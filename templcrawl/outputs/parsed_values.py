"""The values of columns as data: the amount and the currency of money, numbers, dates in ISO 8601.

Only what looks like the kind of its column is parsed, and only what can be read in one way.  A value may show
which way by itself (``25/3/2024``, ``1.204,50``).  Another (``4/3/2024``) is read as the others of the column
say, and left out where they say nothing or differ.  A number with one sign before three digits is one of
thousands if no number of the column says otherwise.  A date has a day, a month and a year.

Amounts and numbers are read by price-parser, dates by dateparser.  That tries some 200 languages, which takes
30 ms for a text that is not a date.  So the languages of a column are found by ``_MAX_FORMS`` forms of its
values, where a form is a text without its digits, and the values are read in these languages.

Cost: 20 us for a number, 0.6 ms for a date; 1 s for the languages of a column, at most.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache, partial
from typing import Any, NamedTuple

from templcrawl.algorithms.columns.value_kinds import DATE, MONEY, NUMBER, SIGN, kind_of
from templcrawl.errors import load_extra

PARSED = (MONEY, NUMBER, DATE)  # kinds of columns
_MAX_FORMS, _FORMS_IN_VAIN = 24, 8  # the latter, where none of them is a date
_REMEMBERED = 500  # values of a column that are parsed once if they come again
_EXACT = 2**53  # whole numbers below are floats without loss
_DIGITS = re.compile(r"\d+")
_AMOUNT = re.compile(r"\d[\d.,'\u2019\s]*")
_ENDS = " .,'\u2019\xa0"
_MINUS = re.compile(r"^\s*[-−]|[-−]$")  # in what stands before an amount
_LEFT_OUT = re.compile(r"%|(?<=\d)['\u2019](?=\d)")  # what not every release of price-parser can read
_MANIFOLDS = {
    10**3: ("k", "thousand", "tsd", "тыс"),
    10**6: ("m", "million", "millions", "mio", "mln", "млн"),
    10**9: ("b", "bn", "billion", "billions", "mrd", "mld", "млрд"),
}
_MANIFOLD = re.compile(
    rf"\s?({'|'.join(word for words in _MANIFOLDS.values() for word in words)})(?![^\W\d_])", re.IGNORECASE
).match
_LAKHS = re.compile(r"\s?(?:lakh|crore|trillion|tn|milliard|万|億|亿|만|억)", re.IGNORECASE).match
_CURRENCIES = re.compile(SIGN, re.IGNORECASE).findall
_ORDERS = {"D": "DMY", "M": "MDY", "Y": "YMD"}
_YEAR_FIRST = re.compile(r"(?<!\d)\d{4}\s?[./年-]\s?\d{1,2}(?!\d)")
_IN_NUMBERS = re.compile(r"(?<!\d)(\d{1,2})\s?[./-]\s?(\d{1,2})\s?[./-]\s?(?:\d{4}|\d{2})(?!\d)")


class Parsing(NamedTuple):
    """How the values of a column are parsed.

    parts  what a value has: name -> type of its column (:mod:`templcrawl.outputs.arrow`)
    parse  text -> a value of each part, None where there is none
    """

    parts: Mapping[str, str]
    parse: Callable[[str], Sequence[Any]]


def load_parsers() -> tuple[Any, Any]:
    """Return the parser of prices, and the class of parsers of dates; raises MissingExtra."""
    price = load_extra("price_parser", "parsing values", "tables").Price.fromstring
    return price, load_extra("dateparser.date", "parsing values", "tables").DateDataParser


def parsing_of(kind: str, values: Iterable[str]) -> Parsing | None:
    """Return the parsing of a column, None if it is not parsed.  Raises MissingExtra.

    kind    :mod:`templcrawl.algorithms.columns.value_kinds`
    values  some of its values, in any order

    >>> money = parsing_of("money", ["1.204 €", "3,50 €"])
    >>> money.parse("2.000 €"), money.parse("free")
    ((2000, '€'), (None, None))
    """
    known = [value for value in values if kind_of([value]) == kind]
    read: Callable[[str], Sequence[Any]]
    if kind == DATE and (languages := _languages(known)):
        parts, read = {"date": "string"}, partial(_date, languages, _agreed(map(_orders, known)))
    elif kind in (MONEY, NUMBER):
        parts = {"amount": "float64", "currency": "string"} if kind == MONEY else {"number": "float64"}
        read = partial(_price, _agreed(_signs(_number_in(value)) for value in known))
    else:
        return None
    nothing = (None,) * len(parts)

    @lru_cache(_REMEMBERED)
    def parse(text: str) -> Sequence[Any]:
        return read(text)[: len(parts)] if kind_of([text]) == kind else nothing

    return Parsing(parts, parse)


def _agreed(readings: Iterable[str]) -> str | None:
    """Return the one reading of all values that have one; "" if none has, None if they differ."""
    found = {reading for reading in readings if len(reading) == 1}
    return None if len(found) > 1 else "".join(found)


def _number_in(text: str) -> str:
    match = _AMOUNT.search(text)
    return match[0].strip(_ENDS) if match else ""


def _signs(number: str) -> str:
    """Return the possible decimal signs of a number.

    >>> _signs("1.204,50"), _signs("1.204.500"), _signs("1.204"), _signs("0.204"), _signs("1204")
    (',', ',', '.,', '.', '')
    """
    signs = [character for character in number if character in ".,"]
    if not signs:
        return ""
    other = "," if signs[-1] == "." else "."
    if len(signs) > 1:
        return signs[-1] if other in signs else other
    whole, _, fraction = number.partition(signs[0])
    return ".," if len(fraction) == 3 and len(whole) <= 3 and whole != "0" else signs[0]


def _price(sign: str | None, text: str) -> tuple[float | None, str | None]:
    """Return the amount and the currency of a text.

    sign  the decimal sign of the column; "": none is known, None: there are two
    """
    number = _number_in(text)
    own = _signs(number)
    if len(own) > 1 and sign is None:
        return None, None
    read, _ = load_parsers()
    plain = _LEFT_OUT.sub("", text)
    price = read(plain, decimal_separator=own if len(own) == 1 else sign)
    currency = price.currency or next(iter(_CURRENCIES(text)), None)
    times = _times(text.partition(number)[2])
    if price.amount is None or times is None:
        return None, currency
    is_negative = _MINUS.search(text.partition(number)[0])  # price-parser drops the sign
    amount = price.amount * times
    return _exact(-amount if is_negative else amount), currency


def _times(behind: str) -> int | None:
    """Return the factor of a number by the word behind it, 1 by default; None where it is not certain.

    >>> _times("k"), _times(" Mio. €"), _times("bn"), _times(" kr"), _times(" lakh")
    (1000, 1000000, 1000000000, 1, None)
    """
    match = _MANIFOLD(behind)
    if match is None:
        return None if _LAKHS(behind) else 1
    word = match[1].casefold().rstrip(".")
    return next(times for times, words in _MANIFOLDS.items() if word in words)


def _exact(amount: Decimal) -> float | None:
    """Return a number if no digit is lost.

    >>> _exact(Decimal("12.50")), _exact(Decimal("1204")), _exact(Decimal(2**60))
    (12.5, 1204, None)
    """
    number = int(amount) if amount == amount.to_integral_value() else float(amount)
    return number if abs(number) < _EXACT and Decimal(repr(number)) == amount else None


def _languages(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the languages in which most forms of some dates can be read, the one of most forms first."""
    example: dict[str, str] = {}
    forms: Counter[str] = Counter()
    for text in texts:
        form = _DIGITS.sub("0", text)
        forms[form] += 1
        example[form] = min(text, example.get(form, text))
    chosen = sorted(forms, key=lambda form: (-forms[form], form))[:_MAX_FORMS]
    found: Counter[str] = Counter()
    for number, form in enumerate(chosen):
        if number == _FORMS_IN_VAIN and not found:
            break
        read = _read((), (_orders(example[form]) or "D")[0], example[form])
        if read.date_obj is not None:
            found[read.locale] += 1
    return tuple(sorted(found, key=lambda language: (-found[language], language)))


@lru_cache(64)
def _date_parser(languages: tuple[str, ...], order: str) -> Any:
    _, parser = load_parsers()
    settings = {
        "DATE_ORDER": order,
        "PARSERS": ["absolute-time"],  # "yesterday" depends on when it is read
        "RETURN_TIME_AS_PERIOD": True,
        "STRICT_PARSING": True,
    }
    return parser(languages=languages or None, use_given_order=bool(languages), settings=settings)


def _read(languages: tuple[str, ...], first: str, text: str) -> Any:
    """Parse a date in some languages, in any for ().

    first  of ``_ORDERS``, what comes first where it is not a year of four digits
    """
    order = "YMD" if _YEAR_FIRST.search(text) else _ORDERS[first]
    return _date_parser(languages, order).get_date_data(text)


def _orders(text: str) -> str:
    """Return which parts may come first in a numeric date: D(ay), M(onth), Y(ear); "" if all orders agree.

    >>> _orders("25.3.2024"), _orders("3/25/2024"), _orders("4/3/2024"), _orders("4 March 2024")
    ('D', 'M', 'DM', '')
    """
    match = _IN_NUMBERS.search(text)
    if match is None or int(match[1]) == int(match[2]):
        return ""
    first, second = int(match[1]), int(match[2])
    return "D" * (first <= 31 and second <= 12) + "M" * (first <= 12 and second <= 31) or "Y"


def _date(languages: tuple[str, ...], column: str | None, text: str) -> tuple[str | None]:
    """Return a date in ISO 8601, with its time if the text has one.

    column  what comes first in the column; "": nothing says so, None: it differs
    """
    orders = _orders(text)
    if len(orders) > 1 and not column:
        return (None,)
    found = _read(languages, (column if len(orders) > 1 else orders) or "D", text)
    if found.date_obj is None:
        return (None,)
    return (found.date_obj.isoformat() if found.period == "time" else found.date_obj.date().isoformat(),)

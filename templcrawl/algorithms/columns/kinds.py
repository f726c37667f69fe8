"""What kind of value a column has.

``picture``, ``address`` (of a page or a file), ``money``, ``number``, ``date``, ``text``.  A column is of the
kind that ``MOST_ARE`` of its values have, by what they look like in any language: money has a sign or a code
of a currency beside its number, a date a year and a second number, or two marks between numbers.

Source: our own.  Cost: O(length of the values).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

PICTURE, ADDRESS, MONEY, NUMBER, DATE, TEXT = "picture", "address", "money", "number", "date", "text"
MOST_ARE = 0.8
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

"""Tell the kind of a column's values by their form, in any language.

*Kinds* are ``picture``, ``address`` (of a page or a file), ``money``, ``number``, ``date``, ``text``.  A
column is of the kind that ``KIND_SHARE`` of its values have: money has a sign or a code of a currency beside
its number, a date a year and a second number, or two marks between numbers.

Source: our own; the codes are those of ISO 4217.  Cost: O(length of the values).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

PICTURE, ADDRESS, MONEY, NUMBER, DATE, TEXT = "picture", "address", "money", "number", "date", "text"
WORDS = "words"  # texts of which no word of markup says that they are dates
KIND_SHARE = 0.8
CODES = frozenset(
    """AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD
    CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP
    GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD
    KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN
    NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP
    SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES
    VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWL
    """.split()
)
SIGN = (
    r"(?:(?:US|AU|CA|NZ|HK|NT|MX|A|C|S|R|Z|J)?\$|[€£¥₹₽₩₺₴₫฿₪₱¢₦₮₡₲₵₸₼₾៛৳﷼]|(?<![^\W\d_])(?:RM|Rp|Rs|SFr|Fr|kr|TL|Kč|Ft|Lt|Ls|zł|kn|din|lei"
    rf"|лв|руб|грн|сум|{'|'.join(sorted(CODES))})(?![^\W\d_])\.?|円|元)"
)
AMOUNT = r"\d[\d.,'\u2019 \xa0\u202f]{0,24}"
MANIFOLD = (
    r"\s?(?:k|m|bn|b|thousand|million|billion|trillion|tsd\.?|mio\.?|mrd\.?|mln\.?|mld\.?"
    r"|тыс\.?|млн\.?|млрд\.?)\b\.?"
)
_AMOUNT = r"\d(?:[\d.,'\u2019 \xa0\u202f]{0,23}\d)?"
_MONEY = re.compile(
    rf"[^\d]{{0,20}}(?:{SIGN}\s?{_AMOUNT}|{_AMOUNT}(?:{MANIFOLD})?\s?{SIGN})[^\d]{{0,12}}", re.IGNORECASE
).fullmatch
_NUMBER = re.compile(rf"[+\-−#]?{AMOUNT}\s?(?:%|[a-zA-Z°µ²³\"]{{1,5}})?\.?").fullmatch
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|\d\s?年")
# A year has two digits or four: "1.10.1" is a version.
_CLOCK = re.compile(
    r"(?<![\d.])(?:\d{1,2}[/.\-]\d{1,2}[/.\-](?:\d{2}|\d{4})|\d{4}[/.\-]\d{1,2}[/.\-]\d{1,2})(?!\d|\.\d)"
    r"|(?<!\d)\d{1,2}:\d\d(?!\d)"
)
_MONTH = re.compile(r"\d[/.\-]\s?\d{1,2}[/.\-]\s?\d|[^\W\d_]{3}")
_LONGEST_TO = 5  # characters between two dates
_LONGEST = 48  # characters of a number or a date
# Digits for a letter: "Wednesday, May 3, 2026" is a date, "Single Cask 12 / 2018" is none.
_DIGITS_OF_DATES = 0.3
_DIGITS = re.compile(r"\d+")
_UP_TO_YEAR = re.compile(r"\d{1,4}")
_OF_PRICE = re.compile(rf"{SIGN}|[\d.,'\u2019\s]{{1,12}}|[.,]?\s?[-–]{{1,2}}", re.IGNORECASE).fullmatch
_TOLD = 4  # letters
_LONGEST_COUNT = 30  # characters of "12 comments"
_COUNT = re.compile(r"\d{1,9}(?:[.,\s]\d{3})*\s?([^\W\d_][^\d]*)|([^\d]*[^\W\d_])\s*[(\[]\d+[)\]]").fullmatch
_AGO = re.compile(r"\b(?:ago|temu|siden|sedan|sitten|önce|назад|тому)\b|前|전$", re.IGNORECASE).search
_ONE_SIGN = re.compile(SIGN, re.IGNORECASE).findall


def kind_of(values: Sequence[str]) -> str:
    """Return the kind of some texts.

    >>> kind_of(["$ 12.50", "RM 8"]), kind_of(["3 May 2026", "2026-05-03"]), kind_of(["1,204", "17 kg"])
    ('money', 'date', 'number')
    >>> kind_of(["1.10.1", "2.0.0"]), kind_of(["3.5.2026", "03.10.26"])
    ('number', 'date')
    """
    short = [text for text in values if len(text) <= _LONGEST]
    for kind, is_one in ((MONEY, _MONEY), (DATE, _is_date), (NUMBER, _NUMBER)):
        if values and sum(1 for text in short if is_one(text)) >= KIND_SHARE * len(values):
            return kind
    return TEXT


def are_dated(values: Sequence[str]) -> bool:
    """Return whether half of some texts may be dates, of any form: they are short and have a number.

    >>> are_dated(["2 days ago", "yesterday"]), are_dated(["Tea of the year", "No comments"])
    (True, False)
    """
    dated = sum(1 for text in values if len(text) <= _LONGEST and _DIGITS.search(text))
    return 2 * dated >= len(values)


def _is_date(text: str) -> bool:
    letters, digits = sum(map(str.isalpha, text)), sum(map(str.isdigit, text))
    says = _CLOCK.search(text) or (_YEAR.search(text) and len(_DIGITS.findall(text)) > 1)
    return bool(says) and digits >= _DIGITS_OF_DATES * letters


def has_month(date: str) -> bool:
    """Return whether a date has a month, as a word or between two numbers.

    >>> has_month("2026-05-03 10:30"), has_month("3 May 2026"), has_month("3, 2026")
    (True, True, False)
    """
    return _MONTH.search(date) is not None


def is_date_of(ours: str, others: str) -> bool:
    """Return whether another date has all numbers of one: "16 Apr 2022" beside "2022-04-16T09"."""
    numbers = set(map(int, _UP_TO_YEAR.findall(ours)))
    return ours == others or (len(numbers) > 1 and numbers.issubset(map(int, _UP_TO_YEAR.findall(others))))


def price_of(parts: Sequence[str]) -> str:
    """Return the parts of a price as one; two digits alone behind the others are its cents.

    >>> price_of(["$", "12", "50"]), price_of(["1.200", "50", "€"]), price_of(["$", "12", ".50"])
    ('$12.50', '1.200,50€', '$12.50')
    """
    whole = ""
    for part in parts:
        is_cents = len(part) == 2 and part.isdecimal() and whole[-1:].isdecimal()
        whole += ("," if "." in whole else ".") * is_cents + part
    return whole


def count_key(text: str) -> str:
    """Return how the words of a count begin, "" if a text is none: of "1 reply" as of "2 replies".

    >>> count_key("1 reply"), count_key("Replies (2)")
    ('repl', 'repl')
    """
    return words_of_count(text).casefold()[:_TOLD]


def words_of_count(text: str) -> str:
    """Return the words of a count, which a number begins, or ends in brackets; "" if a text is none.

    >>> words_of_count("Comments (12)"), words_of_count("1 204 views"), words_of_count("8 May 2026")
    ('Comments', 'views', '')
    >>> words_of_count("2 years ago")
    ''
    """
    match = _COUNT(text) if len(text) <= _LONGEST_COUNT and not _AGO(text) else None
    return (match[1] or match[2]) if match else ""


def are_time(parts: Sequence[str]) -> bool:
    """Return whether some texts are the first day or hour, a short word, and the last one.

    >>> are_time(["3 May 2026", "to", "5 May 2026"]), are_time(["3 May 2026", "5 May 2026"])
    (True, False)
    """
    if len(parts) != 3 or len(parts[1]) > _LONGEST_TO or any(map(str.isdigit, parts[1])):
        return False
    return all(len(text) <= _LONGEST and _is_date(text) for text in parts[::2])


def are_price(parts: Sequence[str]) -> bool:
    """Return whether some texts are the parts of one price.

    >>> are_price(["$", "12", ".50"]), are_price(["$9", "$5"]), are_price(["4", "/", "5"])
    (True, False, False)
    """
    whole = "".join(parts)
    return (
        len(whole) <= 20
        and all(map(_OF_PRICE, parts))
        and len(_ONE_SIGN(whole)) == 1
        and bool(_DIGITS.search(whole))
    )

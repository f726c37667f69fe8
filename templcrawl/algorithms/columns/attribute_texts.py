"""What elements say by attributes: addresses of pictures, words for who does not see them, ratings, dates.

An element without a text in it says its ``aria-label``, the value of a meter, or a rating or a colour that is
a class word ("star-rating Four").  The date of a ``time`` is said beside its text ("2 days ago").

Source: our own.  n elements.  Cost: O(n); a tag is read once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from templcrawl.page.page import Page
from templcrawl.page.tokens import TAGS, attributes

_SIZED = re.compile(r" \d+(?:\.\d+)?[wx]\b|, ").split  # what ends the first address of a srcset
_IS_FILE = re.compile(r"[^\s{].*\.(?:jpe?g|png|gif|webp|avif|svg)", re.IGNORECASE).fullmatch
_SAYS = re.compile(
    r"aria-label|rating|stars?[-_]|colou?r|swatch|^<(?:meter|progress)\b", re.IGNORECASE
).search
_SILENT = frozenset("div span p td li em b a".split())  # elements without a text that may say something
_RATES = re.compile(r"(?:star[-_]?)?ratings?|stars|colou?r|swatch", re.IGNORECASE).fullmatch
_RATED = re.compile(
    r"(?:(?:star[-_]?)?rating|stars?(?=[-_]\d)|colou?r|swatch)[-_](\w+)", re.IGNORECASE
).fullmatch
_IS_DATE = re.compile(r"\d{4}-\d\d").match
_ADDRESS = re.compile(r"(?:https?:/)?/\S+|\S+\.(?:jpe?g|png|gif|webp|avif|svg)\b\S*", re.IGNORECASE).match


def silent_texts(page: Page) -> dict[int, str]:
    """Return the elements without a text in them that say something by an attribute, and what it is."""
    elements, tokens, positions = page.elements, page.tokens, page.text_runs.positions
    if not len(tokens):
        return {}
    form_of = tokens.form_array[elements.open_array].tolist()
    said = {form: text for form in set(form_of) if (text := said_by(tokens.forms[form]))}
    found = {}
    for element, form in enumerate(form_of[1:] if said else (), start=1):
        if form in said and elements.visible[element]:
            first, after = positions.searchsorted((elements.opens[element], elements.closes[element]))
            if first == after:
                found[element] = said[form]
    return found


def said_by(tag: str) -> str:
    """Return what a tag says by an attribute, "" for nothing.

    >>> said_by('<div role=img aria-label="4 of 5">'), said_by("<meter max=5 value=3>"), said_by("<p>")
    ('4 of 5', '3', '')
    """
    name = TAGS[tag].name if _SAYS(tag) else ""
    if name in ("meter", "progress"):
        return attributes(tag).get("value", "").strip()
    if name not in _SILENT:
        return ""
    return " ".join(attributes(tag).get("aria-label", "").split()) or rating_of(TAGS[tag].classes)[1]


def rating_of(classes: Sequence[str]) -> tuple[str, str]:
    """Return the class word that is a rating or a colour, and what it says; "" without one.

    >>> rating_of(["star-rating", "Four"]), rating_of(["rating", "rating-4"]), rating_of(["price"])
    (('Four', 'Four'), ('rating-4', '4'), ('', ''))
    """
    for word in classes:
        if match := _RATED(word):
            return word, match[1]
    if len(classes) == 2 and (_RATES(classes[0]) is None) != (_RATES(classes[1]) is None):
        said = classes[_RATES(classes[0]) is not None]
        return said, said
    return "", ""


def dates_for_machines(page: Page) -> dict[int, str]:
    """Return the elements that have a date for machines, ``time`` and ``abbr``, and that date."""
    elements, tokens = page.elements, page.tokens
    found = {}
    for element, name in enumerate(elements.names):
        if name in ("time", "abbr"):
            values = attributes(tokens.forms[tokens.form_of[elements.opens[element]]])
            written = values.get("datetime" if name == "time" else "title", "").strip()
            if _IS_DATE(written):
                found[element] = written
    return found


def picture_source(values: Mapping[str, str]) -> str:
    """Return the address of a picture from its attributes, "" if there is none but a placeholder.

    >>> picture_source({"src": "grey.gif", "data-lazy": "/a.jpg"})
    '/a.jpg'
    >>> picture_source({"src": "data:x", "srcset": "b.png 2x"})
    'b.png'
    >>> picture_source({"data-lazy": "/w_3,h_4/my cup - 2.png"})
    '/w_3,h_4/my cup - 2.png'
    """
    late = (text for name, text in values.items() if name.startswith("data-"))
    found = [*late, values.get("src", ""), values.get("srcset", "")]
    firsts = (_SIZED(" ".join(text.split()), 1)[0] for text in found if not text.strip().startswith("data:"))
    addresses = (one if _IS_FILE(one.partition("?")[0]) else one.partition(" ")[0] for one in firsts)
    src = values.get("src", "").strip()
    return next((address for address in addresses if address == src != "" or _ADDRESS(address)), "")

"""Selectors of columns, as ``response.css`` and ``response.xpath`` of Scrapy take them.

A place is a chain of children: ``div.item > p.price``, ``//div[has-class("item")]/p[has-class("price")]``.  A
label that stands before the value is a condition on what precedes it; in CSS it is the nearest that
``:contains`` can say.  Where other texts stand inside the element of a value, its own text is selected.

Source: our own; ``has-class`` and ``:contains`` are those of parsel and cssselect.
Cost: O(length of the place).
"""

from __future__ import annotations

from templcrawl.algorithms.columns.places import parts_of
from templcrawl.algorithms.columns.values import BEFORE, PREFIX, Slot

_COLONS = ":："


def css_of(slot: Slot, label: tuple[str, int, int], attribute: str, *, own: bool) -> str:
    """Return the CSS selector of a slot.

    label      place of the label, and how many elements up from value and label the two meet
    attribute  of the element that is wanted: ``HREF``, ``SRC``; "": none
    own        whether the text of the element itself is wanted, without that of elements inside

    >>> css_of(Slot("table.facts/tr/td", "Weight", BEFORE), ("table.facts/tr/th", 1, 1), "", own=False)
    'table.facts > tr > th:contains("Weight") + td'
    """
    steps = slot.place.split("/")
    says = f':contains("{slot.label.replace(chr(34), "")}")' if slot.way else ""
    place, up, down = label
    if slot.way == BEFORE and up == down == 1:
        css = f"{' > '.join(place.split('/'))}{says} + {steps[-1]}"
    else:
        holding = max(len(steps) - 1 - up, 0) if slot.way == BEFORE else len(steps) - 1
        steps[holding] += says
        css = " > ".join(steps)
    return css + (f"::attr({attribute})" if attribute else "::text" if own else "")


def xpath_of(slot: Slot, label: tuple[str, int, int], attribute: str, *, own: bool) -> str:
    """Return the XPath of a slot, of the same arguments.

    >>> print(xpath_of(Slot("tr/td", "Weight", BEFORE), ("tr/th", 1, 1), "", own=False))
    //tr/td[preceding-sibling::th[1][normalize-space(translate(., ":：", "  ")) = "Weight"]]
    """
    xpath = "//" + "/".join(map(_step, slot.place.split("/")))
    if slot.way:
        text = _quoted(" ".join(slot.label.translate({ord(colon): " " for colon in _COLONS}).split()))
        says = f'[normalize-space(translate(., "{_COLONS}", "  ")) = {text}]'
        if slot.way == PREFIX:
            xpath += f"[starts-with(normalize-space(.), {text})]"
        else:
            place, up, down = label
            below = "/".join(map(_step, place.split("/")[-down:])) if down else ""
            first, _, rest = below.partition("/") if "[" not in below else _parted(place, down)
            if up == 0:
                xpath += f"[{below}{says}]"
            elif down == 0:
                xpath += f"[{'../' * (up - 1)}parent::*[text(){says}]]"
            else:
                inner = f"/{rest}" if rest else ""
                xpath += f"[{'../' * (up - 1)}preceding-sibling::{first}[1]{inner}{says}]"
    return xpath + (f"/@{attribute}" if attribute else "/text()" if own else "")


def up_to_link(place: str) -> str:
    """Return the place of the link that a place is in, "" where it shows none.

    >>> up_to_link("div.card/a.more/h3"), up_to_link("div.card/h3")
    ('div.card/a.more', '')
    """
    steps = place.split("/")
    while steps and parts_of(steps[-1])[0] != "a":
        steps.pop()
    return "/".join(steps)


def _parted(place: str, down: int) -> tuple[str, str, str]:
    first, *rest = map(_step, place.split("/")[-down:])
    return first, "/", "/".join(rest)


def _step(step: str) -> str:
    tag, words = parts_of(step)
    classes = ", ".join(f'"{word}"' for word in words if not word.startswith("#"))
    named = "".join(f'[@id="{word[1:]}"]' for word in words if word.startswith("#"))
    return tag + (f"[has-class({classes})]" if classes else "") + named


def _quoted(text: str) -> str:
    if '"' not in text:
        return f'"{text}"'
    return f"'{text}'" if "'" not in text else f'"{text.partition(chr(34))[0]}"'

"""Selectors of columns, as ``css`` and ``xpath`` of a response of Scrapy take them, or of a record.

A place is a chain of children: ``div.item > p.price``, ``//div[has-class("item")]/p[has-class("price")]``.  A
label that stands before the value is a condition on what precedes it; in CSS it is the nearest that
``:contains`` can say.  Where other texts stand inside the element of a value, its own text is selected.
Where a column has values in an element and in one inside it (a reduced price), XPath leaves out the element
that has such a one; CSS cannot, and selects both.

Source: our own; ``has-class`` and ``:contains`` are those of parsel and cssselect.
Cost: O(length of the place).
"""

from __future__ import annotations

from typing import NamedTuple

from cssselect import GenericTranslator

from templcrawl.algorithms.columns.places import parts_of
from templcrawl.algorithms.columns.values import BEFORE, PREFIX, Slot
from templcrawl.page.text import storable

_COLONS = ":："


class Spot(NamedTuple):
    """What is selected.

    slot       where values stand
    label      the last steps of the place of the label, from below the element in which the two meet
    up         how many elements above the value that is
    attribute  of the element that is wanted: ``HREF``, ``SRC``; "": its text
    own        whether the text of the element itself is wanted, without that of elements inside
    below      steps of the place that are below the record; -1 where there is none
    inner      paths inside the element at which the column has other values
    """

    slot: Slot
    label: tuple[str, ...] = ()
    up: int = 0
    attribute: str = ""
    own: bool = False
    below: int = -1
    inner: tuple[str, ...] = ()

    @property
    def steps(self) -> list[str]:
        """The steps of the place that are selected by."""
        steps = self.slot.place.split("/")
        return steps[max(len(steps) - self.below, 0) :] if self.below >= 0 else steps


def css_of(spot: Spot) -> str:
    """Return the CSS selector of a spot.

    >>> css_of(Spot(Slot("table.facts/tr/td", "Weight", BEFORE), ("th",), up=1))
    'table.facts > tr > th:contains("Weight") + td'
    """
    steps, label = spot.steps, storable(spot.slot.label).replace("\\", r"\\").replace('"', r"\"")
    says = f':contains("{label}")' if spot.slot.way else ""
    if spot.slot.way == BEFORE and spot.up == len(spot.label) == 1:
        steps[-1:] = [f"{spot.label[0]}{says} + {steps[-1]}"] if steps else []
    elif steps:
        steps[max(len(steps) - 1 - spot.up, 0)] += says
    ending = f"::attr({spot.attribute})" if spot.attribute else "::text" if spot.own or not steps else ""
    return " > ".join(steps) + ending


def xpath_of(spot: Spot) -> str:
    """Return the XPath of a spot.

    >>> print(xpath_of(Spot(Slot("tr/td", "Weight", BEFORE), ("th",), up=1)))
    //tr/td[preceding-sibling::th[1][normalize-space(translate(., ":：", "  ")) = 'Weight']]
    >>> xpath_of(Spot(Slot("li"), below=0, inner=("b/ins",))), xpath_of(Spot(Slot("li"), below=0))
    ('self::*[not(b/ins)]', '.')
    """
    start = "." if spot.below >= 0 else ""
    xpath = start + "".join("/" * (1 + (not number)) + _step(step) for number, step in enumerate(spot.steps))
    if spot.slot.way and spot.steps:
        label = storable(spot.slot.label).translate(dict.fromkeys(map(ord, _COLONS), " "))
        text = GenericTranslator.xpath_literal(" ".join(label.split()))
        says = f'[normalize-space(translate(., "{_COLONS}", "  ")) = {text}]'
        above = "../" * (spot.up - 1)
        first = _step(spot.label[0]) if spot.label else ""
        rest = "".join(f"/{_step(step)}" for step in spot.label[1:])
        if spot.slot.way == PREFIX:
            xpath += f"[starts-with(normalize-space(.), {text})]"
        elif spot.up == 0:
            xpath += f"[{first}{rest}{says}]"
        elif not spot.label:
            xpath += f"[{above}parent::*[text(){says}]]"
        else:
            xpath += f"[{above}preceding-sibling::{first}[1]{rest}{says}]"
    if spot.inner:
        xpath = xpath if spot.steps else "self::*"  # "." takes no condition
        xpath += "".join(f"[not({'/'.join(map(_step, path.split('/')))})]" for path in spot.inner)
    return xpath + (
        f"/@{spot.attribute}" if spot.attribute else "/text()[normalize-space()]" if spot.own else ""
    )


def up_to_link(place: str) -> str:
    """Return the place of the link that a place is in, "" where it shows none.

    >>> up_to_link("div.card/a.more/h3"), up_to_link("div.card/h3")
    ('div.card/a.more', '')
    """
    steps = place.split("/")
    while steps and parts_of(steps[-1])[0] != "a":
        steps.pop()
    return "/".join(steps)


def _step(step: str) -> str:
    tag, words = parts_of(step)
    classes = ", ".join(f'"{word}"' for word in words if not word.startswith("#"))
    named = "".join(f'[@id="{word[1:]}"]' for word in words if word.startswith("#"))
    return tag + (f"[has-class({classes})]" if classes else "") + named

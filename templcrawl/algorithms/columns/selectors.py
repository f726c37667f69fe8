"""What a column is selected by: CSS and XPath, as a response of Scrapy takes them, or a record.

A place is a chain of children: ``div.item > p.price``, ``//div[has-class("item")]/p[has-class("price")]``.
What else of the sample that would select is left out: an element with one more of the words that places
keep, by ``not(...)``; one further down, by a start at the root.  A label that stands before the value is a
condition on what precedes it; in CSS it is the nearest that ``:contains`` can say.  Where other texts stand
inside the elements of values, their own text is selected.  Where a column has values in an element and in one
inside it (a reduced price), XPath leaves out the element that has such a one; CSS selects both.

Source: our own; ``has-class`` and ``:contains`` are those of parsel and cssselect.
p places of a sample.  Cost: O(p) for a place, with n values O(n).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from cssselect import GenericTranslator

from templcrawl.algorithms.columns.cells import SCOPE
from templcrawl.algorithms.columns.places import NAMED_STEPS, parts_of
from templcrawl.algorithms.columns.template import BEFORE, PREFIX, Slot, Template, Value
from templcrawl.algorithms.columns.values import HREF, SRC
from templcrawl.page.text import storable

_COLONS = ":："


class Selected(NamedTuple):
    """What the values of a slot are selected by.

    css, xpath  their texts, or the attribute that is wanted
    elements    XPath of the elements that they stand in
    """

    css: str
    xpath: str
    elements: str


class _Step(NamedTuple):
    """A step of a place: its tag, its words, those that its element has not."""

    tag: str
    words: tuple[str, ...]
    lacks: tuple[str, ...] = ()

    @property
    def css(self) -> str:
        return self.tag + "".join(
            form.format(word if word[0] == "#" else f".{word}")
            for form, words in (("{}", self.words), (":not({})", self.lacks))
            for word in words
        )

    @property
    def xpath(self) -> str:
        said = ", ".join(f'"{word}"' for word in self.words if word[0] != "#")
        return (
            self.tag
            + (f"[has-class({said})]" if said else "")
            + "".join(f'[@id="{word[1:]}"]' for word in self.words if word[0] == "#")
            + "".join(f"[not({_has(word)})]" for word in self.lacks)
        )


def _has(word: str) -> str:
    return f'@id="{word[1:]}"' if word[0] == "#" else f'has-class("{word}")'


def _read(place: str) -> list[_Step]:
    return [_Step(tag, tuple(words)) for tag, words in map(parts_of, place.split("/"))]


class Selectors:
    """The selectors of a type, or of its records.

    template    what its pages repeat
    of_records  whether all is selected within a record
    """

    def __init__(self, template: Template, places: Iterable[str], *, of_records: bool) -> None:
        self._places = template.places
        self._of_records = of_records
        self._known: defaultdict[str, list[list[_Step]]] = defaultdict(list)  # tag -> places that end so
        for place in places:
            steps = _read(place)[::-1]
            self._known[steps[0].tag].append(steps)

    def select(
        self, slot: Slot, values: Sequence[Value], attribute: str, *, own: bool, inner: Iterable[str] = ()
    ) -> Selected:
        """Return what the values of a slot are selected by.

        attribute  that is wanted: ``HREF`` of the link around, ``SRC``; "": their text
        own        whether the text of the elements themselves is wanted, without that of elements inside
        inner      places inside the element at which the column has other values, from there on
        """
        start, steps = self._steps(slot.place)
        elements = start + "/".join(step.xpath for step in steps)
        css, xpath = _labelled(slot, steps, elements, *self._label(slot, values))
        for place in inner:
            inside = "/".join(step.xpath for step in _read(place))
            xpath = f"{'self::*' if xpath == '.' else xpath}[not({inside})]"  # "." takes no condition
        if attribute == HREF:
            ending = "/@href" if steps and steps[-1].tag == "a" else "/ancestor-or-self::a[1]/@href"
            while css and steps[len(css) - 1].tag != "a":
                css.pop()
            return Selected(" > ".join(css) + "::attr(href)" if css else "", xpath + ending, elements)
        if attribute == SRC:
            return Selected(" > ".join(css) + "::attr(src)", f"{xpath}/@src", elements)
        if own or not steps:
            return Selected(
                f"{' > '.join(css) or SCOPE}::text", f"{xpath}/text()[normalize-space()]", elements
            )
        return Selected(" > ".join(css), xpath, elements)

    def elements(self, place: str) -> str:
        """Return the XPath of the elements at a place."""
        start, steps = self._steps(place)
        return start + "/".join(step.xpath for step in steps)

    def _steps(self, place: str) -> tuple[str, list[_Step]]:
        """Return how the XPath of a place begins, and the steps behind that, without what else it selects."""
        if place == SCOPE:
            return ".", []
        steps = _read(place)
        is_whole = sum(bool(step.words) for step in steps) < NAMED_STEPS  # it begins at the root
        start = ("./" if is_whole else ".//") if self._of_records else "//"
        for other in self._known[steps[-1].tag]:
            if not _selects(steps, other) or (start == "./" and len(other) > len(steps)):
                continue
            if is_whole and len(other) > len(steps):
                start = "/" if steps[0].tag in ("html", "body") else "/html/body/"
            elif len(other) <= len(steps):
                lacks = ((at, word) for at, more in enumerate(other) for word in more.words)
                for at, word in lacks:
                    step = steps[-1 - at]
                    if word not in step.words:
                        steps[-1 - at] = step._replace(lacks=(*step.lacks, word))
                        break
        return start, steps

    def _label(self, slot: Slot, values: Iterable[Value]) -> tuple[list[str], int]:
        """Return the steps of most labels below where they meet their values, and how far up that is."""
        met: Counter[tuple[tuple[str, ...], int]] = Counter()
        for value in values:
            if slot.way == BEFORE and value.labelled is not None:
                ours, others = value.cell.above, value.labelled.above
                up = next(up for up, element in enumerate(ours) if element in others)
                steps = self._places[value.labelled.place].split("/")
                met[tuple(steps[len(steps) - others.index(ours[up]) :]), up] += 1
        label, up = max(met, key=lambda key: (met[key], key), default=((), 0))
        return list(label), up


def _selects(steps: Sequence[_Step], other: Sequence[_Step]) -> bool:
    """Return whether steps select the elements at a place, the last step of which is the first here."""
    return all(
        step.tag == more.tag and set(step.words) <= set(more.words) and set(step.lacks).isdisjoint(more.words)
        for step, more in zip(reversed(steps), other)
    )


def _labelled(
    slot: Slot, steps: Sequence[_Step], elements: str, label: Sequence[str], up: int
) -> tuple[list[str], str]:
    """Return the steps of the CSS selector of a slot and its XPath, with what the label says."""
    css, xpath = [step.css for step in steps], elements
    if not slot.way or not steps:
        return css, xpath
    written = storable(slot.label)
    says = ':contains("{}")'.format(written.replace("\\", r"\\").replace('"', r"\""))
    text = GenericTranslator.xpath_literal(
        " ".join(written.translate(dict.fromkeys(map(ord, _COLONS), " ")).split())
    )
    first, *rest = [step.xpath for name in label for step in _read(name)] or [""]
    is_text = f'[normalize-space(translate(., "{_COLONS}", "  ")) = {text}]'
    is_label = "".join(f"/{step}" for step in rest) + is_text
    if slot.way == BEFORE and up == len(label) == 1:
        css[-1] = f"{label[0]}{says} + {css[-1]}"
    else:
        css[max(len(css) - 1 - up, 0)] += says
    if slot.way == PREFIX:
        xpath += f"[starts-with(normalize-space(.), {text})]"
    elif not label and up == 0:
        xpath += f"[text(){is_text}]"
    elif up == 0:
        xpath += f"[{first}{is_label}]"
    elif not label:
        xpath += f"[{'../' * (up - 1)}parent::*[text(){is_text}]]"
    else:
        xpath += f"[{'../' * (up - 1)}preceding-sibling::{first}[1]{is_label}]"
    return css, xpath

"""What a column is called, of what kind it is, and what selects its values, in CSS and XPath.

A place is a chain of children: ``div.item > p.price``, ``//div[has-class("item")]/p[has-class("price")]``.
What else of the sample that would select is left out: an element with one more of the words that places
keep, by ``not(...)``; one around another value of the column, as a price around a reduced one, likewise; one
that holds texts but has none itself, by ``text()``.  Where other texts stand inside the elements of values,
their own text is selected.  A label is a condition on the text before the value, which CSS cannot say.

The last of several breadcrumbs is a column of its own, the ``section`` of the page.  So are the links that
the values of a column stand in, unless other columns have them.

Source: our own; ``has-class`` is that of parsel.
p places of a sample, n values of a column.  Cost: O(p + n) a column.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from cssselect import GenericTranslator

from templcrawl.algorithms.columns.cells import SCOPE, WHOLE, Cell, parts_of
from templcrawl.algorithms.columns.names import (
    ADDRESS,
    LONGEST_NAME,
    PICTURE,
    TEXT,
    free_name,
    is_named,
    kind_of,
    name_of,
    said_of,
)
from templcrawl.algorithms.columns.template import Slot, Template, Value, label_of
from templcrawl.algorithms.columns.values import HREF, SRC, Column
from templcrawl.page.text import storable

MANY = 1.2  # texts in a place on a page, on average: a list
MOST_FIXED = 50  # texts in the places of a column that are named as no values of it
_LABELS = 0.8  # of the values of a column have its label
_OF_LABELS = frozenset("th dt label b strong".split())
_NO_PAGES = ("mailto:", "tel:", "sms:", "callto:", "skype:")  # addresses of no pages
_PLAIN = 'normalize-space(translate(., ":：", "  "))'

Found = dict[int, list[Value]]  # page -> values of a slot


class _Step(NamedTuple):
    """A step of a place: its tag, its words, those that its element has not."""

    tag: str
    words: tuple[str, ...]
    lacks: tuple[str, ...] = ()

    @property
    def css(self) -> str:
        words = [word if word[0] == "#" else f".{word}" for word in self.words]
        lacks = [f":not({word if word[0] == '#' else f'.{word}'})" for word in self.lacks]
        return "".join([self.tag, *words, *lacks])

    @property
    def xpath(self) -> str:
        says = ", ".join(f'"{word}"' for word in self.words if word[0] != "#")
        ids = [f"[{_has(word)}]" for word in self.words if word[0] == "#"]
        lacks = [f"[not({_has(word)})]" for word in self.lacks]
        return "".join([self.tag, f"[has-class({says})]" if says else "", *ids, *lacks])


def _has(word: str) -> str:
    return f'@id="{word[1:]}"' if word[0] == "#" else f'has-class("{word}")'


class Describer:
    """What describes the columns of a type, or of its records, one after the other; no two have one name."""

    def __init__(
        self,
        template: Template,
        pages: Sequence[Sequence[Cell]],
        reserved: Iterable[str],
        *,
        of_records: bool,
    ) -> None:
        """Describe by a sample.

        reserved    names that no column has
        of_records  whether all is selected within a record
        """
        self._template, self._of_records, self._names = template, of_records, {*reserved}
        self._linked: set[tuple[int, str]] = set()  # pages and the links that columns have of them
        self._parents = [
            {above for cell in cells if not cell.is_picture for above in cell.above[1:]} for cells in pages
        ]
        places = sorted({template.places[place] for place in {cell.place for page in pages for cell in page}})
        around = {place[:end] for place in places for end, sign in enumerate(place) if sign == "/"}
        self._known, self._around = _by_tag(places), _by_tag(around)
        self._fixed: defaultdict[str, list[str]] = defaultdict(list)
        for place, text in sorted(template.fixed):
            self._fixed[place].append(text)

    def describe(self, slots: tuple[Slot, ...], values: Found) -> Iterator[Column]:
        """Yield the column of some slots, that of its last values, and that of its links."""
        place, flat = slots[0].place, [value for of_page in values.values() for value in of_page]
        attribute = SRC if flat[0].cell.is_picture else ""
        kind = PICTURE if attribute else kind_of_values(values)
        fixed = [text for slot in dict.fromkeys(slot.place for slot in slots) for text in self._fixed[slot]]
        css, xpath = self._selectors(slots, values, attribute)
        column = Column(
            name=self._named(name_of(_naming_label(slots[0], values, kind), place, kind), place),
            slots=slots,
            attribute=attribute,
            kind=kind,
            many=len(flat) > MANY * len(values),
            last=False,
            share=len(values) / len(self._parents),
            examples=_examples(value.text for value in flat),
            css=css,
            xpath=xpath,
            regex=_regex(slots, flat),
            fixed=tuple(fixed[:MOST_FIXED]),
        )
        yield column
        last = [of_page[-1].text for of_page in values.values()]
        if column.many and "breadcrumb" in said_of(place, kind) and 1 < len(set(last)) < len(last):
            yield replace(
                column,
                name=self._named("section", place),
                many=False,
                last=True,
                examples=_examples(last),
                css="",  # it has no word for the last of several
                xpath=f"({xpath})[last()]",
            )
        links = {(page, value.cell.link) for page, of_page in values.items() for value in of_page}
        leading = {link for _, link in links if link and not link.startswith(("#", "javascript:"))}
        if not attribute and len(leading) > 1 and not links <= self._linked:
            self._linked |= links
            css, xpath = self._selectors(slots, values, HREF)
            name = f"{column.name[: LONGEST_NAME - 4]}_url"
            yield replace(
                column,
                name=self._named(name, place),
                attribute=HREF,
                kind=TEXT if all(link.startswith(_NO_PAGES) for link in leading) else ADDRESS,
                examples=_examples(leading),
                css=css,
                xpath=xpath,
                regex="",
                fixed=(),
            )

    def _named(self, name: str, place: str) -> str:
        name = free_name(name, place, self._names)
        self._names.add(name)
        return name

    def elements(self, place: str, others: Iterable[str]) -> str:
        """Return the XPath of the elements at a place, without those at other ones."""
        start, steps = self._steps(place, _by_tag(others))
        return start + "/".join(step.xpath for step in steps)

    def _selectors(self, slots: Sequence[Slot], values: Found, attribute: str) -> tuple[str, str]:
        """Return CSS and XPath of the values of a column, "" for what CSS cannot say.

        attribute  that is wanted: ``HREF`` of the link around, ``SRC``; "": their text
        """
        stands: defaultdict[str, list[tuple[int, Value]]] = defaultdict(list)
        for page, of_page in values.items():
            for value in of_page:
                stands[self._template.places[value.cell.place]].append((page, value))
        found = [self._selector(slot, slots, stands[slot.place], attribute) for slot in slots]
        css = ", ".join(dict.fromkeys(css for css, _ in found)) if all(css for css, _ in found) else ""
        return css, " | ".join(dict.fromkeys(xpath for _, xpath in found))

    def _selector(
        self, slot: Slot, slots: Sequence[Slot], values: Sequence[tuple[int, Value]], attribute: str
    ) -> tuple[str, str]:
        start, steps = self._steps(slot.place, self._known)
        css = [step.css for step in steps] if not slot.label else []
        xpath = start + "/".join(step.xpath for step in steps)
        if attribute == HREF:
            while css and steps[len(css) - 1].tag != "a":
                css.pop()
        own = sum(value.cell.above[0] in self._parents[page] for page, value in values)
        is_own = not attribute and (2 * own > len(values) or not steps)
        is_text = not is_own and not attribute and steps[-1].tag not in WHOLE
        if is_text and any(_selects(steps, other) for other in self._around[steps[-1].tag]):
            xpath += "[text()[normalize-space()]]"
        inside = (other.place for other in slots if other.place.startswith(f"{slot.place}/"))
        for steps_inside in (_read(place[len(slot.place) + 1 :]) for place in inside):
            xpath += f"[not({'/'.join(step.xpath for step in steps_inside)})]"
        if slot.label:
            xpath += _condition(slot, [value for _, value in values])
        if attribute == HREF:
            xpath += "/@href" if steps and steps[-1].tag == "a" else "/ancestor-or-self::a[1]/@href"
        elif is_own or attribute:
            xpath += "/@src" if attribute else "/text()[normalize-space()]"
        ending = f"::attr({attribute})" if attribute else "::text" if is_own else ""
        if css or (not steps and not attribute):
            return (" > ".join(css) or SCOPE) + ending, xpath
        return "", xpath

    def _steps(self, place: str, known: Mapping[str, list[list[_Step]]]) -> tuple[str, list[_Step]]:
        """Return how the XPath of a place begins, and the steps behind that, without what else it selects."""
        if place == SCOPE:
            return ".", []
        steps = _read(place)
        for other in known[steps[-1].tag]:
            lacks = ((at, word) for at, more in enumerate(other) for word in more.words)
            if len(other) <= len(steps) and _selects(steps, other):
                for at, word in lacks:
                    step = steps[-1 - at]
                    if word not in step.words:
                        steps[-1 - at] = step._replace(lacks=(*step.lacks, word))
                        break
        return ".//" if self._of_records else "//", steps


def _by_tag(places: Iterable[str]) -> defaultdict[str, list[list[_Step]]]:
    """Return the tag of the last step -> the places that end so, from that step on."""
    known: defaultdict[str, list[list[_Step]]] = defaultdict(list)
    for place in places:
        steps = _read(place)[::-1]
        known[steps[0].tag].append(steps)
    return known


def _read(place: str) -> list[_Step]:
    return [_Step(*parts_of(step)) for step in place.split("/")]


def _selects(steps: Sequence[_Step], other: Sequence[_Step]) -> bool:
    """Return whether steps select the elements at a place, the last step of which is the first here."""
    return all(
        step.tag == more.tag and set(step.words) <= set(more.words) and set(step.lacks).isdisjoint(more.words)
        for step, more in zip(reversed(steps), other)
    )


def _condition(slot: Slot, values: Sequence[Value]) -> str:
    """Return what an XPath says of the label of a slot: it begins the text, or is the text just before."""
    label = storable(slot.label).replace(":", " ").replace("：", " ")
    text = GenericTranslator.xpath_literal(" ".join(label.split()))
    if slot.is_prefixed:
        return f"[starts-with(normalize-space(.), {text})]"
    inside = [value.cell.above[0] in value.labelled.above for value in values if value.labelled is not None]
    if 2 * sum(inside) > len(inside):
        return f"[.//text()[{_PLAIN} = {text}]]"
    return f"[preceding::text()[normalize-space()][1][{_PLAIN} = {text}]]"


def _regex(slots: Sequence[Slot], values: Sequence[Value]) -> str:
    """Return what a selected text must match, "" where it is the value."""
    if all(value.text == value.cell.text for value in values):
        return ""
    label = re.escape(slots[0].label[:-1]) if slots[0].is_prefixed else ""
    optional = "" if all(slot.is_prefixed for slot in slots) else "?"
    return rf"^\s*{f'(?:{label}){optional}' if label else ''}[\s:：]*(.*)"


def _naming_label(slot: Slot, values: Found, kind: str) -> str:
    """Return the label that names a column, "" if its markup names it better."""
    before = [one.labelled for of_page in values.values() for one in of_page if one.labelled is not None]
    is_one = any(cell.tag in _OF_LABELS or cell.text.endswith((":", "：")) for cell in before)
    return label_of_slot(slot, values) if slot.label or is_one or not is_named(slot.place, kind) else ""


def label_of_slot(slot: Slot, values: Found) -> str:
    """Return the label of a slot: the one that tells it from others, else the one that its values have."""
    flat = [value for of_page in values.values() for value in of_page]
    said = Counter(label_of(value.labelled) for value in flat if value.labelled is not None)
    common = (text for text, count in said.items() if count >= _LABELS * len(flat))
    return slot.label.rstrip(":") or next(common, "")


def kind_of_values(values: Found) -> str:
    """Return the kind of the first values of pages."""
    return kind_of([of_page[0].text for of_page in values.values()])


def _examples(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(texts))[:3])

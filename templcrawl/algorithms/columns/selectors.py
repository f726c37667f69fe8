"""What selects the values of a column, in CSS and XPath, as a person would write it.

A fact is selected by its label: ``//dt[normalize-space()="Age"]/following-sibling::dd[1]``; where a label has
several kinds of markup, by each of them.  CSS cannot say that.

A place is a chain of children: ``div.item > p.price``, ``//div[has-class("item")]/p[has-class("price")]``.
What else of the sample that would select is left out: an element with one more of the words that places
keep, by ``not(...)``; one around another value of the column, as a price around a reduced one, likewise; one
that holds texts but has none itself, by ``text()``.  Where other texts stand inside the elements of values,
their own text is selected.

Source: our own; ``has-class`` is that of parsel.
p places of a sample, n values of a column.  Cost: O(p + n) a column.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from cssselect import GenericTranslator

from templcrawl.algorithms.columns.candidates import HREF, SRC, Candidate
from templcrawl.algorithms.columns.facts import ENDS
from templcrawl.algorithms.columns.places import TEXT_OF, Places, Slot, Template, Value
from templcrawl.algorithms.columns.records import HEADED
from templcrawl.algorithms.columns.units import SCOPE, WHOLE, Unit, parts_of
from templcrawl.algorithms.columns.values import Column
from templcrawl.page.text import storable

MAX_FIXED = 50  # texts in the places of a column that are named as no values of it
_MAX_TEXTS = 12  # kinds of elements in running text
_MAX_SHAPES, _MIN_SHAPE = 4, 0.03  # kinds of markup of a fact; of its values those of one kind
_PLAIN = 'normalize-space(translate(., ":：", "  "))'


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
    """What describes the columns of a type, or of its records."""

    def __init__(self, template: Template, pages: Sequence[Sequence[Unit]], *, of_records: bool) -> None:
        """Describe by a sample.

        of_records  whether all is selected within a record
        """
        self.of_records = of_records
        self._template, self._start, self._pages = template, ".//" if of_records else "//", len(pages)
        self._parents = [
            {above for unit in units if not unit.is_picture for above in unit.above[1:]} for units in pages
        ]
        self._owners = [Counter(unit.above[0] for unit in units) for units in pages]
        places = sorted({template.places[place] for place in {unit.place for page in pages for unit in page}})
        around = {place[:end] for place in places for end, sign in enumerate(place) if sign == "/"}
        self._known, self._around = _by_tag(places), _by_tag(around)
        self._fixed: defaultdict[str, list[str]] = defaultdict(list)
        for place, _, text in sorted(template.fixed):
            self._fixed[place].append(text)

    def describe(self, one: Candidate, name: str, *, is_shown: bool) -> Column:
        """Return the column of a candidate."""
        flat = [value for values in one.found.values() for value in values]
        fixed = [
            text for place in dict.fromkeys(slot.place for slot in one.slots) for text in self._fixed[place]
        ]
        css, xpath = ("", "") if not one.slots else self._selectors(one)
        if one.last:
            css, xpath = "", f"({xpath})[last()]"
        return Column(
            name=name,
            slots=one.slots,
            attribute=one.attribute,
            declared=one.declared,
            kind=one.kind,
            label=" ".join(storable(one.label).split()),
            many=one.many,
            last=one.last,
            joined=bool(one.slots) and one.slots[0].number == TEXT_OF,
            shown=is_shown,
            share=len(one.texts) / self._pages,
            examples=tuple(sorted(set(one.flat))[:3]),
            css=css,
            xpath=xpath,
            regex="" if one.attribute or not one.slots else _regex(one.slots[0], flat),
            fixed=() if one.attribute == HREF else tuple(fixed[:MAX_FIXED]),
        )

    def elements(self, place: str, others: Iterable[str]) -> str:
        """Return the XPath of the elements at a place, without those at other ones."""
        start, steps = self._steps(place, _by_tag(others))
        return start + "/".join(step.xpath for step in steps)

    def _selectors(self, one: Candidate) -> tuple[str, str]:
        """Return CSS and XPath of the values of a candidate, "" for what CSS cannot say."""
        stands: defaultdict[Slot, list[tuple[int, Value]]] = defaultdict(list)
        if one.is_fact:
            return "", self._facts_xpath(one)
        for page, values in one.found.items():
            for value in values:
                place = self._template.places[value.unit.place]
                stands[next((slot for slot in one.slots if slot.place == place), one.slots[0])].append(
                    (page, value)
                )
        found = [self._selector(slot, one.slots, stands[slot], one.attribute) for slot in one.slots]
        css = ", ".join(dict.fromkeys(css for css, _ in found)) if all(css for css, _ in found) else ""
        return css, " | ".join(dict.fromkeys(xpath for _, xpath in found))

    def _facts_xpath(self, one: Candidate) -> str:
        """Return the XPath of facts: one for each kind of their markup."""
        shapes = Counter[str]()
        for page, values in one.found.items():
            shapes.update({self._fact_xpath(page, value, one) for value in values})
        least = _MIN_SHAPE * len(one.found)
        most = [shape for shape, count in shapes.most_common(_MAX_SHAPES) if count >= least]
        return " | ".join(_drop_inner(shape, most) for shape in most)

    def _fact_xpath(self, page: int, value: Value, one: Candidate) -> str:
        unit, label = value.unit, value.labelled
        if label is None and unit.head and unit.row.startswith(HEADED):
            number = unit.row.removeprefix(HEADED).split("|").index(unit.head) + 1
            if self._start == ".//":
                return _linked(f"./*[{number}]", one, unit)
            text = _literal(unit.head)
            return _linked(
                f"//table[.//tr[1]/*[{number}][normalize-space()={text}]]//td[{number}]", one, unit
            )
        if label is None:
            tag = _tag(unit, 0)
            text = _literal(value.said)
            own = (
                "/text()"
                if unit.above[0] in self._parents[page] or self._owners[page][unit.above[0]] > 1
                else ""
            )
            return _linked(f"{self._start}{tag}{own}[starts-with(normalize-space(), {text})]", one, unit)
        start = f"{self._start}{_tag(label, label.lone)}[{_says(label, value)}]"
        box = label.above[min(label.lone + 1, len(label.above) - 1)]
        if label.above[0] in unit.above[1:]:
            inner = "/".join(_tag(unit, at) for at in range(unit.above.index(label.above[0]) - 1, -1, -1))
            text = _literal(label.text.strip(ENDS))
            return _linked(
                f"{self._start}{_tag(label, 0)}[starts-with(normalize-space(), {text})]/{inner}", one, unit
            )
        if unit.above[0] == label.above[0] or box not in unit.above:
            return _linked(f"{start}/following::text()[normalize-space()][1]", one, unit)
        up = unit.above.index(box)
        if label.text.strip(ENDS).casefold() in self._template.labels.units:
            return _linked(f"{start}/preceding-sibling::*[1]", one, unit)
        if up == 0:
            return _linked(f"{start}/following-sibling::text()[normalize-space()][1]", one, unit)
        child = _tag(unit, up - 1)
        inner = "".join(f"/{_tag(unit, at)}" for at in range(up - 2, -1, -1)) if up - 1 > unit.lone else ""
        if child == "dd" and one.many:
            return _linked(
                f"{self._start}dd[preceding-sibling::dt[1][{_says(label, value)}]]{inner}", one, unit
            )
        return _linked(f"{start}/following-sibling::{child}[1]{inner}", one, unit)

    def _selector(
        self, slot: Slot, slots: Sequence[Slot], values: Sequence[tuple[int, Value]], attribute: str
    ) -> tuple[str, str]:
        if slot.number == TEXT_OF:
            return self._text_xpath(slot, [value for _, value in values])
        place = slot.place
        start, steps = self._steps(place, self._known)
        css = [step.css for step in steps]
        xpath = start + "/".join(step.xpath for step in steps)
        if attribute == HREF:
            while css and steps[len(css) - 1].tag != "a":
                css.pop()
        own = sum(value.unit.above[0] in self._parents[page] for page, value in values)
        is_own = not attribute and (2 * own > len(values) or not steps)
        is_text = not is_own and not attribute and steps[-1].tag not in WHOLE
        if is_text and any(_selects(steps, other) for other in self._around[steps[-1].tag]):
            xpath += "[text()[normalize-space()]]"
        inside = (other.place for other in slots if other.place.startswith(f"{slot.place}/"))
        for steps_inside in (_read(place[len(slot.place) + 1 :]) for place in inside):
            xpath += f"[not({'/'.join(step.xpath for step in steps_inside)})]"
        if attribute == HREF:
            xpath += "/@href" if steps and steps[-1].tag == "a" else "/ancestor-or-self::a[1]/@href"
        elif is_own or attribute:
            xpath += "/@src" if attribute else "/text()[normalize-space()]"
        ending = f"::attr({attribute})" if attribute else "::text" if is_own else ""
        if slot.number:
            return "", f"({xpath})[{slot.number}]"
        if css or (not steps and not attribute):
            return (" > ".join(css) or SCOPE) + ending, xpath
        return "", xpath

    def _text_xpath(self, slot: Slot, values: Sequence[Value]) -> tuple[str, str]:
        """Return CSS and XPath of the parts of running text: the outermost elements that are one."""
        words = {word for step in slot.place.split("/") for word in parts_of(step)[1]}
        start, steps = self._steps(Places(words)[slot.place], {})
        around = slot.place.count("/") + 1
        shapes = Counter[str]()
        for value in values:
            places = (self._template.wholes[part.place].split("/")[around:] for part in value.parts)
            shapes.update({"/".join(parts_of(step)[0] for step in place) for place in places})
        most = [shape for shape, _ in shapes.most_common(_MAX_TEXTS)]
        outermost = [
            one
            for one in most
            if not any(one.startswith(f"{other}/") or not other for other in most if other != one)
        ]
        css, xpath = " > ".join(step.css for step in steps), start + "/".join(step.xpath for step in steps)
        ends = sorted(f"/{one}" if one else "" for one in outermost)
        return ", ".join(css + end.replace("/", " > ") for end in ends), " | ".join(
            xpath + end for end in ends
        )

    def _steps(self, place: str, known: Mapping[str, list[list[_Step]]]) -> tuple[str, list[_Step]]:
        """Return how the XPath of a place begins, and the steps behind that, without what else it selects."""
        if place == SCOPE:
            return ".", []
        steps = _read(place)
        for other in known.get(steps[-1].tag, ()):
            lacks = ((at, word) for at, more in enumerate(other) for word in more.words)
            if len(other) <= len(steps) and _selects(steps, other):
                for at, word in lacks:
                    step = steps[-1 - at]
                    if word not in step.words:
                        steps[-1 - at] = step._replace(lacks=(*step.lacks, word))
                        break
        return self._start, steps


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


def _drop_inner(xpath: str, others: Sequence[str]) -> str:
    """Return an XPath without the elements in which another one selects."""
    inner = [other[len(xpath) + 1 :] for other in others if other.startswith(f"{xpath}/")]
    return xpath + "".join(f"[not({one})]" for one in inner)


def _tag(unit: Unit, up: int) -> str:
    """Return the tag of an element that is so many above a unit, for an XPath."""
    tag = unit.tag_above(up)
    return tag if tag not in ("", "*") else "*"


def _literal(text: str) -> str:
    return str(GenericTranslator.xpath_literal(" ".join(storable(text).split())))


def _says(label: Unit, value: Value) -> str:
    """Return the condition of an XPath that an element is a label."""
    if label.text.endswith((":", "：")) or value.unit.text.startswith((":", "：")):
        return f"{_PLAIN}={_literal(label.text.translate(_NO_COLONS))}"
    return f"normalize-space()={_literal(label.text)}"


_NO_COLONS = str.maketrans(":：", "  ")


def _linked(xpath: str, one: Candidate, unit: Unit) -> str:
    """Return an XPath of values as that of the addresses in them, where these are wanted."""
    if one.attribute == SRC:
        return f"{xpath}/descendant-or-self::img/@src"
    if one.attribute != HREF:
        return xpath
    return (
        f"{xpath}/ancestor-or-self::a[1]/@href"
        if xpath.endswith(("/a", "/a[1]", "/span"))
        else f"{xpath}//a/@href"
    )


def _regex(slot: Slot, values: Sequence[Value]) -> str:
    """Return what a selected text must match, "" where it is the value."""
    if all(value.text == value.unit.text for value in values) or slot.number == TEXT_OF:
        return ""
    said = [value.said for value in values if value.labelled is None and value.said]
    label = re.escape(Counter(said).most_common(1)[0][0]) if said else ""
    optional = "" if len(said) == len(values) else "?"
    return rf"^\s*{f'(?:{label}){optional}' if label else ''}[\s:：]*(.*)"

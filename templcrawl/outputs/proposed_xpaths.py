"""XPaths that may select the values of a column, as a person would write them.

Each node that has the text of a cell proposes some: by the label before it, by the words of its element, by
those of the ones around it, by the numbers of its siblings.  :mod:`templcrawl.outputs.selectors` chooses.

Source: our own.  e elements around the nodes of a cell.  Cost: O(e) a cell; numbers are counted by libxml2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from urllib.parse import urljoin

from lxml.etree import _Element as Element

from templcrawl.algorithms.columns.candidates import HREF
from templcrawl.algorithms.columns.facts import ENDS
from templcrawl.algorithms.columns.units import MARKS, parts_of
from templcrawl.algorithms.columns.values import Column
from templcrawl.outputs.tried_pages import PIECE, PLAIN, Scope, literal, tag_of, words_of, xpath_step

MAX_TRIED = 16  # XPaths of a column
_MAX_VALUES, _MAX_ANCHORS, _MAX_UP = 8, 4, 3  # of a cell; named elements around; up to beside a label
_MAX_AROUND = 40  # elements around a value
_MAX_PLAIN = 3  # slashes of an XPath without conditions that says where it leads
_DECLARING = ("property", "name", "itemprop")  # attributes
_RELATIONS = ("rel", "itemprop")  # attributes
_DIRECTORY = re.compile(r"(?:https?://[^/?#]+/|[./]*)([a-z][a-z_-]+/)[^/]").match  # the first of an address
_NUMBERED = re.compile(r"\[\d+\]").search
_CHILD = re.compile(r"\./[^/]").match
_OWN = frozenset("h1 article main header time address".split())  # elements that say what they are
_SPECIAL = re.compile(r"[\\^$.|?*+()\[\]{}]")


@dataclass(frozen=True)
class Selection:
    """A proposed XPath for the values of a column.

    regex    what a selected text must match, and its group is the value; "": all of it is
    but      selected texts that are not values
    without  XPath of elements in the selected ones that are no part of running text
    holds    share of the cells that it gives, of those that were tried
    """

    xpath: str = ""
    regex: str = ""
    but: tuple[str, ...] = ()
    without: str = ""
    holds: float = 0.0


def rank(one: Selection) -> tuple[int, int]:
    """Return the rank of an XPath for a person: by label, words, tags or links, numbers; short ones first."""
    is_plain = "[" not in one.xpath and (_CHILD(one.xpath) or one.xpath.count("/") > _MAX_PLAIN)
    by = 3 if _NUMBERED(one.xpath) else 2 if is_plain or f"contains(@{HREF}," in one.xpath else 1
    return (0 if has_label(one) and "ancestor::" not in one.xpath else by), len(one.xpath)


def has_label(one: Selection) -> bool:
    """Return whether an XPath selects by a label."""
    return "normalize-space()=" in one.xpath


def proposed(column: Column, scope: Scope) -> Iterator[Selection]:
    """Yield proposed XPaths for the values of a column on a page."""
    for text in list(dict.fromkeys(scope.cells[column.name]))[:_MAX_VALUES]:
        if column.declared:
            yield from _declared(text, column.declared, scope)
        if column.is_address:
            found: Iterable[tuple[Element, str]] = _links(text, column.attribute, scope)
        elif column.pattern:
            for whole in scope.wholes(column.pattern, text):
                for element, ending in scope.nodes(whole):
                    yield from _matched(element, ending, column.pattern, scope)
            continue
        else:
            found = scope.nodes(text)
            if column.label:
                yield from _prefixed(text, column.label, scope)
            for element, ending, pattern in scope.pieces(text):
                yield from _matched(element, ending, pattern, scope)
        found = list(found)
        if not found and scope.inside is not None and not column.is_address:
            yield from _above(text, scope)
        for element, ending in [one for one in found if _stands_there(one[0], column)] or found:
            if column.label:
                yield from _labelled(element, ending, column, scope)
            yield from placed(element, ending, scope)


def _above(text: str, scope: Scope) -> Iterator[Selection]:
    """Yield XPaths for a node above a record that heads its group: the next one of its words, or its tag."""
    for element, _ in scope.page.texts.nodes.get(text, [])[:_MAX_ANCHORS]:
        tag = tag_of(element)
        for head in [*(xpath_step(tag, word) for word in words_of(element)), tag]:
            yield Selection(f"preceding::{head}[1]")


def _matched(element: Element, ending: str, pattern: str, scope: Scope) -> Iterator[Selection]:
    """Yield XPaths for the group of a pattern in the text of a node."""
    return (replace(one, regex=pattern) for one in placed(element, ending, scope))


def _stands_there(element: Element, column: Column) -> bool:
    """Return whether an element stands at a place of the values of a column."""
    around = [(one.tag, {*words_of(one)}) for one in (element, *islice(element.iterancestors(), _MAX_AROUND))]
    return any(
        all(
            any(tag == other and named.issuperset(words) for other, named in around)
            for tag, words in map(parts_of, slot.place.split("/"))
        )
        for slot in column.slots
    )


def _links(address: str, attribute: str, scope: Scope) -> Iterator[tuple[Element, str]]:
    """Yield the links or pictures with an address, each with the XPath of the attribute."""
    for element in scope.part.root.iter("a" if attribute == HREF else "img"):
        for name, value in element.attrib.items():
            if (name == HREF or attribute != HREF) and urljoin(scope.page.base, value.strip()) == address:
                yield element, f"/@{name}"


def _declared(text: str, name: str, scope: Scope) -> Iterator[Selection]:
    """Yield XPaths for a declared property: in the head, in microdata, in JSON-LD."""
    for element in scope.part.root.xpath("//meta | //*[@itemprop]"):
        for attribute in _DECLARING:
            said = element.get(attribute)
            if said and scope.page.words(element.get("content", "")) == " ".join(text.split()):
                yield Selection(f"//{tag_of(element)}[@{attribute}={literal(said)}]/@content")
    script, key = "//script[@type='application/ld+json']/text()", rf'"{name}"\s*:\s*'
    yield Selection(script, regex=rf'{key}"([^"]*)"')
    yield Selection(script, regex=rf"{key}(\d[\d.]*)")
    yield Selection(script, regex=rf'{key}\{{[^{{}}]*"(?:name|url)"\s*:\s*"([^"]*)"')


def _labelled(element: Element, ending: str, column: Column, scope: Scope) -> Iterator[Selection]:
    """Yield XPaths for a node by the label before it."""
    label, steps = _key(column.label), scope.up(element)
    for up, one in enumerate(steps[:_MAX_UP]):
        inner = "".join(f"/{tag_of(below)}" for below in reversed(steps[:up])) + ending
        if said := _said(one.getprevious(), label, scope):
            yield Selection(f"{scope.start}{said}/following-sibling::{tag_of(one)}[1]{inner}")
            if column.many:
                kin = said.replace("[", "[1][", 1)
                yield Selection(f"{scope.start}{tag_of(one)}[preceding-sibling::{kin}]{inner}")
    yield from _headed(steps, ending, label, scope)
    yield from _in_section(element, ending, label, scope)
    for other in element if ending == "/text()" else ():
        if said := _said(other, label, scope):
            yield Selection(f"{scope.start}{said}/following-sibling::text()[normalize-space()][1]")


def _headed(steps: Sequence[Element], ending: str, label: str, scope: Scope) -> Iterator[Selection]:
    """Yield XPaths for a node in a cell of a table by the heading of its column."""
    for up, cell in enumerate(steps[:_MAX_UP]):
        table = next(cell.iterancestors("table"), None) if cell.tag in ("td", "th") else None
        row = next(table.iter("tr"), None) if table is not None else None
        at = 1 + sum(1 for _ in cell.itersiblings(preceding=True))
        if row is None or len(row) < at or not (said := _said(row[at - 1], label, scope)):
            continue
        head = f"ancestor::table[1]//tr[1]/*[{at}]{said[said.index('[') :]}"
        inner = "".join(f"/{tag_of(below)}" for below in reversed(steps[:up])) + ending
        yield Selection(f"{'./' if scope.inside else '//tr/'}{cell.tag}[{at}][{head}]{inner}")


def _in_section(element: Element, ending: str, label: str, scope: Scope) -> Iterator[Selection]:
    """Yield XPaths for a node of the section that has a label as its heading."""
    heading = next(islice(element.xpath("preceding::*[self::h2 or self::h3 or self::h4][1]"), 1), None)
    if said := _said(heading, label, scope):
        yield Selection(f"{scope.start}{tag_of(element)}[preceding::{said.replace('[', '[1][', 1)}]{ending}")


def _said(element: Element | None, label: str, scope: Scope) -> str:
    """Return the step of an element that is a label, "" for any other."""
    if (
        element is None
        or not isinstance(element.tag, str)
        or _key(said := scope.page.words(element)) != label
    ):
        return ""
    return f"{tag_of(element)}[normalize-space()={literal(said)}]"


def _prefixed(text: str, label: str, scope: Scope) -> Iterator[Selection]:
    """Yield XPaths for a text that begins with its label."""
    for sign in (": ", ":", " : ", " ", "："):
        for element, ending in scope.nodes(f"{label}{sign}{text}"):
            path = f"{scope.start}{tag_of(element)}{ending}[starts-with(normalize-space(), {literal(label)})]"
            yield Selection(path, regex=rf"^{_escaped(label)}[\s:：]*(.*)")
        for element, ending, _ in scope.pieces(f"{label}{sign}{text}"):
            pattern = rf"(?:^|[{MARKS}]\s*){_escaped(label)}[\s:：]*{PIECE}"
            yield from _matched(element, ending, pattern, scope)


def _escaped(label: str) -> str:
    """Return the pattern of a label, which is no part of a longer word."""
    return _SPECIAL.sub(r"\\\g<0>", label) + (r"\b" if label[-1:].isalnum() else "")


def _key(label: str) -> str:
    return label.strip(ENDS).casefold()


def placed(element: Element, ending: str, scope: Scope) -> Iterator[Selection]:
    """Yield XPaths for a node by the words of its element, or of an element around it and the tags below."""
    steps = scope.up(element)
    plain = [tag_of(one) for one in steps]
    worded = [xpath_step(tag_of(one), *words_of(one)[:1]) for one in steps]
    anchors = 0
    for at, one in enumerate(steps):
        named = words_of(one)
        heads = [xpath_step(tag_of(one), word) for word in named] or plain[
            at : at + (not at or one.tag in _OWN)
        ]
        for head in [*heads, *(_conditions(one) if not anchors else ())]:
            for inner in _inner(steps, plain[:at], worded[:at]):
                yield Selection(f"{scope.start}{'/'.join([head, *reversed(inner)])}{ending}")
        anchors += bool(named) or one.tag in _OWN
        if anchors == _MAX_ANCHORS:
            break
    if scope.inside is not None:  # by what stands right in the record
        for inner in _inner(steps, plain, worded):
            yield Selection("/".join([".", *reversed(inner)]) + ending)


def _conditions(element: Element) -> Iterator[str]:
    """Yield the steps of an element by what it is to the page, and by a directory that it links to."""
    for name in _RELATIONS:
        if PLAIN(said := element.get(name, "")):
            yield f"{tag_of(element)}[@{name}={literal(said)}]"
    if directory := _DIRECTORY(element.get(HREF, "")):
        yield f"{tag_of(element)}[contains(@{HREF}, {literal(directory[1])})]"


def _inner(steps: Sequence[Element], plain: list[str], worded: list[str]) -> Iterator[list[str]]:
    """Yield the steps below an element: as tags, with words, with the number of one of them."""
    yield plain
    if worded != plain:
        yield worded
    for at in {0, 1, len(plain) - 1} & set(range(len(plain))):
        number = 1 + sum(1 for _ in steps[at].itersiblings(steps[at].tag, preceding=True))  # of the same tag
        yield [*plain[:at], f"{plain[at]}[{number}]", *plain[at + 1 :]]

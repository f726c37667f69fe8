"""The units of a page: its texts and pictures, each with the place where it stands.

A *place* is the path of tags from the root of a page to an element, each with class words and the id that
mean something: ``html/body/div.product/h1.title``; some relations of links are such words, and so is
"section" of an ``h1`` below another one. Words with two digits in a row, which number things, words that say
what state or category an element is in, and words that are not plain names are left out. A tag that is none,
or has two digits in a row, is ``*``.

A *unit* is what flows together (:mod:`templcrawl.algorithms.columns.flows`); else each element with words is
one, so that a label is told from its value.  Lines that ``br`` ends are units where half of them have a label
before a colon, or one has and all are short, and so are short texts with a mark between; parts of a price, or
of a time ("May 3 to May 5, 2026"), are one.  A number in a heading, a picture, a signature is a unit, too.
Separators (:mod:`templcrawl.algorithms.columns.separators`) and the signs of links to a heading are none.

n text runs, m elements.  Cost: O(n + m + length of the texts); at most ``MAX_UNITS`` units a page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from templcrawl.algorithms.columns.attribute_texts import picture_source, rating_of
from templcrawl.algorithms.columns.class_words import says
from templcrawl.algorithms.columns.flows import FOLDED, JOINING, WHOLE, flows_of
from templcrawl.algorithms.columns.links import absolute
from templcrawl.algorithms.columns.separators import Text, without_separators
from templcrawl.algorithms.columns.signatures import signatures_of
from templcrawl.algorithms.columns.value_kinds import DATE, kind_of
from templcrawl.page.page import Page
from templcrawl.page.text import Memo, count_words
from templcrawl.page.tokens import SPACE, TAGS, Tag, attributes
from templcrawl.page.unwritten import permalinks_of
from templcrawl.page.vocabulary import HEADINGS

MAX_UNITS = 20_000
MAX_DEPTH, LONGEST_PLACE = 40, 2_000  # steps, characters of a place
MAX_PLACES = 10_000  # that are remembered
MAX_TEXT = 200  # characters of a text that is compared
MAX_WORDS = 6  # class words of a step
REACH = 6  # elements above the lone one of a unit that it knows
SCOPE = ":scope"  # place of a record in itself
_IN_HEADING = 3  # elements, from the one with a text in a heading up to that
MAX_LINE, MAX_DATED = 13, 3  # words of a line that is a fact; lines of which one is a date
LABEL, PAIR, FIRST, SILENT = "label", "pair", "first", "silent"
_INLINE = JOINING | frozenset("b strong span small big a time del ins s label data bdo samp".split())
_BREAK = "~"  # the gap at the end of a line, above all other gaps
_TAG = re.compile(r"(?!.*\d\d)[a-z][a-z0-9-]{0,31}").fullmatch
_BARE = re.compile(r"[a-z][\w:.-]*").fullmatch
_OPENS = re.compile(r"aria-(?:controls|expanded)|toggle", re.IGNORECASE).search
_LONGEST_VALUE = 30  # characters of a text that a class word may say
_WORDS = re.compile(r"\w+").findall
_NUMBER = re.compile(r"[\d.,]+").fullmatch
_LINE = re.compile(r"[^:：]{2,40}[:：]\s*\S").match
_SECTION = re.compile(r"(?:(?:sub)*section|sect|level)\d?").fullmatch  # class word of a section of a text
_RELATIONS = frozenset({"next", "prev", "category", "tag", "author"})  # the first is read as a class word
MARKS = "•·|"
BETWEEN = re.compile(rf"(?:^|\s)[{MARKS}](?:\s|$)").split  # what stands between two things
_COUNT = re.compile(r"\d[\d.,]*(?:\s\d{3})*\s+[^\W\d]{2,20}").fullmatch
# Facts behind a text: "(size: 9 KB, type: PNG)".
_BRACKETED = re.compile(r"([^(]*)\(([^()]{,300})\)").fullmatch


class Unit(NamedTuple):
    """A text or a picture of a page, or what an element without a text says by an attribute.

    place    of its element
    text     its words, white space folded; of a picture its address, absolute if it is relative to a folder
    above    its element and those above it, ``REACH`` above the lone one
    lone     where in these the outermost stands that holds nothing but this unit
    content  whether it is content
    link     where the link leads that it is in, as written; "" outside of links
    record   the element of its record; 0 outside of records
    row      row of that record (:mod:`templcrawl.algorithms.columns.records`)
    sign     what the markup says: ``LABEL`` (dt, th before td), ``PAIR`` (first of two cells of a row),
             ``FIRST`` (of more cells), ``SILENT`` (an attribute says the text), ""
    head     heading of its column in a table of the page, "" elsewhere
    time     the date for machines of the ``time`` or ``abbr`` that it is in; "" without one
    cell     number of its cell, from 1 on, in a row of three or more without headings; 0 elsewhere, and if
             class words tell it
    """

    place: str
    text: str
    above: tuple[int, ...]
    lone: int
    content: bool
    link: str = ""
    record: int = 0
    row: str = ""
    sign: str = ""
    head: str = ""
    time: str = ""
    cell: int = 0

    @property
    def tag(self) -> str:
        """Name of its element."""
        return tag_at(self.place)

    def tag_above(self, up: int) -> str:
        """Return the name of the element so many above its own, "" beyond its place."""
        return tag_above(self.place, up)

    @property
    def heading(self) -> str:
        """Name of the heading that it is, or stands in elements of; "" of none."""
        return heading_at(self.place)

    @property
    def is_in_heading(self) -> bool:
        """True if the unit is a heading, or stands in elements of one."""
        return self.heading != ""

    @property
    def is_picture(self) -> bool:
        """True if the unit is a picture."""
        return self.tag == "img"


@lru_cache(maxsize=MAX_PLACES)
def tag_at(place: str) -> str:
    """Return the name of the element at a place."""
    return parts_of(place.rpartition("/")[2])[0]


def tag_above(place: str, up: int) -> str:
    """Return the name of the element so many above the one at a place, "" beyond it."""
    steps = place.rsplit("/", up + 1)
    return parts_of(steps[-1 - up].rpartition("/")[2])[0] if len(steps) > up else ""


def is_section(place: str) -> bool:
    """Return whether a class word says that the element at a place is a section of a text, or its title.

    >>> is_section("main/section.level2"), is_section("main/div.section-title")
    (True, False)
    """
    return any(map(_SECTION, parts_of(place.rpartition("/")[2])[1]))


@lru_cache(maxsize=MAX_PLACES)
def heading_at(place: str) -> str:
    """Return the name of the heading that an element is, or stands in elements of; "" of none."""
    tags = (tag_above(place, up) for up in range(_IN_HEADING))
    return next((tag for tag in tags if tag in HEADINGS), "")


def words_in(text: str) -> int:
    """Return how long a text is, in words; where words are not spaced, two characters are about one.

    >>> words_in("green tea"), words_in("緑茶は日本の飲み物です")
    (2, 6)
    """
    return (count_words(text) + len(text.split())) // 2


def step_of(tag: Tag) -> str:
    """Return a tag as a step of a place.

    >>> from templcrawl.page.tokens import read_tag
    >>> step_of(read_tag('<div class="price sale state-open main post-1234 w-1/2" id="cost">'))
    'div.price.main#cost'
    >>> step_of(read_tag('<p class="star-rating Four">')), step_of(read_tag('<a rel="next" href="/b">'))
    ('p.star-rating', 'a.next')
    """
    rated, _ = rating_of(tag.classes)
    words = [*dict.fromkeys(word for word in tag.classes if says(word) and word != rated)][:MAX_WORDS]
    words += [word for word in tag.rel.split() if word in _RELATIONS and word not in words][:1]
    name = tag.name if _TAG(tag.name) else "*"
    is_target = name == "dt" or any(map(_SECTION, words))  # the id of a section of a text, or of a term
    is_named = says(tag.id) and not tag.id[-1].isdigit() and not is_target  # "panel-3" is one of several
    return ".".join([name, *words]) + f"#{tag.id}" * is_named


def without_value(place: str, text: str) -> str:
    """Return the place of a text without the class words of its element that end with that text.

    >>> without_value("p/a.category.category--green-tea#a", "Green tea"), without_value("p/b.tag-tea", "Tea")
    ('p/a.category#a', 'p/b.tag-tea')
    """
    above, sign, step = place.rpartition("/")
    if len(text) > _LONGEST_VALUE or "-" not in step:
        return place
    tag, words = parts_of(step)
    end = f"-{'-'.join(_WORDS(text.lower()))}"
    kept = [word for word in words if not word.lower().endswith(end)]
    step = ".".join([tag, *kept]).replace(".#", "#")
    return place if not kept or len(kept) == len(words) else f"{above}{sign}{step}"


@lru_cache(maxsize=MAX_PLACES)
def parts_of(step: str) -> tuple[str, tuple[str, ...]]:
    """Return the tag and the words of a step, the id with its mark.

    >>> parts_of("div.price.sale#cost")
    ('div', ('price', 'sale', '#cost'))
    """
    tag, *words = step.replace("#", ".#").split(".")
    return tag, tuple(words)


def _read_step(tag: str) -> str:
    """Return the step of a tag; a button that opens a panel counts as ``summary``."""
    name = tag[1:-1].rstrip("/").lower()
    if _TAG(name) or _BARE(name):
        return name if _TAG(name) else "*"
    step = step_of(TAGS[tag])
    return step.replace("button", "summary", 1) if TAGS[tag].name == "button" and _OPENS(tag) else step


_STEPS = Memo(_read_step)


def read_texts(page: Page, mask: bytes, silent: Mapping[int, str]) -> list[Text]:
    """Return the element, the text and whether it is content of each unit, in reading order.

    mask    token -> 1 if it is content
    silent  elements without a text, and what they say by an attribute
    """
    if not len(page.tokens):
        return []
    texts = without_separators(_texts(page, mask, silent), page.elements.names, page.elements.parents)
    return list(islice(texts, MAX_UNITS))


def places_and_links(page: Page) -> tuple[list[str], list[str]]:
    """Return element -> its place, "" of the document; where the link leads that it is in."""
    tokens, elements = page.tokens, page.elements
    form_of = tokens.form_array[elements.open_array].tolist()
    forms, tags = tokens.forms, tokens.form_tags
    sections = _section_titles(elements.names, elements.parents)
    known: dict[tuple[str, int], str] = {}
    steps: dict[int, str] = {}
    places, links = [""], [""]
    for element, parent in enumerate(elements.parents[1:], start=1):
        form, above = form_of[element], places[parent]
        place = known.get((above, form))
        if place is None:
            if form not in steps:
                steps[form] = _STEPS[forms[form]]
            place = _below(above, steps[form])
            if len(known) < MAX_PLACES:
                known[above, form] = place
        places.append(f"{place}.section" if element in sections else place)
        links.append(tags[form].href if elements.names[element] == "a" else links[parent])
    return places, links


def _section_titles(names: Sequence[str], parents: Sequence[int]) -> set[int]:
    """Return the ``h1`` that are no title of the page: several under one parent, behind another one."""
    titles = [element for element, name in enumerate(names) if name == "h1"]
    counts = Counter(parents[one] for one in titles)
    return {one for one in titles[1:] if counts[parents[one]] > 1 and parents[one] != parents[titles[0]]}


def _below(place: str, step: str) -> str:
    """Return the place of an element in one at a place; the steps nearest to the root give way."""
    place = f"{place}/{step}" if place else step
    while len(place) >= LONGEST_PLACE or place.count("/") >= MAX_DEPTH:
        place = place.partition("/")[2]
    return place


def _texts(page: Page, mask: bytes, silent: Mapping[int, str]) -> Iterator[Text]:
    """Yield the element, the text and whether it is content of each unit."""
    elements, tokens, runs = page.elements, page.tokens, page.text_runs
    names, opens, forms, form_of = elements.names, elements.opens, tokens.forms, tokens.form_of
    whole, gaps, unwritten = flows_of(page), _gaps(page), permalinks_of(tokens, elements, runs)
    pictures = (one for one, name in enumerate(names) if name == "img" and elements.visible[one])
    sources = ((one, picture_source(attributes(forms[form_of[opens[one]]]))) for one in pictures)
    said = {  # "view.png" is another one in each folder
        one: source if source.startswith(("http", "/")) else absolute(source, page.base_url)
        for one, source in sources
        if source
    }
    said.update((one, text) for one, text in silent.items() if whole[one] == one)
    said.update(signatures_of(page, whole, gaps, unwritten))
    places = [*zip(runs.positions.tolist(), runs.elements.tolist()), *((opens[one], one) for one in said)]
    texts: list[str] = []
    at, before, content = 0, 0, False
    for position, owner in sorted(places):
        is_text = owner not in said
        if whole[owner] < 0 or position in unwritten or (not is_text and position != opens[owner]):
            continue
        is_content = mask[position] == 1
        if not is_text or whole[owner] != at:
            for text in _lines(names[at], texts):
                yield at, text, content
            at, texts, content = whole[owner] if is_text else 0, [], False
        if not is_text:
            yield owner, said[owner], is_content
            continue
        text = FOLDED[forms[form_of[position]]]
        if text.strip():
            texts += (
                (max((gaps[form] for form in form_of[before:position]), default=""), text)
                if texts
                else (text,)
            )
            before = position + 1
        content |= is_content
        if owner != at and names[at] in HEADINGS and _NUMBER(text.strip()):
            yield owner, text.strip(), is_content
    for text in _lines(names[at], texts):
        yield at, text, content


def _gaps(page: Page) -> list[str]:
    """Return form -> what it puts between two texts: nothing, a blank, or the end of a line."""
    names, kinds = page.tokens.form_names, page.tokens.form_kinds
    return [
        "" if kind != SPACE and (not name or name in _INLINE) else _BREAK if name == "br" else " "
        for name, kind in zip(names, kinds)
    ]


def _lines(name: str, texts: Sequence[str]) -> list[str]:
    """Return inline content as one text, or as several lines where half of them are facts.

    name   of its element
    texts  its texts, and between each two the gap
    """
    written = "".join("\n" if at % 2 and text == _BREAK else text for at, text in enumerate(texts))
    lines = [line for part in written.split("\n") if (line := " ".join(part.split()))]
    facts = sum(1 for line in lines if len(line.split()) <= MAX_LINE and (_LINE(line) or _COUNT(line)))
    is_dated = 1 < len(lines) <= MAX_DATED and any(kind_of([line]) == DATE for line in lines)
    are_lines = facts and all(len(line.split()) <= MAX_LINE for line in lines)
    if not (len(lines) > 1 and name not in WHOLE and (is_dated or are_lines or 2 * facts >= len(lines))):
        lines = [" ".join(lines)] if lines else []
    return lines if name in WHOLE else [part for line in lines for part in _parts(line)]


def _parts(line: str) -> list[str]:
    """Return what stands between the separators of a short line, but for those in brackets.

    Facts in brackets, two or more, are parts, too.
    """
    if (match := _BRACKETED(line)) and len([*filter(_LINE, listed := match[2].split(", "))]) > 1:
        return [*filter(None, [match[1].strip()]), *listed]
    parts = [*filter(None, BETWEEN(line))]
    are_short = parts and all(
        len(part.split()) <= MAX_LINE and part.count("(") == part.count(")") for part in parts
    )
    return parts if are_short else [line]

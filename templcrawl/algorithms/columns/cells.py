"""The cells of a page: its texts and pictures, each with the place where it stands.

A *place* is the path of tags from the root of a page to an element, each with class words and the id that
mean something: ``html/body/div.product/h1.title``.  Words with two digits in a row, which number things,
words that say what state or category an element is in, and words that are no plain names are left out.  A tag
that is no plain name is ``*``.  Of a place beyond the limits below the last steps are left.

A *cell* is what flows together in the same heading or link, and in the same block where that is running text
(``LEAST_RUNNING`` words of its own); else each element with words is a cell of its own, so that a label is
told from its value.  A number in a heading is a cell besides ("12" of "12 comments").  A picture is a cell.

A *record* is an element that repeats under one parent: of ``LEAST_RECORDS`` siblings or more, with the same
tag and one class word (that which most siblings have), each has two cells or more, and most of its places
are *common*: half of the siblings have them.  The outermost such element counts.  Its *row* is its place, of
which the last step has that word alone: a post is one whatever its format.

Source: our own.  That places which repeat make records is the idea of MDR (Liu, Grossman, Zhai, KDD 2003).
n text runs, m elements.  Cost: O(n + m + length of the texts), for records O(n) a level of candidates, of
which there are ``MOST_LEVELS``; at most ``MOST_CELLS`` cells a page.
"""

from __future__ import annotations

import json
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from sys import intern
from typing import NamedTuple

import numpy as np

from templcrawl.page.page import Page
from templcrawl.page.text import Memo, unescape, without_zero_width
from templcrawl.page.tokens import TAGS, Tag, attributes
from templcrawl.page.vocabulary import FLOWING, HEADINGS

MOST_CELLS = 20_000
MOST_DEPTH, LONGEST_PLACE = 40, 2_000  # steps, characters of a place
MOST_PLACES = 10_000  # that are remembered
MOST_TEXT = 200  # characters of a text that is compared
SAMPLED_CELLS, SAMPLED_CHARACTERS = 2_000, 500_000  # of a page in a sample
MOST_WORDS = 6  # class words of a step
_PACKING = 1  # the fastest level of zlib
_NONE = (0, "")  # no record, no row
SCOPE = ":scope"  # place of a record in itself
LEAST_RUNNING = 6
LEAST_RECORDS, MOST_LEVELS = 3, 8
_JOINING = frozenset("em i sub sup mark abbr code wbr u q cite kbd var font bdi acronym tt".split())
WHOLE = HEADINGS | {"a"}  # elements of which all inside is one text
_RUNNING = frozenset("p li td dd div blockquote figcaption article section".split())
_NO_RECORDS = frozenset("p a span b strong em i br option code td th dt dd".split())
_SOURCES = ("data-src", "data-lazy-src", "data-original", "src")  # of a picture, where it may load late
_CURRENCY = "urrency"  # of a class word: the sign before an amount
_MEANS = re.compile(r"(?!.*\d\d)[A-Za-z][\w-]{0,39}").fullmatch
_TAG = re.compile(r"[a-z][a-z0-9-]{0,31}").fullmatch
_STATE = re.compile(
    r"first|last|odd|even|alt|active|current|selected|open|closed|hidden|visible|disabled|enabled|new|sticky|featured|sale|on-?sale"
    r"|in-?stock|out-?of-?stock|sold-?out|on-?backorder|purchasable|taxable|shipping-taxable|has-.*|is-.*"
    r"|(?:product_|post_)?(?:cat|tag|category)-.*|pa_.*|(?:format|status|author|level|depth|byuser)-.*|columns?-.*",
    re.IGNORECASE,
).fullmatch
_NUMBER = re.compile(r"[\d.,]+").fullmatch
_FOLDED = Memo(lambda run: " ".join(without_zero_width(unescape(run)).split()))


class Cell(NamedTuple):
    """A text or a picture of a page.

    place    of its element
    text     its words, white space folded; of a picture its address as written
    above    its element and the two above it
    content  whether it is content
    link     where the link leads that it is in, as written; "" outside of links
    record   the element of its record; 0 outside of records
    row      row of that record
    """

    place: str
    text: str
    above: tuple[int, int, int]
    content: bool
    link: str = ""
    record: int = 0
    row: str = ""

    @property
    def tag(self) -> str:
        """Name of its element."""
        return self.place.rpartition("/")[2].partition(".")[0].partition("#")[0]

    @property
    def is_picture(self) -> bool:
        """Whether it is a picture."""
        return self.tag == "img"


def step_of(tag: Tag) -> str:
    """Return a tag as a step of a place.

    >>> from templcrawl.page.tokens import read_tag
    >>> step_of(read_tag('<div class="price sale main post-1234 w-1/2" id="cost">'))
    'div.price.main#cost'
    """
    words = [*dict.fromkeys(filter(_says, tag.classes))][:MOST_WORDS]
    name = tag.name if _TAG(tag.name) else "*"
    return ".".join([name, *words]) + (f"#{tag.id}" if tag.id and _says(tag.id) else "")


@lru_cache(maxsize=MOST_PLACES)
def parts_of(step: str) -> tuple[str, tuple[str, ...]]:
    """Return the tag and the words of a step, the id with its mark.

    >>> parts_of("div.price.sale#cost")
    ('div', ('price', 'sale', '#cost'))
    """
    tag, *words = step.replace("#", ".#").split(".")
    return tag, tuple(words)


def _says(word: str) -> bool:
    """Return whether a word says what stands in an element."""
    return _MEANS(word) is not None and not _STATE(word)


_STEPS = Memo(lambda tag: step_of(TAGS[tag]))


@lru_cache(maxsize=MOST_PLACES)
def _rows_of(place: str) -> tuple[str, ...]:
    """Return a place with each of the words of its last step alone; rows of an HTML table are all alike."""
    above, sign, step = place.rpartition("/")
    tag, words = parts_of(step)
    leads = [f".{word}" for word in words if word[0] != "#" and tag != "tr"]
    return tuple(f"{above}{sign}{tag}{lead}" for lead in leads or [""])


def read_cells(page: Page, mask: bytes, is_row: Callable[[str], bool] | None = None) -> list[Cell]:
    """Return the cells of a page in reading order.

    mask    token -> 1 if it is content
    is_row  whether elements of a row are records, where it is known; None: they are found by what repeats
    """
    if not len(page.tokens):
        return []
    places, links = _places_and_links(page)
    texts = list(islice(_texts(page, mask), MOST_CELLS))
    owners, parents = [element for element, _, _ in texts], page.elements.parents
    if is_row is None:
        records = _records(page, owners, places)
    else:
        records = _known_records(parents, owners, places, is_row)
    cells = []
    for (element, text, content), (record, row) in zip(texts, records):
        parent = parents[element]
        above = (element, parent, parents[parent] if parent > 0 else 0)
        cells.append(Cell(places[element], text, above, content, links[element], record, row))
    return cells


def pack(cells: Sequence[Cell]) -> bytes:
    """Return the first cells of a page, their texts cut, as a sample keeps them."""
    kept, size = [], 0
    for cell in cells[:SAMPLED_CELLS]:
        cell = cell._replace(text=cell.text[:MOST_TEXT], link=cell.link[:MOST_TEXT])
        size += sum(len(text) for text in (cell.place, cell.text, cell.link, cell.row))
        if size > SAMPLED_CHARACTERS:
            break
        kept.append(cell)
    return zlib.compress(json.dumps(kept).encode(), _PACKING)


def unpack(packed: bytes) -> list[Cell]:
    """Return the cells of a page that were packed."""
    return [Cell(intern(place), *rest) for place, *rest in json.loads(zlib.decompress(packed))]


def in_record(cell: Cell) -> Cell:
    """Return a cell of a record with its place below that.

    >>> in_record(Cell("ul/li.item/b", "tea", (3, 2, 1), True, "", 2, "ul/li")).place
    'b'
    """
    return cell._replace(place=_below_row(cell.place, cell.row))


@lru_cache(maxsize=MOST_PLACES)
def _below_row(place: str, row: str) -> str:
    return "/".join(place.split("/")[row.count("/") + 1 :]) or SCOPE


def _known_records(
    parents: Sequence[int], owners: Sequence[int], places: Sequence[str], is_row: Callable[[str], bool]
) -> list[tuple[int, str]]:
    """Return cell -> the outermost element around it of a row of records, and that row; 0 without one."""
    known = {place: next(filter(is_row, _rows_of(place)), "") for place in set(places)}
    records = [_NONE]
    for element, parent in enumerate(parents[1:], start=1):
        row = known[places[element]]
        records.append(records[parent] if records[parent][0] or not row else (element, row))
    return [records[owner] for owner in owners]


def _places_and_links(page: Page) -> tuple[list[str], list[str]]:
    """Return element -> its place, "" of the document; where the link leads that it is in."""
    tokens, elements = page.tokens, page.elements
    form_of = tokens.form_array[elements.open_array].tolist()
    forms, tags = tokens.forms, tokens.form_tags
    known: dict[tuple[str, int], str] = {}
    places, links = [""], [""]
    for element, parent in enumerate(elements.parents[1:], start=1):
        form, above = form_of[element], places[parent]
        place = known.get((above, form))
        if place is None:
            place = _below(above, _STEPS[forms[form]])
            if len(known) < MOST_PLACES:
                known[above, form] = place
        places.append(place)
        links.append(tags[form].href if elements.names[element] == "a" else links[parent])
    return places, links


def _below(place: str, step: str) -> str:
    """Return the place of an element in one at a place; the steps nearest to the root give way."""
    place = f"{place}/{step}" if place else step
    while len(place) >= LONGEST_PLACE or place.count("/") >= MOST_DEPTH:
        place = place.partition("/")[2]
    return place


def _texts(page: Page, mask: bytes) -> Iterator[tuple[int, str, bool]]:
    """Yield the element, the text and whether it is content of each cell."""
    elements, tokens, runs = page.elements, page.tokens, page.text_runs
    names, opens, forms, form_of = elements.names, elements.opens, tokens.forms, tokens.form_of
    whole = _whole(page)
    pictures = [one for one, name in enumerate(names) if name == "img" and elements.visible[one]]
    places = [*zip(runs.positions.tolist(), runs.elements.tolist()), *((opens[one], one) for one in pictures)]
    texts: list[str] = []
    at, content = 0, False
    for position, owner in sorted(places):
        is_content = mask[position] == 1
        is_picture = names[owner] == "img"
        if is_picture or whole[owner] != at:
            if texts:
                yield at, " ".join(texts), content
            at, texts, content = 0 if is_picture else whole[owner], [], False
        if is_picture:
            values = attributes(forms[form_of[position]])
            sources = (values.get(name, "") for name in _SOURCES)
            if source := next((one for one in sources if one and not one.startswith("data:")), ""):
                yield owner, source, is_content
            continue
        text = _FOLDED[forms[form_of[position]]]
        if text:
            texts.append(text)
        content |= is_content
        if owner != at and names[at] in HEADINGS and _NUMBER(text):
            yield owner, text, is_content
    if texts:
        yield at, " ".join(texts), content


def _whole(page: Page) -> list[int]:
    """Return element -> the element whose cell its own text is of."""
    elements, runs = page.elements, page.text_runs
    names, own = elements.names, np.bincount(runs.elements, runs.words, len(elements)).tolist()
    flows = (elements.traits & FLOWING > 0).tolist()
    tags, form_of = page.tokens.form_tags, page.tokens.form_array[elements.open_array].tolist()
    whole = [0]
    for element, parent in enumerate(elements.parents[1:], start=1):
        around = whole[parent]
        joins = flows[element] and (
            names[around] in WHOLE
            or (own[around] >= LEAST_RUNNING and names[around] in _RUNNING)
            or (own[parent] > 0 and names[element] in _JOINING and not tags[form_of[element]].classes)
            or (
                names[element] == "span" and any(_CURRENCY in word for word in tags[form_of[element]].classes)
            )
        )
        whole.append(around if joins else element)
    return whole


def _records(page: Page, owners: Sequence[int], places: Sequence[str]) -> list[tuple[int, str]]:
    """Return cell -> the element of its record, and the row of that; 0 of one that is in none.

    owners  cell -> its element
    places  element -> its place
    """
    names, parents = page.elements.names, page.elements.parents
    first, after = [len(owners)] * len(names), [0] * len(names)  # element -> the cells in it
    for number, owner in enumerate(owners):
        first[owner], after[owner] = min(first[owner], number), number + 1
    for element in range(len(names) - 1, 0, -1):
        parent = parents[element]
        first[parent] = min(first[parent], first[element])
        after[parent] = max(after[parent], after[element])
    inside = [after[element] - first[element] for element in range(len(names))]
    several = [one for one in range(1, len(names)) if inside[one] >= 2 and names[one] not in _NO_RECORDS]
    counts = Counter((parents[one], row) for one in several for row in _rows_of(places[one]))
    groups: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    for one in several:
        groups[max(((parents[one], row) for row in _rows_of(places[one])), key=counts.__getitem__)].append(
            one
        )
    records, compared = [_NONE] * len(owners), [0] * len(owners)
    for (_, row), group in groups.items():
        start = first[group[0]]
        if len(group) < LEAST_RECORDS or records[start][0] or compared[start] == MOST_LEVELS:
            continue
        ranges = [range(first[element], after[element]) for element in group]
        own = [
            {_below_row(places[owners[number]], places[element]) for number in cells}
            for element, cells in zip(group, ranges)
        ]
        having = Counter(place for each in own for place in each)
        common = {place for place, count in having.items() if 2 * count >= len(group)}
        shared = sum(len(each & common) for each in own)
        are_records = len(common) >= 2 and 2 * shared >= sum(map(len, own))
        for element, cells in zip(group, ranges):
            for number in cells:
                compared[number] += 1
                records[number] = (element, row) if are_records else _NONE
    return records

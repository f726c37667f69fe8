"""Pages parsed by parsel, with an index of their texts, for trying selectors of records.

A spider reads pages by parsel (:mod:`templcrawl.outputs.spider_texts`), and that reads broken HTML otherwise
than the tables do.  So XPaths are made of parsel's tree.

e elements of a page.  Cost: O(e), each in ``MAX_INSIDE`` texts at most.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any, TypeVar, cast

from cssselect import GenericTranslator
from lxml.etree import XPath
from lxml.etree import _Element as Element
from parsel import Selector

from templcrawl.algorithms.columns.attribute_texts import rating_of
from templcrawl.algorithms.columns.sentences import Part
from templcrawl.algorithms.columns.separators import trimmed
from templcrawl.algorithms.columns.units import BETWEEN, MARKS
from templcrawl.outputs import spider_texts
from templcrawl.page.text import storable

MAX_TEXT, MAX_INSIDE = 2_000, 60  # characters of a text that is looked up; elements in that of it
MAX_RECORDS = 500  # of a page, in the order of it
MAX_COMPILED = 1_000  # XPaths
_AHEAD, _LEAST = 20, 0.5  # rows that may be that of a record; of its texts: more are in the record
_MAX_KNOWN, _MAX_NODES = 1_000, 8  # elements that have a text: on a page, in a scope
_MAX_PIECES = 8  # of a text, between marks
_BEGIN = 60  # characters of a text by which a record is known
_NUMBERED = re.compile(r"[A-Za-z][\w-]*[A-Za-z]\d").fullmatch
_HAS_CLASS = re.compile(r'has-class\("([\w-]+)"\)')
_IS_WORD = r"contains(@class, '\1') and contains(concat(' ', normalize-space(@class), ' '), ' \1 ')"
_ANYWHERE = re.compile(r"^(\(?\.?)//(?=[\w*-]+\[(?!\d)[^][]*\](?!\[))")  # with a condition that is no number
_MAX_WORDS = 6  # of an element
_TAG = re.compile(r"[a-z][a-z0-9-]*").fullmatch
_COUNTS = re.compile(r"\d\d").search  # in an id: it is that of one page
PLAIN = re.compile(r"[A-Za-z][\w-]{0,39}").fullmatch  # a class word or an id
PIECE = rf"([^{MARKS}]*[^\s{MARKS}])"  # pattern of what stands between marks, its group
_SAYING = frozenset("aria-label value datetime title".split())  # attributes
_NO_TEXTS = frozenset("script style html head body".split())

Row = Mapping[str, Any]
Found = TypeVar("Found", tuple[Element, str], tuple[Element, str, str])  # a node, what is known of it

_text_of = cast("Callable[..., str]", spider_texts.words)
runs = cast("Callable[[Selector, str], Iterator[Selector]]", spider_texts.runs)


class _Texts:
    """The texts of a page, or of a record in one.

    nodes   text -> the elements that have it; behind a ``/text()`` those that have a text of their own
    pieces  what stands between marks, or is a rating -> the same, and the pattern of which it is the group
    """

    def __init__(self, page: TriedPage) -> None:
        """Look up the texts of a page."""
        self.nodes: dict[str, list[tuple[Element, str]]] = {}
        self.pieces: dict[str, list[tuple[Element, str, str]]] = {}
        elements = list(page.whole.root.iter())
        inside: Counter[Element] = Counter()  # elements in an element, and it
        for element in reversed(elements):
            inside[element] += 1
            inside[element.getparent()] += inside[element]
        for element in elements:
            if not isinstance(element.tag, str) or element.tag in _NO_TEXTS:
                continue
            if inside[element] <= MAX_INSIDE:
                self._add(page.words(element), element, "")
            for name in element.attrib:
                if name in _SAYING:
                    self._add(element.get(name), element, f"/@{name}")
                elif name == "class" and (rating := rating_of(classes := element.get(name).split()))[0]:
                    self._add_piece(rating[1], element, "/@class", _rating_pattern(classes, *rating))
            texts = (element.text, *(child.tail for child in element)) if len(element) else ()
            lines = [line for text in texts if (line := " ".join((text or "").split()))]
            for number, line in enumerate(lines, start=1):
                self._add(line, element, "/text()")
                if len(lines) > 1:
                    self._add(line, element, f"/text()[normalize-space()][{number}]")

    def _add(self, text: str, element: Element, ending: str) -> None:
        text = trimmed(text)
        if 0 < len(text) <= MAX_TEXT:
            known = self.nodes.setdefault(text, [])
            known += [(element, ending)] if len(known) < _MAX_KNOWN else []
            pieces = BETWEEN(text)
            for number, piece in enumerate(pieces if 1 < len(pieces) <= _MAX_PIECES else ()):
                before = rf"(?:[^{MARKS}]*[{MARKS}]){{{number}}}\s*" if number else ""
                self._add_piece(trimmed(piece), element, ending, f"^{before}{PIECE}")

    def _add_piece(self, piece: str, element: Element, ending: str, pattern: str) -> None:
        found = self.pieces.setdefault(piece, [])
        found += [(element, ending, pattern)] if len(found) < _MAX_KNOWN else []


@dataclass
class TriedPage:
    """A page, or the elements of a flat record, as parsel reads it; its texts are found when asked for.

    said  element -> its text
    """

    whole: Selector
    base: str
    said: dict[Element, str] = field(default_factory=dict, init=False)

    @cached_property
    def numbered(self) -> frozenset[str]:
        """Class words that end in a digit."""
        named = (word for written in self.whole.root.xpath("//@class") for word in written.split())
        return frozenset(filter(_NUMBERED, named))

    @cached_property
    def texts(self) -> _Texts:
        """Its texts, and the nodes that have them."""
        return _Texts(self)

    def words(self, node: Element | str, skipped: Collection[Element] = ()) -> str:
        """Return the text of an element or text node as the spider reads it.

        skipped  elements in it that are left out
        """
        if isinstance(node, str) or skipped:
            return _text_of(node, skipped)
        if node not in self.said:
            self.said[node] = _text_of(node)
        return self.said[node]


def _rating_pattern(classes: Sequence[str], word: str, said: str) -> str:
    r"""Return the pattern of which a rating is the group in the classes of its element.

    >>> _rating_pattern(["stars", "Four"], "Four", "Four"), _rating_pattern(["rating-4"], "rating-4", "4")
    ('stars ([^ ]+)', 'rating\\-([^ ]+)')
    """
    if word != said:
        return f"{re.escape(word[: -len(said)])}([^ ]+)"
    at = classes.index(word)
    return rf"{re.escape(classes[at - 1])} ([^ ]+)" if at else rf"([^ ]+) {re.escape(classes[at + 1])}"


@dataclass
class Scope:
    """A page, or a record of it, with its row.

    inside  the elements of a record; None: this is a page
    """

    part: Selector
    page: TriedPage
    row: Row
    inside: set[Element] | None = None

    def __post_init__(self) -> None:
        self.cells = defaultdict[str, list[str]](list)
        for name, value in self.row.items():
            self.cells[name] = value if isinstance(value, list) else [value]

    @property
    def start(self) -> str:
        """The prefix of an XPath."""
        return "//" if self.inside is None else ".//"

    def up(self, element: Element) -> list[Element]:
        """Return an element and those around it, without the record itself."""
        root = self.part.root
        around = [element, *element.iterancestors()]
        return around if self.inside is None else around[: around.index(root)]

    def select(self, xpath: str) -> list[Element | str]:
        """Return what an XPath selects in it; raises XPathError."""
        return cast("list[Element | str]", _compiled(xpath)(self.part.root))

    def inside_of(self, xpath: str) -> set[Element]:
        """Return the elements that an XPath selects in it, with all in them."""
        return {one for each in self.select(xpath) if not isinstance(each, str) for one in each.iter()}

    def wholes(self, pattern: str, text: str) -> list[str]:
        """Return the texts of the page that contain a text."""
        return [
            whole for whole in self.page.texts.nodes if text in whole and Part("", pattern).of(whole) == text
        ]

    def nodes(self, text: str) -> list[tuple[Element, str]]:
        """Return the nodes in it that have a text."""
        return self._own(self.page.texts.nodes.get(" ".join(text.split()), []))

    def pieces(self, text: str) -> list[tuple[Element, str, str]]:
        """Return the nodes in it that have a text between marks, each with the pattern of it."""
        return self._own(self.page.texts.pieces.get(" ".join(text.split()), []))

    def _own(self, found: Iterable[Found]) -> list[Found]:
        """Return those of some nodes of the page that are in it, the first."""
        return [one for one in found if self.inside is None or one[0] in self.inside][:_MAX_NODES]


@lru_cache(maxsize=MAX_COMPILED)
def _compiled(xpath: str) -> XPath:
    """Return an XPath that libxml2 evaluates fast: without calls of Python, in one walk.

    >>> _compiled('//dt[has-class("age")]/a').path.partition("[")[0]
    '/descendant::dt'
    """
    return XPath(_ANYWHERE.sub(r"\1/descendant::", _HAS_CLASS.sub(_IS_WORD, xpath)), smart_strings=False)


def parse(text: str, base: str) -> TriedPage:
    """Return a page; ``base`` is what relative links start from."""
    return TriedPage(Selector(storable(text)), base)


def scopes_of(page: TriedPage, xpath: str, rows: Sequence[Row], *, flat: bool = False) -> Iterator[Scope]:
    """Yield the records that an XPath selects on a page, each with its row if there is one; "": the page.

    flat  whether the XPath selects the leaders of flat records
    """
    if not xpath:
        yield Scope(page.whole, page, rows[0] if rows else {})
        return
    parts = list(islice(runs(page.whole, xpath) if flat else page.whole.xpath(xpath), MAX_RECORDS))
    pages = [TriedPage(part, page.base) for part in parts] if flat else [page] * len(parts)
    wholes = [bare(own.words(part.root)) for own, part in zip(pages, parts)] + [""]
    begin = [_beginnings(row) for row in rows]
    is_even = len(parts) == len(rows)  # what heads a group is not in its records
    at = 0
    for number, (own, part) in enumerate(zip(pages, parts)):
        shares = [_share_of(texts, wholes[number]) for texts in begin[at : at + _AHEAD]]
        best = max(shares, default=0.0)
        row: Row = {}
        # Half of the texts will do: a table reads some otherwise.  But not where the next record has more.
        is_half = best >= _LEAST if is_even else best > _LEAST
        if is_half and best >= _share_of(begin[at + shares.index(best)], wholes[number + 1]):
            at += shares.index(best) + 1
            row = rows[at - 1]
        yield Scope(part, own, row, set(part.root.iter()))


def _beginnings(row: Row) -> list[str]:
    """Return how the texts of a row begin, without addresses."""
    texts = [text for value in row.values() for text in (value if isinstance(value, list) else [value])]
    return [bare(text[:_BEGIN]) for text in texts if "://" not in text]


def _share_of(texts: Sequence[str], whole: str) -> float:
    """Return the share of some texts that are in another; 1 of none."""
    return sum(text in whole for text in texts) / len(texts) if texts else 1.0


def bare(text: str) -> str:
    """Return a text without white space, for comparing running text."""
    return "".join(text.split())


def xpath_step(tag: str, *named: str) -> str:
    """Return a step of an XPath.

    >>> xpath_step("div", "item", "#main")
    'div[has-class("item")][@id="main"]'
    """
    says = [f'[@id="{word[1:]}"]' if word[0] == "#" else f'[has-class("{word}")]' for word in named]
    return "".join([tag, *says])


def literal(text: str) -> str:
    """Return a text as an XPath literal."""
    return str(GenericTranslator.xpath_literal(" ".join(storable(text).split())))


def words_of(element: Element) -> list[str]:
    """Return the class words of an element that may mean something, and its id, with its mark."""
    ids = [f"#{word}" for word in [element.get("id", "")] if PLAIN(word) and not _COUNTS(word)]
    return [*filter(PLAIN, element.get("class", "").split()), *ids][:_MAX_WORDS]


def tag_of(element: Element) -> str:
    """Return the tag of an element as a step of an XPath."""
    return element.tag if _TAG(element.tag) else "*"

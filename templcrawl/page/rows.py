"""The rows of a page: its text runs in groups that a reader sees as one.

A *row* is a stretch of text runs that stand in the same block of code (``pre``), in the same row of cells, in
the same ``dt`` with its ``dd``, or else in the same element that does not flow: a paragraph with its links.
A row of cells, a cell, a ``dt``, a ``dd`` or a figure that is short holds all that is in it, blocks too: it
has at most 20 words, no link, and neither a table nor code.  A longer one is made of the rows inside it.

The *key* of a row is the polynomial of the keys of its runs with words, modulo 2^64, so that "Sauna yes" is
told from "Sauna no" where each word stands on all pages.  The key of a row with one such run is that run's.
The key of a figure has those of its pictures added, of their addresses and alternative texts: a caption that
all pages have is told by its picture.  Filters beside a listing ("Tents (0)", "Lamps (3)") have the keys of
their words without the numbers: rows that end with a number in brackets, three or more together on the same
path, one of them at least a link or a control.

A *table* is what several rows make up: those of a ``table``, of a ``dl``, and the items of a list that have
no links, if two or more are *pairs*: rows of two runs with words or more.  So do the pairs of any other
element that are short and have no links, unless links inside the element have more words: the counters of a
footer stand beside such.

The *scope* of a row is a stretch of rows that it is needed to understand.  That of a heading are the rows
behind it, up to the next heading of its level or above, or to the end of its section: the smallest element
that has more than six words behind it.  That of a ``dt`` is the same, up to the next ``dt``; that of a
caption, legend or summary the rest of the element around it.  A *label* has at most six words and no link,
and is no button.  It shares an element with few other rows, the smallest that has more than the label, and no
list.  If that has at most 20 words and three rows, these are its scope; else the rows behind it are, where it
comes first in a row of cells, or is the first of two elements that hold all the words.

Source: our own.  n runs, m elements.  Cost: O(n + m).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from templcrawl.page.arrays import MIX, Bytes, Flags, Indices, Keys, before, indices, powers, stretches
from templcrawl.page.elements import Elements
from templcrawl.page.runs import TextRuns, runs_inside
from templcrawl.page.text import TEXTS, text_key
from templcrawl.page.tokens import TokenStream, attributes
from templcrawl.page.vocabulary import FLOWING, HEADINGS, LINKED

MOST_WORDS = 20  # of a short row
LABEL_WORDS = 6  # of a label
_NO_BOXES = frozenset({"", "ul", "ol"})  # elements in which nothing is the label of something
_LEAST_FILTERS = 3  # rows that end with a number in brackets
_COUNT = re.compile(r"\([0-9][0-9.,]*\)[ \t\n\r\f]*$").search
_SPACE = " \t\n\r\f"
_CONTROLS = frozenset({"label", "option", "button"})
_MOST_OF_BOX = 3  # rows of an element of a label and its value
LEAST_PAIRS = 2  # of a table
_CELLS = frozenset({"td", "th"})
_WHOLE = frozenset({"tr", "dt", "dd", "figure"}) | _CELLS
_BARRIERS = frozenset({"table", "pre"})
_OF_PICTURES = ("src", "data-src", "alt")  # attributes that tell a picture; the second of one that loads late
_TABLE_PARTS = frozenset({"tbody", "thead", "tfoot"})
_NO_TABLE = -1
CODE, HEADING = 1, 2
_KINDS = {"pre": CODE, **dict.fromkeys(HEADINGS, HEADING)}
# Element that heads what follows -> its level, up to the next one of its level or above.
_LEVELS = {**{f"h{level}": level for level in range(1, 7)}, "dt": 7}
_OF_ALL = frozenset({"caption", "legend", "summary"})  # elements that head all of the element around them


class Rows:
    """The rows of a page, in order, as parallel arrays of r.

    starts        row -> its first run; at the end the number of runs
    keys          row -> key of its runs
    tables        row -> the element of its table, -1 if it is of none
    kinds         row -> ``CODE``, ``HEADING``, or 0
    scope_starts  row -> the first row of its scope
    scope_stops   row -> the row after its scope; not above ``scope_starts`` where it has none
    """

    starts: Indices
    keys: Keys
    tables: Indices
    kinds: Bytes
    scope_starts: Indices
    scope_stops: Indices

    def __len__(self) -> int:
        return len(self.keys)

    @cached_property
    def of_run(self) -> Indices:
        """Run -> its row."""
        return np.arange(len(self.starts) - 1).repeat(np.diff(self.starts))

    def sums(self, values: Flags | Indices) -> Indices:
        """Return row -> the sum over its runs of run -> value."""
        sums = before(values)[self.starts]
        return sums[1:] - sums[:-1]


def read_rows(tokens: TokenStream, runs: TextRuns, elements: Elements) -> Rows:
    """Read the rows of a page."""
    rows = Rows()
    row_elements = indices(list(_row_elements(runs, elements)))
    row_of = row_elements[runs.elements]
    starts, _ = stretches(row_of)
    at = row_of[starts]
    rows.starts = np.append(starts, len(runs))
    rows.kinds = np.array([_KINDS.get(elements.names[element], 0) for element in at.tolist()], dtype=np.uint8)
    has_words, has_link = runs.words > 0, rows.sums(runs.hints & LINKED > 0) > 0
    rank = before(has_words)[:-1]
    rank -= rank[starts][rows.of_run]
    terms = np.where(has_words, runs.keys * powers(MIX, int(rank.max(initial=0)) + 1)[rank], np.uint64(0))
    rows.keys = np.add.reduceat(terms, starts) if len(starts) else terms
    in_control = np.array([name in _CONTROLS for name in elements.names])
    is_control = has_link | (rows.sums(in_control[runs.elements]) > 0) | in_control[at]
    changes = [*_pictures(tokens, runs, elements, row_elements, rows.of_run)]
    changes += _filters(tokens, runs, elements, rows, at, is_control)
    for row, key in changes:
        rows.keys[row : row + 1] += np.uint64(key)  # as an array, which wraps
    words, worded = rows.sums(runs.words), rows.sums(has_words)
    rows.tables = _tables(runs, elements, rows.kinds, at, has_link, words, worded)
    scopes = _Scopes(runs, elements, rows, at)
    rows.scope_starts, rows.scope_stops = scopes.read(words.tolist(), worded.tolist(), has_link.tolist())
    return rows


def _tables(
    runs: TextRuns,
    elements: Elements,
    kinds: Bytes,
    at: Indices,
    has_link: Flags,
    words: Indices,
    worded: Indices,
) -> Indices:
    """Return row -> the element of its table, -1 if it is of none."""
    names, parents = elements.names, elements.parents
    tables = np.array(
        [
            _table_of(element, names, parents, may_be_item=not linked)
            for element, linked in zip(at.tolist(), has_link.tolist())
        ],
        dtype=np.intp,
    )
    pairs = np.bincount(tables[(tables >= 0) & (worded >= 2)], minlength=len(elements))
    tables[pairs[tables] < LEAST_PAIRS] = _NO_TABLE
    is_pair = (tables < 0) & (kinds != CODE) & ~has_link & (worded >= 2) & (words <= MOST_WORDS)
    around = np.maximum(elements.parent_array[at[is_pair]], 0)
    pairs = np.bincount(around, minlength=len(elements))
    paired = np.bincount(around, words[is_pair], minlength=len(elements))
    first, stop = runs_inside(elements, runs.positions)
    linked = before(runs.words * (runs.hints & LINKED > 0))
    is_table = (pairs >= LEAST_PAIRS) & (paired >= linked[stop] - linked[first])
    tables[is_pair] = np.where(is_table[around], around, _NO_TABLE)
    return tables


class _Scopes:
    """The scopes of rows.

    at  row -> the element that it stands in
    """

    def __init__(self, runs: TextRuns, elements: Elements, rows: Rows, at: Indices) -> None:
        has_words = runs.words > 0
        first, stop = runs_inside(elements, runs.positions)
        worded, words = before(has_words), before(runs.words)
        inside = worded[stop] - worded[first]  # element -> runs with words in it
        children = elements.parent_array[1:][inside[1:] > 0]
        own = np.bincount(runs.elements[has_words], minlength=len(elements))
        of_run = np.append(rows.of_run, len(rows))
        self._names, self._parents = elements.names, elements.parents
        self._at: list[int] = at.tolist()
        self._starts: list[int] = rows.starts.tolist()
        self._of_runs: list[int] = runs.elements.tolist()
        self._words: list[int] = words.tolist()
        self._inside: list[int] = inside.tolist()
        self._first: list[int] = first.tolist()
        self._stop: list[int] = stop.tolist()
        self._row_at: list[int] = of_run.tolist()
        is_pair = (np.bincount(children, minlength=len(elements)) == 2) & (own == 0)
        self._is_pair: list[bool] = is_pair.tolist()

    def read(
        self, words: Sequence[int], worded: Sequence[int], has_link: Sequence[bool]
    ) -> tuple[Indices, Indices]:
        """Return for each row where its scope starts and stops.

        words, worded, has_link  row -> its words, its runs with words, and whether it has a link
        """
        starts = list(range(1, len(words) + 1))
        stops = starts.copy()
        nexts = [len(words)] * (max(_LEVELS.values()) + 1)  # level -> the next row of it
        for row in range(len(words) - 1, -1, -1):
            if not worded[row]:
                continue
            name = self._names[self._at[row]]
            level = _LEVELS.get(name)
            if level is not None or name in _OF_ALL or (words[row] <= LABEL_WORDS and not has_link[row]):
                box = self._box(row, worded[row])
                if level is not None:
                    end = self._end(self._section(row, box))
                    stops[row] = min(end, *nexts[: level + 1])
                    nexts[level] = row
                elif name in _OF_ALL:
                    stops[row] = self._end(box)
                is_short = words[row] <= LABEL_WORDS and not has_link[row]
                if is_short and self._names[box] not in _NO_BOXES and not self._is_button(row):
                    starts[row], stops[row] = self._label(row, box, stops[row])
        return indices(starts), indices(stops)

    def _box(self, row: int, worded: int) -> int:
        """Return the smallest element that has more than a row."""
        element = self._at[row]
        while element and self._inside[element] <= worded:
            element = self._parents[element]
        return element

    def _section(self, row: int, element: int) -> int:
        """Return the smallest element around another that has more than a label behind a row."""
        behind = self._words[self._starts[row + 1]]
        while element and self._words[self._stop[element]] - behind <= LABEL_WORDS:
            element = self._parents[element]
        return element

    def _end(self, element: int) -> int:
        """Return the row after those that an element has."""
        return self._row_at[self._stop[element] - 1] + 1

    def _is_button(self, row: int) -> bool:
        element = self._of_runs[self._starts[row]]
        return "button" in (self._names[element], self._names[max(self._parents[element], 0)])

    def _label(self, row: int, box: int, stop: int) -> tuple[int, int]:
        """Return the scope of a label, from the scope that it has as a heading."""
        first, end = self._row_at[self._first[box]], self._end(box)
        words = self._words[self._stop[box]] - self._words[self._first[box]]
        if words <= MOST_WORDS and end - first <= _MOST_OF_BOX:
            return first, max(end, stop)
        is_first = row == first and (self._is_pair[box] or self._names[box] == "tr")
        return row + 1, max(end, stop) if is_first else stop


def _pictures(
    tokens: TokenStream, runs: TextRuns, elements: Elements, row_elements: Indices, of_run: Indices
) -> Iterator[tuple[int, int]]:
    """Yield for each picture of a figure the row that it is in and its key."""
    names, at = elements.names, row_elements.tolist()
    found = [one for one, name in enumerate(names) if name == "img" and names[at[one]] == "figure"]
    opens = elements.open_array[found]
    for element, open_at, after in zip(found, opens.tolist(), runs.positions.searchsorted(opens).tolist()):
        beside = [run for run in (after - 1, after) if 0 <= run < len(runs)]
        of_row = [run for run in beside if at[runs.elements[run]] == at[element]]
        if of_row and elements.visible_array[element]:
            values = attributes(tokens.forms[tokens.form_array[open_at]])
            yield int(of_run[of_row[0]]), text_key("\n".join(values.get(name, "") for name in _OF_PICTURES))


def _filters(
    tokens: TokenStream, runs: TextRuns, elements: Elements, rows: Rows, at: Indices, is_control: Flags
) -> Iterator[tuple[int, int]]:
    """Yield for each filter its row, and by what its key has to rise, modulo 2^64, to be without its number.

    at          row -> the element that it stands in
    is_control  row -> whether it has a link, or is a control
    """
    paths = elements.paths[at]
    together: list[tuple[int, int]] = []
    for row, rise in (*_counted(tokens, runs, elements, rows), (-1, 0)):
        last = together[-1][0] if together else -1
        if together and (row != last + 1 or paths[row] != paths[last]):
            if len(together) >= _LEAST_FILTERS and any(is_control[one] for one, _ in together):
                yield from together
            together = []
        together.append((row, rise))


def _counted(
    tokens: TokenStream, runs: TextRuns, elements: Elements, rows: Rows
) -> Iterator[tuple[int, int]]:
    """Yield the same for each row that ends with a number in brackets, and has other words."""
    rank = before(runs.words > 0).tolist()
    for run, form in enumerate(tokens.form_array[runs.positions].tolist()):
        text = tokens.forms[form]
        count = _COUNT(text) if text.rstrip(_SPACE)[-1:] == ")" else None
        if count is None:
            continue
        row = int(rows.of_run[run])
        before_it = rank[run] - rank[rows.starts[row]]
        stem, words = np.frombuffer(TEXTS[text[: count.start()]], dtype=np.uint64, count=2).tolist()
        if rank[run + 1] == rank[rows.starts[row + 1]] and (words or before_it):
            key = stem * MIX ^ int(elements.paths[runs.elements[run]]) if words else 0
            yield row, (key - int(runs.keys[run])) * pow(MIX, before_it, 1 << 64) % (1 << 64)


def _row_elements(runs: TextRuns, elements: Elements) -> Iterator[int]:
    """Yield for each element the one whose row its own runs are of."""
    names, parents, is_short = elements.names, elements.parents, _short(runs, elements)
    flows = (elements.traits & FLOWING > 0).tolist()
    lasts = elements.open_array.searchsorted(elements.close_array)
    blocks = before(~np.array(flows))
    has_blocks = (blocks[lasts] > blocks[1:]).tolist()
    row_of, terms = [0], dict[int, int]()
    is_whole = [False]
    yield 0
    for element in range(1, len(names)):
        name, parent = names[element], parents[element]
        row, whole = element, name == "pre" or (name in _WHOLE and is_short[element])
        if is_whole[parent] or flows[element]:
            row, whole = row_of[parent], is_whole[parent]
        elif name == "dt":
            terms[parent] = element
        elif name == "dd":
            row = terms.get(parent, element)
        elif name in _CELLS and names[parent] == "tr" and not (whole and has_blocks[element]):
            row = parent
        row_of.append(row)
        is_whole.append(whole)
        yield row


def _short(runs: TextRuns, elements: Elements) -> Sequence[bool]:
    """Return element -> whether it has few words, no links, and neither a table nor code inside."""
    first, stop = runs_inside(elements, runs.positions)
    words, links = before(runs.words), before((runs.hints & LINKED > 0) & (runs.words > 0))
    barriers = before(np.array([name in _BARRIERS for name in elements.names]))
    lasts = elements.open_array.searchsorted(elements.close_array)
    is_short: Flags = words[stop] - words[first] <= MOST_WORDS
    is_short &= (links[stop] == links[first]) & (barriers[lasts] <= barriers[1:])
    flags: list[bool] = is_short.tolist()
    return flags


def _table_of(element: int, names: Sequence[str], parents: Sequence[int], *, may_be_item: bool) -> int:
    name = names[element]
    if name == "dt" or (name == "li" and may_be_item):
        return parents[element]
    if name in _CELLS:
        element = parents[element]
    if names[element] != "tr":
        return _NO_TABLE
    parent = parents[element]
    return parents[parent] if names[parent] in _TABLE_PARTS else parent

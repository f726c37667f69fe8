"""The rows of a page: its text runs in groups that a reader sees as one.

row    a stretch of text runs that stand in the same block of code (``pre``), in the same row of cells, in the
       same ``dt`` with its ``dd``, or else in the same element that does not flow: a paragraph with its links
key    the polynomial of the keys of its runs with words, modulo 2^64, so that "Sauna yes" is told from
       "Sauna no" where each word stands on all pages; of a row with one such run the key of that
table  what several rows make up (:func:`_tables`)
scope  a stretch of rows that a row is needed to understand (:mod:`templcrawl.page.scopes`)

Source: our own.  n runs, m elements.  Cost: O(n + m).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from templcrawl.page.arrays import MIX, Bytes, Flags, Indices, Keys, before, indices, lazy, powers, stretches
from templcrawl.page.elements import Elements
from templcrawl.page.runs import TextRuns, runs_inside
from templcrawl.page.text import TEXTS, text_key
from templcrawl.page.tokens import TokenStream, attributes
from templcrawl.page.vocabulary import FLOWING, HEADINGS, LINKED, MIN_PAIRS, SHORT_WORDS

_MIN_FILTERS = 3  # rows that end with a number in brackets
_COUNT = re.compile(r"\([0-9][0-9.,]*\)[ \t\n\r\f]*$").search
_SPACE = " \t\n\r\f"
_CONTROLS = frozenset({"label", "option", "button"})
_CELLS = frozenset({"td", "th"})
_WHOLE = frozenset({"tr", "dt", "dd", "figure"}) | _CELLS
_BARRIERS = frozenset({"table", "pre"})
_OF_PICTURES = ("src", "data-src", "alt")  # attributes that tell a picture; the second of one that loads late
_TABLE_PARTS = frozenset({"tbody", "thead", "tfoot"})
_NO_TABLE = -1
CODE, HEADING = 1, 2
_KINDS = {"pre": CODE, **dict.fromkeys(HEADINGS, HEADING)}


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

    @lazy
    def row_of_run(self) -> Indices:
        """Run -> its row."""
        return np.arange(len(self.starts) - 1).repeat(np.diff(self.starts))

    def sums(self, values: Flags | Indices) -> Indices:
        """Return row -> the sum over its runs of run -> value."""
        sums = before(values)[self.starts]
        return sums[1:] - sums[:-1]


def read_rows(tokens: TokenStream, runs: TextRuns, elements: Elements) -> Rows:
    """Read the rows of a page."""
    from templcrawl.page.scopes import Scopes  # loaded where the kernel does not read them

    rows = Rows()
    row_elements = indices(list(_row_elements(runs, elements)))
    row_of = row_elements[runs.elements]
    starts, _ = stretches(row_of)
    at = row_of[starts]
    rows.starts = np.append(starts, len(runs))
    rows.kinds = np.array([_KINDS.get(elements.names[element], 0) for element in at.tolist()], dtype=np.uint8)
    has_words, has_link = runs.words > 0, rows.sums(runs.hints & LINKED > 0) > 0
    rank = before(has_words)[:-1]
    rank -= rank[starts][rows.row_of_run]
    terms = np.where(has_words, runs.keys * powers(MIX, int(rank.max(initial=0)) + 1)[rank], np.uint64(0))
    rows.keys = np.add.reduceat(terms, starts) if len(starts) else terms
    in_control = np.array([name in _CONTROLS for name in elements.names])
    is_control = has_link | (rows.sums(in_control[runs.elements]) > 0) | in_control[at]
    changes = [*_pictures(tokens, runs, elements, row_elements, rows.row_of_run)]
    changes += _filters(tokens, runs, elements, rows, at, is_control)
    for row, key in changes:
        rows.keys[row : row + 1] += np.uint64(key)  # as an array, which wraps
    words, worded = rows.sums(runs.words), rows.sums(has_words)
    rows.tables = _tables(runs, elements, rows.kinds, at, has_link, words, worded)
    scopes = Scopes(runs, elements, rows.starts, rows.row_of_run, at)
    rows.scope_starts, rows.scope_stops = scopes.read(words.tolist(), worded.tolist(), has_link.tolist())
    for grid, start, stop in scopes.grids(runs):
        grid_tables = rows.tables[start:stop]
        grid_tables[(grid_tables < 0) & (rows.kinds[start:stop] != CODE)] = grid
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
    """Return row -> the element of its table, -1 if it is of none.

    A *table* is what several rows make up: those of a ``table``, of a ``dl``, and the items of a list that
    have no links, if two or more are *pairs*: rows of two runs with words or more.  So do the pairs of any
    other element that are short and have no links, unless links inside the element have more words: the
    counters of a footer stand beside such.  And so do all rows of a *grid of facts*, an element of which two
    or more boxes of a label and its value (:mod:`templcrawl.page.scopes`) hold half of the words.  Such a box
    has no link and begins with its label, which is not a heading.
    """
    names, parents = elements.names, elements.parents
    tables = np.array(
        [
            _table_of(element, names, parents, may_be_item=not linked)
            for element, linked in zip(at.tolist(), has_link.tolist())
        ],
        dtype=np.intp,
    )
    pairs = np.bincount(tables[(tables >= 0) & (worded >= 2)], minlength=len(elements))
    tables[pairs[tables] < MIN_PAIRS] = _NO_TABLE
    is_pair = (tables < 0) & (kinds != CODE) & ~has_link & (worded >= 2) & (words <= SHORT_WORDS)
    around = np.maximum(elements.parent_array[at[is_pair]], 0)
    pairs = np.bincount(around, minlength=len(elements))
    paired = np.bincount(around, words[is_pair], minlength=len(elements))
    first, stop = runs_inside(elements, runs.positions)
    linked = before(runs.words * (runs.hints & LINKED > 0))
    is_table = (pairs >= MIN_PAIRS) & (paired >= linked[stop] - linked[first])
    tables[is_pair] = np.where(is_table[around], around, _NO_TABLE)
    return tables


def _pictures(
    tokens: TokenStream, runs: TextRuns, elements: Elements, row_elements: Indices, row_of_run: Indices
) -> Iterator[tuple[int, int]]:
    """Yield for each picture of a figure the row that it is in and its key.

    The key of a figure has those of its pictures added, of their addresses and alternative texts: a caption
    that all pages have is told by its picture.
    """
    names, at = elements.names, row_elements.tolist()
    found = [one for one, name in enumerate(names) if name == "img" and names[at[one]] == "figure"]
    opens = elements.open_array[found]
    for element, open_at, after in zip(found, opens.tolist(), runs.positions.searchsorted(opens).tolist()):
        beside = [run for run in (after - 1, after) if 0 <= run < len(runs)]
        row_runs = [run for run in beside if at[runs.elements[run]] == at[element]]
        if row_runs and elements.visible_array[element]:
            values = attributes(tokens.forms[tokens.form_array[open_at]])
            yield (
                int(row_of_run[row_runs[0]]),
                text_key("\n".join(values.get(name, "") for name in _OF_PICTURES)),
            )


def _filters(
    tokens: TokenStream, runs: TextRuns, elements: Elements, rows: Rows, at: Indices, is_control: Flags
) -> Iterator[tuple[int, int]]:
    """Yield for each filter its row, and by what its key has to rise, modulo 2^64, to be without its number.

    Filters beside a listing ("Tents (0)", "Lamps (3)") have the keys of their words without the numbers: rows
    that end with a number in brackets, three or more together on the same path, one of them at least a link
    or a control.

    at          row -> the element that it stands in
    is_control  row -> whether it has a link, or is a control
    """
    paths = elements.paths[at]
    together: list[tuple[int, int]] = []
    for row, rise in (*_counted(tokens, runs, elements, rows), (-1, 0)):
        last = together[-1][0] if together else -1
        if together and (row != last + 1 or paths[row] != paths[last]):
            if len(together) >= _MIN_FILTERS and any(is_control[one] for one, _ in together):
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
        row = int(rows.row_of_run[run])
        before_it = rank[run] - rank[rows.starts[row]]
        stem, words = np.frombuffer(TEXTS[text[: count.start()]], dtype=np.uint64, count=2).tolist()
        if rank[run + 1] == rank[rows.starts[row + 1]] and (words or before_it):
            key = stem * MIX ^ int(elements.paths[runs.elements[run]]) if words else 0
            yield row, (key - int(runs.keys[run])) * pow(MIX, before_it, 1 << 64) % (1 << 64)


def _row_elements(runs: TextRuns, elements: Elements) -> Iterator[int]:
    """Yield for each element the one whose row its own runs are of.

    A row of cells, a cell, a ``dt``, a ``dd`` or a figure that is short holds all that is in it, blocks too.
    A longer one is made of the rows inside it.
    """
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
    """Return element -> whether it has at most 20 words, no links, and neither a table nor code inside."""
    first, stop = runs_inside(elements, runs.positions)
    words, links = before(runs.words), before((runs.hints & LINKED > 0) & (runs.words > 0))
    barriers = before(np.array([name in _BARRIERS for name in elements.names]))
    lasts = elements.open_array.searchsorted(elements.close_array)
    is_short: Flags = words[stop] - words[first] <= SHORT_WORDS
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

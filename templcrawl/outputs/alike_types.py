"""Find page types, and records, whose tables have the same columns, to join them in one table.

Editors mark up the same thing in several ways, and a site may change its looks: then the pages of one thing
are of several page types.  Two types are one if half of what their tables have is in both (``_SHARED``; less
where addresses call them the same, or titles say of which kind each is, ``_SHARED_BY_NAME``), and that is
more than what any page has: a title, a text, what it declares.  Where addresses call them the same, such
tables are one if nearly all is in both (``_ALL``).  Types of which the columns are called otherwise are one
if the template of each finds what it has on pages of the other (``_READ``;
:mod:`templcrawl.outputs.read_types`).  What a table has are its columns, each with the share of
pages that fill it; a table of records has as much as ``OF_RECORDS`` columns, by the pages that have it.

Records are of one kind if the last step of their places is the same and has a word, or tables have headings,
and half of their columns are in both.

Source: our own.  Cost: O(t^2 c) for t types with c columns.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

from templcrawl.algorithms.columns.headed_tables import HEADED
from templcrawl.algorithms.columns.sentences import kind_and_name
from templcrawl.algorithms.columns.units import parts_of
from templcrawl.algorithms.columns.values import Column, TypeColumns
from templcrawl.outputs.read_types import OF_RECORDS, PagesOf, TypeReader
from templcrawl.outputs.table_names import NO_NAME

_SHARED, _SHARED_BY_NAME = 0.5, 0.3  # of what two tables have
_ALL = 0.8
_LEAST = 2.0  # columns that are in both
_READ, _READ_BY_NAME = 0.6, 0.5  # of what each of two types has, on pages of the other
_LEAST_READ = 1.0  # columns that it finds, beside those of any page
_KIND = ("kind", "name")  # columns of titles
_OF_ANY_PAGE = frozenset({"title", "title_url", "text", "section"})

Records = tuple[str, str]  # a page type, behind its host, and the name of the records of its pages
Name = TypeVar("Name", bound=Hashable)  # of a table


class _Table(NamedTuple):
    """The contents of a table, as compared with other tables.

    group   only tables of one may be joined: the host, of records the end of their places, too
    name    by their addresses, and what they declare
    kinds   those that their titles have before a name ("Class Tea"), none of other titles
    filled  column, behind its table of records -> share of the pages that fill it
    own     those that not any page has
    """

    group: str
    name: str
    kinds: frozenset[str]
    filled: Mapping[str, float]
    own: frozenset[str]

    def is_called_like(self, other: _Table) -> bool:
        """Return whether addresses call two tables the same, or titles say that they are kinds of one."""
        are_kinds = self.kinds and other.kinds and len(self.kinds | other.kinds) > 1
        return bool(are_kinds) or self.name == other.name != ""


def one_type(
    types: Mapping[str, TypeColumns],
    names: Mapping[str, str],
    titles: Mapping[str, Sequence[str]],
    pages_of: PagesOf,
) -> dict[str, str]:
    """Return page type -> the type that it is joined to, the larger one; itself if it is joined to none.

    types     page type, behind its host -> its columns, that of most pages first
    names     page type -> name of its table
    titles    page type -> those of some of its pages
    pages_of  returns some pages of a type
    """
    tables = {}
    for name, columns in types.items():
        host, _, pattern = name.partition(" ")
        named = names[name] if names[name] != NO_NAME else first_folder(pattern)
        tables[name] = _table_of(host, named, _kinds_in(titles.get(name, ())), columns)
    reader = TypeReader(types, pages_of)

    def read_alike(name: str, known: Mapping[str, _Table]) -> dict[str, float]:
        """Return those of the nearest types that are one with a type by their places -> how much they are."""
        group = [other for other, table in known.items() if table.group == tables[name].group]
        found = {}
        for other in reader.nearest_types(name, group):
            share, own = reader.shared(name, other, _OF_ANY_PAGE)
            is_alike = tables[name].is_called_like(known[other])
            if share >= (_READ_BY_NAME if is_alike else _READ) and (is_alike or own >= _LEAST_READ):
                found[other] = share
        return found

    return _joined(
        tables, lambda one, other: _SHARED_BY_NAME if one.is_called_like(other) else _SHARED, read_alike
    )


def one_kind(records: Mapping[Records, TypeColumns]) -> dict[Records, Records]:
    """Return records -> those that they are joined to, themselves if these are none.

    records  those of the largest type first, each with their columns
    """
    tables = {}
    for (type_name, rows), columns in records.items():
        place = columns.places[0]
        step = HEADED if place.startswith(HEADED) else place.split("/")[-1]
        shares = {_singular(one.name): min(one.share, 1.0) for one in columns.columns if one.shown}
        group = f"{type_name.partition(' ')[0]} {step if step == HEADED or parts_of(step)[1] else place}"
        own = frozenset(shares.keys() - _OF_ANY_PAGE)
        tables[type_name, rows] = _Table(group, step, frozenset(), shares, own)
    return _joined(tables, lambda one, other: _SHARED, lambda name, known: {})


def _joined(
    tables: Mapping[Name, _Table],
    least: Callable[[_Table, _Table], float],
    read_alike: Callable[[Name, Mapping[Name, _Table]], Mapping[Name, float]],
) -> dict[Name, Name]:
    """Return table -> that which it is joined to, an earlier one; itself if it is joined to none.

    least       returns the share that two need to have in both
    read_alike  returns those of other tables that are one with a table by their places -> how much they are
    """
    known: dict[Name, _Table] = {}
    merged = {}
    for name, ours in tables.items():
        alike = {
            other: shared / least(ours, theirs)
            for other, theirs in known.items()
            if theirs.group == ours.group and (shared := _shared(ours, theirs))
        }
        best = max(alike, key=alike.__getitem__, default=name)
        if alike.get(best, 0.0) >= 1.0:
            merged[name] = best
        elif read := read_alike(name, known):
            merged[name] = max(read, key=read.__getitem__)
        else:
            merged[name] = name
            known[name] = ours
    return merged


def with_all_shown(chosen: TypeColumns, several: Sequence[TypeColumns]) -> TypeColumns:
    """Return the columns of joined records: shown is what one of their tables shows.

    A column that the records of one page type have in large part may be rare in all.
    """
    shown = {
        (slot, one.attribute, one.pattern)
        for columns in several
        for one in columns.columns
        for slot in one.slots
        if one.shown
    }
    columns = [
        replace(
            one, shown=one.shown or any((slot, one.attribute, one.pattern) in shown for slot in one.slots)
        )
        for one in chosen.columns
    ]
    is_headed = several[0].places[0].startswith(HEADED)
    return replace(chosen, columns=_joined_columns(columns) if is_headed else tuple(columns))


def _joined_columns(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Join those columns of tables with headings of which the headings are a word and its plural.

    No row has both: together they fill each row once at most.
    """
    found: dict[str, Column] = {}
    for one in columns:
        known = found.get(_singular(one.name))
        if known is None or known.share + one.share > 1.0:
            found[_singular(one.name) if known is None else one.name] = one
        else:
            more, less = sorted((one, known), key=lambda column: -column.share)
            slots, shown = more.slots + less.slots, more.shown or less.shown
            share = more.share + less.share
            found[_singular(one.name)] = replace(more, slots=slots, shown=shown, share=share)
    return tuple(found.values())


def _singular(name: str) -> str:
    """Return the name of a column without case and plural.

    >>> _singular("Type(s)"), _singular("types")
    ('type', 'type')
    """
    return name.lower().removesuffix("(s)").removesuffix("s")


def first_folder(pattern: str) -> str:
    """Return a pattern of addresses up to its first folder with a name, "" where there is none.

    >>> first_folder("/*/shop/*/cups/*"), first_folder("/*/4/cups/*"), first_folder("/*")
    ('/*/shop/', '', '')
    """
    *folders, _ = pattern.split("/")
    for at, folder in enumerate(folders):
        if folder not in ("", "*"):
            is_name = "*" not in folder and any(map(str.isalpha, folder))
            return f"{'/'.join(folders[: at + 1])}/" if is_name else ""
    return ""


def _kinds_in(titles: Sequence[str]) -> frozenset[str]:
    """Return the kinds that titles have before a name."""
    parts = kind_and_name(titles, least=1)
    return frozenset(map(parts[0].of, titles)) if parts else frozenset()


def _table_of(host: str, name: str, kinds: frozenset[str], columns: TypeColumns) -> _Table:
    shown = [one for one in columns.columns if one.shown and not any(slot.is_in_text for slot in one.slots)]
    filled = {one.name: min(one.share, 1.0) for one in shown} | dict.fromkeys(_KIND if kinds else (), 1.0)
    own = {one.name for one in shown if not one.declared and one.name not in _OF_ANY_PAGE}
    for rows, record_columns in columns.rows.items():
        shares = {f"{rows}: {one.name}": min(one.share, 1.0) for one in record_columns.columns if one.shown}
        weight, total = OF_RECORDS * record_columns.having, sum(shares.values())
        filled |= {column: weight * share / total for column, share in shares.items()}
        own |= shares.keys()
    return _Table(host, name, kinds, filled, frozenset(own))


def _shared(one: _Table, other: _Table) -> float:
    """Return the share of columns that two tables have in common; 0 if every page has these columns."""
    both = one.filled.keys() & other.filled.keys()
    shared = sum(min(one.filled[column], other.filled[column]) for column in both)
    share = shared / (sum(one.filled.values()) + sum(other.filled.values()) - shared or 1.0)
    is_named_alike = one.name == other.name != ""
    is_of_any_page = both.isdisjoint(one.own & other.own) and not (is_named_alike and share >= _ALL)
    return 0.0 if shared < _LEAST or is_of_any_page else share

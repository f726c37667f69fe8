"""Find page types whose tables have the same columns, to join them in one table.

Editors mark up the same thing in several ways, and a site may change its looks: then the pages of one thing
are of several page types.  Two types are one if half of what their tables have is in both (``_SHARED``; less
where addresses call them the same, or titles say of which kind each is, ``_SHARED_BY_NAME``), and that is
more than what any page has: a title, a text, what it declares.  Where addresses call them the same, such
tables are one if nearly all is in both (``_ALL``).  What a table has are its columns, each with the share of
pages that fill it; a table of records has as much as ``_OF_RECORDS`` columns, by the pages that have it.

Source: our own.  Cost: O(t^2 c) for t types with c columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from templcrawl.algorithms.columns.sentences import kind_and_name
from templcrawl.algorithms.columns.values import TypeColumns
from templcrawl.outputs.table_names import NO_NAME

_SHARED, _SHARED_BY_NAME = 0.5, 0.3  # of what two tables have
_ALL = 0.8
_LEAST = 2.0  # columns that are in both
_OF_RECORDS = 2.0
_KIND = ("kind", "name")  # columns of titles
_OF_ANY_PAGE = frozenset({"title", "title_url", "text", "section"})


class _Table(NamedTuple):
    """The contents of a table, as compared with other tables.

    host    of its pages
    name    by their addresses, and what they declare
    kinds   those that their titles have before a name ("Class Tea"), none of other titles
    filled  column, behind its table of records -> share of the pages that fill it
    own     those that not any page has
    """

    host: str
    name: str
    kinds: frozenset[str]
    filled: Mapping[str, float]
    own: frozenset[str]

    def is_called_like(self, other: _Table) -> bool:
        """Return whether addresses call two tables the same, or titles say that they are kinds of one."""
        are_kinds = self.kinds and other.kinds and len(self.kinds | other.kinds) > 1
        return bool(are_kinds) or self.name == other.name != ""


def one_type(
    types: Mapping[str, TypeColumns], names: Mapping[str, str], titles: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    """Return page type -> the type that it is joined to, the larger one; itself if it is joined to none.

    types   page type, behind its host -> its columns, that of most pages first
    names   page type -> name of its table
    titles  page type -> those of some of its pages
    """
    known: dict[str, _Table] = {}
    merged = {}
    for name, columns in types.items():
        host, _, pattern = name.partition(" ")
        named = names[name] if names[name] != NO_NAME else _first_folder(pattern)
        ours = _table_of(host, named, _kinds_in(titles.get(name, ())), columns)
        alike = {
            other: shared / (_SHARED_BY_NAME if ours.is_called_like(theirs) else _SHARED)
            for other, theirs in known.items()
            if theirs.host == host and (shared := _shared(ours, theirs))
        }
        best = max(alike, key=alike.__getitem__, default="")
        if best and alike[best] >= 1.0:
            merged[name] = best
        else:
            merged[name] = name
            known[name] = ours
    return merged


def _first_folder(pattern: str) -> str:
    """Return a pattern of addresses up to its first folder with a name, "" where there is none.

    >>> _first_folder("/*/shop/*/cups/*"), _first_folder("/*/4/cups/*"), _first_folder("/*")
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
    shown = [one for one in columns.columns if one.shown]
    filled = {one.name: min(one.share, 1.0) for one in shown} | dict.fromkeys(_KIND if kinds else (), 1.0)
    own = {one.name for one in shown if not one.declared and one.name not in _OF_ANY_PAGE}
    for rows, record_columns in columns.rows.items():
        shares = {f"{rows}: {one.name}": min(one.share, 1.0) for one in record_columns.columns if one.shown}
        total = sum(shares.values())
        weight = _OF_RECORDS * record_columns.having / total
        filled |= {column: weight * share for column, share in shares.items()}
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

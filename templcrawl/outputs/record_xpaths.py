"""XPaths of the records of a table: by their places, and by what tells them from other elements.

Source: our own.  e elements of the records.  Cost: O(e).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from templcrawl.algorithms.columns.flat_records import FLAT
from templcrawl.algorithms.columns.headed_tables import HEADED
from templcrawl.algorithms.columns.row_places import row_word
from templcrawl.algorithms.columns.separators import trimmed
from templcrawl.algorithms.columns.units import parts_of
from templcrawl.outputs.tried_pages import Scope, TriedPage, literal, tag_of, words_of, xpath_step

_MAX_AROUND = 8  # elements around a record
_MIN_TOLD = 3  # records, and others, by which they are told apart
_ALL, _MOST = 0.98, 0.9  # of the records: those that have what tells them; of others: those without it


def rows_paths(places: Sequence[str], pages: Sequence[TriedPage]) -> Iterator[str]:
    """Yield XPaths of records at some places, the shortest first; of flat records alone those of leaders."""
    whole = [place for place in places if not place.startswith(FLAT)]
    found = [list(_row_paths(place.removeprefix(FLAT), pages)) for place in whole or places]
    for at in range(max(map(len, found))):
        yield " | ".join(dict.fromkeys(paths[min(at, len(paths) - 1)] for paths in found))


def _row_paths(row: str, pages: Sequence[TriedPage]) -> Iterator[str]:
    """Yield XPaths of records, the shortest first: of all class words by which rows take turns."""
    if row.startswith(HEADED):
        heads = row.removeprefix(HEADED).split("|")
        written = [_as_written(head, pages) for head in heads]
        said = [f"*[{at}][{_is(head)}]" for at, head in enumerate(written, start=1) if head]
        named = "".join(f"[{one}]" for one in said)
        rows = f"//table[.//tr[1]{named}[count(*)={len(heads)}]]//tr[td]"
        yield rows
        yield f"{rows}[not({said[0]})]"  # no headings in td
        yield f"//table[.//tr[1]/*[{_is(next(filter(None, written)))}]]//tr[td]"
        return
    places = [parts_of(step) for step in row.split("/")]
    steps = [xpath_step(tag, *named) for tag, named in places]
    tag, words = places[-1]
    if words and words[0][0] != "#":
        known = {word for page in pages for word in page.numbered if row_word(word) == words[0]}
        said = [f'has-class("{word}")' for word in (words[0], *sorted(known))]
        steps[-1] = f"{tag}[{' or '.join(said)}]"
    for count in range(1, len(steps) + 1):
        path = f"//{'/'.join(steps[-count:])}"
        yield path
        yield f"{path}[not(ancestor::{steps[-1]})]"  # a record in another is a part of it
        if count > 1:
            yield f"//{steps[-count]}//{steps[-1]}"


def _is(text: str) -> str:
    return f"normalize-space()={literal(text)}"


def _as_written(head: str, pages: Iterable[TriedPage]) -> str:
    """Return the heading of a column as XPath reads it, which joins the lines of an element.

    >>> from templcrawl.outputs.tried_pages import parse
    >>> _as_written("Tea leaf", [parse("<table><tr><th>Tea<br>leaf", "")])
    'Tealeaf'
    """
    found = (
        one for page in pages for one, _ in page.texts.nodes.get(trimmed(head), ()) if one.tag in ("th", "td")
    )
    return next((" ".join("".join(one.itertext()).split()) for one in found), head)


def narrowed(xpath: str, scopes: Sequence[Scope]) -> str:
    """Return an XPath of records with the condition that tells those with a row, "" without one."""
    of_rows, of_others = Counter[str](), Counter[str]()
    for scope in scopes:
        (of_rows if scope.row else of_others).update(_features(scope))
    records = sum(bool(scope.row) for scope in scopes)
    others = len(scopes) - records
    if min(records, others) < _MIN_TOLD:
        return ""
    is_single = " | " not in xpath
    best, most = "", 0.0
    for feature in of_rows.keys() | of_others.keys():
        for condition, kept, left in (
            (f"[{feature}]", of_rows[feature], others - of_others[feature]),
            (f"[not({feature})]", records - of_rows[feature], of_others[feature]),
        ):
            if (
                kept >= _ALL * records
                and left >= _MOST * others
                and (left, -len(condition), condition) > (most, -len(best), best)
            ):
                best, most = condition, left
    return (f"{xpath}{best}" if is_single else f"({xpath}){best}") if most else ""


def _features(scope: Scope) -> set[str]:
    """Return the conditions that an element in a record, or around it, fulfils."""
    root = scope.part.root
    around = islice(root.iterancestors(), _MAX_AROUND)
    return {
        f"{axis}{step}"
        for axis, elements in ((".//", scope.inside or ()), ("ancestor::", around))
        for one in elements
        if isinstance(one.tag, str) and one is not root
        for step in [tag_of(one), *(xpath_step(tag_of(one), word) for word in words_of(one))]
    }

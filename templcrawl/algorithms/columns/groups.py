"""Find what stands above groups of records and says something of each: a day, a letter, a section.

Records come in *runs*: one after the other, with nothing between.  What stands right above a run is its head:
the last heading since the run before, else the text before its first record.  A page has *groups* if two of
its runs have other heads at the same place; then each record has the head before it, as a value.

Source: our own.  n units.  Cost: O(n).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence

from templcrawl.algorithms.columns.row_places import in_record
from templcrawl.algorithms.columns.slots import Template
from templcrawl.algorithms.columns.units import Unit, parts_of, words_in

_GROUPED = 0.5  # of the pages with several runs: those with groups; of their runs: those with a head there
_MAX_WORDS, _MAX_PLAIN = 12, 6  # of a heading; of another head
GROUP = "group"
HEAD = f"span.{GROUP}"  # place of a head in a record, if it has no class words


def group_heads(pages: Sequence[Sequence[Unit]], template: Template, rows: Collection[str]) -> dict[str, str]:
    """Return row -> the place of the heads of its groups, of rows whose records stand in groups."""
    heads = {}
    for row in rows:
        having, total = Counter[str](), 0
        for units in pages:
            found = list(_runs(units, template, row))
            texts: defaultdict[str, set[str]] = defaultdict(set)
            for unit in found:
                if unit is not None:
                    texts[template.place(unit)].add(unit.text)
            total += len(found) > 1
            having.update(
                place for place, said in texts.items() if len(said) > 1 and len(said) >= _GROUPED * len(found)
            )
        place, count = having.most_common(1)[0] if having else ("", 0)
        if place and count >= max(2, _GROUPED * total):
            heads[row] = place
    return heads


def _runs(units: Iterable[Unit], template: Template, row: str) -> Iterator[Unit | None]:
    """Yield the head of each run of records, None of one without."""
    before: Unit | None = None
    heading: Unit | None = None
    inside = False
    for unit in units:
        of = template.row(unit.row)
        is_in = of == row
        if is_in and not inside:
            yield heading or before
            heading = None
        if not is_in:
            most = (
                _MAX_WORDS if unit.is_in_heading else 0 if unit.tag == "p" or unit.is_picture else _MAX_PLAIN
            )
            is_head = of not in template.rows and words_in(unit.text) <= most
            before = unit if is_head else None
            heading = unit if is_head and unit.is_in_heading else heading
        inside = is_in


def records_at(units: Iterable[Unit], places: Collection[str], template: Template) -> Collection[list[Unit]]:
    """Return the units of each record at some places, the head of its group first."""
    records: defaultdict[int, list[Unit]] = defaultdict(list)
    heads: dict[str, Unit] = {}
    wanted = {template.heads[row] for row in places if row in template.heads}
    for unit in units:
        row = template.row(unit.row) if unit.record else ""
        if row in places:
            head = heads.get(template.heads.get(row, ""))
            if head is not None and unit.record not in records:
                records[unit.record].append(head)
            records[unit.record].append(in_record(unit))
        elif wanted and row not in template.rows and (place := template.place(unit)) in wanted:
            heads[place] = _in_record(unit)
    return records.values()


def _in_record(head: Unit) -> Unit:
    """Return the head of a group as a unit of a record."""
    _, words = parts_of(head.place.rpartition("/")[2])
    place = ".".join(["span", *words]).replace(".#", "#") if words else HEAD
    return head._replace(place=place, row="", record=0, sign="")

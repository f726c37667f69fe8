"""Find the records that have a table of their own, and name the table.

Records are pages of a type of their own, unless they are sections of facts, or furniture: the same on many
pages; or the page's own article, where few other pages of the type list its like.  A table is called after
its headings; else after the words of its rows, the heading above them on most pages, or the kinds of its
columns.

Source: our own.  n units of the sample.  Cost: O(n).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from functools import lru_cache, partial

from templcrawl.algorithms.columns.class_words import plain_parts
from templcrawl.algorithms.columns.facts import Labels, is_sure, is_title, key_of, prefixed
from templcrawl.algorithms.columns.flat_records import FLAT, outranks
from templcrawl.algorithms.columns.headed_tables import HEADED
from templcrawl.algorithms.columns.labels import labels_of
from templcrawl.algorithms.columns.names import (
    free_name,
    heading_name,
    neighbour_of,
    rows_name,
    rules_out_records,
)
from templcrawl.algorithms.columns.places import Places
from templcrawl.algorithms.columns.reading import PageUnits
from templcrawl.algorithms.columns.row_places import in_record
from templcrawl.algorithms.columns.slots import Template
from templcrawl.algorithms.columns.template import MIN_PAGES, outline_of, row_around
from templcrawl.algorithms.columns.units import LABEL, MAX_PLACES, PAIR, Unit, parts_of, tag_at, words_in
from templcrawl.algorithms.columns.value_kinds import kind_of
from templcrawl.algorithms.columns.values import TypeColumns

MAX_RECORDS, _MAX_ROWS = 512, 16  # records of a sample; tables of records of a type
_REPEATED = 0.3  # of the pages that have a table have the same record, on average: it is furniture
_LEADING, _SHORT = 0.5, 4  # of records: those that begin with a label; units of a short one
_MOSTLY = 2.0  # words of records in running text, for each word beside them
_OWN = 0.8  # of records: those of one page alone
_IN_BRACKETS = re.compile(r"\([^()]*\)")
_WIDE = 3  # headings of records that are no labels and values
_ALONE = 4  # pages where a row stands alone, for each with several: then it is no record there
_REPLIES = frozenset("post comment reply answer message review".split())  # records, though one is alone
_NEAR = 3  # steps from a heading up to an element that holds its records, too
_ALWAYS = 0.8  # of pages with records: those with the same contents of each; of records: neighbours
_HEADED = 0.6  # of the pages that have records: those with the same heading above them

Records = dict[tuple[int, int], list[Unit]]  # (page, element) -> the units of a record


def rows_apart(
    pages: Sequence[Sequence[Unit]], words: frozenset[str]
) -> tuple[dict[str, Set[int]], frozenset[str]]:
    """Return the rows that get a table, row -> the pages that have it; and the rows to leave out of pages.

    words  class words that places keep
    """
    template = Template(words)
    whole = outline_of(pages, words, frozenset())
    labels = labels_of(pages, template.place, whole.text_place)
    found: defaultdict[str, Records] = defaultdict(dict)
    for number, units in enumerate(pages):
        for unit in units:
            if unit.record:
                found[template.row(unit.row)].setdefault((number, unit.record), []).append(unit)
    tables: dict[str, Set[int]] = {}
    apart = set[str]()
    for row, records in sorted(found.items(), key=lambda item: (-len(item[1]), item[0])):
        page_count = len({page for page, _ in records})
        several = list(records.values())
        is_headed = row.startswith(HEADED)
        if page_count < MIN_PAGES and len(records) < 15:
            continue
        texts = {tuple(unit.text for unit in record) for record in several}
        is_content = 3 * sum(unit.content for record in several for unit in record) >= sum(map(len, several))
        is_content |= len(texts) >= _OWN * len(records)  # each page has its own
        if not is_content and not is_headed:
            continue
        # A heading above names, and two more: a table of records, not facts with the names as labels.
        is_wide = is_headed and row.count("|") > 1 and not row.startswith(f"{HEADED}|")
        is_wide |= not is_headed and _begin_with_headings(records)
        is_rare = len(records) < (1.2 if is_headed else 2) * page_count
        if is_rare or (not is_wide and _are_facts(records, labels, whole.pivots)):
            continue
        if not is_headed and (_are_unlike(records) or _are_neighbours(several)):
            continue
        is_frequent = page_count >= _REPEATED * len(pages)
        are_same = len(records) >= max(MIN_PAGES, _REPEATED * page_count) * len(texts)
        if rules_out_records(row) or (are_same and is_frequent):
            apart.add(row)
        elif (
            len(tables) < _MAX_ROWS and not _heads_others(row, tables) and not _in_text(records, pages, whole)
        ):
            tables[row] = {page for page, _ in records}
            apart.add(row)
    return tables, frozenset(apart)


def _heads_others(row: str, rows: Iterable[str]) -> bool:
    """Return whether flat records begin with a heading above those of others beside them."""
    parent, _, step = row.rpartition("/")
    others = (other.rpartition("/") for other in rows if row.startswith(FLAT))
    return any(around == parent and outranks(tag_at(step), tag_at(one)) for around, _, one in others)


def own_rows(
    pages: Sequence[Sequence[Unit]], words: frozenset[str], tables: Mapping[str, Set[int]]
) -> frozenset[str]:
    """Return the rows that mostly stand alone on a page, as most of what it says: its own article.

    tables  as in :func:`rows_apart`
    """
    places = Places(words)
    own = set[str]()
    for row, several in tables.items():
        tag, called = parts_of(row.rpartition("/")[2])
        is_reply = not _REPLIES.isdisjoint(part for word in called for part in plain_parts(word))
        if tag not in ("article", "section") or is_reply:
            continue
        within = lru_cache(MAX_PLACES)(partial(row_around, rows=frozenset({row}), places=places))
        alone = (units for number, units in enumerate(pages) if number not in several)
        if sum(_is_article(units, within) for units in alone) > _ALONE * len(several):
            own.add(row)
    return frozenset(own)


def _is_article(units: Sequence[Unit], row_at: Callable[[str], str]) -> bool:
    """Return whether most words of the content of a page stand in an element of a row.

    row_at  returns that row around a place, "" outside
    """
    inside, beside = 0, 0
    for unit in units:
        if unit.content and not unit.is_picture:
            is_inside = row_at(unit.place) != ""
            inside += words_in(unit.text) * is_inside
            beside += words_in(unit.text) * (not is_inside)
    return inside > beside


def _begin_with_headings(records: Records) -> bool:
    """Return whether records begin with the same texts on most pages: headings of names and two more."""
    firsts, counts = dict[int, tuple[str, ...]](), Counter(page for page, _ in records)
    for (page, _), record in records.items():
        firsts.setdefault(page, tuple(unit.text for unit in record))
    heads = Counter(texts for page, texts in firsts.items() if counts[page] > 1)
    (texts, count), *_ = heads.most_common(1) or [((), 0)]
    others = sum(tuple(unit.text for unit in record) == texts for record in records.values()) - count
    return len(texts) >= _WIDE and count >= _ALWAYS * len(firsts) and not others


def _in_text(records: Records, pages: Sequence[Sequence[Unit]], whole: Template) -> bool:
    """Return whether records stand in running text, unless they are most of it on their pages.

    An element that is a text itself is a record, and so are flat records and rows of tables in it, if most
    pages with such a text have several.
    """
    unit = next(iter(records.values()))[0]
    place = unit.row.removeprefix(FLAT)
    text = whole.text_place(unit._replace(place=f"{place}/x"))
    if not text:
        return False
    numbers, elements = {page for page, _ in records}, set(records)
    having = sum(any(whole.text_place(one) == text for one in units) for units in pages)
    are_few = 2 * len(numbers) < having
    if text == whole.wholes[place] or (place != unit.row and are_few):
        return are_few
    if tag_at(place) == "tr" and not are_few:
        return False
    inside = sum(words_in(unit.text) for record in records.values() for unit in record)
    beside = sum(
        words_in(unit.text)
        for page in numbers
        for unit in pages[page]
        if (page, unit.record) not in elements and whole.text_place(unit) == text
    )
    return inside < _MOSTLY * beside


def _are_facts(records: Records, labels: Labels, pivots: frozenset[str]) -> bool:
    """Return whether records are facts of the page: most begin with a label, or are a heading and pairs.

    Other records of the page do not have the same labels; of short ones they may.  Links alone are none.
    """
    if 2 * sum(len(record) == 1 and record[0].link != "" for record in records.values()) > len(records):
        return False
    keys = {where: _labels_in(record, labels) for where, record in records.items()}
    said = Counter((page, key) for (page, _), found in keys.items() for key in found.values())
    leading, several = 0, 0
    for where, record in records.items():
        found = keys[where]
        are_pairs = 0 in found or len(record) <= 2 * len(found) + 1  # a heading, then labels and their values
        is_own = are_pairs and 2 * sum(said[where[0], key] == 1 for key in found.values()) > len(found)
        texts = [key_of(unit.text) for unit in record[:2]]
        is_short = len(record) <= _SHORT and any(found.get(at) == text for at, text in enumerate(texts))
        leading += is_own or is_short or texts[0] in pivots
        several += len(record) > 1 or found != {}
    return leading >= _LEADING * max(several, 1)


def _labels_in(record: Sequence[Unit], labels: Labels) -> dict[int, str]:
    """Return the labels in a record, by the numbers of their units; of long ones first cells of two, too."""
    found, is_long = dict[int, str](), len(record) > _SHORT
    for at, unit in enumerate(record):
        key, match = key_of(unit.text), prefixed(unit)
        is_term = unit.sign == LABEL and unit.link != ""  # it leads to what it is the name of
        is_alone = key in labels.alone or key in labels.units or (is_sure(unit, None) and not is_term)
        is_alone |= is_long and unit.sign == PAIR
        if match and not is_alone:
            key = key_of(match[1])
        if is_alone or (match and key in labels.prefixes):
            found[at] = key
    return found


def _are_neighbours(records: Iterable[Sequence[Unit]]) -> bool:
    """Return whether the markup says of most records that they are the next or the previous page."""
    said = [any(neighbour_of(unit.place) for unit in record) for record in records]
    return sum(said) >= _ALWAYS * len(said)


def _are_unlike(records: Records) -> bool:
    """Return whether most pages have the same elements with unlike contents: category, date, author."""
    shapes: defaultdict[int, list[Hashable]] = defaultdict(list)
    for (page, _), record in records.items():
        shapes[page].append(frozenset((unit.place, kind_of([unit.text])) for unit in map(in_record, record)))
    (several, count), *_ = Counter(map(tuple, shapes.values())).most_common(1)
    return count >= _ALWAYS * len(shapes) and 2 * len(set(several)) > len(several)


def headings_of(pages: Sequence[PageUnits], template: Template) -> dict[str, str]:
    """Return row -> the heading above its records, where it is the same on most pages."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for page in pages:
        heading, around, seen = "", "", set[str]()
        for unit in page.units:
            row = template.row(unit.row)
            if unit.is_in_heading and not is_title(unit) and row not in template.rows:
                heading, around = unit.text, "/".join(unit.place.split("/")[:-_NEAR])
            elif row in template.rows and row not in seen:
                seen.add(row)
                found[row][heading if unit.place.startswith(f"{around}/") else ""] += 1
    most = {row: counts.most_common(1)[0] for row, counts in found.items()}
    return {row: text for row, (text, count) in most.items() if count >= _HEADED * found[row].total()}


def table_name(row: str, heading: str, columns: TypeColumns, taken: Mapping[str, TypeColumns]) -> str:
    """Return the name of a table of records."""
    kinds = {kind for one in columns.columns if one.share > 0.5 for kind in (one.kind, one.name)}
    if not row.startswith(HEADED):
        return rows_name(row, heading, kinds, taken)
    heads = dict.fromkeys(_IN_BRACKETS.sub("", one.label).strip() for one in columns.columns if one.label)
    return free_name("_".join([*heads][:2]) or heading_name(heading) or "rows", "", taken)

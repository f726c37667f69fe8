"""Choose the columns of a page type from a sample of its pages.

In this order: records that have a table of their own (:mod:`templcrawl.algorithms.columns.record_tables`);
running text, what the pages repeat, and labels (:mod:`templcrawl.algorithms.columns.template`); the slots of
values: facts, texts, what differs at a place (:mod:`templcrawl.algorithms.columns.places`); candidates
(:mod:`templcrawl.algorithms.columns.candidates`), what pages declare among them; copies, names, scores.

Source: our own.
n units of the sample, c columns, p places.  Cost: O(n d + c p) with places of depth d.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain, islice
from statistics import fmean

from templcrawl.algorithms.columns.candidates import (
    HREF,
    TIME,
    Candidate,
    Found,
    candidates_of,
    links_of,
    section_of,
    sentence_parts,
    times_of,
)
from templcrawl.algorithms.columns.class_words import AUTHOR, meaning_of
from templcrawl.algorithms.columns.declared_columns import join_declared
from templcrawl.algorithms.columns.groups import GROUP, HEAD, group_heads, records_at
from templcrawl.algorithms.columns.headed_tables import HEADED
from templcrawl.algorithms.columns.links import Hosts
from templcrawl.algorithms.columns.names import (
    LONGEST_NAME,
    free_name,
    name_of,
    said_of,
)
from templcrawl.algorithms.columns.reading import PageUnits
from templcrawl.algorithms.columns.record_tables import (
    MAX_RECORDS,
    headings_of,
    own_rows,
    rows_apart,
    table_name,
)
from templcrawl.algorithms.columns.scores import COPY, MIN_SCORE, copies, features_of, says_nothing, score_of
from templcrawl.algorithms.columns.slots import CODE_OF, LEAD_OF, SECTIONS_OF, TEXT_OF, Slot, Template
from templcrawl.algorithms.columns.template import (
    MIN_PAGES,
    mark_rows,
    template_of,
    words_of,
)
from templcrawl.algorithms.columns.units import PAIR, Unit
from templcrawl.algorithms.columns.value_kinds import KIND_SHARE, TEXT, WORDS, are_dated, words_of_count
from templcrawl.algorithms.columns.values import Column, TypeColumns
from templcrawl.page.text import storable

MAX_COLUMNS, MAX_SHOWN = 200, 20
RESERVED = frozenset({"url", "position"})  # names of what stands beside the columns in a table
_MIN_SHARE, _MIN_FACTS = 0.05, 0.02
_TITLED = 0.8  # of the pages with a text, and of half of all: those in whose title it stands, one for each
_LEADING_SCORE = 3.0  # of the link of a record
_BYLINE = re.compile(r"(?:(?:posted|written) )?(?:by|von|par|por)(?: [^\s\d]+){1,5}", re.IGNORECASE).fullmatch
_IN_TEXT = {CODE_OF: "code", LEAD_OF: "lead", SECTIONS_OF: "sections"}  # names of what is in running text
_FREQUENT = 0.1  # of the pages: a fact that so many have is shown beyond the best ``MAX_SHOWN`` columns


def choose_columns(pages: Sequence[PageUnits], row: str = "") -> TypeColumns:
    """Return the columns of a type.

    pages  those of the sample
    row    place of the records that take the place of pages; "": these are pages
    """
    titles = [page.title for page in pages]
    words = words_of(page.units for page in pages)
    hosts = None if row else frozenset(page.host for page in pages)
    tables, apart = ({}, frozenset[str]()) if row else rows_apart([page.units for page in pages], words)
    template, units = _template(pages, words, tables, apart, hosts)
    rows = _record_tables(tables, pages, template)
    kept = {place: tables[place] for one in rows.values() for place in one.places}
    if vain := tables.keys() - kept.keys():  # their texts are the page's
        template, units = _template(pages, words, kept, apart - vain, hosts)
    found = candidates_of(*_slots_of(units, template), titles, hosts)
    found = join_declared(found, [page.declared for page in pages])
    found = _with_parts(found, titles)
    distinct = len({tuple(unit.text for unit in page_units) for page_units in units})
    columns, dropped = _columns(found, titles, distinct, row)
    places = (row,) if row else ()
    return TypeColumns(template, columns, rows, places, dropped)


def _template(
    pages: Sequence[PageUnits],
    words: frozenset[str],
    tables: Mapping[str, Set[int]],
    apart: frozenset[str],
    hosts: Hosts,
) -> tuple[Template, list[Sequence[Unit]]]:
    """Return the template of a type, and the units of its pages with what is in records marked.

    tables, apart  as of :func:`rows_apart`
    """
    units = [page.units for page in pages]
    own = own_rows(units, words, tables)
    marked = mark_rows(units, words, apart, own)
    template = template_of(marked, words, apart, hosts)
    return replace(template, own=own, heads=group_heads(units, template, tables)), marked


def _slots_of(
    pages: Sequence[Sequence[Unit]], template: Template
) -> tuple[dict[Slot, Found], dict[Slot, float]]:
    """Return the slots of values with what pages have there, and where each stands on a page, on average."""
    slots: defaultdict[Slot, Found] = defaultdict(dict)
    positions: defaultdict[Slot, list[int]] = defaultdict(list)
    for number, units in enumerate(pages):
        at = {id(unit): position for position, unit in enumerate(units)}
        for slot, value in template.read(units):
            slots[slot].setdefault(number, []).append(value)
            positions[slot].append(at[id(value.unit)])
    return slots, {slot: fmean(where) for slot, where in positions.items()}


def _with_parts(found: Sequence[Candidate], titles: Sequence[str]) -> list[Candidate]:
    """Return the candidates that enough pages have, then what is in these: links, sections, facts.

    titles  of the pages
    """
    least, few = max(MIN_PAGES, _MIN_SHARE * len(titles)), max(2, _MIN_FACTS * len(titles))
    kept = [one for one in found if len(one.texts) >= (few if one.is_fact else least)]
    shown = [one for one in kept if one.slots]
    sections = [section_of(one, titles) for one in shown]
    parts = [
        *map(links_of, shown),
        *map(times_of, shown),
        *sections,
        *(part for one in kept for part in sentence_parts(one)),
    ]
    return kept + [one for one in parts if one is not None and len(one.texts) >= least]


def _record_tables(
    tables: Mapping[str, Set[int]], pages: Sequence[PageUnits], template: Template
) -> dict[str, TypeColumns]:
    """Return name -> the columns of the records of a row.

    tables  row -> the pages that have such records
    """
    found: dict[str, TypeColumns] = {}
    headings = headings_of(pages, template) if tables else {}
    for row, having in tables.items():
        records = chain.from_iterable(records_at(page.units, (row,), template) for page in pages)
        chosen = choose_columns([PageUnits(record) for record in islice(records, MAX_RECORDS)], row)
        if len(chosen.columns) > 1:
            name = table_name(row, headings.get(row, ""), chosen, found)
            found[name] = replace(chosen, having=len(having) / len(pages))
    return found


def _columns(
    found: Sequence[Candidate], titles: Sequence[str], distinct: int, row: str
) -> tuple[tuple[Column, ...], int]:
    """Return the columns of candidates in the order of a page; how many are beyond ``MAX_COLUMNS``.

    titles    of the pages
    distinct  pages with another text each: a record may stand on several pages
    row       as in :func:`choose_columns`
    """
    is_headed, pages = row.startswith(HEADED), len(titles)
    names, leading = _names_of(found, titles, distinct if row else 0)
    copied = copies(found, names, leading)
    first: dict[str, int] = {}  # name -> the candidate that has it
    for at in sorted(range(len(found)), key=lambda at: (at in copied, _precedence(found[at], titles))):
        first.setdefault(names[at].lower(), at)
    is_second = [first[name.lower()] != at for at, name in enumerate(names)]
    features = [
        features_of(one, name, titles, are_records=row != "", before=found[first[name.lower()]])
        for one, name in zip(found, names)
    ]
    for at in copied:
        features[at][COPY] = features[at]["filled"]
    scores = list(map(score_of, features))
    if leading >= 0:
        scores[leading] = _LEADING_SCORE
    order = sorted(range(len(found)), key=lambda at: (-scores[at], found[at].order, names[at]))
    taken = set(RESERVED)
    columns, free = [], dict[int, str]()
    lesser = (at for at in order if scores[at] <= MIN_SCORE or says_nothing(found[at], features[at]))
    hidden = (copied | {*lesser}) - {leading}
    for at in sorted(order[:MAX_COLUMNS], key=lambda at: (at in hidden, is_second[at], found[at].order)):
        free[at] = free_name(names[at], found[at].place, taken)
        taken.add(free[at])
    rank = 0  # facts that are said of many pages take no place of the others
    for at in order[:MAX_COLUMNS]:
        one, name = found[at], free[at]
        is_said = one.is_fact and (is_headed or len(one.texts) >= _FREQUENT * pages)
        is_cell = is_headed and one.is_fact and one.base is None
        is_shown = is_cell or (at not in hidden and (rank < MAX_SHOWN or is_said))
        rank += not is_said
        columns.append((one.order, _column(one, name, pages, features[at], is_shown=is_shown)))
    columns.sort(key=lambda item: item[0])
    return tuple(column for _, column in columns), max(len(found) - MAX_COLUMNS, 0)


def _names_of(found: Sequence[Candidate], titles: Sequence[str], distinct: int) -> tuple[list[str], int]:
    """Return the names of candidates, and the number of the link that leads records, -1 without one.

    Where no markup names a title, it is the text of that link, or the text that pages are titled with.

    titles    of the pages of the sample, or of its records
    distinct  records with another text each, 0 of pages
    """
    names = [_name(one) for one in found]
    leading = min(
        (at for at, one in enumerate(found) if distinct and _leads_on(one, len(titles), distinct)),
        key=lambda at: (names[at] != "title_url", found[at].order),
        default=-1,
    )
    if "title" not in names:
        titled = found[leading].base if leading >= 0 else _titled(found, titles)
        if titled is not None and _is_nameless(titled):
            names = [
                "title" if one is titled else "title_url" if one.base is titled and one.attribute else name
                for one, name in zip(found, names)
            ]
    return names, leading


def _column(
    one: Candidate, name: str, pages: int, features: Mapping[str, float], *, is_shown: bool
) -> Column:
    """Return the column of a candidate."""
    return Column(
        name=name,
        slots=one.slots,
        attribute=one.attribute,
        declared=one.declared,
        kind=one.kind,
        pattern=one.part.pattern if one.part else "",
        label=" ".join(storable(one.label).split()),
        many=one.many,
        last=one.last,
        joined=not one.attribute and _is_running(one),
        shown=is_shown,
        share=len(one.texts) / pages,
        examples=tuple(sorted(set(one.flat))[:3]),
        features=features,
    )


def _precedence(one: Candidate, titles: Sequence[str]) -> tuple[object, ...]:
    """Return the sort key of candidates of one name: facts, running text, title texts, ``h1``, most pages."""
    in_titles = sum(any(text in titles[page] for text in texts) for page, texts in one.texts.items())
    is_plain = not one.is_fact, not _is_running(one)
    return *is_plain, -in_titles, one.place != "h1", -len(one.texts), one.order


def _titled(found: Sequence[Candidate], titles: Sequence[str]) -> Candidate | None:
    """Return the candidate whose texts stand in the titles of their pages, and differ; None without one."""
    in_titles = {}
    for at, one in enumerate(found):
        if one.slots and one.kind == TEXT and not one.is_fact and not one.attribute and not one.part:
            number = sum(all(text in titles[page] for text in texts) for page, texts in one.texts.items())
            if min(number, len(set(one.flat))) >= _TITLED * max(len(one.texts), len(titles) / 2):
                in_titles[at] = number
    return found[max(in_titles, key=in_titles.__getitem__)] if in_titles else None


def _is_running(one: Candidate) -> bool:
    return bool(one.slots) and one.slots[0].number == TEXT_OF


def _leads_on(one: Candidate, records: int, distinct: int) -> bool:
    """Return whether a candidate is the links of records, nearly each another one."""
    is_one = one.attribute == HREF and 2 * len(one.texts) >= records
    return is_one and len(set(one.flat)) >= 0.8 * min(len(one.flat), distinct * len(one.texts) / records)


def _is_nameless(one: Candidate) -> bool:
    """Return whether neither a label, a declared property nor the markup says what a candidate is."""
    return not one.is_fact and not one.declared and said_of(one.place, one.kind) in ("", "text", "content")


def _name(one: Candidate) -> str:
    """Return the name that a candidate should have."""
    if one.base is not None and one.part is not None:
        return meaning_of(one.part.name) or _name(one.base)
    if one.base is not None:
        end = f"_{TIME}" if one.attribute == TIME else "_url"
        return f"{_name(one.base)[: LONGEST_NAME - len(end)]}{end}"
    if one.last:
        return "section"
    if _is_running(one) and not one.declared:
        return "text"
    if one.slots and not one.declared and (said := _IN_TEXT.get(one.slots[0].number)):
        return said
    if not one.is_fact and not one.declared and one.kind == TEXT:
        bylines = sum(_BYLINE(text) is not None for text in one.flat)
        if bylines >= KIND_SHARE * len(one.flat):
            return AUTHOR
    if one.place and one.slots[0].number > 0:
        (words, count), *_ = Counter(map(words_of_count, one.flat)).most_common(1)
        if words and 2 * count > len(one.flat):
            return words.lower()
    kind = WORDS if one.kind == TEXT and not are_dated(one.flat) else one.kind
    name = name_of(one.label, one.place, kind) if one.is_fact or not one.declared else one.declared
    is_pair = one.place == "td" and next(iter(one.found.values()))[0].unit.sign == PAIR
    return name if name != TEXT else "label" if is_pair else GROUP if one.place == HEAD else name

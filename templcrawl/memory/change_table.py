"""What the pages of a site said when they were last read, to tell what has changed since.

Of each page is kept: when it was first seen, when its content last changed, the hash of that content, and a
sketch of its text runs (see :mod:`templcrawl.algorithms.similarity.alterations`).  A page is

new            never seen before
same           every text run is the same, whoever takes it for content now
changed        something was added to its content, or taken away
template only  its text differs, but nothing of that is content

What was altered is held against the other pages of the site (:mod:`templcrawl.memory.run_evidence`).
The hash is that of the content when it last changed: judging it otherwise does not change it.

Bounded: at most ``limit`` pages, of ``_PAGE_BYTES`` each on average: beyond that those not read for longest
leave.  A page takes 40 bytes, 4 for each distinct run and 8 for each that has numbers, or is of content
and has a slot.
Cost: O(runs log runs) a page.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone
from itertools import accumulate
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from templcrawl.algorithms.similarity.alterations import RunSketch, alterations, content_hash, run_sketch
from templcrawl.algorithms.similarity.run_words import RunWords
from templcrawl.errors import BrokenInvariant, InvalidSnapshot
from templcrawl.memory.entries import NUMBERS, Kind, numbers, pack, packed
from templcrawl.memory.recent import Recent, united
from templcrawl.memory.run_evidence import Reread, RunEvidence
from templcrawl.memory.snapshots import Column, Columns, Nested, Part
from templcrawl.page.separation import Separation

NEW, SAME, CHANGED, TEMPLATE_ONLY = "new", "same", "changed", "template only"

_PAGE_BYTES = 1_024
_HEAD = np.dtype(
    [
        ("text", "<u8"),
        ("hash", "<u8"),
        ("first", "<u4"),
        ("changed", "<u4"),
        ("read", "<u4"),
        ("content", "<u4"),
        ("masks", "<u4"),
        ("slots", "<u4"),
    ]
)


class PageRecord(NamedTuple):
    """What is kept of a page, but for the slots of its template; times in seconds since 1970."""

    sketch: RunSketch
    content_hash: str
    first_seen: int
    last_changed: int
    last_read: int

    def packed(self) -> bytes:
        """Return it as bytes."""
        text, content, rest, masks, all_slots = self.sketch
        slots = {run: all_slots[run] for run in all_slots.keys() & content.tolist()}
        key = int(self.content_hash, 16)
        times = (self.first_seen, self.last_changed, self.last_read)
        head = np.array((text, key, *times, len(content), len(masks), len(slots)), dtype=_HEAD)
        numbers = np.array([*masks, *masks.values(), *slots, *slots.values()], dtype="<u4")
        return head.tobytes() + np.concatenate((content, numbers, rest)).astype("<u4").tobytes()

    @classmethod
    def unpacked(cls, record: bytes) -> PageRecord:
        """Return what ``packed`` made; raises ValueError for what it did not make."""
        head = np.frombuffer(record, dtype=_HEAD, count=1)[0].tolist()
        text, key, first, changed, read, *sizes = head
        length, masks, slots = sizes
        runs = np.frombuffer(record, dtype="<u4", offset=_HEAD.itemsize)
        stops = list(accumulate((length, masks, masks, slots, slots)))
        if stops[-1] > len(runs):
            raise ValueError(f"{length} runs, {masks} masks and {slots} slots in {len(runs)} numbers")
        content, *pairs, rest = np.split(runs, stops)
        masked, values, filled, filling = (part.tolist() for part in pairs)
        sketch = RunSketch(text, content, rest, dict(zip(masked, values)), dict(zip(filled, filling)))
        return cls(sketch, f"{key:016x}", first, changed, read)


class Change(NamedTuple):
    """What has become of a page since it was last read.

    kind     NEW, SAME, CHANGED or TEMPLATE_ONLY
    at       when it was read, in seconds since 1970
    record   what is known of it now
    earlier  what was known before, None if nothing was
    of_template  runs that were altered, and are the template's
    """

    kind: str
    at: int
    record: PageRecord
    earlier: PageRecord | None
    of_template: frozenset[int] = frozenset()


def iso_time(seconds: int) -> str:
    """Return a time as ISO 8601 has it.

    >>> iso_time(0)
    '1970-01-01T00:00:00+00:00'
    """
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat()


class ChangeTable(Part):
    """The pages of a site as they were last read.

    others  as other workers of the crawl have read them, None without any
    """

    def __init__(self, *, limit: int) -> None:
        """Start without pages.

        limit  pages that are kept
        """
        self._records: Recent[int, bytes] = Recent(limit)
        self._bytes = 0
        self._evidence = RunEvidence()
        self.others: ChangeTable | None = None

    def __len__(self) -> int:
        return len(self._records)

    def see(self, key: int, separation: Separation, at: int) -> Change:
        """Return what has become of a page, and remember it.

        key  of the page
        at   when it was read, in seconds since 1970
        """
        tables = (self, self.others) if self.others is not None else (self,)
        stored = (table._records.get(key) for table in tables)
        records = [PageRecord.unpacked(record) for record in stored if record is not None]
        earlier = max(records, key=attrgetter("last_read"), default=None)
        change, reread = self._compare(separation, at, earlier)
        self._remember(key, change)
        if reread is not None:
            self._evidence.note(reread)
        return change

    def see_again(self, key: int, separation: Separation, before: Change) -> Change:
        """Return what has become of a page whose content is judged otherwise by now, and remember that.

        What was known to be the template's when the page was read still is.

        before  what was said of it then
        """
        change, _ = self._compare(separation, before.at, before.earlier, before.of_template, noted=True)
        self._remember(key, change)
        return change

    def _compare(
        self,
        separation: Separation,
        at: int,
        earlier: PageRecord | None,
        of_template: frozenset[int] = frozenset(),
        *,
        noted: bool = False,
    ) -> tuple[Change, Reread | None]:
        """Return what has become of a page, and what is altered on it if it was read before.

        of_template  runs that are known to be the template's
        noted        whether the evidence has the page already
        """
        words = RunWords(separation.page)
        sketch = run_sketch(separation, words)
        if earlier is None:
            record = PageRecord(sketch, content_hash(separation.content_text), at, at, at)
            return Change(NEW, at, record, None), None
        reread = self._evidence.compare(earlier.sketch, sketch, alterations(earlier.sketch, sketch, words))
        kind = SAME if sketch.text == earlier.sketch.text else TEMPLATE_ONLY
        record = earlier._replace(sketch=sketch, last_read=at)
        added, removed = self._evidence.of_content(reread, earlier.sketch, sketch, noted=noted)
        of_content = (added | removed) - of_template
        if of_content:
            kind = CHANGED
            record = PageRecord(sketch, content_hash(separation.content_text), earlier.first_seen, at, at)
        of_template = (reread.added | reread.removed) - of_content
        return Change(kind, at, record, earlier, of_template), reread

    def _remember(self, key: int, change: Change) -> None:
        """Keep a page, let the oldest leave, and count its runs."""
        stored = self._drop(key)
        known = PageRecord.unpacked(stored).sketch if stored is not None else None
        self._evidence.learn(change.record.sketch, known)
        if len(self._records) == self._records.limit:
            self._drop(self._records.oldest())
        self._keep(key, change.record.packed())
        self._shrink()

    def _keep(self, key: int, record: bytes) -> None:
        self._records[key] = record
        self._bytes += len(record)

    @property
    def _is_too_large(self) -> bool:
        return self._bytes > _PAGE_BYTES * self._records.limit and len(self._records) > 1

    def _shrink(self) -> None:
        """Let pages leave until the others fit."""
        while self._is_too_large:
            self._drop(self._records.oldest())

    def _drop(self, key: int) -> bytes | None:
        """Take a page out, and return what was kept of it."""
        record = self._records.pop(key)
        self._bytes -= len(record or b"")
        return record

    def unite(self, tables: Sequence[ChangeTable]) -> None:
        """Become, while empty, what several tables hold together: of each page what was read last."""
        records = united((table._records.items() for table in tables), _latter, self._records.limit)
        for key, record in records.items():
            self._keep(key, record)
        self._shrink()
        self._evidence.unite([table._evidence for table in tables])

    def columns(self) -> list[Column]:
        """Return the pages, those not read for longest first, and the runs of templates."""
        kinds = {
            "pages": NUMBERS,
            "sizes": numbers(of=lambda records: map(len, records)),
            "records": _RECORDS,
        }
        return [
            Columns(kinds, self._copied, self._set),
            Nested("evidence", self._evidence),
        ]

    def _copied(self) -> Sequence[object]:
        records = list(self._records.values())
        return [list(self._records), records, records]

    def _set(self, keys: Sequence[int], sizes: Sequence[int], together: bytes) -> None:
        """Take up a snapshot; of more pages than the limit allows, those that were read last."""
        stops = list(accumulate(sizes))
        if not sum(sizes) == len(together):
            raise InvalidSnapshot("sizes", f"{sum(sizes)} bytes of {len(together)}")
        records = [together[stop - size : stop] for size, stop in zip(sizes, stops)]
        for record in records:
            PageRecord.unpacked(record)
        self._records.take_up(keys, records)
        self._bytes = sum(map(len, self._records.values()))

    def check(self) -> None:
        """Raise BrokenInvariant if too much is kept, or it is counted wrongly."""
        super().check()
        self._records.check()
        held = sum(map(len, self._records.values()))
        if self._bytes != held or self._is_too_large:
            raise BrokenInvariant("ChangeTable", f"{held} bytes are kept, {self._bytes} counted")


def _latter(first: bytes, second: bytes) -> bytes:
    """Return the one of two records of a page that was read last."""
    return max(first, second, key=lambda record: (PageRecord.unpacked(record).last_read, record))


_RECORDS = Kind(
    lambda records: pack(np.frombuffer(b"".join(records), dtype=np.uint8), "B"),
    lambda snapshot, name: packed(snapshot, name, "B").tobytes(),
)

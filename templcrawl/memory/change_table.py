"""The pages of a site as they were last read, to find what has changed since.

For each page is stored: when it was first seen, when its content last changed, the hash of that content, and
a sketch of its text runs (see :mod:`templcrawl.algorithms.similarity.alterations`).  A page is

new            never seen before
same           all that a spider may read of it is the same, whoever takes it for content now
changed        its content has other words, or another order
template only  something else of the page has changed: its template, the address of a link or an image

A page is compared by the content that is handed out: what has changed on many pages alike counts as a change
of each, until the detector takes it for template.  "Same" is certain, but for collisions of 64-bit hashes;
"template only" is as sure as the detector is of the template.

Bounded: at most ``limit`` pages (:class:`ChangeTable`).  A page takes 44 bytes, 4 and a bit for each run and
8 for each that has a year.  Cost: O(runs log runs) a page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from templcrawl.algorithms.similarity.alterations import RunSketch, alterations, content_hash, run_sketch
from templcrawl.algorithms.similarity.run_words import RunWords
from templcrawl.memory.change_kinds import CHANGED, NEW, SAME, TEMPLATE_ONLY
from templcrawl.memory.first_pages import FirstPages
from templcrawl.memory.key_tables import LruDict, RecordTable
from templcrawl.memory.memory_options import MemoryOptions
from templcrawl.memory.observation import Observation
from templcrawl.memory.sections import SeenPage, SiteSection
from templcrawl.memory.snapshots import Frozen, Numbers, Snapshot
from templcrawl.page.separation import Separation

if TYPE_CHECKING:
    from templcrawl.memory.record_rows import RecordRows

_RANKS = (SAME, TEMPLATE_ONLY, NEW, CHANGED)

MAX_PAGES = 10_000  # of a site: at most 20 MB in memory, or 200 MB in rows
_PAGE_BYTES = 2_048  # so that 900 pages of MAX_RUNS runs are stored
_LATEST = 2**32 - 1
_HEAD = np.dtype(
    [
        ("text", "<u8"),
        ("content_hash", "<u8"),
        ("hash", "<u8"),
        ("first", "<u4"),
        ("changed", "<u4"),
        ("read", "<u4"),
        ("runs", "<u4"),
        ("years", "<u4"),
    ]
)


class PageRecord(NamedTuple):
    """What is stored of a page; times in seconds since 1970."""

    sketch: RunSketch
    content_hash: str
    first_seen: int
    last_changed: int
    last_read: int

    def packed(self) -> bytes:
        """Return the record as bytes."""
        text, content_hash, runs, content, years = self.sketch
        key = int(self.content_hash, 16)
        times = (self.first_seen, self.last_changed, self.last_read)
        head = np.array((text, content_hash, key, *times, len(runs), len(years)), dtype=_HEAD)
        year_keys = np.array([*years, *years.values()], dtype="<u4")
        numbers = np.concatenate((runs.astype("<u4"), year_keys))
        return head.tobytes() + numbers.tobytes() + np.packbits(content).tobytes()

    @classmethod
    def unpacked(cls, record: bytes) -> PageRecord:
        """Return the record of packed bytes; raises ValueError for other bytes."""
        head = np.frombuffer(record, dtype=_HEAD, count=1)[0].tolist()
        text, content_hash, key, first, changed, read, runs, years = head
        numbers = np.frombuffer(record, dtype="<u4", offset=_HEAD.itemsize, count=runs + 2 * years)
        bits = np.frombuffer(record, dtype=np.uint8, offset=_HEAD.itemsize + numbers.nbytes)
        if len(bits) != (runs + 7) // 8:
            raise ValueError(f"{len(bits)} bytes of bits for {runs} runs")
        content = np.unpackbits(bits, count=runs).astype(bool)
        run_keys, with_year, without = np.split(numbers, (runs, runs + years))
        sketch = RunSketch(
            text, content_hash, run_keys, content, dict(zip(with_year.tolist(), without.tolist()))
        )
        return cls(sketch, f"{key:016x}", first, changed, read)


class Change(NamedTuple):
    """The change of a page since it was last read.

    kind     NEW, SAME, CHANGED or TEMPLATE_ONLY
    at       when it was read, in seconds since 1970
    record    what is stored of it now
    earlier   what was stored before, None if nothing was
    reported  what the page was reported to be before in this crawl; SAME if it was not read
    altered   hashes of the runs of its content that are there more or less often than before; None if it is
              unchanged, or new
    key       of the page
    """

    kind: str
    at: int
    record: PageRecord
    earlier: PageRecord | None
    reported: str = SAME
    altered: frozenset[int] | None = None
    key: int = 0


def iso_time(seconds: int) -> str:
    """Return a time as ISO 8601 has it.

    >>> iso_time(0)
    '1970-01-01T00:00:00+00:00'
    """
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat()


class PageRecords(RecordTable):
    """Key of a page -> its record, in memory.

    bytes  of all records
    """

    def __init__(self, limit: int) -> None:
        """Make an empty table, of as many pages as are of ``_PAGE_BYTES`` each."""
        super().__init__(limit)
        self.bytes, self.most = 0, _PAGE_BYTES * limit

    def has_room(self, size: int) -> bool:
        """Return whether there is room for one more, of so many bytes."""
        return len(self) < self.limit and self.bytes + size <= self.most

    def pop(self, key: int) -> bytes | None:
        """Remove a record, if it is there."""
        record = super().pop(key)
        self.bytes -= len(record or b"")
        return record

    def __setitem__(self, key: int, record: bytes) -> None:
        self.pop(key)
        self.set(key, record)
        self.bytes += len(record)

    def load(self, snapshot: Snapshot) -> None:
        """Restore the records."""
        super().load(snapshot)
        self.bytes = sum(map(len, self.values()))

    def loaded(self, snapshot: Snapshot, count: int) -> Sequence[bytes]:
        """Return the records."""
        records = super().loaded(snapshot, count)
        for record in records:
            PageRecord.unpacked(record)
        return records


class ChangeTable(SiteSection):
    """The pages of a site as they were last read.

    Where a site has a store, they are rows of it; else they are in memory, of ``_PAGE_BYTES`` each on
    average.  Beyond the limit pages leave that the crawl before has not read; where there are none, a page is
    not stored, and is new in the next crawl, too: of a site that is too large the same pages stay.

    refused  pages that were not stored, for want of room
    """

    sections = ("_records",)
    optional = ("_records",)  # of a site that has a store they are not in its snapshot
    is_of_spider: ClassVar[bool] = True

    def __init__(self, options: MemoryOptions, *, limit: int = MAX_PAGES) -> None:
        """Start without pages; ``limit`` of them are stored."""
        began = options.job_began
        self._began = _LATEST if began is None else began
        self._records: PageRecords | RecordRows = PageRecords(limit)
        self._reported: LruDict[int, str] = LruDict(limit)
        self._first_pages = FirstPages()
        self.refused = 0
        self._first_read = self._read_before = 0  # when this crawl, and the one before, have begun to read

    def __len__(self) -> int:
        return len(self._records)

    def use_rows(self, rows: Callable[[int], RecordRows]) -> None:
        """Let the pages be rows of a store, unless a snapshot has brought some."""
        if not len(self._records) and isinstance(self._records, PageRecords):
            self._records = rows(self._records.limit)

    def page_seen(self, seen: SeenPage) -> Mapping[str, Any]:
        """Return how a page has changed."""
        return _answers(self.compare(seen.key, seen.given, seen.at))

    def page_seen_again(self, seen: SeenPage, earlier: Observation) -> Mapping[str, Any]:
        """Return the record with the content as classified now."""
        change = earlier.change
        return {} if change is None else _answers(self.reclassify(seen.given, change))

    def record(self, key: int) -> PageRecord | None:
        """Return what is stored of a page."""
        stored = self._records.get(key)
        with suppress(ValueError):  # a damaged row
            return PageRecord.unpacked(stored) if stored else None
        return None

    def compare(self, key: int, separation: Separation, at: int) -> Change:
        """Return the change of a page, and store the page.

        A page that is read again in the same crawl is reported as it was first, unless more has changed
        since: a callback that yields its item the second time loses nothing, and a job that is killed before
        an item was safe gives it again.

        key  of the page
        at   when it was read, in seconds since 1970; a clock that is before or beyond what a record can
             hold (1970 to 2106) gives the nearest time that it can
        """
        at = min(max(at, 0), _LATEST)
        self._first_read = self._first_read or at
        earlier = self.record(key)
        reported = self._reported.get(key) or self._reported_before(earlier)
        change = self._answer(key, _compared(separation, at, earlier), reported)
        for first in self._first_pages.add(key, change.record.sketch, separation.voters):
            stored = self.record(first)
            if stored is not None:
                self._put(first, stored._replace(sketch=self._first_pages.judged(stored.sketch)).packed())
        return change

    def _reported_before(self, earlier: PageRecord | None) -> str:
        """Return the change that an earlier run of this crawl has reported for a page; SAME without one.

        The record tells what a page was reported to be; whether that was "same" or "template only" it does
        not tell, and "template only" is assumed.
        """
        if earlier is None or earlier.last_read < self._began:
            return SAME
        if earlier.first_seen >= self._began:
            return NEW
        return CHANGED if earlier.last_changed >= self._began else TEMPLATE_ONLY

    def reclassify(self, separation: Separation, before: Change) -> Change:
        """Return the change of a page whose content is classified differently by now, and store it.

        The hash is that of the content when it last changed: judging it otherwise does not change it.

        before  what was reported when it was read
        """
        return self._answer(before.key, _compared(separation, before.at, before.earlier), before.reported)

    def _answer(self, key: int, change: Change, reported: str) -> Change:
        """Remember the change of a page, and return it.

        reported  what it was reported to be before in this crawl
        """
        self._put(key, change.record.packed())
        kind = max(reported, change.kind, key=_RANKS.index)
        change = change._replace(kind=kind, reported=reported, key=key)
        self._reported[key] = change.kind
        return change

    def _put(self, key: int, record: bytes) -> None:
        """Store the latest version of a page, if there is or can be room."""
        is_new = key not in self._records
        self._records.pop(key)
        while len(self._records) and not self._records.has_room(len(record)):
            oldest = self._records.least_recent()
            stored = self.record(oldest)
            if is_new and stored is not None and stored.last_read >= self._read_before:
                self.refused += 1
                return
            self._records.pop(oldest)
        self._records[key] = record

    def columns(self) -> Frozen:
        """Return when this crawl first read a page; before that, when the previous crawl did."""
        return {"read": Numbers([self._first_read or self._read_before])}

    def load(self, snapshot: Snapshot) -> None:
        """Restore when the crawl before has begun to read."""
        self._read_before = snapshot.numbers("read", count=1, below=_LATEST + 1).item()


def _answers(change: Change) -> Mapping[str, Any]:
    record = change.record
    return {
        "change": change,
        "changed": change.kind,
        "content_hash": record.content_hash,
        "first_seen": iso_time(record.first_seen),
        "last_changed": iso_time(record.last_changed),
    }


def _compared(separation: Separation, at: int, earlier: PageRecord | None) -> Change:
    """Return the change of a page.

    at       when it was read, in seconds since 1970
    earlier  what was stored before, None if nothing was
    """
    words = RunWords(separation.page)
    sketch = run_sketch(separation, words)
    if earlier is not None:
        altered = alterations(earlier.sketch, sketch, words)
        if not altered.changed:
            kind = SAME if sketch.text == earlier.sketch.text else TEMPLATE_ONLY
            return Change(kind, at, earlier._replace(sketch=sketch, last_read=at), earlier)
        record = PageRecord(sketch, content_hash(separation.content_text), earlier.first_seen, at, at)
        return Change(CHANGED, at, record, earlier, altered=altered.added | altered.removed)
    return Change(NEW, at, PageRecord(sketch, content_hash(separation.content_text), at, at, at), None)

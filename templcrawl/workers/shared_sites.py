"""A store that workers of a crawl share: each gives its parts to the others, and hears of theirs.

What a worker has learned lies in a folder of its own, as without other workers: in its JOBDIR, or one that
goes when the crawl ends.  Whenever a site is written there it is due to be exchanged: its part is written to
the shared store, and the parts of the others are read and merged (``SiteMemory.merge``); what comes of it
waits in ``heard`` until the event loop takes it up.

Nothing waits for the shared store but a thread of its own, which is there while there is something to
exchange.  The event loop, and the thread that writes to the folder, name sites to it and go on.  It reads a
part from the folder when its turn has come, so that a site that was written twice meanwhile is given once.

Where the shared store is away the crawl goes on alone: it is asked again after ``_PATIENCE`` seconds at the
earliest, and what could not be given is given then.  Where it has lost everything, all is given again.  What
is wrong with one site there concerns that site alone: it is exchanged again when it is written again.

Memory: the names of sites that are due; of a site that is in memory, what the others know of it, merged
within the limits of one worker; the fingerprints of all workers; ``_MOST_UNWRITTEN`` parts that the folder
did not take.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from secrets import token_hex
from threading import Lock, Thread
from typing import TypeVar

from templcrawl.errors import InvalidSnapshot, StoreAway
from templcrawl.files import whole_file
from templcrawl.memory.clusters import known_across_sites
from templcrawl.memory.columns import Frozen
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.kinds import Snapshot
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.site import SiteMemory
from templcrawl.memory.site_store import ALL_SITES, packed_part
from templcrawl.memory.store import FolderStore
from templcrawl.workers.redis_store import RedisStore

T = TypeVar("T")

_PATIENCE = 5.0
_SECONDS_AT_CLOSE = 5.0
_MOST_SECONDS_AT_CLOSE = 60.0
_MOST_UNWRITTEN = 32
_FINGERPRINTS_AT_ONCE = 8


class SharedSites:
    """The store of a worker, and what it hears of the others.

    heard      what the event loop is to do to the memory, in this order
    failed     errors of ours that the thread met
    exchanges  how often a part was given and the others asked
    failures   how often the shared store did not answer
    away       why it does not answer, None while it does
    broken     what was found in the place of something of ours, last; None before
    """

    def __init__(self, own: FolderStore, shared: RedisStore, options: MemoryOptions) -> None:
        """Share what is written to a store.

        own      where this worker keeps what it has learned
        options  how it learns; without a salt, the workers agree on one
        """
        self.shared = shared
        self.heard: deque[Callable[[CrawlMemory], None]] = deque()
        self.failed: deque[Exception] = deque()
        self.exchanges = self.failures = 0
        self.away: StoreAway | None = None
        self.broken: InvalidSnapshot | None = None
        self._own = own
        self._options = options
        self._has_own_salt = options.sample_salt is not None
        self._salt = options.sample_salt or 0
        self._told: set[bytes] = set()
        self._anew: set[str] = set()
        self._sent: dict[str, None] = {}
        self._since = ""
        self._not_before = 0.0
        self._lock = Lock()
        self._thread: Thread | None = None
        self._is_due = self._is_closing = self._is_over = False
        self._is_to_agree = False
        self._asked: dict[str, None] = {}
        self._unsent: dict[str, None] = {}
        self._giving: str | None = None
        self._unwritten: LruDict[str, bytes] = LruDict(_MOST_UNWRITTEN)

    # what the event loop and the thread of the folder call: nothing of it waits for the shared store

    def load(self, host: str) -> Snapshot | None:
        """Return this worker's part of a site; raises InvalidSnapshot."""
        self._anew.add(host)
        return self._own.load(host)

    def save(self, host: str, snapshot: Snapshot | Frozen | bytes) -> None:
        """Keep this worker's part of a site, and let it be exchanged; raises OSError, InvalidSnapshot."""
        part = packed_part(snapshot)
        is_written = False
        try:
            self._own.save(host, part)
            is_written = True
        finally:
            with self._lock:
                self._unwritten.pop(host)
                if not is_written:
                    self._unwritten[host] = part
                self._unsent[host] = None
            self.resend()

    def agree(self, salt: int) -> None:
        """Let the workers agree on a salt, on this one if there is none yet."""
        self._salt = salt
        self._is_to_agree = True
        self.resend()

    def ask(self, host: str) -> None:
        """Hear of a site before its first page is here; where the shared store is away, do not."""
        with self._lock:
            self._asked[host] = None
        self.resend()

    def resend(self) -> None:
        """Begin to exchange what is due, unless that is under way."""
        with self._lock:
            self._is_due = True
            if self._thread is None and not self._is_over:
                self._thread = Thread(target=self._work, name="templcrawl-workers", daemon=True)
                self._thread.start()

    @property
    def is_busy(self) -> bool:
        """Whether the thread is at work."""
        return self._thread is not None

    def wait(self, seconds: float | None = None) -> None:
        """Wait until the thread has done what it can, or as long as that."""
        thread = self._thread
        if thread is not None:
            thread.join(seconds)

    def close(self) -> int:
        """Give what is left, as long as some of it is taken; return how many sites could not be given."""
        self._is_closing = True
        self._not_before = 0.0
        self.resend()
        until = time.monotonic() + _MOST_SECONDS_AT_CLOSE
        before = -1
        while self.is_busy and self.exchanges != before and time.monotonic() < until:
            before = self.exchanges
            self.wait(_SECONDS_AT_CLOSE)
        self._is_over = True
        with self._lock:
            return len({*self._unsent, self._giving} - {None})

    # what the thread does

    def _work(self) -> None:
        """Exchange what is due until nothing is, or it cannot be."""
        while self._take_turn():
            while (job := self._next()) is not None and self._guarded(job):
                pass
        if self._is_closing:
            self._guarded(self.shared.close)

    def _take_turn(self) -> bool:
        """Say whether anything has become due since the last turn; the thread ends if not."""
        with self._lock:
            is_due, self._is_due = self._is_due and not self._is_over, False
            if not is_due:
                self._thread = None
            return is_due

    def _next(self) -> Callable[[], None] | None:
        """Return what is to be done next: a site whose first page is under way goes before all others."""
        with self._lock:
            if time.monotonic() < self._not_before or self._is_over:
                self._asked.clear()
                return None
            if self._is_to_agree:
                return self._agree
            for host in self._asked:
                del self._asked[host]
                return partial(self._listen, host, expected=True)
            for host in self._unsent:
                return partial(self._exchange, host)
        return None

    def _guarded(self, job: Callable[[], None]) -> bool:
        """Do something; say whether the shared store has answered."""
        try:
            job()
        except StoreAway as error:
            self.failures += 1
            self.away = error
            self._not_before = time.monotonic() + _PATIENCE
            return False
        except InvalidSnapshot as error:
            self.shared.unreadable += 1
            self.broken = error
        except Exception as error:
            self.failed.append(error)
        return True

    def _agree(self) -> None:
        """Agree on a salt, and see whether the shared store is the one that it was."""
        self._is_to_agree = False
        try:
            salt, since = self.shared.agree(self._salt)
        except StoreAway:
            self._is_to_agree = True
            raise
        self.away = None
        if since != self._since:
            self._since = since
            with self._lock:
                self._unsent = {**self._sent, **self._unsent}
        if salt != self._salt and not self._has_own_salt:
            self._salt = salt
            self.heard.append(lambda memory: memory.draw_again(salt))

    def _exchange(self, host: str) -> None:
        """Give the part of a site, and hear of the others."""
        with self._lock:
            self._giving = host
            del self._unsent[host]
            part = self._unwritten.get(host)
        try:
            part = part or self._own.read(host)
            if part is not None:
                self._give(host, part)
        except StoreAway:
            with self._lock:
                self._unsent[host] = None
            raise
        finally:
            self._giving = None

    def _give(self, host: str, part: bytes) -> None:
        with suppress(InvalidSnapshot):  # what lies there is no salt: each worker goes on by its own
            self._agree()
        if host in self._anew:
            self._anew.discard(host)
            self.shared.forget(host)
        self.shared.save(host, part)
        self._sent[host] = None
        self._listen(host)
        self.exchanges += 1

    def _listen(self, host: str, *, expected: bool = False) -> None:
        """Read what the others have written, if any of it is new."""
        parts = self.shared.others(host)
        self.away = None
        if parts is not None and host == ALL_SITES:
            self._hear_of_all_sites(parts)
        elif parts is not None:
            self._hear(host, parts, expected=expected)

    def _hear(self, host: str, parts: Sequence[Snapshot], *, expected: bool) -> None:
        """Merge the parts of a site."""
        options = self._options_now()
        read = (self._read(partial(SiteMemory.from_snapshot, part, options, host=host)) for part in parts)
        sites = [site for site in read if site is not None]
        remote = SiteMemory(host, options)
        remote.merge(sites)
        self.heard.append(partial(CrawlMemory.set_remote, host=host, remote=remote, expected=expected))

    def _read(self, read: Callable[[], T]) -> T | None:
        """Return what a part holds, None where it cannot be read: that is counted."""
        try:
            return read()
        except (InvalidSnapshot, ValueError):
            self.shared.unreadable += 1
            return None

    def _options_now(self) -> MemoryOptions:
        return self._options if self._has_own_salt else replace(self._options, sample_salt=self._salt)

    def _hear_of_all_sites(self, parts: Sequence[Snapshot]) -> None:
        """Merge what is known across sites."""
        known = [part for part in parts if self._read(partial(known_across_sites, [part])) is not None]
        fingerprints, relevance = known_across_sites(known)
        ordered = [fingerprint for fingerprint in fingerprints if fingerprint not in self._told]
        self._told.update(ordered)
        for first in range(0, max(1, len(ordered)), _FINGERPRINTS_AT_ONCE):
            some = ordered[first : first + _FINGERPRINTS_AT_ONCE]
            set_remote = partial(CrawlMemory.set_remote_all_sites, fingerprints=some, relevance=relevance)
            self.heard.append(set_remote)


def worker_name(folder: Path | None) -> str:
    """Return the name of a worker: drawn by chance, and kept with the JOBDIR that it has, if any."""
    if folder is None:
        return token_hex(8)
    path = folder / "worker"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as file:
            file.write(token_hex(8).encode())
    return path.read_text(encoding="ascii").strip()

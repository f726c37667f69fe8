"""A store that workers of a crawl share: each gives its parts to the others, and hears of theirs.

What a worker has learned lies in a folder of its own, as without other workers: in its JOBDIR, or one that
goes when the crawl ends.  Whenever a site is written there its part is written to the shared store too, and
the parts of the others are read and united (``SiteMemory.unite``); what comes of it waits in ``heard`` until
the event loop takes it up.  All of this is done by the thread of
:class:`~templcrawl.components.checkpoints.BackgroundStore`, in the order in which sites are given to it.

Where the shared store is away the crawl goes on alone: it is asked again after ``_PATIENCE`` seconds at the
earliest, and what could not be given is given then, from the folder.  Where it has lost everything, all is
given again.

Memory: of a site that is in memory, what the others know of it, united within the limits of one worker; the
fingerprints of all workers.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import TypeVar

from templcrawl.errors import InvalidSnapshot, StoreAway
from templcrawl.memory.across_sites import known_across_sites
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.entries import Plain
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.redis_store import RedisStore
from templcrawl.memory.site import SiteMemory
from templcrawl.memory.site_store import ALL_SITES, SiteStore, packed_part
from templcrawl.memory.snapshots import Frozen
from templcrawl.whole_files import whole_file

T = TypeVar("T")

_PATIENCE = 5.0
_MOST_AT_ONCE = 64
_MOST_AT_CLOSE = 2_000
_FINGERPRINTS_AT_ONCE = 8


class SharedSites:
    """The store of a worker, and what it hears of the others.

    heard      what the event loop is to do to the memory, in this order
    exchanges  how often a part was given and the others asked
    failures   how often the shared store did not answer
    away       why it does not answer, None while it does
    """

    def __init__(self, own: SiteStore, shared: RedisStore, options: MemoryOptions) -> None:
        """Share what is written to a store.

        own      where this worker keeps what it has learned
        options  how it learns; without a salt, the workers agree on one
        """
        self.shared = shared
        self.heard: deque[Callable[[CrawlMemory], None]] = deque()
        self.exchanges = self.failures = 0
        self.away: StoreAway | None = None
        self._own = own
        self._options = options
        self._has_own_salt = options.sample_salt is not None
        self._salt = options.sample_salt or 0
        self._told: set[bytes] = set()
        self._anew: set[str] = set()
        self._unsent: dict[str, None] = {}
        self._sent: dict[str, None] = {}
        self._since = ""
        self._not_before = 0.0

    def load(self, host: str) -> Plain | None:
        """Return this worker's part of a site; raises InvalidSnapshot."""
        self._anew.add(host)
        return self._own.load(host)

    def save(self, host: str, snapshot: Plain | Frozen | bytes) -> None:
        """Keep this worker's part of a site, give it to the others and hear of theirs."""
        part = packed_part(snapshot)
        try:
            self._own.save(host, part)
        finally:
            self._exchange(host, part)

    def others(self, host: str) -> Sequence[Plain] | None:
        """Return the parts of the other workers; raises StoreAway."""
        return self.shared.others(host)

    def agree(self, salt: int) -> int:
        """Return the salt of the crawl, which is this one if there is none yet, or it cannot be asked for."""
        self._salt = salt
        self._reach(self._agree)
        return self._salt

    def ask(self, host: str) -> None:
        """Hear of a site before its first page is here."""
        self._reach(partial(self._listen, host, expected=True))

    def resend(self, most: int = _MOST_AT_ONCE) -> None:
        """Give what could not be given, or was lost, as far as it is in the folder."""
        for host in [*self._unsent][:most]:
            part = self._read(partial(self._own.load, host))
            if part is None:
                self._unsent.pop(host, None)
            elif not self._exchange(host, packed_part(part)):
                break

    def _exchange(self, host: str, part: bytes) -> bool:
        """Give a part, hear of the others; say whether that was possible."""
        self._unsent[host] = None
        if not self._reach(partial(self._give, host, part)):
            return False
        self._unsent.pop(host, None)
        self._sent[host] = None
        self.exchanges += 1
        return True

    def _reach(self, ask: Callable[[], None]) -> bool:
        """Ask the shared store, unless it was away just now; say whether it has answered."""
        if time.monotonic() < self._not_before:
            return False
        try:
            ask()
        except StoreAway as error:
            self.failures += 1
            self.away = error
            self._not_before = time.monotonic() + _PATIENCE
            return False
        self.away = None
        return True

    def _agree(self) -> None:
        salt, since = self.shared.agree(self._salt)
        if since != self._since:
            self._since, self._unsent = since, {**self._sent, **self._unsent}
        if salt != self._salt and not self._has_own_salt:
            self._salt = salt
            self.heard.append(lambda memory: memory.draw_again(salt))

    def _give(self, host: str, part: bytes) -> None:
        self._agree()
        if host in self._anew:
            self._anew.discard(host)
            self.shared.forget(host)
        self.shared.save(host, part)
        self._listen(host)

    def _listen(self, host: str, *, expected: bool = False) -> None:
        """Read what the others have written, if any of it is new."""
        parts = self.shared.others(host)
        if parts is not None and host == ALL_SITES:
            self._hear_of_all_sites(parts)
        elif parts is not None:
            self._hear(host, parts, expected=expected)

    def _hear(self, host: str, parts: Sequence[Plain], *, expected: bool) -> None:
        """Unite the parts of a site."""
        options = self._options_now()
        read = (self._read(partial(SiteMemory.from_snapshot, part, options, host=host)) for part in parts)
        sites = [site for site in read if site is not None]
        others = SiteMemory(host, options)
        others.unite(sites)
        self.heard.append(partial(CrawlMemory.hear, host=host, others=others, expected=expected))

    def _read(self, read: Callable[[], T]) -> T | None:
        """Return what a part holds, None where it cannot be read: that is counted."""
        try:
            return read()
        except (InvalidSnapshot, ValueError):
            self.shared.unreadable += 1
            return None

    def _options_now(self) -> MemoryOptions:
        return self._options if self._has_own_salt else replace(self._options, sample_salt=self._salt)

    def _hear_of_all_sites(self, parts: Sequence[Plain]) -> None:
        """Unite what is known across sites."""
        known = [part for part in parts if self._read(partial(known_across_sites, [part])) is not None]
        fingerprints, relevance = known_across_sites(known)
        ordered = [fingerprint for fingerprint in fingerprints if fingerprint not in self._told]
        self._told.update(ordered)
        for first in range(0, max(1, len(ordered)), _FINGERPRINTS_AT_ONCE):
            some = ordered[first : first + _FINGERPRINTS_AT_ONCE]
            self.heard.append(partial(CrawlMemory.hear_of_all_sites, fingerprints=some, relevance=relevance))

    def close(self) -> None:
        """Give what is left, without patience, and the connection back."""
        self._not_before = 0.0
        self.resend(_MOST_AT_CLOSE)
        self._reach(self.shared.close)


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

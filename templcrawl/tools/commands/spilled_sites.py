"""The states of many sites within a memory budget; those beyond it are rows of a temporary SQLite file.

The least recently used site is evicted first.  What a site takes is the length of its row; it is measured
anew each time that the site was used half as often again.  SQLite removes the file when it is closed, or the
process ends.  Cost: O(1), writing and reading a row for a site that left, and measuring: for each site as
much as writing some three rows of it.
"""

from __future__ import annotations

import pickle
import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from templcrawl.errors import TemporaryFilesFull

if TYPE_CHECKING:
    from typing_extensions import Self

BUDGET = 64 * 2**20
_PAGE_BYTES = 4_096
_TABLE = f"""
    PRAGMA page_size = {_PAGE_BYTES};
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    CREATE TABLE sites(host BLOB PRIMARY KEY, state BLOB);
"""

S = TypeVar("S")


@dataclass
class _Loaded(Generic[S]):
    """A site in memory.

    uses      how often it was used since it was loaded
    measured  uses at which ``size`` is measured next
    """

    state: S
    size: int = 0
    uses: int = 0
    measured: int = 1


class SpilledSites(Generic[S]):
    """Host -> the state of its site; leaving the context removes the file.

    make    host -> an empty state
    budget  bytes of those in memory, in all; one is always in memory
    path    the file; "": one where the system has temporary files
    most    bytes that it may take; None: all that there are
    """

    def __init__(
        self,
        make: Callable[[str], S],
        *,
        budget: int = BUDGET,
        path: str | Path = "",
        most: int | None = None,
    ) -> None:
        """Start without sites.  Raises sqlite3.Error."""
        self._make, self._budget, self._path, self._most = make, budget, path, most
        self._loaded: OrderedDict[str, _Loaded[S]] = OrderedDict()
        self._used = 0
        self._rows = sqlite3.connect(path, isolation_level=None)
        self._rows.executescript(_TABLE)
        if most is not None:
            self._rows.execute(f"PRAGMA max_page_count = {max(1, most // _PAGE_BYTES)}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._rows.close()

    @contextmanager
    def using(self, host: str) -> Iterator[S]:
        """Yield the state of a site, empty for a new one; then evict others if it has grown.

        Raises sqlite3.Error (a full disk), TemporaryFilesFull.
        """
        site = self._loaded.get(host) or _Loaded(self.peek(host))
        self._loaded[host] = site
        self._loaded.move_to_end(host)
        yield site.state
        site.uses += 1
        if site.uses < site.measured:
            return
        self._used -= site.size
        site.size = len(pickle.dumps(site.state, pickle.HIGHEST_PROTOCOL))
        site.measured += 1 + site.uses // 2
        self._used += site.size
        while self._used > self._budget and len(self._loaded) > 1:
            self._evict()

    def peek(self, host: str) -> S:
        """Return the state of a site without moving it into memory.  Raises sqlite3.Error."""
        if host in self._loaded:
            return self._loaded[host].state
        row = self._rows.execute("SELECT state FROM sites WHERE host = ?", (_key(host),)).fetchone()
        site: S = pickle.loads(row[0]) if row else self._make(host)
        return site

    def _evict(self) -> None:
        host, site = self._loaded.popitem(last=False)
        self._used -= site.size
        state = pickle.dumps(site.state, pickle.HIGHEST_PROTOCOL)
        try:
            self._rows.execute("INSERT OR REPLACE INTO sites VALUES (?, ?)", (_key(host), state))
        except sqlite3.OperationalError as error:
            if self._most is None or "full" not in str(error):
                raise
            raise TemporaryFilesFull(str(Path(self._path).parent), f"{self._most:,} bytes") from error


def _key(host: str) -> bytes:
    return host.encode("utf-8", "surrogatepass")

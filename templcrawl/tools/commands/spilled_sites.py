"""The states of many sites within a memory budget; the sites beyond it are in temporary files.

The least recently used site is evicted first.  Cost: O(1), and writing and reading a site that left.
"""

from __future__ import annotations

import pickle
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import attrgetter
from pathlib import Path
from typing import Generic, TypeVar

from xxhash import xxh3_128_hexdigest

from templcrawl.errors import TemporaryFilesFull
from templcrawl.tools.engines.engine import temporary_folder

BUDGET = 64 * 2**20


S = TypeVar("S")


class SpilledSites(Generic[S]):
    """Host -> the state of its site.

    make    host -> an empty one
    budget  sizes of those in memory, in all; one is always in memory
    size    what one takes of the budget: its bytes, about
    folder  where the files are; None: where the system has temporary files
    most    bytes that they may take; None: all that there are
    """

    def __init__(
        self,
        make: Callable[[str], S],
        *,
        budget: int = BUDGET,
        size: Callable[[S], int] = attrgetter("size"),
        folder: str | None = None,
        most: int | None = None,
    ) -> None:
        self._make = make
        self._budget = budget
        self._size = size
        self._sites: OrderedDict[str, S] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._used = 0
        self._folder = temporary_folder(folder)
        self._most = most
        self._written: dict[str, int] = {}
        self._bytes = 0

    def close(self) -> None:
        """Let go of the temporary files."""
        self._folder.cleanup()

    @contextmanager
    def using(self, host: str) -> Iterator[S]:
        """Yield the state of a site, an empty one for a new site; then let others leave, if it has grown.

        Raises OSError (a full disk), TemporaryFilesFull.
        """
        site = self._sites[host] = self.peek(host)
        self._sites.move_to_end(host)
        yield site
        size = self._size(site)
        self._used += size - self._sizes.get(host, 0)
        self._sizes[host] = size
        while self._used > self._budget and len(self._sites) > 1:
            self._evict()

    def peek(self, host: str) -> S:
        """Return the state of a site without moving it into memory.  Raises OSError."""
        if host in self._sites:
            return self._sites[host]
        path = self._path(host)
        if not path.exists():
            return self._make(host)
        with path.open("rb") as file:
            site: S = pickle.load(file)
        return site

    def _evict(self) -> None:
        host, site = self._sites.popitem(last=False)
        self._used -= self._sizes.pop(host, 0)
        with self._path(host).open("wb") as file:
            pickle.dump(site, file, pickle.HIGHEST_PROTOCOL)
            size = file.tell()
        self._bytes += size - self._written.get(host, 0)
        self._written[host] = size
        if self._most is not None and self._bytes > self._most:
            raise TemporaryFilesFull(self._folder.name, f"{self._most:,} bytes")

    def _path(self, host: str) -> Path:
        return Path(self._folder.name, xxh3_128_hexdigest(host.encode("utf-8", "surrogatepass")))

"""What is known of many sites, within a budget of memory: the rest of them wait in temporary files.

The site that was not used for longest leaves first.  Cost: O(1), and writing and reading a site that left.
"""

from __future__ import annotations

import pickle
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Generic, Protocol, TypeVar

from xxhash import xxh3_128_hexdigest

BUDGET = 64 * 2**20


class Sized(Protocol):
    """What is known of a site."""

    @property
    def size(self) -> int:
        """Bytes that it takes, about."""


S = TypeVar("S", bound=Sized)


class SpilledSites(Generic[S]):
    """Host -> what is known of it.

    make    what makes an empty one
    budget  bytes of those in memory, about; one is always in memory
    """

    def __init__(self, make: Callable[[], S], *, budget: int = BUDGET) -> None:
        self._make = make
        self._budget = budget
        self._sites: OrderedDict[str, S] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._used = 0
        self._folder = TemporaryDirectory(prefix="templcrawl-")

    def close(self) -> None:
        """Let go of the temporary files."""
        self._folder.cleanup()

    @contextmanager
    def using(self, host: str) -> Iterator[S]:
        """Yield what is known of a site, and take note afterwards that it may have grown.  Raises OSError."""
        yield self[host]
        self.used(host)

    def __getitem__(self, host: str) -> S:
        """Return what is known of a site, an empty one if that is nothing.  Raises OSError (a full disk)."""
        site = self._sites.get(host)
        if site is None:
            path = self._path(host)
            site = self._sites[host] = self._read(path) if path.exists() else self._make()
        self._sites.move_to_end(host)
        return site

    def used(self, host: str) -> None:
        """Take note that a site may have grown; let others leave if the budget is used up."""
        size = self._sites[host].size
        self._used += size - self._sizes.get(host, 0)
        self._sizes[host] = size
        while self._used > self._budget and len(self._sites) > 1:
            oldest, site = self._sites.popitem(last=False)
            with self._path(oldest).open("wb") as file:
                pickle.dump(site, file, pickle.HIGHEST_PROTOCOL)
            self._used -= self._sizes.pop(oldest, 0)

    def _read(self, path: Path) -> S:
        """Read back what this process wrote."""
        with path.open("rb") as file:
            site: S = pickle.load(file)
        return site

    def _path(self, host: str) -> Path:
        return Path(self._folder.name, xxh3_128_hexdigest(host.encode("utf-8", "surrogatepass")))

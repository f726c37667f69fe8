"""Site memories in a folder: one file a site, written whole or not at all.

What a file holds says :mod:`templcrawl.memory.site_store`.  A kill at any moment leaves the old file or the
new one.

Bounded: at most ``limit`` files and a sixteenth more.  Then those written longest ago are swept, down to the
limit; their sites are learned anew.  What is known across sites stays.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from xxhash import xxh3_64_hexdigest

from templcrawl.errors import InvalidSnapshot
from templcrawl.files import PART, whole_file, without_waiting
from templcrawl.memory.columns import Frozen
from templcrawl.memory.kinds import Snapshot
from templcrawl.memory.site_store import ALL_SITES, packed_part, refuse_newer, unpacked_part

MOST_FILES = 100_000

_SUFFIX = ".site"
_SPARE = 16


class FolderStore:
    """A folder of site memories.

    folder  where the files lie; made if it is missing
    swept   how many files had to leave for others
    """

    def __init__(self, folder: str | os.PathLike[str], *, limit: int = MOST_FILES) -> None:
        """Open a folder.

        limit  files that are kept

        Raises InvalidSnapshot if it cannot be opened, or a newer version of templcrawl wrote into it.
        """
        self.folder = Path(folder)
        self.swept = 0
        self._limit = limit
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            left_over, paths = list(self.folder.glob(f"*{PART}")), self._paths()
        except OSError as error:
            raise InvalidSnapshot(str(folder), f"the folder cannot be opened: {error}") from error
        for path in left_over:
            with suppress(OSError):
                path.unlink()
        for path in paths:
            refuse_newer(str(path), _head(path))
        self._files = len(paths)
        self._sweep()

    def _paths(self) -> list[Path]:
        return sorted(self.folder.glob(f"*{_SUFFIX}"))

    def __len__(self) -> int:
        return len(self._paths())

    def path(self, host: str) -> Path:
        """Return where the memory of a site lies."""
        readable = re.sub(r"[^a-z0-9.\-]", "_", host.lower())[:60]
        return self.folder / f"{readable}-{xxh3_64_hexdigest(host.encode())}{_SUFFIX}"

    def save(self, host: str, snapshot: Snapshot | Frozen | bytes) -> None:
        """Write the snapshot of a site; the old one stays until the new one is complete.

        Raises OSError, and InvalidSnapshot where a newer version of templcrawl has written one meanwhile.
        """
        path = self.path(host)
        is_new = not path.exists()
        refuse_newer(str(path), _head(path))
        written = packed_part(snapshot)
        with whole_file(path) as file:
            file.write(written)
        self._files += is_new
        self._sweep()

    def _sweep(self) -> None:
        """Let the files that were written longest ago go, if there are clearly too many."""
        if self._files <= self._limit + self._limit // _SPARE:
            return
        written = [(_written(path), path) for path in self._paths() if path != self.path(ALL_SITES)]
        for _, path in sorted(written)[: max(0, len(written) - self._limit)]:
            with suppress(OSError):
                path.unlink()
                self.swept += 1
        self._files = min(self._limit, len(written))

    def load(self, host: str) -> Snapshot | None:
        """Return the snapshot of a site, None for none; raises InvalidSnapshot if it cannot be read."""
        written = self.read(host)
        return None if written is None else unpacked_part(str(self.path(host)), written)

    def read(self, host: str) -> bytes | None:
        """Return what was written of a site, None for nothing; raises InvalidSnapshot."""
        path = self.path(host)
        try:
            with open(path, "rb", opener=without_waiting) as file:
                return file.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InvalidSnapshot(str(path), f"the file cannot be read: {error}") from error


def _head(path: Path) -> bytes:
    """Return the first line of a file, empty if it cannot be read."""
    with suppress(OSError), open(path, "rb", opener=without_waiting) as file:
        return file.readline(200)
    return b""


def _written(path: Path) -> int:
    """Return when a file was written, in nanoseconds; 0 if it is gone."""
    with suppress(OSError):
        return path.stat().st_mtime_ns
    return 0

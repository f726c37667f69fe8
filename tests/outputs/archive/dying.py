"""A file system in which a process is killed at a step of its choice, and one without room."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow.fs


class Killed(BaseException):
    """What ends the process."""


class Dying(pyarrow.fs.LocalFileSystem):
    """The local file system, until so many files were moved or deleted; ``steps`` counts what was tried."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.steps = 0
        self._after = after

    def _step(self) -> None:
        self.steps += 1
        if self.steps > self._after:
            raise Killed

    def move(self, *paths: str) -> None:
        self._step()
        super().move(*paths)

    def delete_file(self, path: str) -> None:
        self._step()
        super().delete_file(path)


@contextmanager
def room(size: int) -> Iterator[None]:
    """Let no file grow beyond so many bytes, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

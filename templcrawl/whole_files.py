"""Files and folders that are there only once they are whole.

They are written aside, in the same folder under a name that ends in ``.part``, and renamed.  A failure
leaves what was there before; a kill leaves the ``.part`` besides.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import IO

PART = ".part"


def without_waiting(path: str, flags: int) -> int:
    """Open a file as :func:`open` has it by its ``opener``; what is a named pipe is not waited for."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


@contextmanager
def whole_file(target: Path) -> Iterator[IO[bytes]]:
    """Give a file to write to; it takes its place, flushed to the disk, when the context is left.

    What is no plain file (a pipe, ``/dev/null``) is written to as it is.  Raises OSError.
    """
    if target.exists() and not target.is_file():
        with target.open("wb") as file:
            yield file
        return
    part = _aside(target)
    try:
        with part.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """Give a folder to write to; it takes its place, if that is free or empty, when the context is left.

    Raises OSError.
    """
    part = _aside(target)
    try:
        part.mkdir()
        yield part
        if target.exists():
            target.rmdir()
        part.replace(target)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise


def _aside(target: Path) -> Path:
    """Return a name beside a target that is not taken."""
    return target.absolute().with_name(f".{target.name}.{token_hex(4)}{PART}")

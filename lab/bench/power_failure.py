"""A disk that loses, when the power fails, all that was not synced.

    ADDONS = {"templcrawl.Addon": 500, "lab.bench.power_failure.Disk": 1}
    POWER_NOTES = "folder/notes"

In the process of a crawl the add-on notes the size of each file that is synced, and keeps a copy of the job's
file each time that its log was moved.  After a kill, :func:`fail` leaves of the folder of the crawl what the
disk is sure to have: of each file what was synced, the rest is cut off, and of the job's file the last copy.
The worst comes together that may: nothing was written back by itself.

Databases are left as they are, since they sync each commit by themselves.  The log is moved after
``LOG_BYTES``, so that it happens often.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG

from scrapy.settings import BaseSettings

from templcrawl import state_file
from templcrawl.state_file import JOB_FILE, StateFile

LOG_BYTES = 2**17
_SYNCED, _COPY = "synced", "copy"
_SUFFIXES = ("", "-wal")


class Disk:
    """The add-on."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Note from now on what is synced."""
        notes = Path(settings["POWER_NOTES"])
        notes.mkdir(parents=True, exist_ok=True)
        fsync, move_log = os.fsync, StateFile._move_log

        def note_synced(descriptor: int) -> None:
            fsync(descriptor)
            status = os.fstat(descriptor)
            if S_ISREG(status.st_mode):
                with (notes / _SYNCED).open("a") as file:
                    file.write(f"{json.dumps([status.st_ino, status.st_size])}\n")

        def copy_moved(file: StateFile, paths: Iterable[str]) -> None:
            move_log(file, paths)
            if file.path.name == JOB_FILE:
                part = notes / f"{_COPY}.part"
                shutil.rmtree(part, ignore_errors=True)
                part.mkdir()
                for suffix in _SUFFIXES:
                    with suppress(FileNotFoundError):
                        shutil.copyfile(f"{file.path}{suffix}", part / f"{JOB_FILE}{suffix}")
                shutil.rmtree(notes / _COPY, ignore_errors=True)
                part.rename(notes / _COPY)

        os.fsync = note_synced  # type: ignore[assignment]
        StateFile._move_log = copy_moved  # type: ignore[assignment, method-assign, unused-ignore]
        state_file._LOG_BYTES = LOG_BYTES


def fail(folder: Path, job: Path, notes: Path, elsewhere: Path) -> None:
    """Leave of a folder, and of the JOBDIR in it, what a disk has after a power failure.

    elsewhere  a folder that is on another machine
    """
    synced = dict[int, int]()
    if (notes / _SYNCED).exists():
        synced = dict(json.loads(line) for line in (notes / _SYNCED).read_text().splitlines())
    for path in folder.rglob("*"):
        is_apart = ".sqlite" in path.name or {notes, elsewhere}.intersection(path.parents)
        if path.is_file() and not is_apart:
            status = path.stat()
            os.truncate(path, min(status.st_size, synced.get(status.st_ino, 0)))
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    for suffix in (*_SUFFIXES, "-shm"):
        (job / f"{JOB_FILE}{suffix}").unlink(missing_ok=True)
        with suppress(FileNotFoundError):
            shutil.copyfile(notes / _COPY / f"{JOB_FILE}{suffix}", job / f"{JOB_FILE}{suffix}")

"""The folder of an archive where files are written before they are renamed into place.

``_aside/TABLE-RUN-NUMBER.parquet`` is there while a part is written, ``_aside/RUN.lock`` (in a local folder)
while its writer lives.  What is left of a writer that is known to be dead is removed: its lock is free, or,
where it has none, the file is a day old.

Cost: O(files aside), and one question to the file system.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime, timedelta, timezone
from pathlib import Path
from uuid import uuid4

from templcrawl.archive.location import Location
from templcrawl.arrow import load_pyarrow
from templcrawl.locks import FileLock

ASIDE = "_aside"

_LOCK = ".lock"
_RUN = re.compile(r"(?:[a-z]{1,20}-)?(\d{8}T\d{6}-[0-9a-f]{8})(?:-\d+\.parquet|\.lock)")
_RUN_NAME = re.compile(r"\d{8}T\d{6}-[0-9a-f]{8}(?=-)")
_OLD = timedelta(days=1)


def run_name() -> str:
    """Return a name for a run that no other has; later runs have later names."""
    return f"{datetime.now(timezone.utc):%Y%m%dT%H%M%S}-{uuid4().hex[:8]}"


def lock_run(location: Location, run: str) -> FileLock | None:
    """Lock the name of a writer in a local archive; None where there are no locks."""
    if location.scheme:
        return None
    path = Path(location.join(ASIDE, run + _LOCK))
    lock = FileLock(path)
    if lock.is_exclusive:
        return lock
    path.unlink()
    return None


def sweep_aside(location: Location) -> set[str]:
    """Remove what writers have left that are known to be dead; return the names of others, that live."""
    arrow = load_pyarrow()
    infos = location.filesystem.get_file_info(
        arrow.fs.FileSelector(location.join(ASIDE), allow_not_found=True)
    )
    runs = {info.path: match[1] for info in infos if (match := _RUN.fullmatch(info.base_name))}
    locked = {runs[info.path] for info in infos if info.path in runs and info.base_name.endswith(_LOCK)}
    dead = {
        run for run in locked if not location.scheme and _is_dead(Path(location.join(ASIDE, run + _LOCK)))
    }
    for info in infos:
        run = runs.get(info.path)
        if run in dead or (run is not None and run not in locked and is_old(info.mtime)):
            with suppress(OSError, arrow.ArrowException):
                location.filesystem.delete_file(info.path)
    return locked - dead


def run_of(name: str) -> str:
    """Return the run that the file of a part is called after, "" if it is none.

    >>> run_of("20260102T030405-0123abcd-000007.parquet")
    '20260102T030405-0123abcd'
    """
    match = _RUN_NAME.match(name)
    return match[0] if match else ""


def is_old(modified: datetime | None) -> bool:
    """Say whether a file was written so long ago that its writer has ended."""
    return modified is not None and modified < datetime.now(timezone.utc) - _OLD


def _is_dead(path: Path) -> bool:
    """Say whether the process that took a lock is known to have ended."""
    try:
        lock = FileLock(path)
    except OSError:
        return False
    lock.release()
    return lock.is_exclusive

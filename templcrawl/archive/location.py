"""Where an archive lies: a local folder, or a URI of any file system that PyArrow has.

``_aside`` in it is where files are written before they are renamed into place.

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
from typing import Any, NamedTuple
from uuid import uuid4

from templcrawl.arrow import load_pyarrow
from templcrawl.errors import InvalidOption
from templcrawl.files import FileLock


class Location(NamedTuple):
    """A folder on a file system.

    filesystem  PyArrow's
    path        of the folder on it
    scheme      what stands before ``://`` in its URI, "" for a local folder
    options     what stands behind ``?`` in it, as in ``endpoint_override=127.0.0.1:9000&scheme=http``
    """

    filesystem: Any
    path: str
    scheme: str = ""
    options: str = ""

    def join(self, *names: str) -> str:
        """Return the path of a file or folder in it."""
        return "/".join((self.path, *names))

    def address(self, *names: str) -> str:
        """Return the address of a file or folder in it as engines take it: a path, or a URI."""
        path = self.join(*names)
        if not self.scheme:
            return path
        return f"{self.scheme}://{path}" + (f"?{self.options}" if self.options else "")


def locate(uri: str) -> Location:
    """Return where a path or URI leads.  Raises InvalidOption, MissingExtra.

    >>> locate("/data/crawl/").join("pages")
    '/data/crawl/pages'
    """
    arrow = load_pyarrow()
    scheme = uri.partition("://")[0].lower() if "://" in uri else ""
    if scheme in ("", "file"):
        path = Path(uri[len("file://") :] if scheme else uri).absolute()
        return Location(arrow.fs.LocalFileSystem(), path.as_posix())
    try:
        filesystem, path = arrow.fs.FileSystem.from_uri(uri)
    except (OSError, ValueError, arrow.ArrowException) as error:
        raise InvalidOption(
            "archive", uri, f"a folder, or a URI that PyArrow's file systems take ({error})"
        ) from error
    return Location(filesystem, path.rstrip("/"), scheme, uri.partition("?")[2])


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

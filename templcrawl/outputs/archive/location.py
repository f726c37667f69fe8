"""The location of an archive: a local folder, or a URI of any file system that PyArrow has.

Files are written in its folder ``_aside``, then renamed into place.

``_aside/TABLE-RUN-NUMBER.parquet`` exists while a part is written, ``_aside/RUN.lock`` (in a local folder)
while its writer lives.  The files of a dead writer are removed.  A writer is dead if its lock is free, or,
without a lock, if the file is a day old.

Cost: O(files in ``_aside``), and one request to the file system.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from templcrawl.errors import InvalidOption
from templcrawl.files import FileLock
from templcrawl.outputs.arrow import load_pyarrow


class Location(NamedTuple):
    """A folder on a file system.

    filesystem  PyArrow's
    path        of the folder on it
    scheme      scheme of its URI, "" for a local folder
    options     query of its URI, as in ``endpoint_override=127.0.0.1:9000&scheme=http``
    """

    filesystem: Any
    path: str
    scheme: str = ""
    options: str = ""

    def join(self, *names: str) -> str:
        """Return the path of a file or folder in it."""
        return "/".join((self.path, *names))

    def address(self, *names: str) -> str:
        """Return the address of a file or folder in it in the form of engines: a path, or a URI."""
        path = self.join(*names)
        if not self.scheme:
            return path
        return f"{self.scheme}://{path}" + (f"?{self.options}" if self.options else "")


def locate(uri: str) -> Location:
    """Return the location of a path or URI.  Raises InvalidOption, MissingExtra.

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
    """Return a unique name for a run; later runs have later names."""
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
    """Remove the files of dead writers; return the names of the living ones."""
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
    """Return the run in the name of the file of a part, "" if there is none.

    >>> run_of("20260102T030405-0123abcd-000007.parquet")
    '20260102T030405-0123abcd'
    """
    match = _RUN_NAME.match(name)
    return match[0] if match else ""


def is_old(modified: datetime | None) -> bool:
    """Return whether a file is so old that its writer must have ended."""
    return modified is not None and modified < datetime.now(timezone.utc) - _OLD


def _is_dead(path: Path) -> bool:
    """Return whether the process that held a lock has ended."""
    try:
        lock = FileLock(path)
    except OSError:
        return False
    lock.release()
    return lock.is_exclusive

"""The location of an archive: a local folder, or a URI of any file system that PyArrow has.

Files are written in its folder ``_aside``, then renamed into place.  What a killed writer leaves there is
removed by the next one, a day after it was written.

A local archive has two locks in ``_aside``: crawls that write into it share ``writers.lock``, which a
compaction has alone; the first of them has ``archive.lock``.

Cost: O(files in a folder), and one request to the file system.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from templcrawl.errors import InvalidOption
from templcrawl.files import FileLock
from templcrawl.outputs.arrow import load_pyarrow

ASIDE = "_aside"
WRITERS = "writers.lock"
ENDING = ".parquet"

_OLD = timedelta(days=1)


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

    def parquet_files(self, *folder: str) -> list[Any]:
        """Return PyArrow's descriptions of the Parquet files in a folder, ascending by name."""
        arrow = load_pyarrow()
        infos = self.filesystem.get_file_info(arrow.fs.FileSelector(self.join(*folder), allow_not_found=True))
        files = [
            info for info in infos if info.type == arrow.fs.FileType.File and info.base_name.endswith(ENDING)
        ]
        return sorted(files, key=lambda info: info.base_name)

    def rows(self, *names: str) -> int:
        """Return how many rows a Parquet file has.  Raises OSError, ArrowException."""
        metadata = load_pyarrow().parquet.read_metadata(self.join(*names), filesystem=self.filesystem)
        return int(metadata.num_rows)


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


def run_name() -> str:
    """Return a unique name for a run; later runs have later names."""
    return f"{datetime.now(timezone.utc):%Y%m%dT%H%M%S}-{uuid4().hex[:8]}"


def lock_archive(
    location: Location, name: str, *, wait: bool = False, shared: bool = False
) -> FileLock | None:
    """Take a lock of an archive; None where there are no locks.  Raises BlockingIOError if another has it."""
    return None if location.scheme else FileLock(Path(location.join(ASIDE, name)), wait=wait, shared=shared)


def sweep_aside(location: Location, *, age: timedelta = _OLD) -> None:
    """Remove the files of parts that killed writers have left aside, as far as they can be removed."""
    latest = datetime.now(timezone.utc) - age
    for info in location.parquet_files(ASIDE):
        if info.mtime is not None and info.mtime <= latest:
            with suppress(OSError, load_pyarrow().ArrowException):
                location.filesystem.delete_file(info.path)

"""Where an archive lies: a local folder, or a URI of any file system that PyArrow has."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from templcrawl.archive.schema import load_pyarrow
from templcrawl.errors import InvalidOption


class Location(NamedTuple):
    """A folder on a file system.

    filesystem  PyArrow's
    path        of the folder on it
    scheme      what stands before ``://`` in its URI, "" for a local folder
    """

    filesystem: Any
    path: str
    scheme: str = ""

    def join(self, *names: str) -> str:
        """Return the path of a file or folder in it."""
        return "/".join((self.path, *names))

    def address(self, *names: str) -> str:
        """Return the address of a file or folder in it as engines take it: a path, or a URI."""
        path = self.join(*names)
        return f"{self.scheme}://{path}" if self.scheme else path


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
    return Location(filesystem, path.rstrip("/"), scheme)

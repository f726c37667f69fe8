"""A folder of saved pages, of any depth.

A page is a file that ends in ``.html``, ``.htm`` or ``.xhtml`` (before a ``?``, as wget writes queries), or
one without an ending whose first bytes look like HTML.  Where the first folder looks like a host name, as
in wget's mirrors, and not like a file (``index.php/``), it is the host of the pages in it; else the name of
the whole folder stands for a host::

    mirror/example.org/a/b.html   http://example.org/a/b.html
    mirror/notes/b.html           http://mirror/notes/b.html

Files come in the order of their paths, each folder's files before its folders.  No folder is entered
by a symbolic link; a link to a file is read if it leads into the folder.

Example pages by page type are a folder of such folders, each named after a type and holding pages of it,
as in ``examples/article/one.html``, ``examples/article/two.html``, ``examples/list/news.html``.

Cost: O(size of the files), and one look through the folders to count the files.  Memory: the names of
the folders above a file and of their siblings, and one page.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import islice
from pathlib import Path
from urllib.parse import quote

from templcrawl.errors import InvalidOption
from templcrawl.files import open_nonblocking
from templcrawl.page.page import Page
from templcrawl.page.records import MAX_BYTES, SNIFFED, Record, Unreadable, looks_like_html

_MOST_EXAMPLES = 1_000
_MOST_ENTRIES = 100_000
_ENDINGS = (".html", ".htm", ".xhtml")
_HOST = re.compile(
    r"(?:(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?:[a-z]{2,}|xn--[a-z0-9-]+)|localhost|\d+(?:\.\d+){3})(?:[:+]\d+)?",
    re.IGNORECASE,
).fullmatch
_FILES = frozenset(
    "asp aspx cfm cgi css csv doc docx exe gif htm html ico jpeg jpg js json jsp mp3 mp4 pdf php php3 php5"
    " phtml png rss shtml svg txt wasm webp xhtml xls xlsx xml".split()
)
"""Endings of files; none is a top-level domain."""

_INVALID_IN_HOST = re.compile(r"[^a-z0-9.-]+")
_SAFE = "/?%&=+,;:@!$'()*~"


class FolderReader:
    """The pages of a folder, a :class:`~templcrawl.page.records.CrawlReader`.

    folder     where they are; raises InvalidOption if it is not a folder
    max_bytes  bytes of a page that are read
    """

    unit = "files"

    def __init__(self, folder: Path, *, max_bytes: int = MAX_BYTES) -> None:
        if not folder.is_dir():
            raise InvalidOption("folder", str(folder), "a folder of saved pages")
        self.folder = folder.resolve()
        self.max_bytes = max_bytes
        self.done = self.capped = 0
        self.unreadable = Unreadable()

    @cached_property
    def total(self) -> int:
        """Files that may be pages."""
        return sum(1 for _ in _page_files(self.folder, lambda name, reason: None))

    def __iter__(self) -> Iterator[Record]:
        """Yield its pages."""
        self.done = self.capped = 0
        self.unreadable = Unreadable()
        for path in _page_files(self.folder, self.unreadable.add):
            self.done += 1
            name = str(path.relative_to(self.folder))
            try:
                html = self._read(path)
            except OSError as error:
                self.unreadable.add(name, error.strerror or type(error).__name__)
                continue
            if html is not None:
                yield Record(page_url(self.folder, path), html)

    def _read(self, path: Path) -> bytes | None:
        """Return the bytes of a page, None if the file is not a page."""
        with open(path, "rb", opener=open_nonblocking) as file:
            html = file.read(SNIFFED)
            if not _ending(path.name) and not looks_like_html(html):
                return None
            html += file.read(self.max_bytes + 1 - len(html))
        self.capped += len(html) > self.max_bytes
        return html[: self.max_bytes]


class ExampleReader:
    """The pages of a folder of examples.

    types       names of the types, ascending
    unreadable  what could not be read; types of which 1,000 pages were read, and there are more
    Raises InvalidOption where the folder has no folder, or more than 100,000 files and folders.
    """

    def __init__(self, folder: str | Path) -> None:
        folder = Path(folder)
        expected = "a folder that holds a folder of pages for each page type"
        if not folder.is_dir():
            raise InvalidOption("examples", str(folder), expected)
        self.folder = folder
        if any(True for _ in islice(_entries(folder), _MOST_ENTRIES, None)):
            raise InvalidOption("examples", str(folder), f"{expected}, with {_MOST_ENTRIES:,} files at most")
        self.types = sorted(entry.name for entry in folder.iterdir() if entry.is_dir())
        self.unreadable = Unreadable()
        if not self.types:
            raise InvalidOption("examples", str(folder), expected)

    def __iter__(self) -> Iterator[tuple[str, Page]]:
        """Yield (type, page), type by type."""
        self.unreadable = Unreadable()
        for name in self.types:
            reader = FolderReader(self.folder / name)
            for number, record in enumerate(reader):
                if number == _MOST_EXAMPLES:
                    self.unreadable.add(name, f"the first {_MOST_EXAMPLES:,} pages of this type are enough")
                    break
                yield name, record.page()
            for path, reason in reader.unreadable.first:
                self.unreadable.add(f"{name}/{path}", reason)
            self.unreadable.count += len(reader.unreadable) - len(reader.unreadable.first)


def is_named_after_host(folder: Path) -> bool:
    """Return whether a folder has the name of a host, as in wget's mirrors.

    >>> is_named_after_host(Path("/saved/example.org")), is_named_after_host(Path("/saved/pages"))
    (True, False)
    """
    return _is_host(folder.name)


def _is_host(name: str) -> bool:
    return _HOST(name) is not None and name.rpartition(".")[2].lower() not in _FILES


def host_named_after(folder: Path) -> str:
    """Return a host that is named after a folder, whatever its name is."""
    return _INVALID_IN_HOST.sub("-", folder.name.lower()).strip("-.") or "localhost"


def page_url(folder: Path, path: Path) -> str:
    """Return the URL of a file of a folder.

    >>> page_url(Path("/saved/My mirror"), Path("/saved/My mirror/notes/a b.html"))
    'http://my-mirror/notes/a%20b.html'
    """
    first, *rest = path.relative_to(folder).parts
    if rest and _is_host(first):
        host, parts = first.lower().replace("+", ":"), rest
    else:
        host, parts = host_named_after(folder), [first, *rest]
    return f"http://{host}/{quote(os.fsencode('/'.join(parts)), safe=_SAFE)}"


def _ending(name: str) -> str:
    return Path(name.partition("?")[0]).suffix.lower()


def _entries(folder: Path) -> Iterator[str]:
    """Yield the names of all folders and files below a folder."""
    for _, folders, names in os.walk(folder):
        yield from folders
        yield from names


def _page_files(folder: Path, failed: Callable[[str, str], None]) -> Iterator[Path]:
    """Yield the files that may be pages, in order."""

    def note(error: OSError) -> None:
        failed(os.path.relpath(str(error.filename), folder), error.strerror or type(error).__name__)

    for parent, folders, names in os.walk(folder, onerror=note):
        folders.sort()
        for name in sorted(names):
            ending = _ending(name)
            path = Path(parent, name)
            if (not ending or ending in _ENDINGS) and _is_inside(path, folder):
                yield path


def _is_inside(path: Path, folder: Path) -> bool:
    """Return whether a path is a plain file of the folder, or a link to one."""
    try:
        if path.is_symlink() and not path.resolve().is_relative_to(folder):
            return False
        return stat.S_ISREG(path.stat().st_mode)
    except (OSError, RuntimeError):
        return False

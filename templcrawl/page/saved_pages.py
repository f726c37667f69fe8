"""Readers of saved pages: records one at a time, none retained; a total for progress; the first failures.

*A folder* may have any depth.  A page is a file that ends in ``.html``, ``.htm`` or ``.xhtml`` (before a
``?``, as wget writes queries), or one without an ending whose first bytes look like HTML.  Where the first
folder looks like a host name, as in wget's mirrors, and not like a file (``index.php/``), it is the host of
the pages in it; else the name of the whole folder stands for a host::

    mirror/example.org/a/b.html   http://example.org/a/b.html
    mirror/notes/b.html           http://mirror/notes/b.html

Files come in the order of their paths, each folder's files before its folders.  No folder is entered
by a symbolic link; a link to a file is read if it leads into the folder.

*Example pages* by page type are a folder of such folders, each named after a type and holding pages of it,
as in ``examples/article/one.html``, ``examples/article/two.html``, ``examples/list/news.html``.

Cost: O(size of the files), and one look through the folders to count the files.  Memory: the names of
the folders above a file and of their siblings, and one page.
"""

from __future__ import annotations

import os
import re
import sqlite3
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from time import monotonic
from typing import NamedTuple, Protocol
from urllib.parse import quote

from templcrawl.errors import InvalidOption, TemplcrawlError, pluralize
from templcrawl.files import open_nonblocking
from templcrawl.page.page import XHTML, Page

MAX_BYTES = 16 * 2**20  # bytes of a page that are read; longer pages are cut there, and counted as capped
SNIFFED = 1_024  # first bytes of a file that :func:`looks_like_html` reads
_MAX_NAMED = 10
_LONGEST_REASON = 200
_HTML_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:[^-]|-(?!->))*-->\s*)*"
    rb"<(?:!doctype\s+html|html|head|body|title|meta|script|style|link|div|table|h1|p|a|br)[\s/>]",
    re.IGNORECASE,
).match


class Record(NamedTuple):
    """A page as it was saved.

    url           its address
    html          its bytes, transfer and content encodings undone, at most ``MAX_BYTES``
    content_type  its Content-Type header, None without one
    """

    url: str
    html: bytes
    content_type: str | None = None

    def page(self) -> Page:
        """Return the record as a page."""
        return Page.from_html(self.html, self.url, content_type=self.content_type)


class Unreadable:
    """The records that could not be read: their number, and the names and reasons of the first ten.

    >>> unreadable = Unreadable()
    >>> unreadable.add("a.html", "no permission")
    >>> len(unreadable), unreadable.first
    (1, [('a.html', 'no permission')])
    >>> unreadable.add_all(Unreadable([("b.html", "no HTML")]), within="saved/")
    >>> len(unreadable), unreadable.first[1]
    (2, ('saved/b.html', 'no HTML'))
    """

    def __init__(self, known: Iterable[tuple[str, str]] = ()) -> None:
        self.count = 0
        self.first: list[tuple[str, str]] = []
        for name, reason in known:
            self.add(name, reason)

    def __len__(self) -> int:
        return self.count

    def add(self, name: str, reason: str) -> None:
        """Count one more."""
        self.count += 1
        if len(self.first) < _MAX_NAMED:
            self.first.append((name, reason))

    def add_all(self, others: Unreadable, within: str = "") -> None:
        """Count those of a part as well; ``within`` stands before their names."""
        for name, reason in others.first:
            self.add(within + name, reason)
        self.count += len(others) - len(others.first)

    @contextmanager
    def skipping(self, name: str) -> Iterator[None]:
        """Suppress an error in the work on a page: add the name of the page and the error.

        Errors of templcrawl itself, of the disk and of a database are raised.
        """
        try:
            yield
        except (TemplcrawlError, OSError, sqlite3.Error):
            raise
        except Exception as error:
            self.add(name, f"{type(error).__name__}: {error}"[:_LONGEST_REASON])


class CrawlReader(Protocol):
    """A finished crawl.  Iterating starts from the beginning.

    unit        what ``total`` and ``done`` count: "bytes" or "files"
    done        how much of the total has been read
    capped      pages that were cut at ``MAX_BYTES``
    unreadable  what could not be read
    """

    unit: str
    done: int
    capped: int
    unreadable: Unreadable

    @property
    def total(self) -> int:
        """How much there is."""

    def __iter__(self) -> Iterator[Record]:
        """Yield its pages."""


def each_page(
    reader: CrawlReader,
    use: Callable[[Page], object],
    doing: str = "",
    *,
    tell: Callable[[str], object] = lambda text: None,
    seconds: float = 0.0,
) -> None:
    """Call a function with every page of a reader that has an address.

    doing  what the pages are read for, as in "learning, 1 of 2"; "" without a purpose
    tell   called after so many seconds, and again, with how far the reader is
    A page on which ``use`` fails is skipped, and counts as one that cannot be read.
    """
    lead, last = f"{doing}: " if doing else "", monotonic()
    for number, record in enumerate(reader, start=1):
        if monotonic() - last >= seconds:
            last = monotonic()
            share = min(reader.done / max(reader.total, 1), 1.0)
            tell(f"{lead}{pluralize(number, 'page')}, {share:.0%} of the {reader.unit}")
        if not record.url:
            reader.unreadable.add(f"record {number}", "it has no URL")
            continue
        with reader.unreadable.skipping(record.url):
            use(record.page())


def looks_like_html(head: bytes) -> bool:
    """Return whether a file that starts like this is HTML; only the first 1,024 bytes are read.

    >>> looks_like_html(b"<!-- saved --> <!DOCTYPE html>"), looks_like_html(b"%PDF-1.7")
    (True, False)
    """
    return _HTML_START(head[:SNIFFED]) is not None


_MAX_EXAMPLES = 1_000
_MAX_ENTRIES = 100_000
_ENDINGS = (".html", ".htm", ".xhtml")
_HOST = re.compile(
    r"(?:(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?:[a-z]{2,}|xn--[a-z0-9-]+)|localhost|\d+(?:\.\d+){3})(?:[:+]\d+)?",
    re.IGNORECASE,
).fullmatch
# Endings of files; none is a top-level domain.
_FILES = frozenset(
    "asp aspx cfm cgi css csv doc docx exe gif htm html ico jpeg jpg js json jsp mp3 mp4 pdf php php3 php5"
    " phtml png rss shtml svg txt wasm webp xhtml xls xlsx xml".split()
)
_INVALID_IN_HOST = re.compile(r"[^a-z0-9._-]+")
_SAFE = "/?%&=+,;:@!$'()*~"


class FolderReader:
    """The pages of a folder, a :class:`~templcrawl.page.saved_pages.CrawlReader`.

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
                yield Record(
                    page_url(self.folder, path), html, XHTML if _ending(path.name) == ".xhtml" else None
                )

    def _read(self, path: Path) -> bytes | None:
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
        entries = chain.from_iterable(folders + files for _, folders, files in os.walk(folder))
        if any(True for _ in islice(entries, _MAX_ENTRIES, None)):
            raise InvalidOption("examples", str(folder), f"{expected}, with {_MAX_ENTRIES:,} files at most")
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
                if number == _MAX_EXAMPLES:
                    self.unreadable.add(name, f"the first {_MAX_EXAMPLES:,} pages of this type are enough")
                    break
                yield name, record.page()
            self.unreadable.add_all(reader.unreadable, within=f"{name}/")


def is_host_name(name: str) -> bool:
    """Return whether the name of a folder is that of a host, as in wget's mirrors.

    >>> is_host_name("example.org"), is_host_name("pages"), is_host_name("index.php")
    (True, False, False)
    """
    return _HOST(name) is not None and name.rpartition(".")[2].lower() not in _FILES


def host_named_after(folder: Path) -> str:
    """Return a host that is named after a folder, whatever its name is.

    >>> host_named_after(Path("saved/Tea_shop")), host_named_after(Path("saved/Tea & cups"))
    ('tea_shop', 'tea-cups')
    """
    return _INVALID_IN_HOST.sub("-", folder.name.lower()).strip("-.") or "localhost"


def page_url(folder: Path, path: Path) -> str:
    """Return the URL of a file of a folder.

    >>> page_url(Path("/saved/My mirror"), Path("/saved/My mirror/notes/a b.html"))
    'http://my-mirror/notes/a%20b.html'
    """
    first, *rest = path.relative_to(folder).parts
    if rest and is_host_name(first):
        host, parts = first.lower().replace("+", ":"), rest
    else:
        host, parts = host_named_after(folder), [first, *rest]
    return f"http://{host}/{quote(os.fsencode('/'.join(parts)), safe=_SAFE)}"


def _ending(name: str) -> str:
    return Path(name.partition("?")[0]).suffix.lower()


def _page_files(folder: Path, failed: Callable[[str, str], None]) -> Iterator[Path]:
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
    try:
        if path.is_symlink() and not path.resolve().is_relative_to(folder):
            return False
        return stat.S_ISREG(path.stat().st_mode)
    except (OSError, RuntimeError):
        return False

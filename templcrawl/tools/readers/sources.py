"""The reader for a finished crawl: of a folder, a WARC file, or an archive that has bodies.

Cost for an archive: O(size of the bodies).  Memory: a page as it was stored, and the addresses of a part.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from templcrawl.errors import InvalidOption
from templcrawl.outputs.archive.parts import Archive, first_line, is_archive
from templcrawl.outputs.archive.schema import BODIES, PAGES
from templcrawl.outputs.arrow import load_pyarrow
from templcrawl.page.records import MAX_BYTES, CrawlReader, FolderReader, Record, Unreadable
from templcrawl.tools.readers.warc import WarcReader

WARC_ENDINGS = (".warc", ".warc.gz", ".warc.zst")
ACCEPTED = (
    f"a folder of saved pages, a file that ends in {', '.join(WARC_ENDINGS[:-1])} or {WARC_ENDINGS[-1]}, "
    "or a crawl archive"
)


def open_pages(path: str | Path, *, max_bytes: int = MAX_BYTES) -> CrawlReader:
    """Return the reader of a finished crawl; an address with a scheme (``s3://``) is a crawl archive.

    Raises InvalidOption if there is no file or its format is not supported, MissingExtra without its library.
    """
    if "://" in str(path):
        return ArchiveReader(str(path), max_bytes=max_bytes)
    path = Path(path)
    if is_archive(path):
        return ArchiveReader(str(path), max_bytes=max_bytes)
    if path.is_dir():
        return FolderReader(path, max_bytes=max_bytes)
    if not path.exists():
        raise InvalidOption("input", str(path), f"{ACCEPTED} (there is no such file)")
    if path.is_file() and path.name.lower().endswith(WARC_ENDINGS):
        return WarcReader(path, max_bytes=max_bytes)
    raise InvalidOption("input", str(path), ACCEPTED)


_BATCH_ROWS = 1  # a few kilobytes on disk may unpack to many pages of any size
_LONGEST_URL = 2**16


class ArchiveReader:
    """The pages of an archive, a :class:`~templcrawl.page.records.CrawlReader`.

    uri        its location
    max_bytes  bytes of a page that are read
    Raises InvalidOption if it is not an archive or has no bodies, InvalidSnapshot, MissingExtra.
    """

    unit = "parts"

    def __init__(self, uri: str, *, max_bytes: int = MAX_BYTES) -> None:
        self._archive = Archive(uri)
        if not self._archive.has_bodies:
            wanted = "an archive with bodies (TEMPLCRAWL_ARCHIVE_BODIES = True)"
            raise InvalidOption("input", uri, wanted)
        self.total = len(self._archive.parts)
        self.max_bytes = max_bytes
        self.done = self.capped = 0
        self.unreadable = Unreadable()

    def __iter__(self) -> Iterator[Record]:
        """Yield its pages, in the order in which they were observed."""
        arrow = load_pyarrow()
        self.done = self.capped = 0
        self.unreadable = Unreadable()
        for name, reason in self._archive.unreadable:
            self.unreadable.add(name, reason)
        for part in self._archive.parts:
            self.done += 1
            try:
                yield from self._records(part)
            except (OSError, arrow.ArrowException) as error:
                self.unreadable.add(f"{BODIES}/{part}", first_line(error))

    def _records(self, part: str) -> Iterator[Record]:
        about = {}
        for batch in self._archive.batches(PAGES, part, ["page", "url"], _BATCH_ROWS):
            batch.validate(full=True)
            for row in batch.to_pylist():
                if len(row["url"]) <= _LONGEST_URL:
                    about[row["page"]] = row["url"]
        as_bytes = load_pyarrow().binary()
        for batch in self._archive.batches(BODIES, part, ["page", "html"], _BATCH_ROWS):
            for page, body in zip(batch["page"].to_pylist(), batch["html"].cast(as_bytes).to_pylist()):
                url = about.get(page)
                if url is None or not _is_text(body):
                    self.unreadable.add(f"{BODIES}/{part}, {url or page}", "a damaged row")
                    continue
                self.capped += len(body) > self.max_bytes
                yield Record(url, body[: self.max_bytes], "text/html; charset=utf-8")


def _is_text(cell: bytes | None) -> bool:
    try:
        return cell is not None and cell.decode() is not None
    except UnicodeDecodeError:
        return False

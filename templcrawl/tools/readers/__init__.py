"""The readers of finished crawls: of a folder, a WARC or WACZ file, or an archive that has bodies."""

from __future__ import annotations

from pathlib import Path

from templcrawl.errors import InvalidOption
from templcrawl.outputs.archive.archive_parts import ArchiveReader, is_archive
from templcrawl.page.saved_pages import MAX_BYTES, CrawlReader, FolderReader
from templcrawl.tools.readers.wacz import WARC_ENDINGS, WaczReader
from templcrawl.tools.readers.warc import WarcReader

WACZ_ENDING = ".wacz"
ENDINGS = (*WARC_ENDINGS, WACZ_ENDING)
ACCEPTED = (
    f"a folder of saved pages, a file that ends in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}, "
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
    if path.is_file() and path.name.lower().endswith(WACZ_ENDING):
        return WaczReader(path, max_bytes=max_bytes)
    raise InvalidOption("input", str(path), ACCEPTED)

"""The pages of a WACZ file: a ZIP file whose ``archive/`` has WARC files (browsertrix, ArchiveWeb.page).

Source: Web Archive Collection Zipped 1.1.1 (Webrecorder).  The index and the list of pages are not read.
Cost: as of WARC files, which are unpacked one at a time into a temporary file.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import BadZipFile, ZipFile

from templcrawl.errors import InvalidOption
from templcrawl.page.saved_pages import MAX_BYTES, Record, Unreadable
from templcrawl.tools.readers.warc import WarcReader

WARC_ENDINGS = (".warc", ".warc.gz", ".warc.zst")
_FOLDER = "archive/"


class WaczReader:
    """The pages of a WACZ file, a :class:`~templcrawl.page.saved_pages.CrawlReader`."""

    unit = "bytes"

    def __init__(self, path: Path, *, max_bytes: int = MAX_BYTES) -> None:
        """Open the file; raises InvalidOption if it is not a ZIP file with WARC files."""
        self.path, self.max_bytes = path, max_bytes
        try:
            with ZipFile(path) as archive:
                self._members = [
                    about
                    for about in archive.infolist()
                    if about.filename.startswith(_FOLDER) and about.filename.lower().endswith(WARC_ENDINGS)
                ]
        except BadZipFile as error:
            raise InvalidOption("file", str(path), f"a WACZ file ({error})") from error
        if not self._members:
            raise InvalidOption("file", str(path), f"a WACZ file, which has WARC files in {_FOLDER}")
        self.total = sum(about.file_size for about in self._members)
        self.done = self.capped = 0
        self.unreadable = Unreadable()

    def __iter__(self) -> Iterator[Record]:
        """Yield its pages, file by file."""
        self.done = self.capped = 0
        self.unreadable = Unreadable()
        for about in self._members:
            with TemporaryDirectory() as folder, ZipFile(self.path) as archive:
                copy = Path(folder, Path(about.filename).name)
                try:
                    with archive.open(about) as member, copy.open("wb") as file:
                        shutil.copyfileobj(member, file)
                except BadZipFile as error:
                    self.unreadable.add(about.filename, str(error))
                    continue
                reader, before = WarcReader(copy, max_bytes=self.max_bytes), self.done
                for record in reader:
                    self.done = before + reader.done
                    yield record
                self.done = before + about.file_size
                self.capped += reader.capped
                self.unreadable.add_all(reader.unreadable)

"""The pages of a WARC file: its responses of status 200 whose content is HTML.

Source: the WARC file format 1.0 and 1.1 (ISO 28500); Zstandard Compression for WARC Files 1.0 (IIPC).  Both
are read by FastWARC.

A file may be compressed by gzip or zstandard, a member a record or as a whole.  A record that is damaged or
that the file ends inside is counted and named by its offset.  FastWARC stops there; reading resumes at the
next start of a record.  Once ``_MAX_READINGS`` times the size of the file have been read, nothing is read
again: reading resumes behind what was read.  A record whose Content-Length is too large hides the following
ones.  ARC files and revisits are not read.

Cost: O(size of the file), whatever is damaged in it.  Memory: one page, at most three times ``max_bytes``;
for zstandard the window of a frame.
"""

from __future__ import annotations

import zlib
from collections.abc import Generator, Iterator
from io import SEEK_CUR, SEEK_END, SEEK_SET, BytesIO
from pathlib import Path
from typing import IO, Any

from templcrawl.errors import InvalidOption, load_extra
from templcrawl.page.saved_pages import MAX_BYTES, Record, Unreadable, looks_like_html
from templcrawl.tools.readers.payload import GZIP, GZIP_WINDOW, ZSTD, DamagedRecord, undo_encodings

_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_LONGEST_HEADERS = 2**20
_CHUNK = 2**16
_EMPTY_FRAME = ZSTD + b"\x00\x58\x01\x00\x00"
_DICTIONARY = b"\x5d\x2a\x4d\x18"
_LARGEST_DICTIONARY = 2**23
_RECORD = b"WARC/"
_CUT = "the file ends inside it"
_MAX_READINGS = 16
_MIN_READ = 2**20  # of a short file


class WarcReader:
    """The pages of a WARC file, a :class:`~templcrawl.page.saved_pages.CrawlReader`.

    path       the file; raises InvalidOption if it is not a file, MissingExtra without FastWARC
    max_bytes  bytes of a page that are read, before and after its encodings are undone
    """

    unit = "bytes"

    def __init__(self, path: Path, *, max_bytes: int = MAX_BYTES) -> None:
        if not path.is_file():
            raise InvalidOption("file", str(path), "a WARC file")
        self._open = load_extra("fastwarc.warc", "reading WARC files", "warc").ArchiveIterator
        self.path = path
        self.max_bytes = max_bytes
        self.total = path.stat().st_size
        self.done = self.capped = 0
        self.unreadable = Unreadable()

    def __iter__(self) -> Iterator[Record]:
        """Yield its pages."""
        self.done = self.capped = 0
        self.unreadable = Unreadable()
        with self.path.open("rb") as file:
            stream = _Stream(file)
            try:
                stream.read_dictionary()
            except DamagedRecord as error:
                self._add(0, str(error))
            start: int | None = stream.first
            while start is not None:
                start = yield from self._pages(stream, start)
        self.done = self.total

    def _pages(self, stream: _Stream, start: int) -> Generator[Record, None, int | None]:
        """Yield the pages from an offset on; return the offset to resume at, None at the end of the file."""
        offset, records, damaged = start, 0, -1
        waiting: Record | None = None  # the page read last: FastWARC notices later that its member is damaged
        stream.restart(start)
        try:
            for record in self._open(stream, parse_http=False, max_header_len=_LONGEST_HEADERS):
                if waiting is not None:
                    yield waiting
                offset, records, waiting = stream.offset(record.stream_pos), records + 1, None
                try:
                    page = self._page(record)
                except DamagedRecord as error:
                    self._add(damaged := offset, str(error))
                except OSError as error:
                    self._add(offset, str(error))
                    return self._resume(stream, offset + 1)
                else:
                    self.done = stream.offset(stream.tell())
                    waiting = page
        except OSError as error:
            if waiting is not None and stream.is_whole(offset):
                yield waiting
            following = self._resume(stream, offset + 1)
            if records or start == stream.first:
                self._add(following if records and following else offset, str(error))
            return following
        cut = stream.cut_member(offset)
        if cut is not None and cut != damaged:
            self._add(cut, _CUT)
        if waiting is not None and stream.is_whole(offset):
            yield waiting
        elif waiting is not None and cut is None:
            self._add(offset, "its checksum differs")
        return None

    def _resume(self, stream: _Stream, offset: int) -> int | None:
        """Return where the next record may start from an offset on, None at the end of the file."""
        if stream.read_bytes > max(_MAX_READINGS * self.total, _MIN_READ):
            reached = max(offset, stream.offset(stream.tell()))
            self._add(offset, f"{reached - offset:,} bytes from here on are not searched for records again")
            offset = reached
        return stream.next_record(offset)

    def _add(self, offset: int, reason: str) -> None:
        self.unreadable.add(f"{self.path.name}, byte {offset}", reason)

    def _page(self, record: Any) -> Record | None:
        if "Content-Length" not in record.headers or "WARC-Type" not in record.headers:
            raise DamagedRecord("no type or no length")
        is_answer = record.is_http and record.headers["WARC-Type"] == "response"
        if is_answer:
            record.parse_http(max_header_len=_LONGEST_HEADERS)
        length: int = record.content_length
        body: bytes = record.reader.read(min(length, self.max_bytes)) if is_answer else b""
        if len(body) + record.reader.consume() < length:
            raise DamagedRecord(_CUT)
        if not is_answer:
            return None
        answer = record.http_headers
        if answer.status_code is None:
            raise DamagedRecord("no HTTP response")
        kind = answer.get("Content-Type")
        is_page = not kind or kind.partition(";")[0].strip().lower() in _HTML_TYPES
        if answer.status_code != 200 or not is_page:
            return None
        html = undo_encodings(
            body,
            transfer=answer.get("Transfer-Encoding") or "",
            content=answer.get("Content-Encoding") or "",
            max_bytes=self.max_bytes + 1,
        )
        if not kind and not looks_like_html(html):
            return None
        self.capped += length > self.max_bytes or len(html) > self.max_bytes
        url = (record.headers.get("WARC-Target-URI") or "").strip("<>")
        return Record(url, html[: self.max_bytes], kind)


class _Stream:
    """A file object for FastWARC: the dictionary of a WARC file, then the file from a given record on.

    first       where its first record starts
    read_bytes  how many bytes were read, those read again counted again
    """

    def __init__(self, file: IO[bytes]) -> None:
        magic = file.read(4)
        packed = {GZIP: GZIP, ZSTD[:3]: ZSTD, _DICTIONARY[:3]: ZSTD}
        self._record = packed.get(magic[:3], _RECORD)
        self._file = file
        self._head = b""
        self.first = self._start = self._at = self.read_bytes = 0

    def read_dictionary(self) -> None:
        """Read the dictionary that the file is compressed with, if any.  Raises DamagedRecord."""
        from fastwarc.stream_io import ZstdReader
        from fastwarc.warc import ArchiveIterator

        self._file.seek(0)
        magic, size = self._file.read(4), int.from_bytes(self._file.read(4), "little")
        if magic != _DICTIONARY:
            return
        self.first = 8 + size
        content = self._file.read(min(size, _LARGEST_DICTIONARY))
        try:
            if content.startswith(ZSTD):
                content = ZstdReader(BytesIO(content)).read(_LARGEST_DICTIONARY + 1)
                size = len(content)
            if len(content) < size or size > _LARGEST_DICTIONARY:
                raise OSError(f"it is cut, or larger than {_LARGEST_DICTIONARY:,} bytes")
            frame = magic + size.to_bytes(4, "little") + content
            next(iter(ArchiveIterator(BytesIO(frame + _EMPTY_FRAME))), None)
        except OSError as error:
            raise DamagedRecord(f"damaged zstd dictionary ({error})") from error
        self._head = frame

    def restart(self, start: int) -> None:
        """Resume at an offset."""
        self._start, self._at = start, 0

    def offset(self, position: int) -> int:
        """Return the offset of a position in the file."""
        return self._start + max(0, position - len(self._head))

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes."""
        head = self._head[self._at :]
        self._file.seek(self.offset(self._at))
        chunk = head[:size] if head else self._file.read(size)
        self._at += len(chunk)
        self.read_bytes += len(chunk)
        return chunk

    def tell(self) -> int:
        """Return the position."""
        return self._at

    def seek(self, offset: int, whence: int = SEEK_SET) -> int:
        """Move to a position; return it."""
        if whence == SEEK_END:
            offset += self._file.seek(0, SEEK_END) - self._start + len(self._head)
        self._at = offset + self._at * (whence == SEEK_CUR)
        return self._at

    def close(self) -> None:
        """Leave the file open: it is read again."""

    def _members(self, offset: int) -> Iterator[tuple[int, bool]]:
        """Yield where each member of gzip starts, from an offset on, and whether the file has all of it.

        Raises zlib.error where one is damaged, also by its checksum.
        """
        self._file.seek(offset)
        member, data = None, b""
        while data or (data := self._file.read(_CHUNK)):
            if member is None or member.eof:
                if member is not None:
                    yield offset, True
                member, offset = zlib.decompressobj(GZIP_WINDOW), self._file.tell() - len(data)
            member.decompress(data, _CHUNK)
            data = member.unconsumed_tail or member.unused_data
        if member is not None:
            yield offset, member.eof

    def cut_member(self, offset: int) -> int | None:
        """Return the offset of the gzip member that the end of the file cuts, from an offset on.

        FastWARC treats an empty member as the end of the file, and does not require a checksum.
        """
        try:
            members = self._members(offset) if self._record == GZIP else ()
            return next((start for start, is_whole in members if not is_whole), None)
        except zlib.error:
            return None

    def is_whole(self, offset: int) -> bool:
        """Return whether the member of gzip at an offset is as it was written, by its checksum."""
        self._file.seek(offset)
        if self._file.read(len(GZIP)) != GZIP:
            return True
        try:
            return next(self._members(offset))[1]
        except zlib.error:
            return False

    def next_record(self, offset: int) -> int | None:
        """Return the next offset, from a given one on, at which a record may start; None without one."""
        overlap = len(self._record) - 1
        self._file.seek(offset)
        window = self._file.read(_CHUNK)
        while window:
            found = window.find(self._record)
            if found >= 0:
                return offset + found
            offset += max(1, len(window) - overlap)
            self._file.seek(offset)
            window = self._file.read(_CHUNK)
        return None

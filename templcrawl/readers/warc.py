"""The pages of a WARC file: its responses of status 200 whose content is HTML.

Source: the WARC file format 1.0 and 1.1 (ISO 28500), read with warcio's header parser; Zstandard
Compression for WARC Files 1.0 (IIPC).

A file may be compressed by gzip or zstandard, a member a record or as a whole.  A record that is damaged or
that the file ends inside is counted and named by its offset; reading goes on at the next start of a record.
A record whose Content-Length is too large takes the next ones with it, unseen.  Not read: ARC files,
revisits.

Cost: O(size of the file).  Memory: one page, at most three times ``max_bytes``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from templcrawl.errors import InvalidOption, MissingExtra
from templcrawl.readers.members import RECORD_START, DamagedRecord, Piece, pieces
from templcrawl.readers.payload import undo_encodings
from templcrawl.readers.records import MAX_BYTES, Record, Unreadable, looks_like_html

_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_STATUS = re.compile(rb"HTTP/[\d.]+[ \t]+(\d{3})").match
_LONGEST_HEADERS = 2**20


class WarcReader:
    """The pages of a WARC file, a :class:`~templcrawl.readers.records.Reader`.

    path       the file; raises InvalidOption if it is none, MissingExtra without the library for it
    max_bytes  bytes of a page that are read, before and after its encodings are undone
    """

    unit = "bytes"

    def __init__(self, path: Path, *, max_bytes: int = MAX_BYTES) -> None:
        if not path.is_file():
            raise InvalidOption("file", str(path), "a WARC file")
        try:
            from warcio.statusandheaders import StatusAndHeadersParser
        except ImportError as error:
            raise MissingExtra("reading WARC files", "warc") from error
        with path.open("rb") as file:
            next(pieces(file))  # raises MissingExtra
        self._parser = StatusAndHeadersParser([], verify=False)
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
            for piece in pieces(file):
                for record in self._records(piece):
                    self.done = file.tell()
                    yield record
            self.done = self.total

    def _records(self, piece: Piece) -> Iterator[Record]:
        """Yield the pages of a piece, each once what follows has shown that it is whole."""
        line, number = b"", 0
        while True:
            number += 1
            try:
                line = line or _next_line(piece)
                if not line:
                    return
                if not line.startswith(RECORD_START):
                    raise DamagedRecord("no record starts where one should")
                piece.in_record = True
                record = self._record(line, piece)
                piece.in_record = False
                line = _next_line(piece)
            except DamagedRecord as error:
                name = f"{self.path.name}, byte {piece.offset}"
                self.unreadable.add(name + (f", record {number}" if number > 1 else ""), str(error))
                line = _next_start(piece)
                continue
            if record is not None:
                yield record

    def _record(self, line: bytes, piece: Piece) -> Record | None:
        """Read a record to its end; return its page, None if it has none.  Raises DamagedRecord."""
        if not line.endswith(b"\n"):
            line += piece.readline()
        about = self._parse(line + _headers(piece))
        length = about.get_header("Content-Length") or ""
        if not length.isdecimal() or not about.get_header("WARC-Type"):
            raise DamagedRecord("no type or no length")
        left = int(length)
        is_answer = about.get_header("WARC-Type") == "response" and (
            (about.get_header("Content-Type") or "").lower().startswith("application/http")
        )
        head = _headers(piece, left) if is_answer else b""
        left -= len(head)
        status = _STATUS(head)
        if is_answer and status is None:
            raise DamagedRecord("no HTTP answer")
        answer = self._parse(head) if status and status[1] == b"200" else None
        kind = answer.get_header("Content-Type") if answer else None
        if answer is None or (kind and kind.partition(";")[0].strip().lower() not in _HTML_TYPES):
            _pass_over(piece, left)
            return None
        body = piece.read(min(left, self.max_bytes))
        _pass_over(piece, left - len(body))
        html = undo_encodings(
            body,
            transfer=answer.get_header("Transfer-Encoding") or "",
            content=answer.get_header("Content-Encoding") or "",
            max_bytes=self.max_bytes + 1,
        )
        if not kind and not looks_like_html(html):
            return None
        self.capped += left > self.max_bytes or len(html) > self.max_bytes
        url = (about.get_header("WARC-Target-URI") or "").strip("<>")
        return Record(url, html[: self.max_bytes], kind)

    def _parse(self, block: bytes) -> Any:
        """Return the headers of a block that starts with a status line."""
        return self._parser.parse(BytesIO(block))


def _next_line(piece: Piece) -> bytes:
    """Return the next line behind white space, b"" at the end."""
    piece.skip_space()
    return piece.readline()


def _next_start(piece: Piece) -> bytes:
    """Return the next line that starts a record, b"" where there is none."""
    try:
        return piece.readline() if piece.seek_line(RECORD_START) else b""
    except DamagedRecord:
        return b""


def _headers(piece: Piece, most: int = _LONGEST_HEADERS) -> bytes:
    """Return the lines up to a blank one and that one, or ``most`` bytes.

    Raises DamagedRecord at the end of the file, and where a megabyte has no blank line.
    """
    most = min(most, _LONGEST_HEADERS)
    block = bytearray()
    while len(block) < most:
        line = piece.readline(most - len(block))
        if not line:
            raise DamagedRecord("the file ends inside it")
        block += line
        if not line.strip(b"\r\n"):
            return bytes(block)
    if most == _LONGEST_HEADERS:
        raise DamagedRecord("headers without an end")
    return bytes(block)


def _pass_over(piece: Piece, size: int) -> None:
    """Pass over bytes.  Raises DamagedRecord where there are fewer."""
    if piece.skip(size) < size:
        raise DamagedRecord("the file ends inside it")

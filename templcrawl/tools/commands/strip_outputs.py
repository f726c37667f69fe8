"""The outputs of ``scrapy strip``: JSON lines, a Parquet file, or a folder of stripped HTML.

An output appears only when it is complete.  A run that is stopped or fails (a full disk) leaves nothing, and
what lay there before stays as it was.  JSON lines on stdout are written one by one.

Columns of JSON lines and Parquet, by the names that page items have in a crawl: ``url``, ``title``, the
answers of :mod:`templcrawl.outputs.answers` that have an ``option`` (null without that option;
``leaf_id`` is "" unless the detector keeps pages of other structure apart), ``truncated``.

*Names of files*: if the input is a folder of saved pages, a page keeps the name of its file.  Otherwise it is
named after its host and path, as wget does: the page of a directory is ``index.html``, a query stays behind
its ``?``, and a name without an ending of HTML gets one.  If the name is taken, longer than ``_LONGEST_PATH``
or refused by the file system, a hash is the name.

Cost: O(size of the pages).  Memory: one page; for Parquet a row group of at most 32 MB or 2,000 pages.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from errno import EEXIST, EILSEQ, EINVAL, EISDIR, ELOOP, ENAMETOOLONG, ENOTDIR
from functools import partial
from html import escape
from pathlib import Path, PurePosixPath
from typing import IO, Any, NamedTuple
from urllib.parse import quote, unquote_to_bytes, urlsplit

from xxhash import xxh3_64_hexdigest, xxh3_128_digest, xxh3_128_hexdigest

from templcrawl.errors import InvalidOption
from templcrawl.files import try_file, try_folder, whole_file, whole_folder
from templcrawl.memory.observation import Observation
from templcrawl.outputs.answers import ANSWERS
from templcrawl.outputs.arrow import RowGroups
from templcrawl.outputs.extractors import Extractor
from templcrawl.outputs.item_values import json_text, unescaped_json
from templcrawl.page.saved_pages import page_url
from templcrawl.page.text import storable
from templcrawl.tools.commands.base import STDOUT, names_folder

# Answer that is written -> type of its column.
STRIPPED = {name: row.column for name, row in ANSWERS.items() if row.option is not None}
OPTIONS = tuple(dict.fromkeys(row.option for row in ANSWERS.values() if row.option))  # that add answers

COLUMNS = {"url": "string", "title": "string", **STRIPPED, "truncated": "bool"}
ACCEPTED = "a file that ends in .jsonl or .parquet, - for stdout, or the name of a new folder"
JSON_LINES, PARQUET, FOLDER = ".jsonl", ".parquet", "folder"
_ENDINGS = (".html", ".htm", ".xhtml")
_LONGEST = 150
_LONGEST_PATH = 1_000  # characters; systems have 1,024 (macOS) or 4,096, and the folder has a name, too
_REFUSED_NAMES = frozenset({ENAMETOOLONG, EILSEQ, EINVAL, ENOTDIR, EISDIR, EEXIST, ELOOP})
_SAFE = "%&=+,;:@!$'()*~ ?"


class OutputFields(NamedTuple):
    """The options of ``scrapy strip`` that add answers to its output.

    options    those of ``OPTIONS`` that were given
    extractor  what makes the text of a page's article, None without one
    """

    options: Collection[str] = ()
    extractor: Extractor | None = None


def stripped_row(observation: Observation, fields: OutputFields) -> dict[str, Any]:
    """Return the row of a page: column -> cell."""
    row: dict[str, Any] = {"url": observation.page.url, "title": observation.page.title or None}
    for name in STRIPPED:
        option = ANSWERS[name].option
        if option and option not in fields.options:
            row[name] = None
        elif name == "article_text" and fields.extractor is not None:
            row[name] = fields.extractor(observation.separation)
        else:
            row[name] = getattr(observation, name)
    return {**row, "truncated": bool(observation.truncated)}


Write = Callable[[Observation], None]  # what adds a page to an output; it may raise OSError


def checked_form(output: str) -> str:
    """Return the form of an output; raises InvalidOption if it cannot be written.

    >>> checked_form("-")
    '.jsonl'
    """
    target, reason = Path(output), ""
    form = "" if output.endswith(("/", os.sep)) else target.suffix.lower()
    if output == STDOUT:
        return JSON_LINES
    is_folder = form not in (JSON_LINES, PARQUET)
    if is_folder and not names_folder(output):
        raise InvalidOption("output", output, f"{ACCEPTED} (with a slash, {output}/, if that is the folder)")
    try:
        if not target.absolute().parent.is_dir():
            reason = ", in a folder that exists"
        elif is_folder and target.exists() and (not target.is_dir() or any(target.iterdir())):
            reason = " (there is something of that name)"
        elif not is_folder and target.is_dir():
            reason = " (there is a folder of that name)"
        else:
            (try_folder if is_folder else try_file)(target)
    except OSError as error:
        reason = f" ({error.strerror or error})"
    if reason:
        raise InvalidOption("output", output, ACCEPTED + reason)
    return FOLDER if is_folder else form


@contextmanager
def open_output(
    output: str, form: str, fields: OutputFields, mirrored: Path | None = None
) -> Iterator[Write]:
    """Open an output whose form was checked; it takes its place as the context is left.

    mirrored  the folder after whose files those of a folder are named; None: they are named after URLs
    Raises MissingExtra or OSError; whatever is raised in the context leaves nothing.
    """
    target = Path(output)
    if output == STDOUT:
        yield partial(write_line, sys.stdout.buffer, fields)
        sys.stdout.buffer.flush()
    elif form == FOLDER:
        with whole_folder(target) as folder:
            yield partial(write_file, folder, Names(mirrored))
    elif form == JSON_LINES:
        with whole_file(target) as file:
            yield partial(write_line, file, fields)
    else:
        with whole_file(target) as file, RowGroups(file, COLUMNS) as groups:
            yield partial(write_row, groups, fields)


def write_line(file: IO[bytes], fields: OutputFields, observation: Observation) -> None:
    """Write a page as a line of JSON."""
    row = stripped_row(observation, fields)
    file.write(unescaped_json(row, separators=(",", ":")).encode() + b"\n")


def write_row(groups: RowGroups, fields: OutputFields, observation: Observation) -> None:
    """Write a page as a row of Parquet, its texts as UTF-8 can hold them."""
    row = stripped_row(observation, fields)
    for name, value in row.items():
        if isinstance(value, str):
            row[name] = storable(value)
        elif isinstance(value, dict):
            row[name] = json_text(value)
        elif isinstance(value, list):
            row[name] = [{**section, "path": list(map(storable, section["path"]))} for section in value]
    groups.append(row)


def write_file(folder: Path, names: Names, observation: Observation) -> None:
    """Write a page as a file of HTML, named as in the input folder, or after its URL."""
    title = f"<title>{escape(observation.page.title)}</title>"
    head = f'<!DOCTYPE html>\n<html><head><meta charset="utf-8">{title}</head>\n'
    html = f"{head}<body>\n{observation.content_html}\n</body></html>\n"
    content, name = html.encode("utf-8", "replace"), names.name(observation.page.url)
    try:
        _write_at(folder / name, content)
    except OSError as error:
        if error.errno not in _REFUSED_NAMES:
            raise
        _write_at(folder / _hashed(name.as_posix()), content)


def _write_at(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


class Names:
    """Names of files, no two of which are equal.

    mirrored  the folder whose pages they are; None: they are named after their URLs
    ending    of the names that are made of URLs, in place of that of HTML; "": that stays
    """

    def __init__(self, mirrored: Path | None, *, ending: str = "") -> None:
        self._mirrored, self._ending = mirrored and mirrored.resolve(), ending
        self._used: set[bytes] = set()

    def name(self, url: str) -> Path:
        """Return where a page is written, relative to the folder."""
        path = self._in_folder(url) or _path_of_url(url)
        path = path.with_suffix(self._ending or path.suffix)
        if len(os.fsencode(path)) > _LONGEST_PATH:
            path = Path(path.parts[0], _hashed(url)).with_suffix(self._ending or ".html")
        if xxh3_128_digest(os.fsencode(path)) in self._used:
            path = path.with_name(_hashed(f"{len(self._used)} {url}")).with_suffix(self._ending or ".html")
        self._used.add(xxh3_128_digest(os.fsencode(path)))
        return path

    def _in_folder(self, url: str) -> Path | None:
        """Return the file of the mirrored folder that has a URL."""
        if self._mirrored is None:
            return None
        host, _, path = url.partition("://")[2].partition("/")
        below = os.fsdecode(unquote_to_bytes(path))
        for relative in (below, f"{host}/{below}", f"{host.replace(':', '+')}/{below}"):
            file = self._mirrored / relative
            is_below = relative[:1] != "/" and ".." not in relative.split("/")
            if is_below and page_url(self._mirrored, file) == url:
                with suppress(OSError):  # a name that is too long
                    if file.is_file():
                        return Path(relative)
        return None


def _hashed(url: str) -> str:
    return f"{xxh3_128_hexdigest(url.encode('utf-8', 'surrogatepass'))}.html"


def _path_of_url(url: str) -> Path:
    try:
        parts = urlsplit(url)
    except ValueError:
        return Path("unnamed", _hashed(url))
    steps = [step for step in parts.path.split("/") if step.strip(".")]
    if parts.path.endswith("/") or not steps:
        steps.append("index.html")
    if parts.query:
        steps[-1] += f"?{parts.query}"
    host = parts.netloc.rpartition("@")[2].lower() or "unnamed"
    *above, last = (_step(step) for step in (host.strip(".") or "unnamed", *steps))
    folders = [f"{step}_" if _is_html(step) else step for step in above]
    return Path(*folders, last if _is_html(last.partition("?")[0]) else f"{last}.html")


def _is_html(name: str) -> bool:
    return PurePosixPath(name).suffix.lower() in _ENDINGS


def _step(step: str) -> str:
    name = quote(step.encode("utf-8", "surrogatepass"), safe=_SAFE)
    return name if len(name) <= _LONGEST else f"{name[:_LONGEST]}.{xxh3_64_hexdigest(name.encode())}"

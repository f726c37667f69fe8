"""A page without its template, as it is written, and the names that files of such pages have.

Names: where the input is a folder of saved pages, that of the page's file.  Else its host and its path, as
wget names files: a directory's page is ``index.html``, a query stays behind its ``?``, and a name without an
ending of HTML gets one.  A page whose name is taken is named by a hash.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import quote, unquote_to_bytes, urlsplit

from xxhash import xxh3_64_hexdigest

from templcrawl.memory.observation import Observation
from templcrawl.outputs.answers import ANSWERS
from templcrawl.outputs.extractors import Extractor
from templcrawl.page.records import page_url

_ENDINGS = (".html", ".htm", ".xhtml")
_LONGEST = 150
_SAFE = "%&=+,;:@!$'()*~ ?"


STRIPPED = {name: row.column for name, row in ANSWERS.items() if row.option is not None}
"""Answer that is written -> type of its column."""


class OutputFields(NamedTuple):
    """The options of ``scrapy strip`` that have answers written.

    extractor  what makes the text of a page's article, None without one
    html       whether ``content_html`` is written
    markdown   whether ``content_markdown`` and ``content_headings`` are
    """

    extractor: Extractor | None = None
    html: bool = False
    markdown: bool = False


class StrippedPage:
    """A page as it is written.

    url        its address
    title      text of its ``title``, None without one
    truncated  whether it hit a cap
    """

    def __init__(self, observation: Observation, fields: OutputFields) -> None:
        self.url = observation.page.url
        self.title = observation.page.title or None
        self.truncated = bool(observation.truncated)
        self._observation = observation
        self._fields = fields

    def answer(self, name: str) -> Any:
        """Return an answer, None where its option is not given."""
        option = ANSWERS[name].option
        if option and not getattr(self._fields, option):
            return None
        if name == "article_text" and self._fields.extractor is not None:
            return self._fields.extractor(self._observation.separation)
        if name == "template_id" and self._observation.page.assigned_label:
            return self._observation.page.assigned_label
        return getattr(self._observation, name)

    def row(self) -> dict[str, Any]:
        """Return column -> cell."""
        answers = {name: self.answer(name) for name in STRIPPED}
        return {"url": self.url, "title": self.title, **answers, "truncated": self.truncated}

    @property
    def body(self) -> str:
        """Its HTML without the template."""
        return self._observation.content_html


class Names:
    """Names of files, no two of which are equal.

    mirrored  the folder whose pages they are; None: they are named after their URLs
    """

    def __init__(self, mirrored: Path | None) -> None:
        self._name = _of_url if mirrored is None else _in_folder(mirrored.resolve())
        self._used: set[str] = set()

    def name(self, url: str) -> Path:
        """Return where a page is written, relative to the folder."""
        path = self._name(url)
        if _key(path) in self._used:
            digest = xxh3_64_hexdigest(f"{len(self._used)} {url}".encode("utf-8", "surrogatepass"))
            path = path.with_name(f"{digest}.html")
        self._used.add(_key(path))
        return path


def _key(path: Path) -> str:
    return xxh3_64_hexdigest(os.fsencode(path))


def _in_folder(folder: Path) -> Callable[[str], Path]:
    """Return what finds the file that a URL of a folder stands for."""

    def name(url: str) -> Path:
        host, _, path = url.partition("://")[2].partition("/")
        below = os.fsdecode(unquote_to_bytes(path))
        for relative in (below, f"{host}/{below}", f"{host.replace(':', '+')}/{below}"):
            is_below = relative[:1] != "/" and ".." not in relative.split("/")
            if is_below and page_url(folder, folder / relative) == url and (folder / relative).is_file():
                return Path(relative)
        return _of_url(url)

    return name


def _of_url(url: str) -> Path:
    """Return the name of a file for a URL; it leads nowhere but down."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return Path("unnamed", f"{xxh3_64_hexdigest(url.encode('utf-8', 'surrogatepass'))}.html")
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
    """Return a step of a path as a file may be called."""
    name = quote(step.encode("utf-8", "surrogatepass"), safe=_SAFE)
    return name if len(name) <= _LONGEST else f"{name[:_LONGEST]}.{xxh3_64_hexdigest(name.encode())}"

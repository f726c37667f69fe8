"""A page without its template, as it is written, and the names that files of such pages have.

Names: where the input is a folder of saved pages, that of the page's file.  Else its host and its path, as
wget names files: a directory's page is ``index.html``, a query stays behind its ``?``, and a name without an
ending of HTML gets one.  A page whose name is taken is named by a hash.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes, urlsplit

from xxhash import xxh3_64_hexdigest

from templcrawl.extractors.table import Extractor
from templcrawl.memory.observation import Observation
from templcrawl.page.markdown import Section
from templcrawl.readers.folder import page_url

_ENDINGS = (".html", ".htm", ".xhtml")
_LONGEST = 150
_KEPT = "%&=+,;:@!$'()*~ ?"


class Wanted(NamedTuple):
    """What is written of a page beside its text.

    extract   what makes the text of its article, None without one
    html      whether ``content_html`` is
    markdown  whether ``content_markdown`` and ``content_headings`` are
    """

    extract: Extractor | None = None
    html: bool = False
    markdown: bool = False


class StrippedPage:
    """A page as it is written; each part is worked out when it is asked for, None where nobody wants it."""

    def __init__(self, observation: Observation, wanted: Wanted) -> None:
        self._observation = observation
        self._wanted = wanted

    @property
    def url(self) -> str:
        """Its address."""
        return self._observation.page.url

    @cached_property
    def title(self) -> str | None:
        """Text of its ``title``."""
        return self._observation.page.title or None

    @property
    def content_text(self) -> str:
        """Its text without the template."""
        return self._observation.content_text

    @property
    def article_text(self) -> str | None:
        """Text of its article."""
        extract = self._wanted.extract
        return extract(self._observation.separation) if extract is not None else None

    @property
    def body(self) -> str:
        """Its HTML without the template."""
        return self._observation.content_html

    @property
    def content_html(self) -> str | None:
        """Its HTML without the template."""
        return self.body if self._wanted.html else None

    @property
    def content_markdown(self) -> str | None:
        """The same as Markdown."""
        return self._observation.content_markdown if self._wanted.markdown else None

    @property
    def content_headings(self) -> list[Section] | None:
        """The headings of each section of that Markdown, and where it is."""
        return self._observation.content_headings if self._wanted.markdown else None

    @property
    def template_id(self) -> str:
        """The template it was built from, as far as the detector keeps them apart."""
        return self._observation.page.given_template or self._observation.template_id

    @property
    def truncated(self) -> bool:
        """Whether it hit a cap."""
        return bool(self._observation.truncated)


class Names:
    """Names of files, no two of which are equal.

    mirrored  the folder whose pages they are; None: they are named after their URLs
    """

    def __init__(self, mirrored: Path | None) -> None:
        self._name = _of_url if mirrored is None else _in_folder(mirrored.resolve())
        self._given: set[str] = set()

    def name(self, url: str) -> Path:
        """Return where a page is written, relative to the folder."""
        path = self._name(url)
        if _key(path) in self._given:
            digest = xxh3_64_hexdigest(f"{len(self._given)} {url}".encode("utf-8", "surrogatepass"))
            path = path.with_name(f"{digest}.html")
        self._given.add(_key(path))
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
    name = quote(step.encode("utf-8", "surrogatepass"), safe=_KEPT)
    return name if len(name) <= _LONGEST else f"{name[:_LONGEST]}.{xxh3_64_hexdigest(name.encode())}"

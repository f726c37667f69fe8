"""Every error that templcrawl raises, as one tree.

::

    TemplcrawlError
    ├── InvalidOption    (ValueError)     a setting or an argument has a value that is not accepted
    ├── InvalidSnapshot  (ValueError)     saved state that cannot be read back
    ├── TemporaryFilesFull (RuntimeError) temporary files would take more than they may
    ├── MissingExtra     (ImportError)    an optional library is not installed
    └── VersionTooOld    (ImportError)    Scrapy or Python is older than templcrawl needs

A page that cannot be judged is no error: it has an ordinary :class:`~templcrawl.page.separation.Separation`
that keeps everything.  The arguments of an error are its attributes, and ``args``, so that it can be pickled.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import Any

_CREDENTIALS = re.compile(r"//[^/@\s]*@")
_PASSWORD = re.compile(r"(password\s*=\s*)(?:\\?'(?:[^'\\]|\\[\s\S]?)*(?:'|\Z)|[^\s&'\"]+)", re.IGNORECASE)
_LONGEST = 300


def shown(value: object) -> str:
    """Return a value as errors and reports show it: cut, without user names and passwords.

    >>> shown("redis://me:secret@host"), shown("host=db password=secret user=me")
    ("'redis://…@host'", "'host=db password=… user=me'")
    """
    text = repr(value[:_LONGEST] if isinstance(value, (str, bytes, list, tuple)) else value)
    text = _PASSWORD.sub(r"\1…", _CREDENTIALS.sub("//…@", text))
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def brief(error: Exception) -> str:
    """Return the type of an error and the beginning of its text."""
    return f"{type(error).__name__}: {error}"[:_LONGEST]


def pluralize(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun.

    plural  the plural, where it is not ``noun`` and an s

    >>> pluralize(1, "site"), pluralize(1_200, "site"), pluralize(2, "entry", "entries")
    ('1 site', '1,200 sites', '2 entries')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def nearest(given: object, names: Iterable[str]) -> str:
    """Return the name nearest to a given one, "" if none is near; case and ``_`` do not count.

    >>> nearest("Page_type", ["site", "page type"]), nearest("adaptiv", ["adaptive"]), nearest(7, ["off"])
    ('page type', 'adaptive', '')
    """
    folded = {_folded(name): name for name in names}
    near = get_close_matches(_folded(given), folded, n=1) if isinstance(given, str) else []
    return folded[near[0]] if near else ""


def _folded(name: str) -> str:
    return " ".join(name[:_LONGEST].lower().replace("_", " ").replace("-", " ").split())


def suggestion(given: Iterable[object], names: Collection[str]) -> str:
    """Return the end of an error message: the known name nearest to the first unknown one.

    >>> suggestion(["content_txt"], ["content_text"]), suggestion(["toast"], ["content_text"])
    ("; is 'content_text' meant?", '')
    """
    unknown = (name for name in given if name not in names)
    near = next(filter(None, (nearest(name, names) for name in unknown)), "")
    return f"; is {near!r} meant?" if near else ""


class _NotShown:
    def __repr__(self) -> str:
        return "…"


NOT_SHOWN = _NotShown()  # in the place of a value that may hold a password


class TemplcrawlError(Exception):
    """Base of every error of templcrawl."""


@dataclass(eq=False, repr=False)
class InvalidOption(TemplcrawlError, ValueError):
    """An option, setting or argument has a value that is not accepted; ``accepted`` says which are."""

    name: str
    value: object
    accepted: str

    def __str__(self) -> str:
        return f"{self.name} = {shown(self.value)} is not accepted: give {self.accepted}"


@dataclass(eq=False, repr=False)
class InvalidSnapshot(TemplcrawlError, ValueError):
    """Saved state cannot be read back: it is damaged, or of another version."""

    source: str
    reason: str

    def __str__(self) -> str:
        return f"cannot read the saved state {self.source}: {self.reason}"


@dataclass(eq=False, repr=False)
class TemporaryFilesFull(TemplcrawlError, RuntimeError):
    """Temporary files would exceed their limit."""

    folder: str
    most: object

    def __str__(self) -> str:
        return (
            f"temporary files in {self.folder} would take more than {self.most}: "
            "allow them more, or more memory"
        )


@dataclass(eq=False, repr=False)
class MissingExtra(TemplcrawlError, ImportError):
    """A library that only some users need is not installed."""

    feature: str
    extra: str

    def __str__(self) -> str:
        return f"{self.feature} needs an optional library: pip install 'templcrawl[{self.extra}]'"


@dataclass(eq=False, repr=False)
class VersionTooOld(TemplcrawlError, ImportError):
    """Scrapy or Python is older than what templcrawl needs."""

    program: str
    needed: str
    found: str

    def __str__(self) -> str:
        return f"templcrawl needs {self.program} {self.needed} or newer; this is {self.program} {self.found}"


def load_extra(module: str, feature: str, extra: str) -> Any:
    """Return a module of an optional library; raises MissingExtra.

    feature, extra  what needs it, and the extra that installs it
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtra(feature, extra) from error


_SENTENCES = (InvalidOption, InvalidSnapshot, MissingExtra, VersionTooOld)  # their text says what to do


def log_sentence_alone() -> None:
    """Log errors without their frames if their text says what to do.

    Nobody awaits the crawl that ``scrapy crawl`` starts: asyncio and Twisted log what ends its start with all
    frames that it has passed.
    """
    for name in ("asyncio", "twisted"):
        logging.getLogger(name).addFilter(_drop_frames)


def _drop_frames(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, _SENTENCES):
        record.name, record.msg, record.args = "templcrawl", "%s", (error,)
        record.exc_info = record.exc_text = None
    return True

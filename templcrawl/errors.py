"""Every error that templcrawl raises, as one tree.

::

    TemplcrawlError
    ├── InvalidOption    (ValueError)     a setting or an argument has a value that is not accepted
    ├── InvalidSnapshot  (ValueError)     saved state that cannot be read back
    ├── TemporaryFilesFull (RuntimeError) temporary files would take more than they may
    └── MissingExtra     (ImportError)    an optional library is not installed

A page that cannot be judged is no error: it has an ordinary :class:`~templcrawl.page.separation.Separation`
that keeps everything.  The arguments of an error are its attributes, and ``args``, so that it can be pickled.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
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


class _NotShown:
    def __repr__(self) -> str:
        return "…"


NOT_SHOWN = _NotShown()  # in the place of a value that may hold a password


class TemplcrawlError(Exception):
    """Base of every error of templcrawl."""


@dataclass(eq=False, repr=False)
class InvalidOption(TemplcrawlError, ValueError):
    """An option, setting or argument has a value that is not accepted: give what is ``accepted``."""

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
    """Temporary files would take more than they may."""

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


def load_extra(module: str, feature: str, extra: str) -> Any:
    """Return a module of an optional library; raises MissingExtra.

    feature, extra  what needs it, and the extra that installs it
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtra(feature, extra) from error

"""A page that a command cannot read is counted, named and skipped, whatever went wrong with it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from templcrawl.errors import TemplcrawlError
from templcrawl.readers.shape import Unreadable

_LONGEST_REASON = 200


@contextmanager
def skipped_if_unreadable(unreadable: Unreadable, name: str) -> Iterator[None]:
    """Let the work on a page fail: note its name and the error, and go on after it.

    What is no fault of the page is raised: errors of templcrawl itself, of the disk and of a database.
    """
    try:
        yield
    except (TemplcrawlError, OSError, sqlite3.Error):
        raise
    except Exception as error:
        unreadable.add(name, f"{type(error).__name__}: {error}"[:_LONGEST_REASON])

"""The file of ``TEMPLCRAWL_STORE``: what was learned of sites, for later crawls.  One crawl has it at a time.

A state file (:mod:`templcrawl.state_file`) with a row a site (:mod:`templcrawl.memory.store`).  A lock lies
beside it, and dies with its process.  A second crawl with the same file is refused, since each would write
over what the other has learned.  Where the file system has no locks, none is refused.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path
from weakref import WeakValueDictionary

from scrapy.crawler import Crawler

from templcrawl.crawl.setting_values import PREFIX
from templcrawl.errors import InvalidOption, InvalidSnapshot
from templcrawl.files import FileLock, holder, make_folder_of
from templcrawl.guard import report_error
from templcrawl.memory.store import TABLE_NAME
from templcrawl.state_file import StateFile

_SETTING = f"{PREFIX}STORE"

# Store -> the file of this process that had it last.
_files: WeakValueDictionary[str, StoreFile] = WeakValueDictionary()


class StoreFile(StateFile):
    """A store that is locked until it is closed, or the process ends."""

    _lock: FileLock

    def __init__(self, crawler: Crawler, path: Path) -> None:
        """Lock a file and open it, made if it is missing; raises InvalidOption."""
        self._crawler = crawler
        name = str(path.resolve())
        rival = _files.get(name)
        if rival is not None and not rival._crawler.crawling:  # its start has failed
            rival._lock.release()
        self._lock = _lock_of(path)
        try:
            _check_ours(path)
            super().__init__(path)
        except (InvalidSnapshot, sqlite3.Error) as error:
            self._lock.release()
            reason = getattr(error, "reason", error)
            raise InvalidOption(_SETTING, str(path), f"another file ({reason})") from error
        _files[name] = self
        self.on_lost.append(partial(report_error, crawler, doing=f"writing {self.path}"))

    def close(self) -> None:
        """Commit, close the file, and let another crawl have it."""
        super().close()
        self._lock.release()


def _check_ours(path: Path) -> None:
    """Raise InvalidSnapshot for a database of another program, sqlite3.Error for any other file."""
    if not path.is_file():
        return
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    if tables and TABLE_NAME not in tables:
        raise InvalidSnapshot(str(path), "it is the database of another program")


def _lock_of(path: Path) -> FileLock:
    lock = path.with_name(f"{path.name}.lock")
    try:
        make_folder_of(path)
        return FileLock(lock)
    except BlockingIOError:
        by = f" (process {number})" if (number := holder(lock)) else ""
        accepted = f"a file of its own for each crawl that runs: another crawl{by} has this one"
        raise InvalidOption(_SETTING, str(path), accepted) from None
    except OSError as error:
        raise InvalidOption(_SETTING, str(path), f"a file that can be written ({error})") from error

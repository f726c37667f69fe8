"""What several processes of one crawl share; and which store an address names: a file, or a server."""

from __future__ import annotations

from pathlib import Path
from secrets import token_hex

from templcrawl.crawl.workers.shared_store import SharedStore
from templcrawl.errors import InvalidOption

_FILE = "sqlite:"
_ACCEPTED = "sqlite:memory.sqlite, a path of a file, or redis://host:port/db?prefix=my-crawl"


def file_of(address: str) -> Path | None:
    """Return the file that an address names, None for a server; raises InvalidOption.

    >>> [str(file_of(address)) for address in ("sqlite:a/b.sqlite", "sqlite:///a.sqlite", "a.sqlite", "redis://h")]
    ['a/b.sqlite', 'a.sqlite', 'a.sqlite', 'None']
    """
    path = address.removeprefix(_FILE).removeprefix("///" if address.startswith(_FILE) else "")
    if not path.strip() or not path.isprintable() or path.startswith("//"):
        raise InvalidOption("url", address, _ACCEPTED)
    scheme, colon, _ = path.partition(":")
    return None if colon and len(scheme) > 1 else Path(path)  # one letter is a drive of Windows


def check_address(address: str) -> None:
    """Raise InvalidOption for an address of no store."""
    if file_of(address) is None:
        from templcrawl.crawl.workers.redis_store import store_address

        store_address(address)


def open_shared_store(address: str, worker: str | None) -> SharedStore:
    """Return a store as a worker has it; raises InvalidOption, InvalidSnapshot, MissingExtra.

    worker  its name, None for one that no other worker has
    """
    path = file_of(address)
    if path is not None:
        from templcrawl.crawl.workers.sqlite_store import SharedSqliteStore

        return SharedSqliteStore(path, worker)
    from templcrawl.crawl.workers.redis_store import RedisStore

    return RedisStore(address, worker or token_hex(8))

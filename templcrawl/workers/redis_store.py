"""Site memories in Redis, for several workers of one crawl; Valkey speaks the same protocol.

Of each site two hashes are kept, worker -> its part and worker -> when it was written and what; they are in
one slot of a cluster, and are written together or not at all.  The other workers' parts are read where one
of them has been written since.  One more key holds the salt of the crawl: all of its workers have one.

    <prefix>:{<host>}:parts     worker -> part (see :mod:`templcrawl.memory.site_store`)
    <prefix>:{<host>}:written   worker -> seconds and checksum
    <prefix>:salt               the salt of the samples, and a name for what has been kept since

Commands: six to write a part, two to ask what is new, one a part and one a group of parts to read them.
Bounded: of a site at most ``MOST_PARTS`` parts, of ``MOST_BYTES`` each; those written longest ago leave.  No
value is read before its size is asked for, and none is unpacked further than to ``_MOST_UNPACKED`` times its
size.  The address says the prefix, and after how many seconds a key is gone that nobody writes to:
``redis://host:port/db?prefix=my-crawl&seconds=86400``.

No answer is waited for longer than ``_TIMEOUT`` seconds, and what got none is not asked again: StoreAway.  A
key that holds something else than a hash is not written over: InvalidSnapshot, which concerns its site alone.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from secrets import token_hex
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from xxhash import xxh3_64_hexdigest

from templcrawl.errors import InvalidOption, InvalidSnapshot, MissingExtra, StoreAway
from templcrawl.memory.columns import Frozen
from templcrawl.memory.kinds import Snapshot
from templcrawl.memory.lru_dict import LruDict
from templcrawl.memory.site_store import packed_part, unpacked_part

MOST_PARTS = 32
MOST_BYTES = 2**23
_SCHEMES = {"redis": "redis", "rediss": "rediss", "unix": "unix", "valkey": "redis", "valkeys": "rediss"}
"""Scheme of an address -> the client's name of it."""

_PREFIX = "templcrawl"
_SECONDS = 604_800.0
_LEAST_SECONDS, _MOST_SECONDS = 0.001, 1e9
_OWN = ("prefix", "seconds")

_TIMEOUT = 5.0
_MOST_HOSTS = 100_000
_MOST_WRITTEN = 2**20
_SALT_CHARACTERS = 64
_MOST_UNPACKED = 8
_ALWAYS_UNPACKED = 2**20
_UNPACKED_ANYWAY = 2**25


class StoreAddress(NamedTuple):
    """Where a store is.

    url      as the client reads it
    prefix   what the names of all keys begin with: one for each crawl
    seconds  how long a key that nobody writes to is retained
    """

    url: str
    prefix: str
    seconds: float


def store_address(address: str) -> StoreAddress:
    """Read the address of a store; raises InvalidOption.

    >>> store_address("valkey://localhost/0?prefix=shops&protocol=3&seconds=3600")
    StoreAddress(url='redis://localhost/0?protocol=3', prefix='shops', seconds=3600.0)
    """
    scheme, _, rest = address.partition("://")
    place, _, query = rest.partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    prefix = options.get("prefix", _PREFIX)
    try:
        seconds = float(options.get("seconds", _SECONDS))
    except ValueError:
        seconds = 0.0
    if scheme not in _SCHEMES or not prefix.strip() or not prefix.isprintable():
        raise InvalidOption("url", address, "an address like redis://host:port/db?prefix=my-crawl")
    if not _LEAST_SECONDS <= seconds <= _MOST_SECONDS:
        accepted = (
            f"seconds from {_LEAST_SECONDS} to {_MOST_SECONDS:.0f}, as redis://host:port/db?seconds=86400"
        )
        raise InvalidOption("url", address, accepted)
    others = "&".join(option for option in query.split("&") if option.partition("=")[0] not in _OWN)
    return StoreAddress(f"{_SCHEMES[scheme]}://{place}" + (f"?{others}" if others else ""), prefix, seconds)


class RedisStore:
    """The parts of a crawl's workers in Redis.

    worker      the name of this worker, by which its parts go
    commands    commands that were sent
    bytes       bytes of parts that were written
    refused     parts that were not written since they are too large
    unreadable  parts of others that could not be read
    """

    def __init__(self, address: str, worker: str) -> None:
        """Take an address (see :func:`store_address`); nothing is sent yet.

        Raises MissingExtra without the client, InvalidOption for an address that is none.
        """
        self.worker = worker
        self.commands = self.bytes = self.refused = self.unreadable = 0
        url, self._prefix, seconds = store_address(address)
        self._milliseconds = max(1, int(seconds * 1000))
        self._client, self._error, self._refusal = _client(url)
        self._heard: LruDict[str, dict[bytes, bytes]] = LruDict(_MOST_HOSTS)

    def _keys(self, host: str) -> tuple[str, str]:
        name = f"{self._prefix}:{{{host}}}"
        return f"{name}:parts", f"{name}:written"

    @contextmanager
    def _reaching(self, key: str) -> Iterator[None]:
        """Turn what the client raises into StoreAway, or InvalidSnapshot where a key holds something else."""
        try:
            yield
        except (self._error, OSError) as error:
            if isinstance(error, self._refusal) and "WRONGTYPE" in str(error):
                raise InvalidSnapshot(key, str(error)) from error
            raise StoreAway("Redis", f"{type(error).__name__}: {error}") from error

    def agree(self, salt: int) -> tuple[int, str]:
        """Return the salt of the crawl, this one if there is none, and since when: a name drawn by chance.

        Another name than before says that all was lost that had been written.  Raises StoreAway, and
        InvalidSnapshot where something else is kept in its place.
        """
        key = f"{self._prefix}:salt"
        with self._reaching(key):
            pipe = self._client.pipeline()
            pipe.set(key, f"{salt} {token_hex(8)}", nx=True)
            pipe.pexpire(key, self._milliseconds)
            pipe.getrange(key, 0, _SALT_CHARACTERS - 1)
            agreed = pipe.execute()[-1]
        self.commands += 3
        number, _, since = (agreed or b"").decode("ascii", "replace").partition(" ")
        is_salt = number.isascii() and number.isdigit() and int(number[:20]) < 2**64
        return (int(number[:20]) if is_salt else salt), since

    def load(self, host: str) -> Snapshot | None:
        """Return this worker's part of a site; raises InvalidSnapshot, StoreAway."""
        parts, _ = self._keys(host)
        with self._reaching(parts):
            for group in self._groups(parts, [self.worker]):
                for part in self._read(parts, group):
                    return _unpacked(f"{parts} {self.worker}", part)
        return None

    def save(self, host: str, snapshot: Snapshot | Frozen | bytes) -> None:
        """Write this worker's part of a site; one that is too large is counted and not written.

        Raises StoreAway, InvalidSnapshot.
        """
        part = packed_part(snapshot)
        if len(part) > MOST_BYTES:
            self.refused += 1
            return
        parts, written = self._keys(host)
        with self._reaching(parts):
            pipe = self._client.pipeline(transaction=True)
            pipe.hset(parts, self.worker, part)
            pipe.hset(written, self.worker, f"{time.time():.3f} {xxh3_64_hexdigest(part)}")
            pipe.pexpire(parts, self._milliseconds)
            pipe.pexpire(written, self._milliseconds)
            pipe.execute()
        self.commands += 6
        self.bytes += len(part)

    def others(self, host: str) -> Sequence[Snapshot] | None:
        """Return the parts of the other workers, None if they are as they were.

        Raises StoreAway, InvalidSnapshot.
        """
        parts, key = self._keys(host)
        with self._reaching(parts):
            written = self._written(key)
            self._sweep(parts, key, written)
            written.pop(self.worker.encode(), None)
            if written == (self._heard.get(host) or {}):
                return None
            found = [
                snapshot
                for group in self._groups(parts, sorted(written))
                for snapshot in self._readable(f"{parts} of another worker", self._read(parts, group))
            ]
        self._heard[host] = written
        return found

    def _written(self, key: str) -> dict[bytes, bytes]:
        """Return when each worker has written its part of a site, and what; raises InvalidSnapshot."""
        self.commands += 2
        size = 0
        with suppress(self._refusal):  # not every server lets everyone ask
            size = self._client.memory_usage(key, samples=0) or 0
        if size > _MOST_WRITTEN:
            raise InvalidSnapshot(key, f"it takes {size} bytes; no more than {_MOST_WRITTEN} are read")
        written: dict[bytes, bytes] = self._client.hgetall(key)
        return written

    def _groups(self, parts: str, workers: Sequence[Any]) -> Iterator[Sequence[Any]]:
        """Yield workers in groups whose parts take ``MOST_BYTES`` together; count those of larger parts."""
        pipe = self._client.pipeline(transaction=False)
        for worker in workers:
            pipe.hstrlen(parts, worker)
        self.commands += len(workers)
        group, size = list[Any](), 0
        for worker, length in zip(workers, pipe.execute() if workers else ()):
            if length > MOST_BYTES:
                self.unreadable += 1
                continue
            if size + length > MOST_BYTES:
                yield group
                group, size = [], 0
            group.append(worker)
            size += length
        if group:
            yield group

    def _read(self, parts: str, workers: Sequence[Any]) -> Iterator[bytes]:
        """Return the parts of workers, without those that have none."""
        self.commands += 1
        return (part for part in self._client.hmget(parts, workers) if part is not None)

    def forget(self, host: str) -> None:
        """Take all parts of a site for new when they are asked for next."""
        self._heard.pop(host)

    def _sweep(self, parts: str, key: str, written: dict[bytes, bytes]) -> None:
        """Let the parts that were written longest ago leave, where there are too many."""
        surplus = sorted(written, key=lambda worker: (_seconds(written[worker]), worker))[:-MOST_PARTS]
        for worker in surplus:
            del written[worker]
        if surplus:
            self._client.hdel(parts, *surplus)
            self._client.hdel(key, *surplus)
            self.commands += 2

    def _readable(self, source: str, parts: Iterable[bytes]) -> Iterator[Snapshot]:
        """Yield the parts that can be read, and count the others."""
        for part in parts:
            try:
                yield _unpacked(source, part)
            except InvalidSnapshot:
                self.unreadable += 1

    def close(self) -> None:
        """Give the connection back; raises StoreAway."""
        with self._reaching("connection"):
            self._client.close()


def _unpacked(source: str, part: bytes) -> Snapshot:
    """Return the snapshot that a part holds; raises InvalidSnapshot, also where it unpacks to far more."""
    most = min(_UNPACKED_ANYWAY, max(_ALWAYS_UNPACKED, _MOST_UNPACKED * len(part)))
    return unpacked_part(source, part, most=most)


def _seconds(written: bytes) -> float:
    """Return when a part was written, 0 if that cannot be read."""
    try:
        return float(written.split()[0])
    except (ValueError, IndexError):
        return 0.0


def _client(url: str) -> tuple[Any, type[Exception], type[Exception]]:
    """Return a client of an address, what it raises, and what of that the server has answered.

    A connection that was closed meanwhile is opened again, once; an answer that does not come is not.
    """
    try:
        from redis import Redis
        from redis.backoff import NoBackoff
        from redis.exceptions import ConnectionError as Closed
        from redis.exceptions import RedisError, ResponseError
        from redis.retry import Retry
    except ImportError as error:
        raise MissingExtra(f"a memory at {url.partition(':')[0]}://", "redis") from error
    try:
        client = Redis.from_url(
            url,
            socket_timeout=_TIMEOUT,
            socket_connect_timeout=_TIMEOUT,
            retry=Retry(NoBackoff(), 1, supported_errors=(Closed,)),
        )
        pool = client.connection_pool
        pool.connection_class(**pool.connection_kwargs)
    except ValueError as error:
        raise InvalidOption("url", url, "an address like redis://host:port/db") from error
    except TypeError as error:
        raise InvalidOption("url", url, f"options that the client has ({error})") from error
    return client, RedisError, ResponseError

"""Site memories in Redis, for several workers of one crawl; Valkey speaks the same protocol.

Each site has two hashes, worker -> its state and worker -> when that was written, with a checksum.  They are
in one slot of a cluster, and are written together or not at all.  The states of the other workers are read
if one of them has been written since.  One more key holds the salt of the crawl, which all of its workers
have.

    <prefix>:{<host>}:states    worker -> state (see :mod:`templcrawl.memory.store`)
    <prefix>:{<host>}:written   worker -> seconds and checksum
    <prefix>:salt               the salt of the samples, and the generation of the store

Commands: six to push a state, two to poll, two to read a state.  Bounded: of too many states of a site those
written longest ago are evicted, and the size of a value is checked before it is read.  The address has the
prefix, and the seconds after which an unwritten key expires:
``redis://host:port/db?prefix=my-crawl&seconds=86400``.

An answer must come within ``_TIMEOUT`` seconds; a command without an answer is not repeated and raises
StoreUnavailable.  A key that holds anything but a hash is not overwritten; it raises InvalidSnapshot for its
site alone.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from secrets import token_hex
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from xxhash import xxh3_64_hexdigest

from templcrawl.crawl.workers import ACCEPTED, MOST_BYTES, MOST_STATES, SharedStore, read_salt
from templcrawl.errors import InvalidOption, InvalidSnapshot, MissingExtra, StoreUnavailable

# Scheme of an address -> the client's name of it.
_SCHEMES = {"redis": "redis", "rediss": "rediss", "unix": "unix", "valkey": "redis", "valkeys": "rediss"}

_PREFIX = "templcrawl"
_SECONDS = 604_800.0
_LEAST_SECONDS, _MOST_SECONDS = 0.001, 1e9
_OWN = ("prefix", "seconds")

_TIMEOUT = 5.0
_MOST_WRITTEN = 2**20
_SALT_CHARACTERS = 64


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
    seconds = 0.0
    with suppress(ValueError):
        seconds = float(options.get("seconds", _SECONDS))
    if scheme not in _SCHEMES or not prefix.strip() or not prefix.isprintable():
        raise InvalidOption("url", address, ACCEPTED)
    if not _LEAST_SECONDS <= seconds <= _MOST_SECONDS:
        accepted = f"seconds from {_LEAST_SECONDS} to {_MOST_SECONDS:.0f}"
        raise InvalidOption("url", address, f"{accepted}, as redis://host:port/db?seconds=86400")
    of_client = "&".join(option for option in query.split("&") if option.partition("=")[0] not in _OWN)
    url = f"{_SCHEMES[scheme]}://{place}?{of_client}".removesuffix("?")
    return StoreAddress(url, prefix, seconds)


class RedisStore(SharedStore):
    """The store in Redis."""

    def __init__(self, address: str, worker: str) -> None:
        """Take an address (see :func:`store_address`); nothing is sent yet.

        Raises MissingExtra without the client, InvalidOption for an address that is none.
        """
        super().__init__(worker)
        url, self._prefix, seconds = store_address(address)
        self._milliseconds = max(1, int(seconds * 1000))
        self._client, self._error, self._refusal = _client(url)

    def _keys(self, host: str) -> tuple[str, str]:
        name = f"{self._prefix}:{{{host}}}"
        return f"{name}:states", f"{name}:written"

    @contextmanager
    def _reaching(self, key: str) -> Iterator[None]:
        """Raise StoreUnavailable for what the client raises, InvalidSnapshot for a key of another type."""
        try:
            yield
        except (self._error, OSError) as error:
            if isinstance(error, self._refusal) and "WRONGTYPE" in str(error):
                raise InvalidSnapshot(key, str(error)) from error
            raise StoreUnavailable("Redis", f"{type(error).__name__}: {error}") from error

    def negotiate(self, salt: int) -> tuple[int, str]:
        """Return the salt of the crawl, this one if there is none, and the generation of the store."""
        key = f"{self._prefix}:salt"
        with self._reaching(key):
            pipe = self._client.pipeline()
            pipe.set(key, f"{salt} {token_hex(8)}", nx=True)
            pipe.pexpire(key, self._milliseconds)
            pipe.getrange(key, 0, _SALT_CHARACTERS - 1)
            stored = pipe.execute()[-1]
        self.commands += 3
        number, _, generation = (stored or b"").decode("ascii", "replace").partition(" ")
        return read_salt(number, salt), generation

    def _write(self, host: str, state: bytes) -> None:
        states, written = self._keys(host)
        with self._reaching(states):
            pipe = self._client.pipeline(transaction=True)
            pipe.hset(states, self.worker, state)
            pipe.hset(written, self.worker, f"{time.time():.3f} {xxh3_64_hexdigest(state)}")
            pipe.pexpire(states, self._milliseconds)
            pipe.pexpire(written, self._milliseconds)
            pipe.execute()
        self.commands += 6

    def _marks(self, host: str) -> dict[str, Any]:
        """Return when each worker has written its state of a site, and what; of too many evict the oldest.

        A name that is no text is read with replacements, and its state is not found.
        """
        states, key = self._keys(host)
        self.commands += 2
        size = 0
        with self._reaching(states):
            with suppress(self._refusal):  # not every server permits this command
                size = self._client.memory_usage(key, samples=0) or 0
            if size > _MOST_WRITTEN:
                raise InvalidSnapshot(key, f"it takes {size} bytes; no more than {_MOST_WRITTEN} are read")
            written: dict[bytes, bytes] = self._client.hgetall(key)
            latest = sorted(written, key=lambda worker: (_seconds(written[worker]), worker))
            if surplus := latest[:-MOST_STATES]:
                self._client.hdel(states, *surplus)
                self._client.hdel(key, *surplus)
                self.commands += 2
        return {worker.decode(errors="replace"): written[worker] for worker in latest[-MOST_STATES:]}

    def _read(self, host: str, worker: str) -> bytes | None:
        states, _ = self._keys(host)
        self.commands += 2
        with self._reaching(states):
            if self._client.hstrlen(states, worker) > MOST_BYTES:
                self.unreadable += 1
                return None
            state: bytes | None = self._client.hget(states, worker)
            return state

    def close(self) -> None:
        """Give the connection back; raises StoreUnavailable."""
        with self._reaching("connection"):
            self._client.close()


def _seconds(written: bytes) -> float:
    with suppress(ValueError, IndexError):
        return float(written.split()[0])
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

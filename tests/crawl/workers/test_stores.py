"""Every store keeps the contracts of stores."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from lab.sites.redis_server import RedisServer, running_redis
from templcrawl.crawl.workers import SharedStore
from templcrawl.crawl.workers.redis_store import RedisStore
from templcrawl.crawl.workers.shared_sites import SharedSites
from templcrawl.crawl.workers.sqlite_store import SharedSqliteStore
from templcrawl.memory.options import MemoryOptions
from templcrawl.memory.store import SiteStore
from tests.crawl.workers.shared_store_contract import SharedStoreContract
from tests.memory.site_store_contract import SiteStoreContract
from tests.memory.stores import store_in


class TestSqliteStore(SiteStoreContract):
    def open_store(self, folder: Path) -> SiteStore:
        return store_in(folder)


class TestSharedSites(SiteStoreContract):
    def open_store(self, folder: Path) -> SiteStore:
        return SharedSites(store_in(folder), SharedSqliteStore(folder / "shared"), MemoryOptions())


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    with running_redis() as running:
        yield running


class TestRedisStore(SharedStoreContract):
    @pytest.fixture(autouse=True)
    def opened(self, server: RedisServer) -> Iterator[None]:
        with ExitStack() as self._opened:
            self._url = server.url
            self.lose_all()
            yield

    def open_store(self, worker: str) -> SharedStore:
        return self._opened.enter_context(closing(RedisStore(self._url, worker)))

    def lose_all(self) -> None:
        self.open_store("flush")._client.flushdb()  # type: ignore[attr-defined]


class TestSharedSqliteStore(SharedStoreContract):
    @pytest.fixture(autouse=True)
    def opened(self, tmp_path: Path) -> Iterator[None]:
        with ExitStack() as self._opened:
            self._path = tmp_path / "memory.sqlite"
            yield

    def open_store(self, worker: str) -> SharedStore:
        return self._opened.enter_context(closing(SharedSqliteStore(self._path, worker)))

    def lose_all(self) -> None:
        for end in ("", "-wal", "-shm"):
            Path(f"{self._path}{end}").unlink(missing_ok=True)

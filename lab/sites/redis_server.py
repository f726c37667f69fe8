"""A Redis of its own for a test or a benchmark, on a free port of this machine, in memory alone."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

PROGRAM = "redis-server"


def _free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port: int = bound.getsockname()[1]
        return port


class RedisServer:
    """A server that runs between ``start`` and ``stop``, empty at first."""

    def __init__(self) -> None:
        self.port = _free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        arguments = ["--port", str(self.port), "--save", "", "--appendonly", "no", "--bind", "127.0.0.1"]
        self._process = subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.DEVNULL)
        for _ in range(3000):
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        raise AssertionError("redis-server does not begin to listen")

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


@contextmanager
def running_redis() -> Iterator[RedisServer]:
    """Run a server; skip the test where there is no such program, or no scrapy-redis."""
    import pytest

    pytest.importorskip("scrapy_redis")
    if shutil.which(PROGRAM) is None:
        pytest.skip(f"needs the program {PROGRAM}")
    server = RedisServer()
    server.start()
    try:
        yield server
    finally:
        server.stop()

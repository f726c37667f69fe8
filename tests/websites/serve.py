"""Serve a web site from memory on 127.0.0.1: in a thread for tests, or ``python -m tests.websites.serve``."""

from __future__ import annotations

import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType

from tests.websites.village import find_page

Answer = tuple[int, str, bytes]
"""Status, content type, body."""


def village(path: str) -> Answer:
    """Answer a request to the village's site."""
    page = find_page(path)
    if page is None:
        return 404, "text/html; charset=utf-8", b"<p>There is no such page."
    return 200, "text/html; charset=utf-8", page.html.encode()


class LocalSite:
    """A web site on a free port of this machine, as a context manager.

    answer  path with query -> answer
    delay   seconds before each answer
    most_in_flight  how many requests were open at once, at most
    """

    def __init__(self, answer: Callable[[str], Answer] = village, *, delay: float = 0.0) -> None:
        self.paths: list[str] = []
        self.most_in_flight = 0
        in_flight: set[int] = set()
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                in_flight.add(id(self))
                site.paths.append(self.path)
                site.most_in_flight = max(site.most_in_flight, len(in_flight))
                status, content_type, body = answer(self.path)
                if delay:
                    time.sleep(delay)
                in_flight.discard(id(self))
                self.send_response(status)
                self.send_header("Content-Type", content_type)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/"

    def serve_forever(self) -> None:
        """Serve until the process ends."""
        self._server.serve_forever()

    def __enter__(self) -> LocalSite:
        self._thread = Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


if __name__ == "__main__":
    site = LocalSite()
    print(site.url, flush=True)
    site.serve_forever()

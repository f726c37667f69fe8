"""Serve a web site on 127.0.0.1: in a thread for tests, or ``python -m lab.sites.server``.

What is served is a mapping of paths, a function of the request target, or a folder of saved pages.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from mimetypes import MimeTypes
from pathlib import Path
from threading import Lock, Thread
from types import TracebackType
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

from lab.sites.generated import generate_demo_site

HTML = "text/html; charset=utf-8"


class Response(NamedTuple):
    """An answer: status, Content-Type ("" for none), body, and further headers."""

    status: int
    content_type: str
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()


Answer = Response | tuple[int, str, bytes] | str | bytes | None
"""A response; HTML as text (sent in declared UTF-8) or as bytes (no charset declared); None for 404."""
Pages = Callable[[str], Answer] | Mapping[str, Answer]


def as_response(answer: Answer) -> Response:
    """Make a response of what a site answered."""
    if answer is None:
        return Response(404, HTML, b"<!DOCTYPE html><title>404</title><p>There is no such page.")
    if isinstance(answer, str):
        return Response(200, HTML, answer.encode())
    if isinstance(answer, bytes):
        return Response(200, "text/html", answer)
    return Response(*answer)


def is_unmodified(asked: Callable[[str], str | None], given: Mapping[str, str]) -> bool:
    """Return whether a conditional request is answered 304 (RFC 9110, section 13; dates as equal texts).

    asked  name -> header of the request, None if it is not there
    given  headers of the answer

    >>> is_unmodified({"If-None-Match": '"7"', "If-Modified-Since": "then"}.get, {"ETag": '"7"'})
    True
    """
    for condition, validator in (("If-None-Match", "ETag"), ("If-Modified-Since", "Last-Modified")):
        if (known := asked(condition)) is not None:
            return known == given.get(validator)
    return False


def from_mapping(pages: Mapping[str, Answer]) -> Callable[[str], Answer]:
    """Answer from a mapping: the target with its query is looked for first, then without."""
    return lambda target: pages.get(target, pages.get(target.partition("?")[0]))


def from_folder(folder: Path) -> Callable[[str], Answer]:
    """Answer from the files of a folder and from nowhere else, links on the disk included.

    A folder is answered with its index.html, one without a slash at its end with a redirect.  A file
    saved under its name with the query is found first.  No charset is declared.
    """
    root = folder.resolve(strict=True)
    known_types = MimeTypes()

    def answer(target: str) -> Answer:
        path, mark, query = target.partition("?")
        for name in dict.fromkeys((unquote(path + mark + query), unquote(path))):
            file = _inside(root, name)
            if file is not None and file.is_dir():
                if not name.endswith("/"):
                    return Response(301, "", b"", (("Location", f"/{quote(name.lstrip('/'))}/"),))
                file = _inside(root, f"{name}index.html")
            elif name.endswith("/"):
                continue
            if file is not None and file.is_file():
                kind, packed = known_types.guess_type(file.name.partition("?")[0])
                content_type = kind if kind and not packed else "application/octet-stream"
                return Response(200, content_type, file.read_bytes())
        return None

    return answer


def _inside(root: Path, name: str) -> Path | None:
    """Return the file or folder of a name below a root, None if it would lie outside or cannot be."""
    if "\0" in name or "\\" in name or ".." in name.split("/"):
        return None
    try:
        file = (root / name.lstrip("/")).resolve()
        return file if file.is_relative_to(root) and file.exists() else None
    except (OSError, RuntimeError):
        return None


class LocalSite:
    """A web site on a free port of this machine, as a context manager.

    url             where it starts, with a slash at its end
    targets         request targets (path and query) in the order in which they came
    most_in_flight  how many requests were open at once, at most

    A site that raises an exception answers 500 with the traceback as text.
    """

    def __init__(self, pages: Pages | Path | str, *, delay: float = 0.0) -> None:
        """Bind a free port; connections wait until the site is entered.

        pages  a function or mapping from request targets to answers, or the path of a folder
        delay  seconds before each answer
        """
        if isinstance(pages, (Path, str)):
            self._answer = from_folder(Path(pages))
        else:
            self._answer = from_mapping(pages) if isinstance(pages, Mapping) else pages
        self.delay = delay
        self.targets: list[str] = []
        self.most_in_flight = 0
        self._in_flight = 0
        self._lock = Lock()
        self._server = _Server(self)
        self._thread = Thread(target=self.serve_forever, daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_port}/"

    def respond(self, target: str) -> Response:
        """Return the response to a request, and count the request."""
        with self._lock:
            self.targets.append(target)
            self._in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            time.sleep(self.delay)
            return as_response(self._answer(target))
        except Exception:
            return Response(500, "text/plain; charset=utf-8", traceback.format_exc().encode())
        finally:
            with self._lock:
                self._in_flight -= 1

    def serve_forever(self) -> None:
        """Serve until the site is left, or the process ends."""
        self._server.serve_forever(poll_interval=0.02)

    def __enter__(self) -> LocalSite:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    """Listens on 127.0.0.1 alone; a client that goes away is no error."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, site: LocalSite) -> None:
        self.site = site
        super().__init__(("127.0.0.1", 0), _Exchange)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print what went wrong, unless the client just went away."""
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)


class _Exchange(BaseHTTPRequestHandler):
    """Answers the requests of one connection, headers and body in one packet."""

    server: _Server
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        response = self.server.site.respond(self.path)
        if is_unmodified(self.headers.get, dict(response.headers)):
            response = response._replace(status=304, body=b"")
        self.send_response(response.status)
        for name, value in (("Content-Type", response.content_type), *response.headers):
            if value:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(response.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(response.body)

    def do_HEAD(self) -> None:
        self.do_GET()

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


def main() -> None:
    about = "Serve the demo site, or a folder, on 127.0.0.1 until interrupted; print where."
    parser = argparse.ArgumentParser(prog="python -m lab.sites.server", description=about)
    parser.add_argument("--folder", type=Path, help="serve the saved pages of a folder instead")
    parser.add_argument("--seed", default="1", help="seed of the generated site")
    parser.add_argument("--articles", type=int, default=60, help="how many articles it has")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each answer")
    given = parser.parse_args()
    pages = given.folder or generate_demo_site(seed=given.seed, articles=given.articles).html
    site = LocalSite(pages, delay=given.delay)
    print(site.url, flush=True)
    try:
        site.serve_forever()
    except KeyboardInterrupt:
        print("stopped")


if __name__ == "__main__":
    main()

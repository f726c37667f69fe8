"""Crawl a saved site from its folder as if it were on the web: nothing leaves this machine."""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes
from scrapy.utils.request import RequestFingerprinter

from templcrawl.page.saved_pages import is_host_name

_HTTPS = re.compile("^https:")
_INDEX = re.compile(r"/index\.html(?=#|$)")


class SavedSite:
    """Downloader middleware that answers every request from the folder of the spider's saved site.

    The spider's ``saved_folder`` names the folder; without one, requests go on to the web.  A page
    may have been saved under its path, with or without its query and ``.html``, or as a folder's
    index.  What was not saved is answered with 404.
    """

    def __init__(self, crawler: Crawler) -> None:
        folder = getattr(crawler.spider, "saved_folder", None)
        self._folder = Path(folder).resolve() if folder else None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> SavedSite:
        """Serve the saved site of the crawl's spider."""
        return cls(crawler)

    def process_request(self, request: Request) -> Response | None:
        """Return the saved page, or None where no site is saved."""
        if self._folder is None:
            return None
        path = self._find(request.url)
        if path is None:
            return Response(request.url, status=404)
        body = path.read_bytes()
        kind = mimetypes.guess_type(path.name)[0] or ""
        if "<html" in body[:2000].decode("latin-1").lower():
            kind = "text/html"
        headers = Headers({"Content-Type": kind} if kind else {})
        response_class = responsetypes.from_args(headers, request.url, body=body)
        return response_class(request.url, headers=headers, body=body)

    def _find(self, url: str) -> Path | None:
        assert self._folder is not None
        for name in saved_names(url):
            try:
                path = (self._folder / name).resolve()
                if path.is_relative_to(self._folder) and path.is_file():
                    return path
            except (OSError, ValueError):
                continue
        return None


class SavedSiteFingerprinter(RequestFingerprinter):
    """Scrapy's request fingerprinter, to which a page of a saved site has one address.

    A file of the folder is the same under ``http`` and ``https``, and as ``/a/`` and ``/a/index.html``, and
    pages name each other by either; the requests keep the addresses that the pages wrote.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._crawler = crawler

    def fingerprint(self, request: Request) -> bytes:
        """Return the fingerprint of a request."""
        if getattr(self._crawler.spider, "saved_folder", None):
            url = _INDEX.sub("/", _HTTPS.sub("http:", request.url))
            request = request if url == request.url else request.replace(url=url)
        return super().fingerprint(request)


def saved_start(path: Path, folder: Path | None = None) -> tuple[Path, str]:
    """Return the folder of a saved site, and the path in it of the page to start from.

    path    the folder, or a page of it
    folder  the folder, where the page lies deeper in it; without it, the one around the page that is named
            after a host, as in wget's mirrors, or else the one that the page lies in

    Raises ValueError with what is wrong.
    """
    if path.is_file():
        page = path.resolve()
        named = (around for around in page.parents if is_host_name(around.name))
        root = (folder or next(named, page.parent)).resolve()
        if not page.is_relative_to(root):
            raise ValueError(f"{path} is not in {root}")
        return root, page.relative_to(root).as_posix()
    if not path.is_dir():
        raise ValueError(f"{path} does not exist")
    pages = [*sorted(path.glob("index.htm*")), *sorted(path.glob("*.htm*")), *sorted(path.rglob("*.htm*"))]
    if not pages:
        raise ValueError(f"{path} holds no HTML page to start from")
    return path.resolve(), pages[0].relative_to(path).as_posix()


def saved_names(url: str) -> Iterator[str]:
    """Yield the names that a page may have been saved under, relative to the site's folder."""
    parts = urlsplit(url)
    for written in dict.fromkeys((parts.path, unquote(parts.path))):
        path = written.lstrip("/")
        stems = [path]
        if parts.query:
            stems = [f"{path}?{parts.query}", f"{path}?{unquote(parts.query)}", path]
        for stem in stems:
            yield from (stem, f"{stem}.html", f"{stem}.htm")
        folder = f"{path}/" if path else ""
        yield from (f"{folder}index.html", f"{folder}index.htm")

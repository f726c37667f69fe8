"""The selection of pages of a saved site: at most 200, in the order in which a crawl finds them.

Three passes, until there are enough pages:

1. breadth first from the start page, at most ``CAP`` pages of a page type
2. the pages that the cap left out, in the order in which they were found, and breadth first what they link to
3. pages that no link leads to, in an order that is random and the same everywhere: by the digest of their
path

Left out are files that are too small or too large, redirects, pages that say that there is no page, and pages
with the text of an earlier one.  The start page is always used.  Without page types there is no cap.

Cost: two parses of each page that is looked at, most often little more than 200.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field

import lxml.etree
import lxml.html

from lab.bench.saved_sites import SEEN, SavedSite
from lab.bench.sitebench.site_table import TypeOf

PAGES = 200
CAP = 70
MIN_BYTES, MAX_BYTES = 300, 1_500_000
SITE_BYTES = 20_000_000

_REDIRECT = re.compile(rb"<meta[^>]{0,200}http-equiv\s*=\s*[\"']?refresh[^>]{0,300}url\s*=", re.IGNORECASE)
_ERROR = re.compile(r"\b(?:404|403|500)\b|not found|access denied|page introuvable", re.IGNORECASE)
_STUB_WORDS = 60


@dataclass
class Selection:
    """The pages of a site that are used.

    paths     their paths, in the order of the selection
    types     path -> page type, None where no rule tells it
    left_out  reason -> pages that were looked at and left out
    bytes     of all pages
    """

    paths: list[str] = field(default_factory=list)
    types: dict[str, str | None] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    bytes: int = 0


def select_pages(site: SavedSite, type_of: TypeOf, pages: int = PAGES) -> Selection:
    """Select pages of a site, see the top of the module; raises KeyError if its start page is missing."""
    walk = _Walk(site, type_of, pages)
    walk.take([site.start_path], cap=CAP)
    walk.take(walk.capped)
    walk.take(sorted(walk.unseen, key=lambda path: hashlib.sha256(os.fsencode(path)).digest()), follow=False)
    return walk.selection


class _Walk:
    """What is known on the way through the three passes over one site."""

    def __init__(self, site: SavedSite, type_of: TypeOf, pages: int) -> None:
        self._site = site
        self._type_of = type_of
        self._pages = pages
        self.unseen = set(site.files.values())
        self._texts: set[bytes] = set()
        self._of_type: Counter[str | None] = Counter()
        self.capped: list[str] = []
        self.selection = Selection()

    def take(self, paths: Iterable[str], cap: int | None = None, *, follow: bool = True) -> None:
        """Use pages breadth first; with a cap, put off those whose page type has as many."""
        queue = deque(paths)
        self.unseen.difference_update(queue)
        while queue and len(self.selection.paths) < self._pages:
            path = queue.popleft()
            html = (self._site.folder / path).read_bytes()
            kind = self._type_of(path, html)
            if cap is not None and kind is not None and self._of_type[kind] >= cap:
                self.capped.append(path)
                continue
            if not self._use(path, html, kind) or not follow:
                continue
            for url in self._site.page(path).page.links.urls:
                target = self._site.find(url)
                if target in self.unseen:
                    self.unseen.remove(target)
                    queue.append(target)

    def _use(self, path: str, html: bytes, kind: str | None) -> bool:
        """Add a page to the selection unless something speaks against it; return whether it is added."""
        selection = self.selection
        digest, reason = _look_at(html)
        if digest in self._texts:
            reason = "equal text"
        if selection.bytes + len(html) > SITE_BYTES:
            reason = "site too large"
        if reason and selection.paths:
            selection.left_out[reason] += 1
            return False
        self._texts.add(digest)
        self._of_type[kind] += 1
        selection.paths.append(path)
        selection.types[path] = kind
        selection.bytes += len(html)
        return True


def _look_at(html: bytes) -> tuple[bytes, str]:
    """Return the digest of a page's text, and why the page is left out, "" if it is not."""
    if not MIN_BYTES <= len(html) <= MAX_BYTES:
        return hashlib.sha256(html).digest(), "size"
    try:
        tree = lxml.html.document_fromstring(html)
    except (lxml.etree.LxmlError, ValueError):
        return hashlib.sha256(html).digest(), "no HTML"
    words = " ".join(tree.xpath(SEEN)).split()
    digest = hashlib.sha256(" ".join(words).encode("utf-8", "replace")).digest()
    if not words:
        return digest, "no text"
    if len(words) < _STUB_WORDS and _REDIRECT.search(html):
        return digest, "redirect"
    return digest, "error page" if _ERROR.search(" ".join(tree.xpath("//title//text()"))) else ""

"""Saved web sites with gold: which of their pages are read, in what order, and what on them is content.

Three collections, each a folder of its own:

corpora  a ``sites.json`` (site -> start page, hosts, XPaths of the container that holds its content)
         beside a folder of pages a site
Debian   documentation packages, unpacked; where their content stands is in ``PACKAGES``
news     ``<language>/<host>/NNN.html`` beside ``NNN.txt``, the paragraphs of the article

Pages come breadth first from the start page, over the links that lead to saved pages.  Page types come from
``sites.json``, too (site -> ``page_types``: path -> type).  Types named ``other-*`` are artefacts of how they
were made: their pages are read but not scored.
Imported by benchmarks, not run.  Cost: each page is parsed once, to follow the site's links.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, unquote_to_bytes

import lxml.etree
import lxml.html

from templcrawl import Page

Words = Counter[str]

_WORD = re.compile(r"\w+")
_PARAGRAPH = re.compile(r"</?p>")
_IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_TEXT = (
    ".//text()[not(ancestor::script or ancestor::style or ancestor::noscript or ancestor::template"
    " or ancestor::head){}]"
)
_HIDES = "ancestor::*[@hidden or contains(translate(@style, ' ', ''), 'display:none')]"
SEEN, HIDDEN = (_TEXT.format(f" and {of}") for of in (f"not({_HIDES})", _HIDES))


def words_of(text: str) -> Words:
    r"""Return the bag of words of a text: runs of ``\w``, ideographs and syllables one by one.

    >>> sorted(words_of("two tea, 茶碗").items())
    [('tea', 1), ('two', 1), ('碗', 1), ('茶', 1)]
    """
    return Counter(word_list(text))


def word_list(text: str) -> list[str]:
    """Return the words of a text in their order."""
    return _WORD.findall(_IDEOGRAPH.sub(lambda match: f" {match[0]} ", text))


def tree_of(html: str) -> lxml.html.HtmlElement:
    """Return the tree that lxml makes of a page; raises LxmlError or ValueError where it makes none."""
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)
    return lxml.html.document_fromstring(html.encode("utf-8", "replace"), parser=parser)


def containers_of(html: str, paths: Sequence[str]) -> list[lxml.html.HtmlElement]:
    """Return the outermost elements that the first path finds that finds any; none where no tree is made."""
    try:
        tree = tree_of(html)
    except (lxml.etree.LxmlError, ValueError):
        return []
    found: list[lxml.html.HtmlElement] = next(filter(None, map(tree.xpath, paths)), [])
    return [node for node in found if not any(other in found for other in node.iterancestors())]


@dataclass(frozen=True)
class SavedPage:
    """A saved page.

    content  XPaths of the container that holds its content, in order of preference
    article  text of its content, where that is given
    type     its page type; None where it is not known
    """

    url: str
    html: bytes
    content: Sequence[str] = ()
    article: str | None = None
    type: str | None = None

    @cached_property
    def page(self) -> Page:
        """The page as templcrawl reads it."""
        return Page.from_html(self.html, self.url)

    @cached_property
    def gold(self) -> str | None:
        """Text of its content, None where its site's mark is missing."""
        if self.article is not None:
            return self.article
        containers = self.containers
        return " ".join(text for node in containers for text in node.xpath(SEEN)) if containers else None

    @property
    def hidden(self) -> str:
        """Text that the container of its content hides, and a reader may open."""
        return " ".join(text for node in self.containers for text in node.xpath(HIDDEN))

    @cached_property
    def containers(self) -> list[lxml.html.HtmlElement]:
        """The outermost elements that its site's mark stands on, none where it is missing."""
        return containers_of(self.page.text, self.content)


@dataclass(frozen=True)
class SavedSite:
    """A saved site.

    group    what its figures are averaged with
    start    path of its start page
    hosts    the hosts whose pages the folder holds
    content  XPaths of the container of its content, in order of preference
    types    path of a page -> its page type; None where all pages are of one
    """

    name: str
    group: str
    folder: Path
    start: str = ""
    hosts: Sequence[str] = ()
    content: Sequence[str] = ()
    types: Mapping[str, str | None] | None = None

    def pages(self, limit: int) -> Iterator[SavedPage]:
        """Yield its first pages, breadth first; pages that no link leads to come last, in path order."""
        files = self.files
        waiting = dict.fromkeys(sorted(set(files.values())))
        queue = deque([self.start_path])
        while limit and (queue or waiting):
            path = queue.popleft() if queue else next(iter(waiting))
            waiting.pop(path, None)
            saved = self.page(path)
            yield saved
            limit -= 1
            for target in saved.page.links.urls:
                name = self.find(target)
                if name in waiting:
                    del waiting[name]
                    queue.append(name)

    @property
    def start_path(self) -> str:
        """The path of its start page in the folder; raises KeyError if there is none."""
        return self.files[_name_of(self.start)]

    def page(self, path: str) -> SavedPage:
        """Return the page that is saved under a path."""
        kind = "" if self.types is None else self.types.get(path)
        return SavedPage(self.url_of(path), (self.folder / path).read_bytes(), self.content, type=kind)

    def url_of(self, path: str) -> str:
        """Return the URL under which the page of a path is read."""
        return f"http://{self.hosts[0]}/{quote(os.fsencode(path), safe='/?=&;%~+,:@')}"

    @cached_property
    def files(self) -> dict[str, str]:
        """Name of each saved page (see ``_name_of``) -> its path in the folder."""
        paths = sorted(
            path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if path.is_file()
        )
        return {_name_of(path): path for path in paths if _is_page(self.folder / path)}

    def find(self, url: str) -> str | None:
        """Return the path of the page behind a URL; a site may be saved without its first directory."""
        scheme, _, rest = url.partition("://")
        host, _, path = rest.partition("/")
        if not scheme.startswith("http") or host not in self.hosts:
            return None
        name = _name_of(path)
        below = name.partition("/")[2]
        return next((self.files[candidate] for candidate in (name, below) if candidate in self.files), None)

    def scored_type(self, url: str) -> str | None:
        """Return the page type of the page behind one of the site's own URLs, None if it is not scored."""
        return self._scored_types.get(unquote_to_bytes(url.split("/", 3)[3]))

    @cached_property
    def _scored_types(self) -> dict[bytes, str]:
        types = (self.types or {}).items()
        return {
            unquote_to_bytes(os.fsencode(path)): kind
            for path, kind in types
            if kind is not None and not kind.startswith("other-")
        }


def _name_of(path: str) -> str:
    """Return a path without what differs between a URL and a saved file."""
    path = unquote(path).strip("/")
    for end in ("index.html", "index.htm", "index.php", ".html", ".htm"):
        path = path.removesuffix(end)
    return path.rstrip("/")


@dataclass(frozen=True)
class NewsHost:
    """The annotated news pages of one host, in whatever languages, in the order of their names."""

    name: str
    group: str
    folders: Sequence[Path]

    def pages(self, limit: int) -> Iterator[SavedPage]:
        """Yield its first pages."""
        paths = (path for folder in self.folders for path in folder.glob("*.html"))
        for path in sorted(paths, key=lambda path: path.name)[:limit]:
            article = unescape(_PARAGRAPH.sub("\n", path.with_suffix(".txt").read_text(encoding="utf-8")))
            yield SavedPage(f"http://{self.name}/{quote(path.name)}", path.read_bytes(), article=article)


def _is_page(path: Path) -> bool:
    if path.suffix.lower() in (".html", ".htm"):
        return True
    if path.suffix.lower() in (".js", ".css", ".json", ".xml", ".svg"):
        return False
    with path.open("rb") as file:
        head = file.read(2000).lower()
    return b"<html" in head or b"<!doctype html" in head


def host_of(name: str) -> str:
    """Return a host that is a site's alone; a host has no underscore, and none is read fast that has one.

    >>> host_of("tea_shop")
    'tea-shop.example'
    """
    return f"{name.replace('_', '-')}.example"


def corpus_sites(folder: Path) -> list[SavedSite]:
    """Return the sites of a folder with a ``sites.json``, by collection."""
    sites = json.loads((folder / "sites.json").read_text(encoding="utf-8"))
    return [
        SavedSite(
            name,
            collection_of(site),
            folder / name,
            site["start"],
            tuple(site.get("hosts") or (host_of(name),)),
            tuple(site["content"]),
            site.get("page_types"),
        )
        for name, site in sites.items()
        if "content" in site and (folder / name).is_dir()
    ]


def collection_of(site: Mapping[str, Any]) -> str:
    """Return "tuned" (constants were chosen on it), "added" (later), or the name of a later collection.

    site  its entry in ``sites.json``

    >>> collection_of({"start": "index.html"}), collection_of({"added": "second"})
    ('tuned', 'added')
    """
    names = {False: "tuned", True: "added", "second": "added"}
    added: bool | str = site.get("added", False)
    return names.get(added, str(added))


class ReadSite(NamedTuple):
    """The first pages of a site, and the type of each, None where there is none to score.

    find  URL -> name of the saved page behind it, None where there is none
    """

    name: str
    group: str
    pages: Sequence[Page]
    types: Sequence[str | None]
    find: Callable[[str], str | None]


def read_sites(folder: Path, limit: int) -> Iterator[ReadSite]:
    """Yield the sites of a folder with their first pages, breadth first."""
    for site in corpus_sites(folder):
        saved = list(site.pages(limit))
        pages = [Page(one.page.text, one.url) for one in saved]
        types = [site.scored_type(one.url) for one in saved]
        yield ReadSite(site.name, site.group, pages, types, site.find)


def news_hosts(folder: Path) -> list[NewsHost]:
    """Return the hosts of a folder of annotated news pages."""
    hosts: dict[str, list[Path]] = {}
    for host in sorted(folder.glob("*/*")):
        if host.is_dir():
            hosts.setdefault(host.name, []).append(host)
    return [NewsHost(host, "news", tuple(folders)) for host, folders in hosts.items()]


_DOC = "usr/share/doc"
PACKAGES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "python3.11-doc": (f"{_DOC}/python3.11/html", "index.html", ("//div[@role='main']",)),
    "postgresql-doc-15": (
        f"{_DOC}/postgresql-doc-15/html",
        "index.html",
        ("//body/*[not(contains(@class, 'navheader') or contains(@class, 'navfooter'))]",),
    ),
    "openjdk-17-doc": (f"{_DOC}/openjdk-17-jre-headless", "api/index.html", ("//main",)),
    "apache2-doc": (f"{_DOC}/apache2-doc/manual", "en/index.html", ("//*[@id='page-content']",)),
    "cmake-doc": (f"{_DOC}/cmake-data/html", "index.html", ("//div[@role='main']",)),
    "qtbase5-doc-html": (
        "usr/share/qt5/doc",
        "qtcore/qtcore-index.html",
        ("//*[contains(concat(' ', @class, ' '), ' mainContent ')]",),
    ),
    "git-doc": (f"{_DOC}/git-doc", "git.html", ("//*[@id='header' or @id='content']",)),
    "nodejs-doc": (f"{_DOC}/nodejs/api", "index.html", ("//*[@id='apicontent']",)),
}
"""Debian package -> (folder inside it, start page, XPaths of the container of its content)."""
_DOXYGEN = "//div[@class='header' or @class='contents' or @class='textblock']"
_GTK_DOC = "//body/*[not(contains(@class, 'navigation') or contains(@class, 'footer'))]"
WHOLE_PACKAGES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "libsigc++-2.0-doc": (f"{_DOC}/libsigc++-2.0-doc/reference/html", "index.html", (_DOXYGEN,)),
    "libcairomm-1.0-doc": (f"{_DOC}/libcairomm-1.0-doc/reference/html", "index.html", (_DOXYGEN,)),
    "libcommons-io-java-doc": (f"{_DOC}/libcommons-io-java/api", "index.html", ("//main",)),
    "libcommons-lang3-java-doc": (f"{_DOC}/libcommons-lang3-java/api", "index.html", ("//main",)),
    "libsoup2.4-doc": ("usr/share/gtk-doc/html/libsoup-2.4", "index.html", (_GTK_DOC,)),
    "libcairo2-doc": ("usr/share/gtk-doc/html/cairo", "index.html", (_GTK_DOC,)),
    "libgtk-3-doc": ("usr/share/gtk-doc/html/gtk3", "index.html", (_GTK_DOC,)),
}
"""The same, of packages that are crawled whole, in :mod:`lab.bench.order` alone."""


def debian_sites(folder: Path) -> list[SavedSite]:
    """Return the documentation packages that are unpacked under ``folder/<package>``."""
    return [
        SavedSite(package, "debian", folder / package / root, start, (f"{package}.example",), gold)
        for package, (root, start, gold) in {**PACKAGES, **WHOLE_PACKAGES}.items()
        if (folder / package / root).is_dir()
    ]

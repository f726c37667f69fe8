"""What is compared of a page and of its Markdown: code, tables, headings, links, list items.

Imported by ``lab.bench.markdown``, not run.  Cost: O(length of the page), times the depth of what is nested.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import unquote, urljoin

import lxml.html
from markdown_it import MarkdownIt

KINDS = ("pre", "table", "h1-h6", "a", "li")
_PLAYERS = ("audio", "embed", "iframe", "object", "video")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_IGNORED = re.compile(r"[\s\u200b\ufeff]+")
_UNSEEN = ("script", "style", "noscript", "template")
_HAS_WORDS = re.compile(r"\w").search

Parts = Counter[tuple[str, object]]
"""(Kind, what is compared) of each element."""


def parts_of(nodes: Sequence[Any], base: str) -> Parts:
    """Return the elements of a tree that are compared; links in code are none."""
    parts: Parts = Counter()
    for node in nodes:
        in_code = {link for code in node.iter("pre", "div") if _is_code(code) for link in code.iter("a")}
        for element in node.iter(*_HEADINGS, "pre", "div", "table", "a", "li"):
            key = _key(element, base) if element not in in_code else ()
            if key:
                parts[_kind(element.tag), key] += 1
    return parts


def without_players(parts: Parts, nodes: Sequence[Any], base: str) -> Parts:
    """Return parts without links to what plays or is framed in a tree: some converters write them."""
    players = [player for node in nodes for player in node.iter(*_PLAYERS)]
    sources = [*players, *(source for player in players for source in player.iter("source"))]
    written = [source.get(name) for source in sources for name in ("data-src", "src", "data")]
    addresses = {unquote(urljoin(base, address.strip())) for address in written if address}
    return Counter({part: number for part, number in parts.items() if not _leads_to(part, addresses)})


def _leads_to(part: tuple[str, object], addresses: set[str]) -> bool:
    kind, key = part
    return kind == "a" and isinstance(key, tuple) and key[1] in addresses


def _is_code(element: Any) -> bool:
    """Return whether an element is a block of code: ``pre``, or what Doxygen writes in its place."""
    return element.tag == "pre" or "fragment" in (element.get("class") or "").split()


def _kind(tag: str) -> str:
    return {"div": "pre", **dict.fromkeys(_HEADINGS, "h1-h6")}.get(tag, tag)


def _key(element: Any, base: str) -> object:
    """Return what is compared of an element; something empty where it does not count."""
    if element.tag in ("pre", "div"):
        return _code(element) if _is_code(element) and element.find(".//pre") is None else ()
    if element.tag == "table":
        return _table(element)
    if element.tag == "li":
        return _words(_text(element, "ul", "ol"))
    text = _words(_text(element))
    if element.tag != "a":
        return (element.tag, text) if text else ()
    if _is_permalink(element):
        return ()
    href = (element.get("href") or "").strip()
    if not text or not href or href.lower().startswith(("javascript:", "data:")):
        return ()
    try:
        return (text, unquote(urljoin(base, href)))
    except ValueError:
        return ()


def _is_permalink(element: Any) -> bool:
    """Return whether an element is a link without words to a place of a page: its sign is for display."""
    return element.tag == "a" and "#" in element.get("href", "") and not _HAS_WORDS(element.text_content())


def _text(element: Any, *left_out: str) -> str:
    return "".join(_strings(element, left_out))


def _strings(element: Any, left_out: Sequence[str]) -> Iterator[str]:
    """Yield the strings a reader sees inside an element, lists inside it aside where these are left out."""
    yield element.text or ""
    for child in element:
        is_seen = isinstance(child.tag, str) and child.tag not in (*left_out, *_UNSEEN)
        if is_seen and not _is_permalink(child):
            if child.tag == "br":
                yield "\n"
            yield from _strings(child, left_out)
        yield child.tail or ""


def _words(text: str) -> str:
    return _IGNORED.sub("", text)


def _code(element: Any) -> tuple[str, ...]:
    lines = element.xpath("./div[@class='line']") if element.tag == "div" else []
    text = "\n".join(map(_text, lines)) if lines else _text(element)
    lines = [line.rstrip() for line in text.replace("\xa0", " ").splitlines()]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    return tuple(lines)


def _table(element: Any) -> tuple[tuple[str, ...], ...]:
    """Return the texts of its cells by row, empty ones aside; () where it holds another or is no table."""
    if element.find(".//table") is not None:
        return ()
    rows = [
        tuple(filter(None, (_words(_text(cell)) for cell in row.iter("td", "th"))))
        for row in element.iter("tr")
    ]
    rows = [row for row in rows if row]
    return tuple(rows) if len(rows) > 1 and max(map(len, rows)) > 1 else ()


class ReadBack:
    """Markdown as HTML again."""

    def __init__(self) -> None:
        self._markdown = MarkdownIt("commonmark", {"html": True, "maxNesting": 100}).enable(
            ["table", "strikethrough"]
        )

    def parts(self, markdown: str, base: str) -> Parts:
        """Return the elements of Markdown that are compared."""
        html = self._markdown.render(markdown)
        if not html.strip():
            return Counter()
        parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)
        tree = lxml.html.document_fromstring(f"<div>{html}</div>".encode("utf-8", "replace"), parser=parser)
        return parts_of([tree], base)


def by_kind(parts: Parts) -> Counter[str]:
    """Return how many elements there are of each kind."""
    kinds: Counter[str] = Counter()
    for (kind, _), number in parts.items():
        kinds[kind] += number
    return kinds

"""An oracle for generated pages: reads one with the standard library's parser, and knows no truth."""

from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

from lab.sites.areas import words_of
from lab.sites.generated import GeneratedPage

INLINE = {"a", "b", "em", "strong", "code", "span"}


class Reader(HTMLParser):
    """Reads a page once.

    words  as seen in its body; inline elements do not divide a word, all others do
    links  paths that it links to, anchors within the page left out
    turns  "a next", "link prev" and so on -> path
    """

    def __init__(self, page: GeneratedPage) -> None:
        super().__init__()
        self.text = ""
        self.links: list[str] = []
        self.turns: dict[str, str] = {}
        self._is_in_body = False
        self._base = "http://x" + page.path
        self._unseen = False
        self.feed(page.html)
        self.close()
        self.words = words_of(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self._is_in_body |= tag == "body"
        self._unseen |= tag in {"head", "script", "style"}
        if tag not in INLINE:
            self.text += " "
        if tag == "a" and not given["href"].startswith("#"):
            self.links.append(urlsplit(urljoin(self._base, given["href"])).path)
        if tag in {"a", "link"} and given.get("rel") in {"next", "prev"}:
            self.turns[f"{tag} {given['rel']}"] = urlsplit(urljoin(self._base, given["href"])).path

    def handle_endtag(self, tag: str) -> None:
        if tag == "head" or (tag in {"script", "style"} and self._is_in_body):
            self._unseen = False
        if tag not in INLINE:
            self.text += " "

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self.text += data

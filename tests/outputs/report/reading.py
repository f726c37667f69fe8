"""Read a report as a browser would, and say what in it is not inert."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from templcrawl.outputs.report.greyed_page import _LOOKS, own_file
from templcrawl.outputs.report.html import digest

_VOID = frozenset("br hr link meta img input wbr".split())
_OF_REPORT = frozenset(
    """html head meta title style body header main section h1 h2 h3 h4 h5 p ul li q dl div dt dd table caption
    thead tbody tr th td span code bdi a details summary svg rect line polyline circle text
    script input label br wbr""".split()
)
_OF_PICTURE = frozenset({"div", "span", "br", "wbr"})


Tags = list[tuple[str, dict[str, str | None]]]


class Reader(HTMLParser):
    """What stands in a document.

    tags      (name, attributes) of every start tag
    texts     every run of text
    pictures  picture of a page -> its tags
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: Tags = []
        self.pictures: list[Tags] = []
        self._frame = 1_000
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs)
        self.tags.append((tag, dict(attrs)))
        if len(self.open) > self._frame:
            self.pictures[-1].append((tag, dict(attrs)))
        elif ("class", "frame") in attrs:
            self._frame = len(self.open)
            self.pictures.append([])
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, tag
        assert self.open.pop() == tag
        if len(self.open) == self._frame:
            self._frame = 1_000

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)

    def attributes(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def assert_page_is_inert(html: str) -> Reader:
    """Assert that a greyed page holds nothing that runs, loads or leads away."""
    head, _, body = html.partition("</head>")
    assert "default-src 'none'" in head
    assert "url(" not in head
    assert "@import" not in head
    reader = Reader(body.removesuffix("</html>"))
    assert reader.tags.pop(0) == ("body", {})
    _assert_picture(reader.tags)
    return reader


def _assert_picture(tags: Tags) -> None:
    """Assert that a picture is of elements that no start tag of another ends, with attributes of ours."""
    for name, attributes in tags:
        assert name in _OF_PICTURE
        assert attributes.keys() <= {"class", "dir"}
        assert set(str(attributes.get("class", "")).split()) <= {
            *_LOOKS.values(),
            *"t picture box cut hr".split(),
        }
        assert attributes.get("dir", "rtl") in ("ltr", "rtl", "auto")


def assert_inert(html: str) -> Reader:
    """Assert that nothing in a report runs or loads, but a script of its own that it names by a hash."""
    reader = Reader(html)
    policy = str(reader.attributes("meta")[1].get("content"))
    scripts, styles = (re.findall(f"<{name}>(.*?)</{name}>", html, re.DOTALL) for name in ("script", "style"))
    assert "default-src 'none'" in policy
    if scripts:
        assert scripts == [own_file("report.js")]
        assert f"script-src '{digest(scripts[0])}'" in policy
        assert f"style-src '{digest(styles[0])}'" in policy
        assert "unsafe" not in policy
    assert len(styles) == html.lower().count("<style") == 1
    assert html.lower().count("<script") == len(scripts) == len(reader.attributes("script"))
    for name, attributes in reader.tags:
        assert name in _OF_REPORT, name
        assert not any(attribute.startswith("on") or attribute == "src" for attribute in attributes)
        assert name == "a" or "href" not in attributes
        assert not attributes.keys() & {"style", "srcdoc"}
    for link in reader.attributes("a"):
        assert str(link["href"]).startswith(("http://", "https://"))
    assert len(reader.attributes("input")) <= 1
    for picture in reader.pictures:
        _assert_picture(picture)
    return reader

"""Read a report as a browser would, and say what in it is not inert."""

from __future__ import annotations

from html.parser import HTMLParser

_VOID = frozenset("br hr link meta img input wbr".split())
_OF_REPORT = frozenset(
    """html head meta title style body header main section h1 h2 h3 h4 h5 p ul li q dl div dt dd table caption
    thead tbody tr th td span code bdi a details summary iframe svg rect line polyline circle text""".split()
)
_OF_PAGE = frozenset({"class", "colspan", "rowspan", "dir"})
_NOT_OF_PAGE = frozenset(
    "script link base iframe object embed form input button svg img frame style meta".split()
)


class Reader(HTMLParser):
    """What stands in a document.

    tags   (name, attributes) of every start tag
    texts  every run of text
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs)
        self.tags.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, tag
        assert self.open.pop() == tag

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
    for name, attributes in reader.tags:
        assert name not in _NOT_OF_PAGE
        assert attributes.keys() <= _OF_PAGE
    return reader


def assert_inert(html: str) -> Reader:
    """Assert that a report holds nothing that runs or loads."""
    reader = Reader(html)
    assert "<script" not in html.lower()
    for name, attributes in reader.tags:
        assert name in _OF_REPORT, name
        assert not any(attribute.startswith("on") or attribute == "src" for attribute in attributes)
        assert name == "a" or "href" not in attributes
        assert name == "iframe" or "srcdoc" not in attributes
        assert "style" not in attributes
    for link in reader.attributes("a"):
        assert str(link["href"]).startswith(("http://", "https://"))
    for frame in reader.attributes("iframe"):
        assert frame["sandbox"] is None
        assert_page_is_inert(str(frame["srcdoc"]))
    return reader

"""A spider that yields the columns of each page type: plain Scrapy, made by ``scrapy tables --spider``."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from lxml import etree
from scrapy import Spider
from scrapy.linkextractors import LinkExtractor

UNSEEN = frozenset(
    """annotation annotation-xml audio canvas datalist head iframe noembed noframes noscript script style
    template textarea title video xmp""".split()
)
BLOCKS = frozenset(
    """address article aside blockquote body br caption center col colgroup dd details dialog dir div dl dt
    fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend
    li listing main marquee menu nav noframes ol optgroup option p plaintext pre search section summary table
    tbody td tfoot th thead tr ul xmp""".split()
)
HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
RUNNING = frozenset("p li td dd div blockquote figcaption article section".split())
JOINING = frozenset("em i sub sup mark abbr code wbr u q cite kbd var font bdi acronym tt".split())
OLD = frozenset({"del", "s", "strike"})
SOURCES = ("data-src", "data-lazy-src", "data-original", "src")
ENDS = " :："
WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
PREFIXED = re.compile(r"([^:：]{1,40}?)\s*[:：](?!//|[:：]|(?<=\d.)\d)\s*(\S.*)", re.DOTALL).fullmatch
NUMBER = re.compile(r"[\d.,]+").fullmatch
WIDTHLESS = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")


class Texts:
    """The texts of a page or of a part of it.

    A text is what an element says; what another element inside it says, such as a badge, is one of its own.
    """

    def __init__(self, part: Any, response: Any, labels: Iterable[str] = ()) -> None:
        """Read the texts of a part of a response.

        labels  texts that say what the next one is; with a colon, what stands before it in the same text
        """
        self.part, self.response = part, response
        self.labels = frozenset(labels)
        self.held: defaultdict[Any, list[tuple[str, str]]] = defaultdict(
            list
        )  # element -> its texts, each with the label before it
        label, of_label = "", None
        labelled: list[tuple[str, str | None]] | None = None
        for element, text in texts_of(part.root):
            said, bare = "", text.rstrip(ENDS)
            if bare in self.labels or f"{bare}:" in self.labels:
                if may_label(element, bare):
                    label, of_label, labelled = bare, element, None
            elif OLD.isdisjoint(one.tag for one in above(element, 40)):
                labelled = labelled or kind_of(element)
                if label and element.tag not in HEADINGS and labelled == kind_of(element):
                    said = "" if set(above(element)).isdisjoint(above(of_label)) else label
            self.held[element].append((text, said))

    def get(self, xpath: str, label: str | None = None, fixed: Collection[str] = ()) -> list[str]:
        """Return the texts of some elements, without those that are fixed.

        label  that they have, "" for none; None: whatever it is
        """
        return [text for _, text in self.found(xpath, label, fixed)]

    def links(self, xpath: str, label: str | None = None, fixed: Collection[str] = ()) -> list[str]:
        """Return where the links lead that the texts of some elements are in."""
        around = (
            element.xpath("ancestor-or-self::a[1]/@href") for element, _ in self.found(xpath, label, fixed)
        )
        return [absolute(self.response, address) for addresses in around for address in addresses if address]

    def pictures(self, xpath: str, label: str | None = None, fixed: Collection[str] = ()) -> list[str]:
        """Return the addresses of some pictures."""
        return [absolute(self.response, address) for address in self.get(xpath, label, fixed)]

    def found(self, xpath: str, label: str | None, fixed: Collection[str]) -> Iterator[tuple[Any, str]]:
        """Yield some elements with their texts."""
        for selected in self.part.xpath(xpath):
            for text, said in self.held.get(selected.root, ()):
                match = PREFIXED(text) if label is not None else None
                if match and f"{match[1]}:" in self.labels:
                    said, text = f"{match[1]}:", match[2]
                if label in (None, said) and text[:200] not in fixed:
                    yield selected.root, text.lstrip(ENDS) if label else text


def texts(parts: Iterable[Any], response: Any, labels: Iterable[str]) -> Iterator[Texts]:
    """Return the texts of each of some parts."""
    return (Texts(part, response, labels) for part in parts)


def texts_of(root: Any) -> Iterator[tuple[Any, str]]:
    """Yield the texts in an element in reading order, each with the element that says it; and pictures."""
    whole: dict[Any, Any] = {}
    parts: list[str] = []
    at: Any = None
    walk = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
    for event, element in walk:
        if event == "start":
            whole[element] = whole.get(element.getparent()) if joins(element, whole) else element
            of, text = element, element.text
            if element.tag in UNSEEN:
                walk.skip_subtree()
                continue
        elif element is root:
            break
        else:
            of, text = element.getparent(), element.tail
        is_picture = event == "start" and element.tag == "img"
        text = " ".join(WIDTHLESS.sub("", text or "").split())
        if (is_picture or (text and whole[of] is not at)) and parts:
            yield at, " ".join(parts)
            at, parts = None, []
        if is_picture:
            sources = (element.get(name, "") for name in SOURCES)
            if source := next((one for one in sources if one and not one.startswith("data:")), ""):
                yield element, source
            at = None
        elif text:
            at = whole[of]
            parts.append(text)
            if of is not at and at.tag in HEADINGS and NUMBER(text):
                yield of, text
    if parts:
        yield at, " ".join(parts)


def joins(element: Any, whole: Mapping[Any, Any]) -> bool:
    """Return whether an element says a part of what the text around it says."""
    parent = element.getparent()
    around = whole.get(parent)
    if around is None or element.tag in BLOCKS:
        return False
    classes = element.get("class", "").split()
    return (
        around.tag in HEADINGS
        or around.tag == "a"
        or (around.tag in RUNNING and words_of(around) >= 6)
        or (element.tag in JOINING and not classes and words_of(parent) > 0)
        or (element.tag == "span" and any("urrency" in word for word in classes))
    )


def may_label(element: Any, text: str) -> bool:
    """Return whether a text may say what the next one is."""
    letters, digits = sum(map(str.isalpha, text)), sum(map(str.isdigit, text))
    in_link = element.tag == "img" or bool(element.xpath("ancestor-or-self::a/@href"))
    return not in_link and digits < letters and len(text) <= 32


def words_of(element: Any) -> int:
    """Return how many words stand in an element itself."""
    return len(WORD.findall(" ".join(element.xpath("text()"))))


def above(element: Any, most: int = 3) -> list[Any]:
    """Return an element and those around it."""
    found: list[Any] = []
    while element is not None and len(found) < most:
        found.append(element)
        element = element.getparent()
    return found


def kind_of(element: Any) -> list[tuple[str, str | None]]:
    """Return what tells an element from others: its tag and words, and those of the two around it."""
    return [(one.tag, one.get("class")) for one in above(element)]


def absolute(response: Any, address: str) -> str:
    """Return an absolute address, or the address as it is written where there is none."""
    try:
        return response.urljoin(address.strip())
    except ValueError:
        return address


def records(response: Any, xpaths: Mapping[str, str]) -> dict[str, list[Any]]:
    """Return the records of each table, the outermost ones.

    xpaths  table -> XPath of its records
    """
    selected = {table: response.xpath(xpath) for table, xpath in xpaths.items()}
    roots = {one.root for of_table in selected.values() for one in of_table}
    return {
        table: [one for one in of_table if roots.isdisjoint(one.root.iterancestors())]
        for table, of_table in selected.items()
    }


def first(values: list[str]) -> str | None:
    """Return the first of some values, None without one."""
    return values[0] if values else None


def last(values: list[str]) -> str | None:
    """Return the last of some values, None without one."""
    return values[-1] if values else None


def every(values: list[str]) -> list[str]:
    """Return some values, each once."""
    return list(dict.fromkeys(values))


def filled(item: Mapping[str, Any]) -> int:
    """Return how many values an item has."""
    return sum(bool(value) for value in item.values())


class TypesSpider(Spider):
    """A spider of several page types: it yields what a page has most of, and follows all links.

    types  names of the methods that make the item of a page of a type
    """

    types: tuple[str, ...] = ()

    def parse(self, response: Any) -> Iterator[Any]:
        """Yield the item of a page, and the requests of its links."""
        items: list[dict[str, Any]] = [getattr(self, name)(response) for name in self.types]
        item = max(items, key=filled, default={})
        if filled(item) > 1:  # more than its address
            yield item
        for link in LinkExtractor().extract_links(response):
            yield response.follow(link)

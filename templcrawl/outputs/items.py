"""Items: the item that carries a page, any item as JSON text, and the table of page types as a JSON file.

JSON text stores an item of any kind whole: in the table of the SQLite pipeline and in the
``extra`` column of the Parquet exporter.  It is *canonical*: equal items give equal text, whatever
the order of their fields, so that the text shows whether an item was stored before.

Cost: linear in the size of the item (field names are sorted).

*The table of page types* is one object, an entry a line, which items join by their ``leaf_id``::

    {
    "example.org#86c5d7033e63": {"page_type": "/product/*", "pages": 12, "kind": "product"}
    }

If a leaf has two entries, the later one holds, as in readers of JSON.  Cost: O(entries), one at a time.
"""

from __future__ import annotations

import json
import math
import re
import sys
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, make_dataclass
from datetime import date, time
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar, cast

from itemadapter import ItemAdapter, is_item
from scrapy.http import TextResponse

from templcrawl.files import whole_file
from templcrawl.memory.page_types import TypedLeaf
from templcrawl.outputs.answers import ANSWERS, META_KEY
from templcrawl.page.markdown import MarkdownSection
from templcrawl.page.page import Page

_TYPES: Mapping[str, Any] = {
    "string": str,
    "int64": int,
    "float64": float,
    "bool": bool,
    "sections": list[MarkdownSection],
    "json": dict[str, Any],
}
ESCAPED = "backslashreplace"  # makes of a lone surrogate the escape that JSON has for it
_PageItem = TypeVar("_PageItem", bound="type[PageItem]")


def _with_answers(page: _PageItem) -> _PageItem:
    answers: list[tuple[str, Any, Any]] = [
        (row.name, _TYPES[row.column] | None, None) for row in ANSWERS.values()
    ]
    whole: Any = make_dataclass(page.__name__, answers, bases=(page,), namespace={"__doc__": page.__doc__})
    whole.__module__ = page.__module__  # pickle finds it there
    return cast("_PageItem", whole)


@_with_answers
@dataclass
class PageItem:
    """A page with a field of each answer of :mod:`~templcrawl.outputs.answers`.

    The spider middleware fills those that ``TEMPLCRAWL_ITEM_FIELDS`` names; the others stay None.
    """

    url: str
    """Address of the page, after redirects."""

    title: str | None = None
    """Text of the page's first ``title`` element, white space folded."""

    truncated: bool = False
    """True when the page hit a cap on the work that a page may cost."""

    @classmethod
    def of(cls, response: TextResponse) -> PageItem:
        """Return the item of a page; the spider middleware fills in the answers."""
        return cls(
            url=response.url,
            title=Page(response.text, response.url).title or None,
            truncated=bool(response.meta.get(META_KEY, {}).get("truncated")),
        )


def field_value(item: ItemAdapter, name: str, default: object = None) -> Any:
    """Return the value of a field, a default where the item has no such key, or its attribute is not set.

    Asking sets nothing, as it would in a ``defaultdict``.
    """
    if isinstance(item.item, Mapping) and name not in item.item:
        return default
    try:
        return item[name]
    except (KeyError, AttributeError):
        return default


def json_text(value: object) -> str:
    r"""Write an item, or any value of a field, as one line of canonical JSON.

    Items of every kind and mappings become objects, lists and tuples become arrays, and sets become
    sorted arrays.  Bytes become ``{"base64": ...}``, dates ISO 8601 text, an enum member its value,
    an array of numpy a list, a number that JSON lacks (NaN, infinity) and anything else its
    ``str()``.  A mapping with two keys that read alike becomes an array of pairs.

    Raises RecursionError for a value that contains itself or is nested too deeply, and ValueError
    for a whole number of more digits than Python writes (4,300).

    >>> json_text({"url": "https://a.example/", "tags": {"b", "a"}, "body": b"\x00"})
    '{"body":{"base64":"AA=="},"tags":["a","b"],"url":"https://a.example/"}'
    """
    return _dump(plain(value))


def _dump(plain: object) -> str:
    return unescaped_json(plain, sort_keys=True, separators=(",", ":"))


def unescaped_json(value: object, **form: Any) -> str:
    r"""Write JSON of which only lone surrogates are escaped, since UTF-8 cannot hold them.

    form  arguments of ``json.dumps``

    >>> unescaped_json(["é", "\ud800"])
    '["é", "\\ud800"]'
    """
    return json.dumps(value, ensure_ascii=False, **form).encode(errors=ESCAPED).decode()


def plain(value: object) -> object:
    """Rebuild ``value`` from what JSON knows; raises RecursionError as :func:`json_text`."""
    if isinstance(value, Enum):
        value = value.value
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (list, tuple)):
        return [plain(member) for member in value]
    if isinstance(value, (set, frozenset)):
        return sorted(map(plain, value), key=_dump)
    if isinstance(value, Mapping) or is_item(value):
        mapping = value if isinstance(value, Mapping) else ItemAdapter(value)
        pairs = [
            (key if isinstance(key, str) else str(key), plain(member)) for key, member in mapping.items()
        ]
        named = dict(pairs)
        return named if len(named) == len(pairs) else sorted(map(list, pairs), key=_dump)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"base64": b64encode(value).decode("ascii")}
    if isinstance(value, (date, time)):
        return value.isoformat()
    if callable(to_list := getattr(value, "tolist", None)):
        return plain(to_list())
    return str(value)


def write_page_types(path: Path | None, leaves: Iterable[TypedLeaf]) -> int:
    """Write a file aside, then in the place of an earlier one; return how many entries it has.

    path  None: they go to stdout
    Raises OSError.
    """
    count = 0
    with whole_file(path) if path is not None else nullcontext(sys.stdout.buffer) as file:
        for leaf in leaves:
            file.write((",\n" if count else "{\n").encode() + entry_of(leaf).encode())
            count += 1
        file.write(b"\n}\n" if count else b"{}\n")
        file.flush()
    return count


def read_page_types(lines: Iterable[str]) -> Iterator[TypedLeaf]:
    """Yield the rows of the lines of a file; lines that are no entries are passed over."""
    for line in lines:
        try:
            ((leaf_id, values),) = json.loads(f"{{{line.strip().rstrip(',')}}}").items()
            yield TypedLeaf(leaf_id, **values)
        except (ValueError, TypeError):
            continue


def entry_of(leaf: TypedLeaf) -> str:
    """Return the entry of a leaf.

    >>> entry_of(TypedLeaf("a.example#86c5d7033e63", "/p/*", 3))
    '"a.example#86c5d7033e63": {"page_type": "/p/*", "pages": 3, "kind": null}'
    """
    leaf_id, *values = leaf
    return f"{unescaped_json(leaf_id)}: {unescaped_json(dict(zip(TypedLeaf._fields[1:], values)))}"


# An escape of JSON; its group is what PostgreSQL's text does not have.
_ESCAPE = re.compile(r"\\(?:ud[89ab]..\\ud[c-f]..|(u0000|ud[89a-f]..)|.)")


def plain_json(text: str) -> str:
    r"""Return JSON text with U+FFFD for what PostgreSQL's text does not have.

    >>> print(plain_json(r'["\u0000", "\\u0000", "\ud83d\ude00", "\ud83d"]'))
    ["\ufffd", "\\u0000", "\ud83d\ude00", "\ufffd"]
    """
    return _ESCAPE.sub(lambda match: "\\ufffd" if match[1] else match[0], text)

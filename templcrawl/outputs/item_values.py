"""Items of any kind: the value of a field, and an item as JSON text.

JSON text stores an item of any kind whole: in the table of the SQLite pipeline and in the
``extra`` column of the Parquet exporter.  It is *canonical*: equal items give equal text, whatever
the order of their fields, so that the text shows whether an item was stored before.

Cost: linear in the size of the item (field names are sorted).
"""

from __future__ import annotations

import json
import math
import re
from base64 import b64encode
from collections.abc import Mapping
from datetime import date, time
from enum import Enum
from typing import Any

from itemadapter import ItemAdapter, is_item

ESCAPED = "backslashreplace"  # makes of a lone surrogate the escape that JSON has for it


def field_value(item: ItemAdapter, name: str) -> Any:
    """Return the value of a field, None where the item has no such key, or its attribute is not set.

    Asking sets nothing, as it would in a ``defaultdict``.
    """
    if isinstance(item.item, Mapping) and name not in item.item:
        return None
    try:
        return item[name]
    except (KeyError, AttributeError):
        return None


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


# An escape of JSON; its group is what PostgreSQL's text does not have.
_ESCAPE = re.compile(r"\\(?:ud[89ab]..\\ud[c-f]..|(u0000|ud[89a-f]..)|.)")


def plain_json(text: str) -> str:
    r"""Return JSON text with U+FFFD for what PostgreSQL's text does not have.

    >>> print(plain_json(r'["\u0000", "\\u0000", "\ud83d\ude00", "\ud83d"]'))
    ["\ufffd", "\\u0000", "\ud83d\ude00", "\ufffd"]
    """
    return _ESCAPE.sub(lambda match: "\\ufffd" if match[1] else match[0], text)

"""The column types of an export, and the lossless conversions to them.

- ``string``: text; numbers, dates, times and UUIDs as text.
- ``int64``: numbers without a fraction, of 64 bits.
- ``float64``: numbers that a float gives back unchanged (0.1 and Decimal("0.1"); not 2**53 + 1).
- ``bool``: True and False.
- ``timestamp``: datetimes, to the microsecond, in UTC; one without a zone is taken as UTC.
- ``binary``: bytes; text as UTF-8.
- ``sections``: lists of sections of Markdown, as ``content_headings`` has them.
- ``list<string>``: lists, tuples and sets (sorted) of what a ``string`` column holds, and of None.
- ``json``: anything, as JSON text.

An enum member counts as its value.  Text is never parsed: "007" is no 7.  A truth value is neither
text nor a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, time, timezone
from decimal import Decimal
from enum import Enum
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any
from uuid import UUID

from templcrawl.outputs.items import json_text

_SECTION = {"path", "start", "stop"}


def to_cell(value: Any, type_name: str) -> Any:
    """Convert ``value`` to what a column of the type ``type_name`` holds.

    Raises ValueError when such a column cannot hold it without loss.

    >>> to_cell(2.0, "int64"), to_cell(12, "string"), to_cell(("a", "b"), "list<string>")
    (2, '12', ['a', 'b'])
    """
    try:
        return COLUMN_TYPES[type_name](value.value if isinstance(value, Enum) else value)
    except (TypeError, ArithmeticError) as error:
        raise ValueError(str(error)) from error


def _string(value: Any) -> str:
    if isinstance(value, bool):
        raise TypeError("a truth value is no text")
    if isinstance(value, (date, time)):
        value = value.isoformat()
    elif isinstance(value, (int, float, Decimal, UUID)):
        value = str(value)
    elif not isinstance(value, str):
        raise TypeError("no text")
    value.encode()  # raises for a lone surrogate, which UTF-8 cannot hold
    return str(value)


def _int64(value: Any) -> int:
    if isinstance(value, bool) or not -(2**63) <= value < 2**63:
        raise TypeError("no number of 64 bits")
    if (whole := int(value)) != value:
        raise ValueError("no whole number")
    return whole


def _float64(value: Any) -> float:
    if isinstance(value, (bool, str, bytes, bytearray)):
        raise TypeError("no number")
    number = float(value)
    read_back = Decimal(repr(number)) if isinstance(value, Decimal) else number
    if read_back != value and value == value:
        raise ValueError("not exact in 64 bits")
    return number


def _bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError("no truth value")
    return value


def _timestamp(value: Any) -> datetime:
    if not isinstance(value, datetime):
        raise TypeError("no moment")
    if getattr(value, "nanosecond", 0):  # the datetimes of pandas are finer than a microsecond
        raise ValueError("finer than a microsecond")
    if value.utcoffset() is not None:
        value = value.astimezone(timezone.utc)
    return datetime.combine(value.date(), value.time(), tzinfo=timezone.utc)


def _binary(value: Any) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise TypeError("no bytes")
    return bytes(value)


def _strings(value: Any) -> list[str | None]:
    if isinstance(value, (set, frozenset)):
        value = sorted(value)
    elif not isinstance(value, (list, tuple)):
        raise TypeError("no list")
    return [None if member is None else to_cell(member, "string") for member in value]


def _sections(value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, list) or any(set(section) != _SECTION for section in value):
        raise TypeError("no list of sections")
    return [
        {
            "path": _strings(section["path"]),
            "start": _int64(section["start"]),
            "stop": _int64(section["stop"]),
        }
        for section in value
    ]


# Name of a type -> its conversion, which raises for what does not fit.
COLUMN_TYPES: Mapping[str, Callable[[Any], Any]] = MappingProxyType(
    {
        "string": _string,
        "int64": _int64,
        "float64": _float64,
        "bool": _bool,
        "timestamp": _timestamp,
        "binary": _binary,
        "list<string>": _strings,
        "sections": _sections,
        "json": json_text,
    }
)

_KINDS: tuple[tuple[Any, str], ...] = (
    (bool, "bool"),
    (Integral, "int64"),
    ((Real, Decimal), "float64"),
    (datetime, "timestamp"),
    (bytes, "binary"),
)


def column_type(values: Iterable[Any], expected: str | None = None) -> str:
    """Return the narrowest type whose columns hold all of ``values``, "string" where they are all None.

    expected  the type that is taken if they fit it

    >>> column_type([1, None, 2.5]), column_type(["a", 7]), column_type([{"a": 1}])
    ('float64', 'string', 'json')
    """
    there = [value for value in values if value is not None]
    kinds = {_kind(value.value if isinstance(value, Enum) else value) for value in there}
    if kinds == {"int64", "float64"}:
        kinds = {"float64"}
    likely = [*filter(None, [expected]), *(kinds if len(kinds) == 1 else ()), "string"]
    return next((name for name in likely if all(_fits(value, name) for value in there)), "json")


def _kind(value: Any) -> str:
    for kind, type_name in _KINDS:
        if isinstance(value, kind):
            return type_name
    if isinstance(value, (list, tuple, set, frozenset)):
        return "list<string>" if all(isinstance(one, str | None) for one in value) else "json"
    return "string"


def _fits(value: Any, type_name: str) -> bool:
    try:
        to_cell(value, type_name)
    except ValueError:
        return False
    return True

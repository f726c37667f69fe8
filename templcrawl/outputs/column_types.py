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

An enum member counts as its value.  Text is never parsed: "007" does not become 7. A truth value is neither
text nor a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import date, datetime, time, timezone
from decimal import Decimal
from enum import Enum
from numbers import Integral, Real
from typing import Any
from uuid import UUID

from templcrawl.outputs.item_values import json_text


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


def _of(value: Any, *kinds: type) -> Any:
    """Return a value of these types; raises TypeError for any other, and for a truth value among numbers."""
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise TypeError(f"no {kinds[0].__name__}")
    return value


def _string(value: Any) -> str:
    value = _of(value, str, int, float, Decimal, UUID, date, time)
    text = value.isoformat() if isinstance(value, (date, time)) else str(value)
    text.encode()  # raises for a lone surrogate, which UTF-8 cannot hold
    return text


def _int64(value: Any) -> int:
    if isinstance(value, bool) or not -(2**63) <= value < 2**63 or int(value) != value:
        raise TypeError("no whole number of 64 bits")
    return int(value)


def _float64(value: Any) -> float:
    number = float(_of(value, Real, Decimal))
    read_back = Decimal(repr(number)) if isinstance(value, Decimal) else number
    if read_back != value and value == value:
        raise ValueError("not exact in 64 bits")
    return number


def _timestamp(value: Any) -> datetime:
    if getattr(_of(value, datetime), "nanosecond", 0):  # the datetimes of pandas
        raise ValueError("finer than a microsecond")
    moment: datetime = value if value.utcoffset() is None else value.astimezone(timezone.utc)
    return datetime.combine(moment.date(), moment.time(), tzinfo=timezone.utc)


def _strings(value: Any) -> list[str | None]:
    members = sorted(value) if isinstance(value, (set, frozenset)) else _of(value, list, tuple)
    return [None if member is None else to_cell(member, "string") for member in members]


def _section(value: Any) -> dict[str, Any]:
    if set(value) != {"path", "start", "stop"}:
        raise TypeError("no section")
    return {"path": _strings(value["path"]), **{end: _int64(value[end]) for end in ("start", "stop")}}


# Name of a type -> its conversion, which raises for what does not fit.
COLUMN_TYPES: Mapping[str, Callable[[Any], Any]] = {
    "string": _string,
    "int64": _int64,
    "float64": _float64,
    "bool": lambda value: _of(value, bool),
    "timestamp": _timestamp,
    "binary": lambda value: (
        value.encode() if isinstance(value, str) else bytes(_of(value, bytes, bytearray, memoryview))
    ),
    "list<string>": _strings,
    "sections": lambda value: [*map(_section, _of(value, list))],
    "json": json_text,
}


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
    kinds -= {"int64"} if kinds == {"int64", "float64"} else set()
    likely: list[str] = [*filter(None, [expected]), *(kinds if len(kinds) == 1 else ()), "string"]
    for name in likely:
        with suppress(ValueError):
            for value in there:
                to_cell(value, name)
            return name
    return "json"


def _kind(value: Any) -> str:
    if isinstance(value, (list, tuple, set, frozenset)):
        return "list<string>" if all(isinstance(one, str | None) for one in value) else "json"
    for kind, type_name in _KINDS:
        if isinstance(value, kind):
            return type_name
    return "string"

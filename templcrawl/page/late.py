"""Attributes of a class that are worked out when they are first asked for.

Cost: ``cached_property`` takes a lock before Python 3.12; this takes none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class _Late:
    __slots__ = ("_name", "_work_out")

    def __init__(self, work_out: Callable[[Any], Any]) -> None:
        self._work_out = work_out

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, read: Any, owner: type) -> Any:
        if read is None:
            return self
        value = read.__dict__[self._name] = self._work_out(read)
        return value


def late(work_out: Callable[[Any], Any]) -> Any:
    """Return an attribute of a class that is worked out when it is first asked for."""
    return _Late(work_out)


def listed(array: str) -> Any:
    """Return such an attribute that is an array of the same object as a list."""
    return _Late(lambda read: getattr(read, array).tolist())

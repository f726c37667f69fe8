"""A cache of a function of short texts, for all pages of a process: most tags and runs of a site recur.

It is bounded in both ways: a text longer than ``MAX_CHARACTERS`` is computed each time, and a cache with
``MAX_ENTRIES`` entries is cleared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

MAX_CHARACTERS = 400
MAX_ENTRIES = 20_000


class Cache(dict[str, T]):
    """Text -> what is remembered of it."""

    __slots__ = ()

    def keep(self, text: str, value: T) -> T:
        """Remember the value of a text, unless that is long; return it."""
        if len(text) <= MAX_CHARACTERS:
            if len(self) >= MAX_ENTRIES:
                self.clear()
            self[text] = value
        return value


class Memo(Cache[T]):
    """A function of a text with a cache of its values.

    >>> lengths = Memo(len)
    >>> lengths["four"], dict(lengths)
    (4, {'four': 4})
    """

    __slots__ = ("_compute",)

    def __init__(self, compute: Callable[[str], T]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, text: str) -> T:
        return self.keep(text, self._compute(text))

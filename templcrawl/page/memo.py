"""What is known of short texts, for all pages of a process: most tags and runs of a site are met again.

A mapping that works out what it is asked for and remembers it.  Bounded in both ways: what is longer than
``MAX_CHARACTERS`` is worked out each time, and when ``MAX_ENTRIES`` are known all of them are forgotten.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

MAX_CHARACTERS = 400
MAX_ENTRIES = 20_000


class Memo(dict[str, T]):
    """A function of a text that remembers what it has answered.

    >>> lengths = Memo(len)
    >>> lengths["four"], dict(lengths)
    (4, {'four': 4})
    """

    __slots__ = ("_work_out",)

    def __init__(self, work_out: Callable[[str], T]) -> None:
        super().__init__()
        self._work_out = work_out

    def __missing__(self, text: str) -> T:
        value = self._work_out(text)
        if len(text) <= MAX_CHARACTERS:
            if len(self) >= MAX_ENTRIES:
                self.clear()
            self[text] = value
        return value

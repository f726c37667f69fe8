"""How much of a page is read: caps that keep work and memory linear in the bytes of any page.

A page that hits a cap says so in ``Page.truncated``; what lies beyond the cap is kept, unread, as content.
"""

from __future__ import annotations

from dataclasses import dataclass

from templcrawl.errors import InvalidOption


@dataclass(frozen=True, slots=True)
class Limits:
    """Caps on one page.

    max_characters  characters of the page that are read
    max_tags        tags and comments of the page that are read
    """

    max_characters: int = 8_000_000
    max_tags: int = 120_000

    def __post_init__(self) -> None:
        for name in ("max_characters", "max_tags"):
            value = getattr(self, name)
            if not isinstance(value, int) or value < 1:
                raise InvalidOption(name, value, "a whole number of 1 or more")

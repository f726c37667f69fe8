"""How a number is said with its noun."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun.

    plural  the plural, where it is not ``noun`` and an s

    >>> counted(1, "site"), counted(1_200, "site"), counted(2, "entry", "entries")
    ('1 site', '1,200 sites', '2 entries')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"

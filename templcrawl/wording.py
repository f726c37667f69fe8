"""How numbers of things are said."""

from __future__ import annotations


def counted(number: int, thing: str, things: str = "") -> str:
    """Return a number with its noun.

    things  the plural, where it is not ``thing`` and an s

    >>> counted(1, "site"), counted(1_200, "site"), counted(2, "entry", "entries")
    ('1 site', '1,200 sites', '2 entries')
    """
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"

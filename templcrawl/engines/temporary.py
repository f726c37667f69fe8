"""Temporary files: where they lie, and how much they may take.

Cost: O(1).
"""

from __future__ import annotations

import re
from tempfile import TemporaryDirectory

from templcrawl.errors import InvalidOption

_AMOUNT = re.compile(r"(\d{1,9}(?:\.\d{1,9})?) ?([KMGT])(i?)B", re.IGNORECASE)
_POWERS = "KMGT"


def byte_count(name: str, amount: str) -> int:
    """Return an amount in bytes.  Raises InvalidOption.

    name  of the option

    >>> byte_count("max_temp", "10GB"), byte_count("max_temp", "1.5 KiB")
    (10000000000, 1536)
    """
    match = _AMOUNT.fullmatch(amount.strip())
    if not match:
        raise InvalidOption(name, amount, 'an amount such as "10GB"')
    number, letter, binary = match.groups()
    return int(float(number) * (1024 if binary else 1000) ** (1 + _POWERS.index(letter.upper())))


def temporary_folder(folder: str | None) -> TemporaryDirectory[str]:
    """Make a folder for temporary files, which is removed with what is in it.  Raises InvalidOption.

    folder  where it is made; None: where the system has temporary files
    """
    try:
        return TemporaryDirectory(prefix="templcrawl-", dir=folder, ignore_cleanup_errors=True)
    except OSError as error:
        raise InvalidOption("temp", folder, f"a folder that can be written to ({error.strerror})") from error

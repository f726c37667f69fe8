"""Parsers of settings from files and command lines: (name, value) -> value, or InvalidOption."""

from __future__ import annotations

import os
from collections.abc import Callable

from templcrawl.errors import InvalidOption
from templcrawl.memory.options import MOST

PREFIX = "TEMPLCRAWL_"
"""With what the names of settings begin."""

_LEAST_SECONDS, _MOST_SECONDS = 0.001, 1e9


def number_if_any(value: object) -> object:
    """Return a text as a number if it is one, and any other value unchanged."""
    try:
        return int(value) if isinstance(value, str) else value
    except ValueError:
        return value


def whole(least: int) -> Callable[[str, object], int]:
    """Return a parser of whole numbers of ``least`` or more."""

    def read(name: str, value: object) -> int:
        try:
            number = int(value) if isinstance(value, (int, str)) else None
        except ValueError:
            number = None
        if number is None or not least <= number <= MOST or isinstance(value, bool):
            raise InvalidOption(name, value, f"a whole number of {least} or more, at most {MOST}")
        return number

    return read


def whole_or_none(least: int) -> Callable[[str, object], int | None]:
    """Return a parser of whole numbers of ``least`` or more, or None."""

    def read(name: str, value: object) -> int | None:
        return None if value is None else whole(least)(name, value)

    return read


def seconds(name: str, value: object) -> float:
    """Parse a number of seconds: from a thousandth to 30 years."""
    try:
        seconds = float(value) if isinstance(value, (int, float, str)) else 0.0
    except (OverflowError, ValueError):
        seconds = 0.0
    if not _LEAST_SECONDS <= seconds <= _MOST_SECONDS or isinstance(value, bool):
        accepted = f"a number of seconds above 0: from {_LEAST_SECONDS} to {_MOST_SECONDS:.0f}"
        raise InvalidOption(name, value, accepted)
    return seconds


def switch(name: str, value: object) -> bool:
    """Parse True or False."""
    if str(value).lower() in ("1", "true"):
        return True
    if value is None or str(value).lower() in ("0", "false"):
        return False
    raise InvalidOption(name, value, "True or False")


def text(name: str, value: object) -> str:
    """Parse a name that a file can have."""
    if not isinstance(value, str) or not value.strip() or not _can_name_file(value):
        raise InvalidOption(name, value, "a name")
    return value


def _can_name_file(text: str) -> bool:
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def text_or_none(name: str, value: object) -> str | None:
    """Parse a name, or None if it is empty."""
    return None if value in (None, "") else text(name, value)


def names(name: str, value: object) -> tuple[str, ...]:
    """Parse a list of names, or a text of names with commas."""
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",") if part.strip()]
    if not isinstance(value, (list, tuple)) or not all(isinstance(part, str) and part for part in value):
        raise InvalidOption(name, value, "a list of names of item fields")
    return tuple(value)


def store(name: str, value: object) -> str | None:
    """Parse the address of a store, or None."""
    address = text_or_none(name, value)
    if address is None:
        return None
    from templcrawl.crawl.workers.redis_store import store_address

    try:
        store_address(address)
    except InvalidOption as error:
        raise InvalidOption(name, address, f"{error.accepted}, or None") from error
    return address

"""Parsers of settings: a value as a file or a command line gives it -> the value.

Each raises InvalidOption for a value that is not accepted; the reader of the settings
(:mod:`templcrawl.crawl.settings`) puts the name of the setting into it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import Any

from scrapy.utils.misc import load_object

from templcrawl.errors import InvalidOption, suggestion
from templcrawl.memory.memory_options import MOST
from templcrawl.outputs.answers import ANSWERS

LIMITS = {"max_characters": 1, "max_sites": 1, "max_pages": 1, "max_signals": 0}  # name -> the least
MAX_SIGNALS = 13  # documents
PREFIX = "TEMPLCRAWL_"  # with what the names of settings begin


def switch(value: object) -> bool:
    """Parse True or False."""
    if str(value).lower() in ("1", "true"):
        return True
    if value is None or str(value).lower() in ("0", "false"):
        return False
    raise InvalidOption("", value, "True or False")


def one_of(accepted: Collection[str]) -> Callable[[object], str]:
    """Return a parser of texts out of some."""

    def parse(value: object) -> str:
        if not isinstance(value, str) or value not in accepted:
            near = suggestion([value], accepted)
            raise InvalidOption("", value, f"one of {', '.join(sorted(accepted))}{near}")
        return value

    return parse


def _number(value: object, kind: Callable[[Any], float], written_as: tuple[type, ...]) -> float:
    """Return a value as a number, -1 if it is none."""
    if isinstance(value, written_as) and not isinstance(value, bool):
        with suppress(OverflowError, ValueError):
            return kind(value)
    return -1


def whole(least: int) -> Callable[[object], int]:
    """Return a parser of whole numbers of ``least`` or more."""

    def parse(value: object) -> int:
        number = _number(value, int, (int, str))
        if not least <= number <= MOST:
            raise InvalidOption("", value, f"a whole number of {least} or more, at most {MOST}")
        return int(number)

    return parse


def share_or_number(value: object) -> float:
    """Parse a share below 1, or a whole number."""
    number = _number(value, float, (int, float, str))
    if not (0 <= number < 1 or (1 <= number <= MOST and number == int(number))):
        raise InvalidOption("", value, f"a share from 0 to below 1, or a whole number, at most {MOST}")
    return number


def text(such_as: str) -> Callable[[object], str | None]:
    """Return a parser of names that a file can have, None if it is empty; True and False are none.

    such_as  an example
    """

    def parse(value: object) -> str | None:
        if value in (None, ""):
            return None
        try:
            is_name = isinstance(value, str) and bool(value.strip()) and b"\0" not in os.fsencode(value)
        except UnicodeEncodeError:
            is_name = False
        if not is_name or str(value).strip().lower() in ("true", "false"):
            raise InvalidOption("", value, f"a name, such as {such_as!r}, or '' for none")
        return str(value)

    return parse


def names(value: object, accepted: str = "a list of names of item fields") -> tuple[str, ...]:
    """Parse a list of names, or a text of names with commas."""
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",") if part.strip()]
    if not isinstance(value, (list, tuple)) or not all(isinstance(part, str) and part for part in value):
        raise InvalidOption("", value, accepted)
    return tuple(value)


def extractor_name(value: object) -> str | None:
    """Parse the name or the import path of an extractor."""
    name = text("article")(value)
    if name is not None:
        from templcrawl.outputs.extractors import extractor

        extractor(name)
    return name


def imported(path: str, nothing: object = None) -> Callable[[object], Any]:
    """Return a parser that is imported once a value is given; without one the value is ``nothing``."""

    def parse(value: object) -> Any:
        return nothing if value in (None, "") else load_object(path)(value)

    return parse


def store(value: object) -> str | None:
    """Parse the path of a store, or its address; return the path.

    >>> [store(value) for value in ("sqlite:a/b.sqlite", "sqlite:///a.sqlite", "a.sqlite", "")]
    ['a/b.sqlite', 'a.sqlite', 'a.sqlite', None]
    """
    address = text("memory.sqlite")(value)
    if address is None:
        return None
    from templcrawl.files import SQLITE_FORMS, sqlite_file

    path = sqlite_file(address)
    if path is None:
        raise InvalidOption("", address, f"{SQLITE_FORMS}, such as memory.sqlite")
    return str(path)


def limits(value: object) -> dict[str, int]:
    """Parse a dict, or JSON text of one, of limits to whole numbers."""
    given: Any = json.loads(value) if isinstance(value, str) and value.startswith("{") else value or {}
    if not isinstance(given, Mapping) or not {*given} <= {*LIMITS}:
        near = suggestion(given, LIMITS) if isinstance(given, Mapping) else ""
        raise InvalidOption("", value, f"a dict of some of {', '.join(LIMITS)} to whole numbers{near}")
    return {name: whole(LIMITS[name])(number) for name, number in given.items()}


def item_fields(value: object) -> dict[str, str]:
    """Parse answers: a list, or a dict (or JSON text of one) to item fields; raises MissingExtra, too."""
    given: Any = value
    if isinstance(value, str):
        try:
            given = json.loads(value)
        except ValueError:
            given = [part.strip() for part in value.split(",")]
    if not isinstance(given, Mapping):
        answers = given if isinstance(given, (list, tuple)) else [given]
        given = {str(answer): answer for answer in answers if value is not None}
    chosen = {answer: name for answer, name in given.items() if name is not None}
    if not given.keys() <= {*ANSWERS} or not all(isinstance(name, str) and name for name in chosen.values()):
        accepted = (
            f"a list of item fields out of {', '.join(ANSWERS)}; or a dict of these to names of item fields"
            f"{suggestion(given, ANSWERS)}"
        )
        raise InvalidOption("", value, accepted)
    for path in {ANSWERS[answer].load for answer in chosen} - {""}:
        load_object(path)()
    return chosen

"""Output of commands beside their tables: JSON, unreadable records, and the names of targets."""

from __future__ import annotations

import codecs
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from templcrawl.files import whole_file
from templcrawl.tools.commands.terminal import printable

if TYPE_CHECKING:
    from templcrawl.page.records import CrawlReader, Unreadable

STDOUT = "-"
_HTML = (".html", ".htm", ".xhtml")


def report_unreadable(unreadable: Unreadable, capped: int = 0) -> None:
    """Say on stderr what a reader could not read, and how many pages it read in part."""
    if unreadable:
        sys.stderr.write(f"could not be read: {len(unreadable):,}\n")
        for name, reason in unreadable.first:
            sys.stderr.write(f"  {printable(name)}: {printable(reason)}\n")
        if len(unreadable) > len(unreadable.first):
            sys.stderr.write(f"  and {len(unreadable) - len(unreadable.first):,} more\n")
    if capped:
        sys.stderr.write(f"pages read in part, because they are too large: {capped:,}\n")


def input_json(source: str, reader: CrawlReader) -> dict[str, Any]:
    """Return the entries of every report about its input."""
    return {
        "input": source,
        "capped": reader.capped,
        "unreadable": unreadable_json(reader.unreadable),
    }


def unreadable_json(unreadable: Unreadable) -> dict[str, Any]:
    """Return the entries of every report about what could not be read."""
    first = [{"name": name, "reason": reason} for name, reason in unreadable.first]
    return {"count": len(unreadable), "first": first}


def can_write_to(target: str) -> bool:
    """Return whether a file can be made there; - is stdout."""
    path = Path(target)
    return target == STDOUT or (not path.is_dir() and path.absolute().parent.is_dir())


def names_folder(target: str) -> bool:
    """Return whether a target is meant as a folder: it has no ending, or a slash behind it, or is one.

    >>> [names_folder(target) for target in ("tables", "tables.v2/", "tables.csv", "-")]
    [True, True, False, False]
    """
    path = Path(target)
    return target != STDOUT and (target.endswith(("/", os.sep)) or not path.suffix or path.is_dir())


def names_html(target: str) -> bool:
    """Return whether a target may be a file of HTML, or - for stdout.

    >>> [names_html(target) for target in ("report.html", "report", "-", "report.csv")]
    [True, True, True, False]
    """
    return Path(target).suffix.lower() in ("", *_HTML)


def write_json(answer: Any, target: str) -> None:
    """Write plain values to a file that is there once it is whole, or to stdout for -.  Raises OSError."""
    if target == STDOUT:
        json.dump(answer, sys.stdout, indent=1)
        sys.stdout.write("\n")
    else:
        with whole_file(Path(target)) as file:
            json.dump(answer, codecs.getwriter("utf-8")(file), indent=1)

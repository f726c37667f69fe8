"""Reports as one HTML file each, which needs nothing else: no script, font, style or image from anywhere.

There are two: the report of a crawl, and the differences between two crawls.

Text from pages reaches a report only as text: Jinja escapes every value, only web addresses become links, and
characters that no document may contain (controls, half surrogates) are replaced.  Pictures of pages are
elements and class words of ours (:mod:`templcrawl.outputs.report.greyed_page`); bars and curves are inline
SVG (``drawings.html.j2``), drawn from numbers alone, and say in words what they show.  The content security
policy allows the style and the script of the report by their hashes, and nothing else.  The script searches
the listed pages; without it they can be read.

Cost: O(length of the report), which is written piece by piece.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from templcrawl.algorithms.similarity.alterations import Difference, Words, word_differences
from templcrawl.errors import MissingExtra
from templcrawl.files import whole_file
from templcrawl.outputs.report.contents import Contents
from templcrawl.outputs.report.figures import MAX_LISTED
from templcrawl.outputs.report.greyed_page import STYLE, own_file
from templcrawl.page.text import storable

if TYPE_CHECKING:
    from jinja2 import Template

CRAWL, CHANGES = "report.html.j2", "changes.html.j2"

_OF_THE_WEB = re.compile(r"https?://[^\s<>\"']+").fullmatch


class Row(NamedTuple):
    """A removed or added line in pieces: text, and whether it differs."""

    is_added: bool
    pieces: Words


class ChangesContents(NamedTuple):
    """The contents of the report of what has changed.

    sources  the two crawls, as they were named
    counts   kind -> pages
    changed  address and differences of each page whose content has changed
    new      addresses of pages that only the new crawl has;  gone  that only the old one has
    """

    sources: tuple[str, str]
    counts: Mapping[str, int]
    changed: Sequence[tuple[str, Sequence[Difference]]]
    new: Sequence[str]
    gone: Sequence[str]

    def parts(self, differences: Sequence[Difference]) -> list[list[Row]]:
        """Return the lines of each difference; a line and the one that took its place, word by word."""
        parts = []
        for difference in differences:
            rows = []
            for old, new in zip_longest(*difference, fillvalue=""):
                both = word_differences(old, new) if old and new else None
                removed, added = both or (((old, True),), ((new, True),))
                rows += [Row(False, removed)] if old else []
                rows += [Row(True, added)] if new else []
            parts.append(rows)
        return parts


def load_template(name: str = CRAWL) -> Template:
    """Return the template of a report; raises MissingExtra where Jinja is not installed.

    name  CRAWL or CHANGES
    """
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
        from markupsafe import Markup
    except ImportError as error:
        raise MissingExtra("The HTML report of a crawl", "report") from error

    environment = Environment(
        loader=PackageLoader("templcrawl.outputs.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        count="{:,}".format,
        digest=digest,
        percent="{:.0%}".format,
        duration=duration,
        on_site=on_site,
        shortened=shortened,
    )
    environment.tests["web_address"] = is_web_address
    environment.globals.update(
        style=Markup(own_file("report.css") + STYLE),
        script=Markup(own_file("report.js")),
        most_listed=MAX_LISTED,
    )
    return environment.get_template(name)


def report_parts(contents: Contents | ChangesContents) -> Iterator[str]:
    """Return the parts of the report of a crawl, or of what has changed; raises MissingExtra."""
    name = CRAWL if isinstance(contents, Contents) else CHANGES
    return map(storable, load_template(name).generate(contents=contents))


def report_html(contents: Contents | ChangesContents) -> str:
    """Return the whole report; raises MissingExtra."""
    return "".join(report_parts(contents))


def write_report(contents: Contents | ChangesContents, path: Path) -> None:
    """Write the report to a file; until all of it is written, what was there stays.

    Raises MissingExtra, OSError.
    """
    with whole_file(path) as file:
        file.writelines(part.encode("utf-8") for part in report_parts(contents))


def digest(text: str) -> str:
    """Return the hash by which a policy allows a style or a script that stands in the document.

    >>> digest("")
    'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
    """
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def is_web_address(url: str) -> bool:
    """Return whether an address may be a link.

    >>> is_web_address("https://example.org/a"), is_web_address("javascript:alert(1)")
    (True, False)
    """
    return _OF_THE_WEB(url) is not None


def on_site(url: str, host: str) -> str:
    """Return an address as it is named on a site: its path, and all of it elsewhere.

    >>> on_site("https://example.org/a?b=1", "example.org"), on_site("https://example.org/a", "other.org")
    ('/a?b=1', 'https://example.org/a')
    """
    path = url.partition("://")[2].removeprefix(host) if host else ""
    return path if path.startswith("/") else url


def shortened(text: str, most: int = 120) -> str:
    """Return a text, its middle left out where it is long.

    >>> shortened("abcdefghij", 5)
    'ab…ij'
    """
    half = most // 2
    return text if len(text) <= most else f"{text[:half]}…{text[-half:]}"


def duration(seconds: float) -> str:
    """Return a time as a person says it.

    >>> [duration(seconds) for seconds in (0.25, 75, 7_260)]
    ['0.2 s', '1 min 15 s', '2 h 1 min']
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"

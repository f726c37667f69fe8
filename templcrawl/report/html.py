"""A report as one HTML file that needs nothing else: no script, font, style or image from anywhere.

What pages have written reaches it as text alone: Jinja escapes every value, addresses are links only where
they are of the web, and characters that no document may hold (controls, half surrogates) are replaced.
Pictures of pages are documents in a ``srcdoc`` of a sandbox that allows nothing.

Cost: O(length of the report).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from templcrawl.errors import MissingExtra
from templcrawl.report.contents import Contents
from templcrawl.report.pictures import curve_picture, share_bar
from templcrawl.whole_files import whole_file

if TYPE_CHECKING:
    from jinja2 import Template

CRAWL, CHANGES = "report.html.j2", "changes.html.j2"

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_OF_THE_WEB = re.compile(r"https?://[^\s<>\"']+").fullmatch
_LONGEST = 120


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
        loader=PackageLoader("templcrawl.report", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        bar=lambda share: Markup(share_bar(share)),
        curve=lambda points: Markup(curve_picture(points)),
        count="{:,}".format,
        percent="{:.0%}".format,
        duration=duration,
        on_site=on_site,
        shortened=shortened,
    )
    environment.tests["of_the_web"] = of_the_web
    return environment.get_template(name)


def render(name: str, contents: object) -> str:
    """Return what a template makes of its contents; raises MissingExtra."""
    return _FORBIDDEN.sub("\ufffd", load_template(name).render(contents=contents))


def report_html(contents: Contents) -> str:
    """Return the report; raises MissingExtra."""
    return render(CRAWL, contents)


def write_report(contents: Contents, path: Path) -> None:
    """Write the report to a file; until all of it is written, what was there stays.

    Raises MissingExtra, OSError.
    """
    html = report_html(contents).encode("utf-8")
    with whole_file(path) as file:
        file.write(html)


def of_the_web(url: str) -> bool:
    """Say whether an address may be a link.

    >>> of_the_web("https://example.org/a"), of_the_web("javascript:alert(1)")
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


def shortened(text: str, most: int = _LONGEST) -> str:
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

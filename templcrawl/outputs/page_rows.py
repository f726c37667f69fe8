"""A page as a row of named values, and the row as a file of Markdown with a front matter."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from templcrawl.memory.observation import Observation
from templcrawl.outputs.answers import ANSWERS

MARKDOWN, TEXT = "content_markdown", "content_text"
_TEXTS = (MARKDOWN, TEXT)
OF_PAGES = ("url", "title")
DATES = ("first_seen", "last_read", "last_changed")
FIELDS = (*OF_PAGES, *(name for name, row in ANSWERS.items() if row.needs != "extractor"), *DATES)
DEFAULT_FIELDS = (*OF_PAGES, MARKDOWN, "page_type", "page_kind", "metadata", *DATES)


def page_row(observation: Observation, fields: Iterable[str], known: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of a page.

    known  values of fields that the observation does not have
    """
    page = observation.page
    known = {"url": page.url, "title": page.title or None, **known}
    return {name: known[name] if name in known else getattr(observation, name) for name in fields}


def markdown_file(row: Mapping[str, Any]) -> str:
    r"""Return a row as Markdown, with the other fields as front matter.

    >>> markdown_file({"url": "http://e.org/", "title": None, "content_markdown": "# Tea"})
    '---\nurl: "http://e.org/"\n---\n\n# Tea\n'
    """
    front = (
        f"{name}: {json.dumps(value, ensure_ascii=False)}\n"
        for name, value in row.items()
        if name not in _TEXTS and value is not None
    )
    text = next((row[name] for name in _TEXTS if row.get(name)), "")
    return f"---\n{''.join(front)}---\n\n{text}\n"

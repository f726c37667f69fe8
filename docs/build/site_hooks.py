"""A hook of mkdocs: on the site the reference ends with each public name in full.

The document itself has a table of them, which reads well where no site is built.
"""

from __future__ import annotations

from typing import Any

_IN_FULL = "\n::: templcrawl\n    options:\n      members_order: alphabetical\n"


def on_page_markdown(markdown: str, page: Any, **kwargs: Any) -> str:
    """Return the Markdown of a page, with what mkdocstrings is to insert."""
    return markdown + _IN_FULL if page.file.src_uri == "reference.md" else markdown

"""Pages of one type, written down, and what their columns say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from templcrawl.algorithms.columns.choice import choose_columns
from templcrawl.algorithms.columns.reading import read_page
from templcrawl.algorithms.columns.values import TypeColumns
from templcrawl.page.page import Page


def pages_of(bodies: Sequence[str]) -> list[Page]:
    """Return pages with these bodies."""
    return [Page(f"<html><body>{body}", f"http://h.example/{number}") for number, body in enumerate(bodies)]


def columns_of_pages(pages: Sequence[Page]) -> TypeColumns:
    """Return the columns of pages of which all is content."""
    return choose_columns([read_page(page, b"\1" * len(page.tokens)) for page in pages])


def columns_of(bodies: Sequence[str]) -> TypeColumns:
    """Return the columns of pages with these bodies."""
    return columns_of_pages(pages_of(bodies))


def values_of(columns: TypeColumns, body: str) -> Mapping[str, Any]:
    """Return the values of a page with this body."""
    (page,) = pages_of([body])
    return columns.values(columns.read(page), page.base_url)


def records_of(columns: TypeColumns, body: str) -> Mapping[str, list[dict[str, Any]]]:
    """Return the records of a page with this body."""
    (page,) = pages_of([body])
    return columns.records(columns.read(page), page.base_url)

"""The item that carries a page, with a field of each answer about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, make_dataclass
from typing import Any, TypeVar, cast

from scrapy.http import TextResponse

from templcrawl.outputs.answers import ANSWERS, META_KEY
from templcrawl.page.markdown import MarkdownSection
from templcrawl.page.page import Page

_TYPES: Mapping[str, Any] = {
    "string": str,
    "int64": int,
    "float64": float,
    "bool": bool,
    "sections": list[MarkdownSection],
    "json": dict[str, Any],
}
_PageItem = TypeVar("_PageItem", bound="type[PageItem]")


def _add_answers(page: _PageItem) -> _PageItem:
    answers: list[tuple[str, Any, Any]] = [
        (row.name, _TYPES[row.column] | None, None) for row in ANSWERS.values()
    ]
    whole: Any = make_dataclass(page.__name__, answers, bases=(page,), namespace={"__doc__": page.__doc__})
    whole.__module__ = page.__module__  # pickle finds it there
    return cast("_PageItem", whole)


@_add_answers
@dataclass
class PageItem:
    """A page with a field of each answer of :mod:`~templcrawl.outputs.answers`.

    The spider middleware fills those that ``TEMPLCRAWL_ITEM_FIELDS`` names; the others stay None.
    """

    url: str
    """Address of the page, after redirects."""

    title: str | None = None
    """Text of the page's first ``title`` element, white space folded."""

    truncated: bool = False
    """True when the page hit a cap on the work that a page may cost."""

    @classmethod
    def from_response(cls, response: TextResponse) -> PageItem:
        """Return the item of a page; the spider middleware fills in the answers."""
        return cls(
            url=response.url,
            title=Page(response.text, response.url).title or None,
            truncated=bool(response.meta.get(META_KEY, {}).get("truncated")),
        )

"""The mark: the plain values that templcrawl stores in ``request.meta``, for one URL under one key.

url       the request's
page      key of that page, with the order ``changes``
source    host of the page on which its link was found
step      how far back it was moved, below 0; missing where it was not

Users copy ``response.meta`` into new requests; a mark that names another URL than its request's is
not believed.  A mark is never changed in place, since copies share it.

Cost: O(1) a request.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

from scrapy import Request

from templcrawl.memory.observation import Observation
from templcrawl.outputs.answers import ANSWERS, META_KEY

_IN_META = [name for name, row in ANSWERS.items() if row.in_meta]
_get_in_meta = attrgetter(*_IN_META)
_OF_PAGE = ("url", "source", "page", "step")  # what stays of the mark of a request that has brought a page


def mark_of(request: Request) -> Mapping[str, Any]:
    """Return the mark of a request, empty if it has none or one of another URL."""
    mark = request.meta.get(META_KEY)
    if isinstance(mark, dict) and mark.get("url") == request.url and "source" in mark:
        return mark
    return {}


def source_of(request: Request) -> str:
    """Return the host of the page that led to a request, "" if none did."""
    return str(mark_of(request).get("source", ""))


def _part(mark: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: mark[name] for name in names if name in mark}


def mark_link(request: Request, source: str, page: int | None = None) -> None:
    """Mark a request with the host, and the page, that its link was found on; a mark that it has stays."""
    mark = mark_of(request)
    if not mark:
        mark = {"url": request.url, "source": source, **({"page": page} if page is not None else {})}
    request.meta[META_KEY] = _part(mark, _OF_PAGE)


def mark_step(request: Request, step: int) -> None:
    """Store the step of a marked request."""
    request.meta[META_KEY] = {**_part(mark_of(request), _OF_PAGE), "step": step}


def mark_page(request: Request, url: str, observation: Observation) -> None:
    """Write the answers about a page, for the user's callback to read as ``response.meta["templcrawl"]``.

    The mark of its request stays in it: where a callback asks for the page again, it keeps its step.
    """
    request.meta[META_KEY] = {
        **_part(mark_of(request), _OF_PAGE),
        "url": url,
        **dict(zip(_IN_META, _get_in_meta(observation))),
        "truncated": list(observation.truncated),
    }

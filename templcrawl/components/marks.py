"""What templcrawl writes into ``request.meta``: one key, small plain values, bound to one URL.

Users copy ``response.meta`` into new requests; a mark that names another URL than its request's is
not believed.  A mark is never changed in place, since copies share it.
"""

from __future__ import annotations

from typing import NamedTuple

from scrapy import Request

from templcrawl.components.answers import ANSWERS
from templcrawl.memory.observation import Observation

META_KEY = "templcrawl"


class QueueMark(NamedTuple):
    """The mark of a request that waits in the queue.

    url       the request's URL
    source    host of the page on which its link was found
    step      how far back it was moved, 0 or less
    requeued  whether the dupefilter was passed by for it, to be undone when it leaves the queue
    """

    url: str
    source: str
    step: int
    requeued: bool = False

    @classmethod
    def of(cls, request: Request) -> QueueMark | None:
        """Return the mark of a request, None if it has none or one of another URL."""
        mark = request.meta.get(META_KEY)
        if not isinstance(mark, dict) or mark.get("url") != request.url or "source" not in mark:
            return None
        return cls(request.url, mark["source"], mark.get("step", 0), mark.get("requeued", False))

    @classmethod
    def put_new(cls, request: Request, source: str) -> None:
        """Mark a request with the host that its link was found on; a mark that it has stays."""
        meta = request.meta
        mark = cls.of(request) if META_KEY in meta else None
        if mark is None:
            meta[META_KEY] = {"url": request.url, "source": source}
        else:
            mark.put(request)

    def put(self, request: Request) -> None:
        """Mark a request; what is as usual is left out, since every queued request carries its mark."""
        request.meta[META_KEY] = self._plain()

    def _plain(self) -> dict[str, object]:
        mark: dict[str, object] = {"url": self.url, "source": self.source}
        if self.step:
            mark["step"] = self.step
        if self.requeued:
            mark["requeued"] = True
        return mark


def mark_page(request: Request, url: str, observation: Observation) -> None:
    """Write what was found of a page, for the user's callback to read as ``response.meta["templcrawl"]``.

    The mark of its request stays in it: where a callback asks for the page again, it keeps its step.
    """
    mark = QueueMark.of(request)
    request.meta[META_KEY] = {
        **(mark._replace(requeued=False)._plain() if mark is not None else {}),
        "url": url,
        **{name: getattr(observation, name) for name, row in ANSWERS.items() if row.in_meta},
        "near_duplicate": observation.near_duplicate is not None,
        "truncated": list(observation.truncated),
    }

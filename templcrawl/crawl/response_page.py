"""The page of a response, with its text as Scrapy has decoded it; the observations of responses and items.

Cost: O(length of the text), most of it in Scrapy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, ref

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.utils.request import RequestFingerprinter

from templcrawl.errors import InvalidOption
from templcrawl.memory.observation import Observation
from templcrawl.page.addresses import requested_url, url_key
from templcrawl.page.encoding import utf8_of
from templcrawl.page.page import Page
from templcrawl.page.tokens import Limits

if TYPE_CHECKING:
    from parsel import Selector

MAX_ITEMS = 10_000  # items whose pages are known

# Response that a crawl of this process has read -> what it has observed of its page, as long as it lives.
OBSERVATIONS: WeakKeyDictionary[Response, Observation] = WeakKeyDictionary()


class NotNeeded(IgnoreRequest):
    """A request that a repeated crawl can omit without loss."""


def why_unread(response: Response) -> str:
    """Return why a response is not a page, "" if it is one."""
    if not 200 <= response.status < 300:
        return f"its status is {response.status}"
    return "" if isinstance(response, HtmlResponse) else f"it is no HTML ({type(response).__name__})"


def content(response: Response) -> Selector:
    """Return the content of a page as a parsel ``Selector``, which never selects template.

    response  as a callback of a crawl with templcrawl gets it, not one that ``replace()`` has made of it

    ::

        def parse(self, response):
            yield {"title": content(response).css("h1::text").get()}

    The first page of a site is compared with no other; its content may hold some template.
    Raises InvalidOption for a response that the crawl has not read: one without HTML, of another status than
    2xx, or of a crawl without templcrawl.
    Cost: O(length of the content), once a response.
    """
    observation = OBSERVATIONS.get(response) if isinstance(response, Response) else None
    if observation is not None:
        return observation.selector
    why = why_unread(response) if isinstance(response, Response) else f"it is a {type(response).__name__}"
    reason = why or "templcrawl has not read it: the crawl has no templcrawl, or the response is a copy"
    raise InvalidOption("response", response, f"the page that a callback of the crawl gets; {reason}")


def page_of(response: TextResponse, limits: Limits | None = None, request: str = "") -> Page:
    """Return a response as a page.

    limits   how much of it is read; None: as much as by default
    request  what tells it from other pages of its address (:func:`request_of`)
    """
    content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
    return Page.from_html(
        response.text,
        response.url,
        content_type=content_type,
        limits=limits or Limits(),
        request=request,
        utf8=utf8_of(response.body, response.encoding, response.text),
    )


def request_of(request: Request, response: TextResponse, fingerprinter: Any) -> str:
    """Return the fingerprint of a request in hexadecimal digits, "" where its address says it all.

    That is so of a GET without a body, unless the project's fingerprinter takes it for another request than
    one of nothing but the address; and where the page has another address than the request (a service that
    renders pages).
    """
    is_plain = request.method == "GET" and not request.body
    is_elsewhere = request.url.partition("#")[0] != response.url.partition("#")[0]
    if is_elsewhere or fingerprinter is None or (is_plain and type(fingerprinter) is RequestFingerprinter):
        return ""
    fingerprint: bytes = fingerprinter.fingerprint(request)
    try:
        is_usual = fingerprinter.fingerprint(Request(request.url)) == fingerprint
    except Exception:  # the project's own: it needs what such a request lacks
        is_usual = is_plain
    return "" if is_usual else fingerprint.hex()


def request_key(request: Request, fingerprinter: Any) -> int:
    """Return the 64-bit key of the page that a request asks for: of its fingerprint, as the project makes it.

    Where that fails, since the project's own needs what this request lacks, it is that of its address.
    """
    try:
        return int.from_bytes(fingerprinter.fingerprint(request)[:8], "little") or 1
    except Exception:
        return url_key(requested_url(request.url))


def page_and_key(
    request: Request, response: TextResponse, limits: Limits, fingerprinter: Any
) -> tuple[Page, int]:
    """Return a response as a page, and the key of its request."""
    page = page_of(response, limits, request_of(request, response, fingerprinter))
    return page, request_key(request, fingerprinter)


class ItemPages:
    """Item -> the observation of its page, until the page is done: a pipeline sees no response.

    An item is known by its identity: its entry keeps it, so that no other object has its id.  Cost: O(1)
    amortised.  Memory: the items of the pages under way, at most ``MAX_ITEMS``.
    """

    def __init__(self) -> None:
        self._pages: dict[int, tuple[Any, ref[Observation]]] = {}  # id of an item -> the item, its page

    def __len__(self) -> int:
        return len(self._pages)

    def note(self, item: Any, observation: Observation) -> None:
        """Note the page of an item."""
        for _ in range(2):  # of two entries that are done one leaves for each that comes
            oldest = next(iter(self._pages), None)
            if oldest is not None and (len(self._pages) >= MAX_ITEMS or self._pages[oldest][1]() is None):
                del self._pages[oldest]
        self._pages.pop(id(item), None)
        self._pages[id(item)] = item, ref(observation)

    def get(self, item: Any) -> Observation | None:
        """Return the observation of the page of an item; None if it is not known."""
        _, observation = self._pages.get(id(item), (None, None))
        return observation() if observation is not None else None

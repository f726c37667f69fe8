"""A page: its address, its text, and the views of it that the algorithms read.

Each view is computed when it is first asked for, from the one token stream; nothing is parsed twice.

A function of a page that the native kernel implements too is written in Python, which is the specification,
and decorated with :func:`native`.  The kernel answers for a page that it has read; where it refuses, and for
every other page, Python does.  Cost: some microseconds a call beyond the work of the kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from templcrawl.errors import InvalidOption
from templcrawl.page.addresses import (
    Links,
    base_of,
    directory_of,
    host_of,
    read_links,
    requested_url,
    url_key,
)
from templcrawl.page.arrays import Keys, lazy
from templcrawl.page.elements import Elements, read_elements
from templcrawl.page.kernel_columns import Task, read_arrays
from templcrawl.page.native_page import NativePage, read_natively
from templcrawl.page.rows import Rows, read_rows
from templcrawl.page.runs import Terms, TextRuns, read_terms, read_text_runs
from templcrawl.page.scan import add_end_tags
from templcrawl.page.text import storable, text_key
from templcrawl.page.tokens import VOID, Limits, TokenStream, read_tokens

_DEFAULT_LIMITS = Limits()
XHTML = "application/xhtml+xml"


class Page:
    """A page of a site.

    url             its address: where relative links start from, and which site it belongs to
    text            its HTML, decoded
    limits          how much of it is read
    request         the fingerprint of its request in hexadecimal digits, where the same address has other
                    pages, too (a listing that is paged by POST); "" where the address is all
    utf8            its HTML in UTF-8, where it came so
    tokens          its token stream
    elements        its element tree
    text_runs       its visible text runs; ``rows``: the rows of these
    structure       its structure as a set of features, from which its page type is predicted
    links           its links to other pages
    terms           its words and link addresses, as hashes
    """

    def __init__(
        self,
        text: str,
        url: str,
        limits: Limits = _DEFAULT_LIMITS,
        request: str = "",
        *,
        utf8: bytes | None = None,
    ) -> None:
        self.text = text
        self._utf8 = utf8
        self.url = url
        self.limits = limits
        self.request = request

    @classmethod
    def from_html(
        cls,
        html: bytes | str,
        url: str = "",
        *,
        content_type: str | None = None,
        limits: Limits = _DEFAULT_LIMITS,
        request: str = "",
        utf8: bytes | None = None,
    ) -> Page:
        r"""Make a page of bytes (the encoding is found as Scrapy finds it) or of text.

        content_type  the Content-Type header, if there was one; XHTML has elements that end where they begin
        utf8          HTML that is text in UTF-8, where it came so
        Raises InvalidOption for HTML that is neither bytes nor text, and for an address that is not text.

        >>> Page.from_html("<p>caf\xe9".encode("latin-1"), content_type="text/html; charset=latin-1").text
        '<p>café'
        """
        if not isinstance(html, (bytes, str)):
            raise InvalidOption("html", html, "the HTML of a page, as bytes or str")
        if not isinstance(url, str):
            raise InvalidOption("url", url, "the address of the page as a str, or '' for none")
        if isinstance(html, bytes):
            from templcrawl.page.encoding import decode, utf8_of

            encoding, text = decode(html, content_type)
            utf8 = utf8_of(html, encoding, text)
        else:
            text = html
        if (content_type or "").partition(";")[0].strip().lower() == XHTML:
            text, utf8 = add_end_tags(text), None
        return cls(text, url, limits, request, utf8=utf8)

    def __repr__(self) -> str:
        return f"<Page {self.url or 'without a URL'}: {len(self.text)} characters>"

    @lazy
    def host(self) -> str:
        """The site it belongs to."""
        return host_of(self.url)

    @lazy
    def directory(self) -> str:
        """The directory of its path on the site."""
        return directory_of(self.url)

    @lazy
    def identity(self) -> str:
        """The identity of the page: its address, and its request where the address is not enough."""
        address = requested_url(self.url).partition("#")[0]
        return f"{address} {self.request}" if self.request else address

    @lazy
    def key(self) -> int:
        """64-bit key of its identity, within its site."""
        return text_key(self.identity)

    @lazy
    def address_key(self) -> int:
        """64-bit key of its URL, the one that links to it have."""
        return url_key(requested_url(self.url)) if self.request else self.key

    @lazy
    def native(self) -> NativePage | None:
        """The page as the native kernel has read it; None if Python reads it."""
        return read_natively(self.text, self.url, self.limits, self._utf8)

    tokens: TokenStream = lazy(
        lambda page: page.native.tokens if page.native else read_tokens(page.text, page.limits)
    )
    elements: Elements = lazy(
        lambda page: page.native.elements if page.native else read_elements(page.tokens)
    )
    text_runs: TextRuns = lazy(
        lambda page: page.native.text_runs if page.native else read_text_runs(page.tokens, page.elements)
    )
    rows: Rows = lazy(
        lambda page: (
            page.native.rows if page.native else read_rows(page.tokens, page.text_runs, page.elements)
        )
    )
    structure: Keys = lazy(lambda page: page.native.structure if page.native else page.elements.structure())

    @lazy
    def base_url(self) -> str:
        """What its relative links start from: its URL, or the first ``<base href>`` if that is no longer
        than any address that is requested.
        """
        if self.native:
            return self.native.base
        tags = map(self.tokens.form_tags.__getitem__, self.tokens.forms_named("base"))
        hrefs = (tag.href.strip() for tag in tags if tag.kind == VOID)
        return base_of(self.url, next(filter(None, hrefs), ""))

    @lazy
    def title(self) -> str:
        """The words of its title, white space folded; "" without one.

        >>> Page("<head><title>Tea &amp; cake</title></head><p>...", "").title
        'Tea & cake'
        """
        return storable(self.tokens.title)

    links: Links = lazy(
        lambda page: (
            page.native.links if page.native else read_links(page.tokens, page.elements, page.base_url)
        )
    )
    terms: Terms = lazy(
        lambda page: page.native.terms if page.native else read_terms(page.tokens, page.links)
    )

    @property
    def truncated(self) -> tuple[str, ...]:
        """Names of the limits that it hit; () when all of it was read."""
        return self.tokens.truncated


def check_page(page: object) -> Page:
    """Return a page; raises InvalidOption for any other value."""
    if isinstance(page, Page):
        return page
    raise InvalidOption("page", page, "a Page, such as Page.from_html(html, url)")


_Rest = ParamSpec("_Rest")
_Answer = TypeVar("_Answer")
_OfPage = Callable[Concatenate[Page, _Rest], _Answer]


def native(
    task: Task,
    *,
    columns: Sequence[str] = (),
    ask: Callable[..., tuple[bytes | str, ...]] = lambda *_, **__: (b"",),
    answer: Callable[..., Any],
) -> Callable[[_OfPage[_Rest, _Answer]], _OfPage[_Rest, _Answer]]:
    """Let the kernel answer for a function of a page, where it has read the page.

    task     what the kernel has to compute
    columns  which columns of the answer are wanted; () for a task that gives no table
    ask      the arguments of the function -> what the task takes (see :meth:`NativePage.run_task`)
    answer   these columns, or what the task gives -> the answer of the function
    """
    table = task.name.lower()

    def decorate(specification: _OfPage[_Rest, _Answer]) -> _OfPage[_Rest, _Answer]:
        @wraps(specification)
        def answered(page: Page, /, *args: _Rest.args, **options: _Rest.kwargs) -> _Answer:
            content = None
            if page.native:
                content = page.native.run_task(task, *ask(page, *args, **options))  # type: ignore[arg-type]
            if content is None:
                return specification(page, *args, **options)
            if not columns:
                return cast("_Answer", answer(content))
            return cast("_Answer", answer(*read_arrays(table, content, columns)))

        return answered

    return decorate

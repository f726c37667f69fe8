"""Both readers of pages: which of them reads in a test, and what both read of a page."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from templcrawl.page import kernel
from templcrawl.page.kernel_library import fault_of
from templcrawl.page.page import Page
from templcrawl.page.render import html_of, text_of
from templcrawl.page.tokens import Limits
from tests.strategies import mask_of

WHOLE = Limits()
IS_DEMANDED = os.environ.get(kernel.SETTING) == "on"
FAULT = fault_of(kernel.LIBRARY)
needs_kernel = pytest.mark.skipif(bool(FAULT) and not IS_DEMANDED, reason=FAULT)
READERS = {"python": "off", "native": "on"}


@contextmanager
def using(setting: str) -> Iterator[None]:
    """Read pages as ``TEMPLCRAWL_KERNEL`` would say."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "default", lambda: setting)
        yield


@pytest.fixture(scope="module", params=["python", pytest.param("native", marks=needs_kernel)])
def reader(request: pytest.FixtureRequest) -> Iterator[str]:
    """Read the pages of a module's tests by either reader in turn."""
    with using(READERS[request.param]):
        yield request.param


def checked(html: str, url: str = "https://h.org/a/b", limits: Limits = WHOLE, noise: bytes = b"") -> Page:
    """Return a page that both readers have read and written; raise where they differ."""
    page = Page(html, url, replace(limits, kernel="check"))
    _ = page.tokens, page.terms, list(page.links)
    mask = mask_of(noise, len(page.tokens))
    for side in (0, 1):
        text_of(page, mask, side)
        html_of(page, mask, side)
    return page

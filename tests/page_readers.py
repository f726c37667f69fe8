"""Both readers of pages: which of them reads in a test, and what both read of a page."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import pytest

from templcrawl.page import kernel
from templcrawl.page.columns import View
from templcrawl.page.kernel_library import fault_of
from templcrawl.page.page import Page
from templcrawl.page.render import html_of, text_of
from templcrawl.page.tokens import Limits
from tests.strategies import mask_of

WHOLE = Limits()
IS_DEMANDED = os.environ.get(kernel.SETTING) == "on"
FAULT = fault_of(kernel.LIBRARY)
needs_kernel = pytest.mark.skipif(bool(FAULT) and not IS_DEMANDED, reason=FAULT)
Answer = TypeVar("Answer")
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


def by_both(
    answer: Callable[[Page], Answer], html: str, url: str = "https://h.org/a/b", limits: Limits = WHOLE
) -> Answer:
    """Return what is answered about a page that the kernel reads; raise unless Python answers the same."""
    native, specified = (answer(Page(html, url, replace(limits, kernel=reader))) for reader in ("on", "off"))
    compare("the answer", native, specified)
    return native


def columns_of(view: View) -> dict[str, Any]:
    """Return the columns of a view that every reader has."""
    values = ((name, getattr(view, name)) for name in type(view).__annotations__ if not name.startswith("_"))
    return {name: value for name, value in values if not callable(value)}


def compare(name: str, native: Any, specified: Any) -> None:
    """Raise AssertionError unless the answers of both readers are equal, to the types of their numbers."""
    if isinstance(native, View):
        for column, value in columns_of(native).items():
            compare(f"{name}.{column}", value, getattr(specified, column))
    elif isinstance(native, Sequence) and not isinstance(native, (str, bytes)):
        assert len(native) == len(specified), name
        for number, (one, other) in enumerate(zip(native, specified)):
            compare(f"{name}[{number}]", one, other)
    elif isinstance(native, np.ndarray):
        assert native.dtype == specified.dtype, name
        assert np.array_equal(native, specified), f"{name}: the kernel says {native}, Python {specified}"
    else:
        assert native == specified, f"{name}: the kernel says {native!r}, Python {specified!r}"


def checked(html: str, url: str = "https://h.org/a/b", limits: Limits = WHOLE, noise: bytes = b"") -> Page:
    """Return a page that both readers have read and written; raise where they differ."""
    native, specified = (Page(html, url, replace(limits, kernel=reader)) for reader in ("on", "off"))
    for group in ("tokens", "elements", "text_runs", "rows", "structure", "links", "terms"):
        compare(group, getattr(native, group), getattr(specified, group))
    assert native.columns.has_base == specified.columns.has_base
    mask = mask_of(noise, len(native.tokens))
    for side in (0, 1):
        compare("text", text_of(native, mask, side), text_of(specified, mask, side))
        compare("html", html_of(native, mask, side), html_of(specified, mask, side))
    return native

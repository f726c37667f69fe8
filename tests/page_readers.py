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
from templcrawl.page.addresses import Links
from templcrawl.page.elements import Elements
from templcrawl.page.page import Page
from templcrawl.page.render import html_of, text_of
from templcrawl.page.rows import Rows
from templcrawl.page.runs import Terms, TextRuns
from templcrawl.page.tokens import Limits, TokenStream
from tests.strategies import mask_of

WHOLE = Limits()
IS_DEMANDED = os.environ.get(kernel.SETTING) == "on"
FAULT = kernel.fault()
needs_kernel = pytest.mark.skipif(bool(FAULT) and not IS_DEMANDED, reason=FAULT)
Answer = TypeVar("Answer")
READERS = {"python": "off", "native": "on"}
# What every reader has of a page: class of a group -> its columns.
COLUMNS = {
    TokenStream: "text forms form_tags form_kinds form_names form_array form_of kind_array kinds lengths"
    " starts truncated",
    Elements: "names parent_array parents open_array opens close_array closes visible_array visible"
    " shown_array shown hidden_array owner_array owners anchors characters_before",
    TextRuns: "positions elements words hints texts keys hidden depths",
    Rows: "starts keys tables kinds row_of_run",
    Terms: "hashes start_array starts",
    Links: "urls elements form_urls keys anchor_paths",
}


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


def columns_of(group: object) -> list[str]:
    """Return the names of the columns of a group; none for anything else."""
    return next((names.split() for kind, names in COLUMNS.items() if isinstance(group, kind)), [])


def compare(name: str, native: Any, specified: Any) -> None:
    """Raise AssertionError unless the answers of both readers are equal, to the types of their numbers."""
    columns = columns_of(native)
    if columns:
        for column in columns:
            compare(f"{name}.{column}", getattr(native, column), getattr(specified, column))
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
    mask = mask_of(noise, len(native.tokens))
    for side in (0, 1):
        compare("text", text_of(native, mask, side), text_of(specified, mask, side))
        compare("html", html_of(native, mask, side), html_of(specified, mask, side))
    return native

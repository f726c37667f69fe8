"""Dispatch to the native kernel, for every function of a page that it implements too.

Such a function is written in Python, which is the specification, and decorated with :func:`native`, which
names the task, what the task takes, and which columns are the answer.  The kernel answers for a page that it
has read; where it refuses, and for every other page, Python does.  Where the readers are to be checked, both
answers are worked out, and a difference is an error.

Cost: some microseconds a call beyond the work of the kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

import numpy as np

from templcrawl.errors import ReadersDiffer
from templcrawl.page.columns import Columns, Task, View, column_names


class PageReader(Protocol):
    """What has read a page.

    is_native   whether the kernel has
    is_checked  whether the answers of both readers are compared
    """

    is_native: bool
    is_checked: bool

    def work_out(self, task: Task | None, first: bytes, second: bytes = b"", rest: str = "") -> bytes | None:
        """Return what the kernel writes for a task; None where Python is to answer.

        task           None: the table of the page itself
        first, second  what the task takes
        rest           what stands behind the text that was read, where the task is to have it
        """


class HasColumns(Protocol):
    """A page."""

    @property
    def columns(self) -> PageReader:
        """What is read of it."""


_Page = TypeVar("_Page", bound=HasColumns)
_Rest = ParamSpec("_Rest")
_Answer = TypeVar("_Answer")


def native(
    task: Task | None,
    *,
    columns: Sequence[str] = (),
    ask: Callable[..., tuple[bytes | str, ...]] = lambda *_, **__: (b"",),
    answer: Callable[..., Any],
) -> Callable[[Callable[Concatenate[_Page, _Rest], _Answer]], Callable[Concatenate[_Page, _Rest], _Answer]]:
    """Let the kernel answer for a function of a page, where it has read the page.

    The function that is decorated is the specification; it answers where the kernel cannot.

    task     what the kernel is to work out; None: what it has read of the page
    columns  which columns of the answer are wanted; () for a task that gives no table
    ask      the arguments of the function -> what the task takes (see :meth:`Reader.work_out`)
    answer   these columns, or what the task gives -> the answer of the function
    """
    table = "page" if task is None else task.name.lower()

    def decorate(
        specification: Callable[Concatenate[_Page, _Rest], _Answer],
    ) -> Callable[Concatenate[_Page, _Rest], _Answer]:
        @wraps(specification)
        def answered(page: _Page, /, *args: _Rest.args, **options: _Rest.kwargs) -> _Answer:
            reader = page.columns
            if not reader.is_native:
                return specification(page, *args, **options)
            content = reader.work_out(task, *ask(page, *args, **options))  # type: ignore[arg-type]
            if content is None:
                return specification(page, *args, **options)
            if columns:
                written = Columns(table, content)
                value: _Answer = answer(*map(written.column, columns))
            else:
                value = answer(content)
            if reader.is_checked:
                compare(specification.__name__, value, specification(page, *args, **options))
            return value

        return answered

    return decorate


def compare(name: str, native: object, specified: object) -> None:
    """Raise ReadersDiffer unless the answers of both readers are equal."""
    if isinstance(native, View):
        for column in column_names(native):
            compare(f"{name}.{column}", getattr(native, column), getattr(specified, column))
    elif not _is_equal(native, specified):
        raise ReadersDiffer(name, native, specified)


def _is_equal(native: Any, specified: Any) -> bool:
    if isinstance(native, np.ndarray):
        return bool(native.dtype == specified.dtype and np.array_equal(native, specified))
    if isinstance(native, (str, bytes)) or not isinstance(native, Sequence):
        return bool(native == specified)
    return len(native) == len(specified) and all(map(_is_equal, native, specified))

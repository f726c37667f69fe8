"""Which cases of a test ``make test`` runs if they are many: a few, the others are exhaustive or long."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def exhaustive_but(quick: Iterable[Any], cases: Iterable[Any]) -> list[Any]:
    """Return cases of ``pytest.mark.parametrize``, all marked exhaustive but the quick ones.

    Raises ValueError for a quick one that is no case.
    """
    return _marked_but(quick, cases, pytest.mark.exhaustive)


def long_but(quick: Iterable[Any], cases: Iterable[Any]) -> list[Any]:
    """Return the same, all marked long but the quick ones."""
    return _marked_but(quick, cases, pytest.mark.long)


def _marked_but(quick: Iterable[Any], cases: Iterable[Any], mark: pytest.MarkDecorator) -> list[Any]:
    rest, found = [*quick], []
    for case in cases:
        if case in rest:
            rest.remove(case)
            found.append(case)
        else:
            values = case if isinstance(case, tuple) else (case,)
            found.append(pytest.param(*values, marks=mark))
    if rest:
        raise ValueError(f"no such case: {rest}")
    return found

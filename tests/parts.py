"""Which cases of a test ``make test`` runs where they are many or long: a few, the others are exhaustive."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def exhaustive_but(quick: Iterable[Any], cases: Iterable[Any]) -> list[Any]:
    """Return cases of ``pytest.mark.parametrize``, all marked exhaustive but the quick ones.

    Raises ValueError for a quick one that is no case.
    """
    rest, found = [*quick], []
    for case in cases:
        if case in rest:
            rest.remove(case)
            found.append(case)
        else:
            values = case if isinstance(case, tuple) else (case,)
            found.append(pytest.param(*values, marks=pytest.mark.exhaustive))
    if rest:
        raise ValueError(f"no such case: {rest}")
    return found

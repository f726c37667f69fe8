"""Both twins say of the project's own pages what they said when the kernel last followed."""

from __future__ import annotations

import json

import pytest

from tests.page.golden import GOLDEN, hashes
from tests.page.test_kernel import needs_kernel


@pytest.mark.parametrize("twin", ["off", pytest.param("on", marks=needs_kernel)])
def test_a_page_says_what_it_said(twin: str) -> None:
    was = json.loads(GOLDEN.read_text())
    said = hashes(twin)
    differ = [name for name in {*was, *said} if was.get(name) != said.get(name)]
    assert not differ, (
        "if a rule of the page was changed on purpose, let the kernel follow, then "
        f"write {GOLDEN.name} anew: python -m tests.page.golden"
    )

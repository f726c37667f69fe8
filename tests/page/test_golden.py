"""Both readers read of the project's own pages what they read when the kernel last followed."""

from __future__ import annotations

import json

from tests.page.golden import GOLDEN, hashes
from tests.page_readers import READERS


def test_the_columns_of_pages_are_those_of_the_file(reader: str) -> None:
    was = json.loads(GOLDEN.read_text())
    said = hashes(READERS[reader])
    differ = [name for name in {*was, *said} if was.get(name) != said.get(name)]
    assert not differ, (
        "if a rule of the page was changed on purpose, let the kernel follow, then "
        f"write {GOLDEN.name} anew: python -m tests.page.golden"
    )

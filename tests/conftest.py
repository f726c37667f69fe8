"""What holds for all tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="session")
def _no_salt_by_chance() -> Iterator[None]:
    """Let every crawl of this process draw the same pages."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("templcrawl.memory.crawl.draw_salt", lambda: 0)
        yield

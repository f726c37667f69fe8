"""What the crawls of several files fetch."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lab.sites.server import LocalSite
from tests.crawl.crawls import DEMO_SITE


@pytest.fixture(scope="module")
def site() -> Iterator[LocalSite]:
    """The generated demo site, slow enough that a crawl can be stopped midway."""
    with LocalSite(DEMO_SITE.html, delay=0.002) as served:
        yield served

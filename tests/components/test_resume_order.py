"""A crawl that is paused goes on in the order in which it would have gone on."""

from __future__ import annotations

from pathlib import Path

import pytest

from sites.server import LocalSite
from tests.components.crawls import ADDON, DEMO_SITE, ONE_BY_ONE, Crawl, run_crawl


def order_of(crawl: Crawl, start: str) -> list[str]:
    """Return the pages in the order of their responses, but for the start page: each start fetches it."""
    return [response["url"] for response in crawl.responses if response["url"] != start]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("policy", "pauses"), [("adaptive", (9, 50)), ("template", (40,))])
def test_a_paused_crawl_goes_on_in_the_order_of_one_without_a_pause(
    policy: str, pauses: tuple[int, ...], tmp_path: Path
) -> None:
    with LocalSite(DEMO_SITE.html) as site:
        settings = {**ADDON, **ONE_BY_ONE, "TEMPLCRAWL_ORDER": policy}
        straight = run_crawl(
            "plain", site.url, tmp_path / "straight", {**settings, "JOBDIR": str(tmp_path / "one")}
        )
        settings["JOBDIR"] = str(tmp_path / "job")
        output = tmp_path / "paused"
        for pages in pauses:
            half = run_crawl("plain", site.url, output, {**settings, "CLOSESPIDER_PAGECOUNT": pages})
            assert half.stats["finish_reason"] == "closespider_pagecount"
        paused = run_crawl("plain", site.url, output, settings)
    assert straight.stats["templcrawl/links/waited"]
    assert len(half.responses) < len(order_of(straight, site.url))
    assert order_of(paused, site.url) == order_of(straight, site.url)

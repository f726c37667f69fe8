from __future__ import annotations

from itertools import chain

from templcrawl.memory.leaves import Leaves
from templcrawl.page.page import Page
from templcrawl.tools.commands import site_clusters
from templcrawl.tools.commands.site_clusters import CrawlClusters
from tests.memory.pages import article, listing

HOSTS = ("a.example", "b.example", "c.example")


def pages(count: int = 20) -> list[Page]:
    return list(
        chain.from_iterable(
            (article(number, host=host), listing(number, host=host))
            for number in range(count)
            for host in HOSTS
        )
    )


def test_sites_that_leave_memory_come_back_as_they_were() -> None:
    found = []
    for max_sites, budget in ((1, 0), (3, 2**26)):
        with CrawlClusters(budget=budget) as crawl:
            for page in pages():
                crawl.insert(page)
            assert len(crawl._sites._loaded) == max_sites
            found.append(crawl.clusters())
    assert found[0] == found[1]
    assert [(one["host"], one["pages"]) for one in found[0]] == [
        (host, 20) for host in HOSTS for _ in range(2)
    ]


def test_every_page_is_in_one_cluster_and_typical_pages_are_of_their_cluster() -> None:
    with CrawlClusters() as crawl:
        leaf_of = {page.url: (page.host, crawl.insert(page)) for page in pages()}
        cluster_of = {(one["host"], leaf): one for one in crawl.clusters() for leaf in one["leaves"]}
    for url, leaf in leaf_of.items():
        assert cluster_of[leaf_of[cluster_of[leaf]["example"]]] == cluster_of[leaf]
        assert ("list" in url) == ("list" in cluster_of[leaf]["example"])
    assert (
        sum({(one["host"], one["page_type"]): one["pages"] for one in cluster_of.values()}.values())
        == len(leaf_of)
        == 120
    )


def test_merging_leaves_early_changes_nothing(monkeypatch) -> None:
    """Sixty pages of as many structures: each is a leaf of its own until there are 32."""
    tags = "p b i u em ul table a h2 h3 span br hr img pre form dl".split()
    found, counted = [], []
    for limit in (512, 4):
        monkeypatch.setattr(site_clusters, "_MERGE_AT", limit)
        with CrawlClusters() as crawl:
            for number in range(60):
                crawl.insert(article(number, extra=f"<{tags[number % 17]}><{tags[number // 17]}>x"))
            found.append([{**cluster, "example": ""} for cluster in crawl.clusters()])
            counted.append(len(crawl._sites.peek("example.org")._counted))
    assert found[0] == found[1]
    assert counted[0] > counted[1]


def test_fingerprints_beyond_the_limit_count_for_a_similar_one(monkeypatch) -> None:
    monkeypatch.setattr(site_clusters, "MAX_FINGERPRINTS", 1)
    with CrawlClusters() as crawl:
        for page in (*pages(3), article(9, extra="<div>x</div>", host="d.example")):
            crawl.insert(page)
        (cluster,) = crawl.fingerprint_clusters()
    assert (cluster["pages"], cluster["fingerprints"], cluster["hosts"]) == (10, 1, [*HOSTS, "d.example"])


def test_a_page_is_placed_once(monkeypatch) -> None:
    crawled, placed = pages(4), []
    place = Leaves.place
    monkeypatch.setattr(Leaves, "place", lambda *args, **options: placed.append(1) or place(*args, **options))
    with CrawlClusters(kinds=True, budget=0) as crawl:
        for page in crawled:
            crawl.insert(page)
    assert len(placed) == len(crawled)

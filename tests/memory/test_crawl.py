"""The memory of a crawl over many sites."""

from __future__ import annotations

from pathlib import Path

import pytest

from templcrawl.algorithms.crawl_order.places import LinkEvidence
from templcrawl.errors import InvalidSnapshot
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.memory.page_sample import draw_salt
from templcrawl.memory.store import FolderStore
from tests.memory.pages import article, listing


def test_sites_are_strangers_to_each_other() -> None:
    memory = CrawlMemory()
    memory.observe(article(1, host="a.example"))
    separation = memory.observe(article(2, host="b.example"))
    assert "Made by hand" in separation.content_text
    assert separation.template_links == ()
    assert memory.link_evidence("b.example", "https://a.example/news") == LinkEvidence()
    assert memory.link_evidence("unknown.example", "https://a.example/news") == LinkEvidence()


def test_the_site_not_used_for_longest_leaves_and_is_forgotten_without_a_store() -> None:
    memory = CrawlMemory(max_sites=2)
    for host in ("a.example", "b.example", "a.example", "c.example"):
        memory.observe(article(1, host=host))
        memory.check()
    assert [site.host for site in memory] == ["a.example", "c.example"]
    assert memory.forgotten == 1
    assert memory.pages_of("b.example") == 0


def test_with_a_store_a_site_that_left_comes_back_as_it_was(tmp_path: Path) -> None:
    memory = CrawlMemory(max_sites=1, store=FolderStore(tmp_path))
    memory.observe(article(1, host="a.example"))
    memory.observe(article(1, host="b.example"))
    separation = memory.observe(article(2, host="a.example"))
    assert "Made by hand" in separation.template_text
    assert memory.pages_of("a.example") == 2


def test_save_writes_what_changed_and_a_new_crawl_goes_on_from_it(tmp_path: Path) -> None:
    memory = CrawlMemory(store=FolderStore(tmp_path))
    memory.observe(article(1, host="a.example"))
    memory.observe(article(1, host="b.example"))
    assert memory.save() == 2
    memory.observe(article(2, host="a.example"))
    assert memory.save() == 1
    assert memory.save() == 0
    again = CrawlMemory(store=FolderStore(tmp_path))
    assert again.site("a.example").snapshot() == memory.site("a.example").snapshot()
    assert again.site("b.example").pages == 1


def test_pages_of_two_sites_share_the_cluster_of_their_fingerprint_also_after_a_pause(tmp_path: Path) -> None:
    memory = CrawlMemory(store=FolderStore(tmp_path))
    found = [memory.observe(article(1, host=host)) for host in ("a.example", "b.example")]
    other = memory.observe(listing(1, host="b.example"))
    assert found[0].cluster_id == found[1].cluster_id != other.cluster_id
    assert found[0].template_id.startswith("a.example#")
    assert set(memory.clusters()) == {found[0].cluster_id, other.cluster_id}
    memory.save()
    again = CrawlMemory(store=FolderStore(tmp_path))
    again.check()
    assert again.clusters() == memory.clusters()
    assert again.observe(article(1, host="c.example")).cluster_id == found[0].cluster_id
    assert again.resolve(found[0].cluster_id) == found[0].cluster_id
    assert again.resolve("no such label") == "no such label"


def test_a_damaged_site_is_reported_and_starts_anew(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    memory = CrawlMemory(store=store)
    memory.observe(article(1))
    memory.save()
    store.path("example.org").write_bytes(b"damaged")
    found: list[InvalidSnapshot] = []
    again = CrawlMemory(store=store, on_unreadable=found.append)
    again.observe(article(2))
    assert again.pages_of("example.org") == 1
    assert len(found) == 1
    assert str(store.path("example.org")) in str(found[0])


def test_a_label_resolves_to_what_it_has_become_and_an_unknown_one_stays() -> None:
    memory = CrawlMemory()
    label = memory.observe(article(1)).template_id
    assert memory.resolve(label) == label
    assert memory.resolve("elsewhere.example#123") == "elsewhere.example#123"
    assert memory.resolve("") == ""


def test_each_crawl_draws_a_salt_of_its_own_and_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("templcrawl.memory.crawl.draw_salt", iter((7, 8, 9)).__next__)
    store = FolderStore(tmp_path)
    memory = CrawlMemory(store=store)
    for number in range(40):
        memory.observe(article(number))
    known = memory.site("example.org").snapshot()["detection"]
    memory.save()
    again = CrawlMemory(store=store)
    assert CrawlMemory().options.sample_salt == 8
    assert [memory.options.sample_salt, again.options.sample_salt] == [7, 7]
    assert again.site("example.org").snapshot()["detection"] == known
    assert len(known["sample"]["pages"]) == 17


def test_a_salt_that_is_named_holds_also_for_a_crawl_that_goes_on(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    for named, salt in ((5, 5), (None, 5), (6, 6), (None, 6)):
        memory = CrawlMemory(store=store, sample_salt=named)
        assert memory.options.sample_salt == salt
        memory.observe(article(1))
        memory.save()


def test_salts_are_not_to_be_guessed() -> None:
    drawn = {draw_salt() for _ in range(100)}
    assert len(drawn) == 100
    assert max(drawn) > 2**56
    assert min(drawn) >= 0

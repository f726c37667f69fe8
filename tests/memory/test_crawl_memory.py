"""The memory of a crawl over many sites."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from templcrawl.errors import InvalidOption
from templcrawl.memory.crawl_memory import CrawlMemory, draw_salt
from templcrawl.memory.memory_options import MemoryOptions, SingleOptions
from templcrawl.memory.site import SiteMemory
from templcrawl.page.page import Page
from tests.memory.invariants import check
from tests.memory.pages import article, listing
from tests.memory.stores import store_in

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("host", ["*", "\ud800.example", "a b", "{x}", "é.example"])
def test_a_name_that_no_host_can_have_is_a_site_like_any_other(host: str, tmp_path: Path) -> None:
    memory = CrawlMemory(store=store_in(tmp_path))
    for number in range(3):
        memory.observe(article(number, host=host))
    memory.save()
    again = CrawlMemory(store=store_in(tmp_path))
    assert again.options == memory.options
    name = article(0, host=host).host
    assert again.open(name).pages == 3
    assert (name == "*", "\ud800" in name) == (False, False)


def test_the_site_not_used_for_longest_leaves_and_is_forgotten_without_a_store() -> None:
    memory = CrawlMemory(max_sites=2)
    for host in ("a.example", "b.example", "a.example", "c.example"):
        memory.observe(article(1, host=host))
        check(memory)
    assert [site.host for site in memory] == ["a.example", "c.example"]
    assert memory.evicted_sites == 1
    assert memory.peek("b.example") is None
    assert not memory.is_stored


def test_pages_of_two_sites_share_the_cluster_of_their_fingerprint_also_after_a_pause(tmp_path: Path) -> None:
    memory = CrawlMemory(store=store_in(tmp_path))
    found = [memory.observe(article(1, host=host)) for host in ("a.example", "b.example")]
    other = memory.observe(listing(1, host="b.example"))
    assert found[0].cluster_id == found[1].cluster_id != other.cluster_id
    assert found[0].leaf_id.startswith("a.example#")
    assert set(memory.clusters()) == {found[0].cluster_id, other.cluster_id}
    memory.save()
    again = CrawlMemory(store=store_in(tmp_path))
    check(again)
    assert again.clusters() == memory.clusters()
    assert again.observe(article(1, host="c.example")).cluster_id == found[0].cluster_id
    assert again.resolve(found[0].cluster_id) == found[0].cluster_id
    assert again.resolve("no such label") == "no such label"


def test_a_leaf_resolves_to_the_name_of_its_page_type_and_an_unknown_one_stays() -> None:
    memory = CrawlMemory()
    for number in range(4):
        leaf = memory.observe(article(number)).leaf_id
    assert memory.resolve(leaf) == "/articles/*"
    assert memory.resolve("elsewhere.example#123") == "elsewhere.example#123"
    assert memory.resolve("") == ""


def test_each_crawl_draws_a_salt_of_its_own_and_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("templcrawl.memory.crawl_memory.draw_salt", iter((7, 8, 9)).__next__)
    store = store_in(tmp_path)
    memory = CrawlMemory(store=store)
    for number in range(40):
        memory.observe(article(number))
    known = memory.open("example.org").snapshot().section("detector")
    memory.save()
    again = CrawlMemory(store=store)
    assert CrawlMemory().options.sample_salt == 8
    assert [memory.options.sample_salt, again.options.sample_salt] == [7, 7]
    assert again.open("example.org").snapshot().section("detector") == known
    assert len(known.numbers("pages/hashes")) == 40


def test_a_salt_that_is_named_holds_also_for_a_crawl_that_goes_on(tmp_path: Path) -> None:
    store = store_in(tmp_path)
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


def test_of_a_site_that_was_forgotten_leaves_and_answers_stay(tmp_path: Path) -> None:
    memory = CrawlMemory(max_sites=1)
    earlier = memory.observe(article(1, host="a.example"))
    memory.observe(article(1, host="b.example"))
    assert memory.resolve(earlier.leaf_id) == earlier.leaf_id
    assert memory.reclassify(earlier) is earlier
    assert [site.host for site in memory] == ["b.example"]
    memory.observe(listing(1, host="a.example"))
    assert memory.reclassify(earlier) is earlier


def test_options_hold_after_a_restart(tmp_path: Path) -> None:
    memory = CrawlMemory(store=store_in(tmp_path))
    for number in range(8):
        html = "".join(f"<{name}>x</{name}>" for name in "a b i u s p q".split()[: number + 1])
        memory.observe(Page(html * 3, f"https://example.org/{number}"))
    assert sum(memory.clusters().values()) > 3
    memory.save()
    again = CrawlMemory(store=store_in(tmp_path), max_fingerprints=3, fingerprint_split=9)
    check(again)
    assert sum(again.clusters().values()) == 3
    assert again._clusters._index.split == 9


def test_type_checkers_know_the_options_that_the_memory_takes() -> None:
    """A second list of them would not be kept: a type checker reads no fields of another class."""
    assert SingleOptions.__annotations__.keys() == MemoryOptions.__annotations__.keys()
    hints = {name: hint.__forward_arg__ for name, hint in SingleOptions.__annotations__.items()}
    assert hints == MemoryOptions.__annotations__
    assert not SingleOptions.__required_keys__


@pytest.mark.exhaustive
def test_a_type_checker_finds_a_wrong_option(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    script = tmp_path / "script.py"
    script.write_text(
        "from templcrawl import CrawlMemory\n"
        "CrawlMemory(detector='vote', max_pages=7)\n"
        "CrawlMemory(detectr='vote')\n"
        "CrawlMemory(max_pages='7')\n"
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(script)]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    wrong = [line.partition(": error: ")[0][-1] for line in found.splitlines() if ": error: " in line]
    assert wrong == ["3", "4"], found


@pytest.mark.parametrize("observe", [CrawlMemory().observe, SiteMemory("a.example").observe])
def test_what_is_no_page_is_refused_in_a_sentence(observe: Callable[[Any], object]) -> None:
    for value in ("<p>text", None, b"<p>text"):
        with pytest.raises(InvalidOption, match=r"give a Page, such as Page\.from_html\(html, url\)"):
            observe(value)


@pytest.mark.parametrize("html", [None, 7, ["<p>"], bytearray(b"<p>")])
def test_what_is_no_html_is_refused_in_a_sentence(html: Any) -> None:
    with pytest.raises(InvalidOption, match="give the HTML of a page, as bytes or str"):
        Page.from_html(html)
    with pytest.raises(InvalidOption, match="give the address of the page as a str, or '' for none"):
        Page.from_html("<p>text", html)


def test_the_nearest_option_is_suggested() -> None:
    with pytest.raises(InvalidOption, match="is 'max_pages' meant"):
        CrawlMemory(max_page=7)  # type: ignore[call-arg]
    with pytest.raises(InvalidOption, match="is 'page type' meant"):
        CrawlMemory(strip="page_type")


def test_options_that_are_not_taken_are_an_error() -> None:
    options = MemoryOptions()
    with pytest.raises(InvalidOption, match=r"nonsense = 1 .* one of the options detector, "):
        CrawlMemory(nonsense=1)
    with pytest.raises(InvalidOption, match="nonsense"):
        CrawlMemory(options, nonsense=1)
    with pytest.raises(InvalidOption, match=r"detector = 'vote' .* either"):
        CrawlMemory(options, detector="vote")
    assert CrawlMemory(options).options == replace(options, sample_salt=0)

"""``python -m benchmarks.order``: sites as crawled, traps, tables, small crawls in each order."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.options import choose
from benchmarks.order.__main__ import main
from benchmarks.order.linked_sites import LinkedSite, linked_site, number_shingles, reachable, with_href
from benchmarks.order.runs import Figures
from benchmarks.order.tables import (
    behind,
    behind_lines,
    by_order,
    content_table,
    interval,
    sites_table,
    trap_table,
)
from benchmarks.order.traps import TRAPS, TrappedSite, in_session
from benchmarks.saved_sites import SavedSite
from templcrawl import Page

pytestmark = pytest.mark.exhaustive

TOOLS = [f"tool-{number}" for number in range(24)]


@pytest.fixture
def saved(tmp_path: Path) -> SavedSite:
    """A start page that links to 24 pages in other words than their addresses; one page is not linked."""
    folder = tmp_path / "site"
    folder.mkdir()
    links = "".join(f"<li><a href='/{tool}/#top'>{tool}</a>" for tool in TOOLS)
    pages = {"index": links, **dict.fromkeys((*TOOLS, "lonely"), "<a href=index.html>home</a>")}
    for name, body in pages.items():
        story = " ".join(f"{name}{number}" for number in range(12))
        html = f"<html><body><ul>{body}</ul><main>{story}</main><a href='http://far.example/'>far</a></body></html>"
        (folder / f"{name}.html").write_text(html, encoding="utf-8")
    return SavedSite("site", "tuned", folder, "index.html", ("site.example", "www.site.example"), ("//main",))


def test_a_page_has_one_address_and_links_to_it_work(saved: SavedSite) -> None:
    site = linked_site(saved, 100)
    assert site.start == "http://site.example/index.html"
    assert set(site.bodies) == {f"http://site.example/{name}.html" for name in ("index", *TOOLS)}
    assert site.targets[site.start] == [f"http://site.example/{tool}.html" for tool in TOOLS]
    for url, html in site.bodies.items():
        assert Page(html, url).links.urls == [*site.targets[url], "http://far.example/"]


def test_a_site_that_is_cut_has_no_links_out_of_what_is_left(saved: SavedSite) -> None:
    site = linked_site(saved, 5)
    assert len(site.bodies) == 5
    assert {target for targets in site.targets.values() for target in targets} == set(site.bodies)


def test_content_counts_once_and_in_the_order_of_the_pages() -> None:
    numbers, distinct = number_shingles({"a": "1 2 3 4 5 6", "b": "1 2 3 4 5 6 7 8", "c": ""})
    assert distinct == 4
    site = LinkedSite("x", "", "x", "a", {}, {}, numbers, distinct)
    assert site.content_shares(["c", "a", "b"], [1, 2, 3]) == [0.0, 0.5, 1.0]
    assert site.content_shares(["b", "a", "elsewhere"], [1, 2, 3]) == [1.0, 1.0, 1.0]


@given(st.dictionaries(st.integers(0, 9), st.lists(st.integers(0, 9), max_size=4)), st.integers(0, 9))
def test_what_is_reachable_is_closed_under_links(links: dict[int, list[int]], start: int) -> None:
    targets = {str(page): [str(target) for target in links.get(page, [])] for page in range(10)}
    found = reachable(str(start), targets)
    assert len(found) == len(set(found))
    assert {target for page in found for target in targets[page]} | {str(start)} == set(found)


@given(st.lists(st.text("ab ", max_size=12), min_size=1, max_size=6))
def test_shingles_are_those_of_sets_of_words(texts: Sequence[str]) -> None:
    numbers, distinct = number_shingles({str(place): text for place, text in enumerate(texts)})

    def plain(text: str) -> set[tuple[str, ...]]:
        words = text.split()
        width = min(5, len(words))
        return {tuple(words[at : at + width]) for at in range(len(words) - width + 1)} if words else set()

    assert distinct == len(set().union(*map(plain, texts)))
    assert [len(numbers[str(place)]) for place in range(len(texts))] == [len(plain(text)) for text in texts]


@pytest.mark.parametrize(
    "tag", ["<a href=x.html>", "<a  class='b' HREF = \"x.html\" id=c>", "<area href='x'/>"]
)
def test_a_tag_keeps_all_but_its_href(tag: str) -> None:
    changed = with_href(tag, "http://x.example/?a=1&lt=2")
    assert Page(changed, "http://y.example/").links.urls == ["http://x.example/?a=1&lt=2"]
    assert changed.count(" ") == tag.count(" ")


@pytest.mark.parametrize("name", TRAPS)
def test_a_trap_has_no_end_and_its_links_are_those_of_its_pages(name: str, saved: SavedSite) -> None:
    site = linked_site(saved, 100)
    trapped = TrappedSite(site, TRAPS[name])
    queue = [site.start]
    for url in queue:
        links = trapped.links(url)
        html = trapped.html(url)
        assert html is not None
        on_page = [one for one in Page(html, url).links.urls if one != "http://far.example/"]
        assert set(on_page) == set(links)
        queue += [link for link in dict.fromkeys(links) if link not in queue]
        if len(queue) > 300:
            break
    assert len(queue) > 300
    assert set(site.bodies) <= set(queue)


def test_a_copy_brings_the_content_of_its_page(saved: SavedSite) -> None:
    site = linked_site(saved, 100)
    trapped = TrappedSite(site, TRAPS["sessions"])
    copy = in_session(site.start, "http://site.example/tool-1.html")
    assert trapped.original(copy) == site.start
    assert trapped.html(in_session("http://site.example/nothing", site.start)) is None
    assert all(trapped.original(link) in site.bodies for link in trapped.links(copy))


def test_the_interval_of_a_mean_holds_it_and_grows_with_the_spread() -> None:
    narrow, wide = interval([0.1, 0.2] * 10), interval([-0.5, 0.8] * 10)
    assert narrow[0] < 0.15 < narrow[1]
    assert wide[1] - wide[0] > narrow[1] - narrow[0]


def test_sites_without_content_are_not_behind() -> None:
    assert behind({"a": 0.0, "b": 0.89}, {"a": 0.0, "b": 1.0}) == ["b"]


def figures(order: str, site: str, found: Sequence[float], **more: object) -> Figures:
    return Figures(site, "tuned", order, 1, 20, 0, list(found), **more)  # type: ignore[arg-type]


def test_the_tables_name_the_sites_that_are_behind() -> None:
    runs = [figures("lifo", "a", [0.1, 0.9, 0.1]), figures("lifo", "b", [0.1, 0.6, 0.1])]
    runs += [figures("fifo", site, [0.2, 0.5, 0.8]) for site in "ab"]
    runs += [figures("adaptive", "a", [0.1, 0.5, 0.9]), figures("adaptive", "b", [0.2, 0.6, 0.8])]
    cells = [list(column.cells) for column in content_table(runs, 1).columns]
    assert cells[0] == ["lifo", "fifo", "adaptive"]
    assert cells[1] == ["0.100", "0.200", "0.150"]
    assert cells[7] == ["2 / 0 / 2", "0 / 0 / 0", "1 / 0 / 0"]
    assert cells[8] == ["2 / 0 / 2", "0 / 2 / 0", "1 / 1 / 0"]
    columns = sites_table(runs, 1).columns
    assert [column.header for column in columns] == ["site", "pages", "lifo", "fifo", "adaptive"]
    assert [column._cells[0] for column in columns[2:]] == [
        "0.10* 0.90  0.10*",
        "0.20  0.50* 0.80 ",
        "0.10* 0.50* 0.90 ",
    ]
    assert list(behind_lines(runs)) == ["adaptive, 1 in flight, behind at 10%: a 0.50"]


def test_crawls_of_a_kind_are_averaged() -> None:
    runs = [figures("fifo", "a", [share, 0.5, 0.8]) for share in (0.25, 0.75)]
    assert by_order(runs, 0) == {"fifo": {"a": 0.5}}


def test_the_table_of_traps_has_a_row_for_each_trap_and_order() -> None:
    runs = [
        figures(order, "a", [0.9], trap=trap, wasted=0.1) for trap in TRAPS for order in ("fifo", "adaptive")
    ]
    table = trap_table(runs)
    assert table.row_count == 2 * len(TRAPS)
    assert list(table.columns[4].cells) == ["0.900"] * table.row_count


def test_a_site_that_is_not_there_is_an_error(saved: SavedSite) -> None:
    assert choose([saved], []) == choose([saved], ["site"]) == [saved]
    with pytest.raises(ValueError, match="no site is called ghost"):
        choose([saved], ["ghost"])
    with pytest.raises(SystemExit):
        main([])


@pytest.fixture
def corpora(saved: SavedSite) -> Path:
    root = saved.folder.parent
    sites = {"site": {"start": "index.html", "hosts": list(saved.hosts), "content": ["//main"]}}
    (root / "sites.json").write_text(json.dumps(sites), encoding="utf-8")
    return root


def test_every_order_fetches_every_page_once(
    corpora: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = tmp_path / "raw.json"
    main(["--corpora", str(corpora), "--jobs", "1", "--repeats", "2", "--json", str(raw)])
    runs = json.loads(raw.read_text())
    assert {(one["in_flight"], one["order"]) for one in runs} >= {(1, "lifo"), (1, "adaptive"), (16, "fifo")}
    assert sum(one["order"] == "fifo" for one in runs) == 3
    assert len({str(one["found"]) for one in runs if "fifo" in one["order"] and one["in_flight"] == 1}) == 1
    assert all(one["pages"] == 25 and one["missing"] == 0 for one in runs)
    assert all(np.all(np.diff(one["found"]) > 0) for one in runs)
    assert "Share of the content found, 16 in flight, 1 sites" in capsys.readouterr().out


def test_traps_are_crawled_as_long_as_the_site_has_pages(
    corpora: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = tmp_path / "raw.json"
    main(["--corpora", str(corpora), "--traps", "--jobs", "1", "--json", str(raw)])
    runs = json.loads(raw.read_text())
    assert {one["trap"] for one in runs} == set(TRAPS)
    lifo = {one["trap"]: one["wasted"] for one in runs if one["order"] == "lifo"}
    assert min(lifo.values()) > 0.9
    assert "Traps, 1 sites, 1 in flight" in capsys.readouterr().out

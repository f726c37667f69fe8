"""The experiments on page structure, on sites small enough to say what must come out."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import fingerprint_index
from benchmarks.structure import across, orders, split
from benchmarks.structure import types as learned_types
from benchmarks.structure.experiments import Kept, cluster_types, keep
from benchmarks.structure.fp import FP
from benchmarks.structure.label_tables import Moment, label_table
from benchmarks.structure.page_sets import Site
from benchmarks.structure.structural import STRUCTURAL
from benchmarks.structure.typed_sites import (
    Quality,
    TypedSite,
    groups_of,
    mean_quality,
    quality_of,
    read_typed_sites,
)
from benchmarks.structure.types import Learner, PageEvidence, evidence_of
from templcrawl import Page

pytestmark = pytest.mark.exhaustive

LIST = '<ul class="list">' + '<li class="entry"><a href="x.html">tea</a></li>' * 3 + "</ul>"
NOTE = '<div class="note"><h1>tea</h1><p class="lead">one</p><blockquote>two</blockquote></div>'
FORM = '<form id="ask"><fieldset><label>name<input name="q"></label></fieldset><button>go</button></form>'
KINDS = {"list": LIST, "note": NOTE, "form": FORM}


def _write_site(folder: Path, name: str, count: int) -> dict[str, str]:
    """Write pages of three types; return path -> type."""
    (folder / name).mkdir(parents=True)
    types = {}
    for number in range(count):
        kind = list(KINDS)[number % 3]
        body = KINDS[kind] + "<hr>" * (number % 2)
        html = f"<html><head><title>{name}</title></head><body><div id={name}>{body}</div></body></html>"
        (folder / name / f"{number:02}.html").write_text(html, encoding="utf-8")
        types[f"{number:02}.html"] = kind
    return types


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two sites with page types, one of them with pages that have none, and one site without."""
    sites: dict[str, Any] = {}
    for name, count in (("shop", 12), ("club", 40), ("wiki", 3)):
        types = _write_site(tmp_path, name, count)
        sites[name] = {"start": "00.html", "content": [], "page_types": types}
    for number in range(4):
        del sites["club"]["page_types"][f"{number:02}.html"]
    sites["club"]["added"] = True
    sites["wiki"]["page_types"] = None
    (tmp_path / "sites.json").write_text(json.dumps(sites), encoding="utf-8")
    return tmp_path


@pytest.fixture
def sites(folder: Path) -> list[TypedSite]:
    return read_typed_sites(folder, 100)


def test_sites_with_page_types_are_read_with_all_their_pages(sites: list[TypedSite]) -> None:
    assert [(site.name, site.group, len(site.types)) for site in sites] == [
        ("shop", "tuned", 12),
        ("club", "added", 40),
    ]
    club = sites[1]
    assert Counter(club.types)[None] == 4
    assert len(club.pages) == len(club.fingerprints) == 40
    assert all(len(page.structure) and len(page.url) for page in club.pages)


def test_sites_are_grouped_by_when_they_came(tmp_path: Path) -> None:
    came = {"tea": None, "ink": False, "pen": True, "nib": "second", "cup": "third"}
    told = {name: {} if added is None else {"added": added} for name, added in came.items()}
    (tmp_path / "sites.json").write_text(json.dumps(told), encoding="utf-8")
    assert groups_of(tmp_path) == {
        "tea": "tuned",
        "ink": "tuned",
        "pen": "added",
        "nib": "added",
        "cup": "third",
    }


# what page types are learned from


def _linked_site() -> Site:
    """Three pages that link to each other and elsewhere, under names that a server might answer by."""
    html = {
        "index": '<ul class=menu><li><a href="/tea?x=1">tea</a></ul><p><a href="http://other.example/tea">o</a>',
        "tea": '<p class=up><a href="/">home</a> <a href="/ink">ink</a>',
        "ink": '<ul class=menu><li><a href="tea">tea</a></ul>',
    }
    pages = [Page(f"<body>{body}</body>", f"http://e.org/{name}.html") for name, body in html.items()]

    def find(url: str) -> str | None:
        host, _, path = url.removeprefix("http://").partition("/")
        name = path.partition("?")[0].removesuffix(".html") or "index"
        return name if host == "e.org" and name in html else None

    return Site("tea", pages, ["a", "b", "a"], find)


def test_a_link_is_told_by_the_page_that_it_leads_to_and_the_path_of_its_anchor() -> None:
    site = _linked_site()
    pages = evidence_of(site)
    menus = [pages[0].links[0], pages[2].links[0]]
    assert [target for page in pages for target, _ in page.links] == [1, 0, 2, 1]
    assert menus[0] == menus[1]
    assert menus[0][1] not in {path for _, path in pages[1].links}
    assert pages[1].structure.tolist() == site.pages[1].structure.tolist()


def test_a_page_is_reached_by_the_anchors_of_the_pages_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    class Told(list[list[int]]):
        def observe(self, structure: Any, *, anchors: Any, url: Any) -> int:
            self.append(anchors.tolist())
            return len(url)

    monkeypatch.setattr(learned_types, "PageTypes", Told)
    pages = [
        PageEvidence(np.zeros(0, np.uint64), np.arange(7, dtype=np.uint64), [(1, 5), (0, 6)]),
        PageEvidence(np.zeros(0, np.uint64), links=[(2, 8), (0, 9)]),
        PageEvidence(np.zeros(0, np.uint64), links=[(1, 4)]),
    ]
    learner = Learner(pages)
    assert [learner.observe(page) for page in (2, 0, 1)] == [0, 7, 0]
    assert learner.types == [[], [], [4, 5]]


def test_page_types_are_clustered_by_addresses_too_where_the_pages_are_of_one_site() -> None:
    chosen, pages = random.Random(1), []
    for number in range(40):
        kind = 10 * (number % 2)
        structure = np.array(sorted({*range(4), *chosen.sample(range(kind, kind + 14), 6)}), np.uint64)
        pages.append(PageEvidence(structure, np.arange(kind, kind + 5, dtype=np.uint64)))
    structures = [page.structure for page in pages]
    kept = Kept("tea", structures, ["note", "list"] * 20, read=pages, read_seconds=4.0)
    result = cluster_types(STRUCTURAL, [kept])["tea"]
    assert result.scores[0].ari == 1.0
    assert result.pages_per_second < 10
    by_structure = cluster_types(STRUCTURAL, [replace(kept, read=list(map(PageEvidence, structures)))])
    assert by_structure["tea"].scores[0].ari < 1.0
    assert STRUCTURAL.cluster(structures) == STRUCTURAL.cluster_site(list(map(PageEvidence, structures)))


def test_of_a_site_all_pages_are_read_with_their_links() -> None:
    kept = keep(STRUCTURAL, _linked_site(), sample=1)
    assert [page.links for page in kept.read] == [page.links for page in evidence_of(_linked_site())]
    assert kept.read_seconds > 0
    assert keep(FP, _linked_site(), sample=1).read is None


def test_the_quality_of_labels_worked_out_by_hand() -> None:
    assert quality_of([0, 0], [0, 1], [None, None]) is None
    # Templates aab, types xyy: no pair is right, 1 of 3 pairs together in each.
    found = quality_of([0, 0, 1, 1], [0, 1, 2, 2], ["x", "y", "y", None])
    assert found == Quality(pytest.approx((0 - 1 / 3) / (1 - 1 / 3)), pytest.approx(2 / 3), 1.0)
    assert mean_quality([Quality(0, 0.5, 1), Quality(1, 0.5, 0)]) == Quality(0.5, 0.5, 0.5)


# split


def test_the_entropies_are_of_pages_and_of_distinct_fingerprints() -> None:
    one, other = bytes(25), bytes(20) + bytes([1]) * 5
    found = split.entropies_of([one, one, one, other])
    for name, share in (("pages", 1 / 4), ("distinct", 1 / 2)):
        bits = -share * log2(share) - (1 - share) * log2(1 - share)
        assert [cut.head for cut in found[name]] == pytest.approx([0] * 20 + [bits] * 4)
        assert [cut.tail for cut in found[name]] == pytest.approx([bits] * 24)


def test_the_split_is_printed_and_written(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = tmp_path / "split.json"
    split.main(["--corpora", str(folder), "--pages", "10", "--json", str(raw)])
    assert "Balanced over pages: l = " in capsys.readouterr().out
    figures = json.loads(raw.read_text(encoding="utf-8"))
    assert figures["counts"]["pages"] == 10 + 10 + 3
    assert [cut["split"] for cut in figures["entropies"]["pages"]] == list(range(1, 25))


def test_the_entropies_are_drawn_the_same_twice(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    entropies = split.entropies_of([bytes(25), bytes(24) + b"x", b"abc"])
    for name in ("one.svg", "two.svg"):
        split.plot(entropies, tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


# orders


@given(st.lists(st.sampled_from(["a", "b", "c", None]), max_size=30), st.integers(0, 3))
def test_every_order_has_every_page_once(types: list[str | None], shuffles: int) -> None:
    found = dict(orders.orders_of(types, shuffles))
    assert list(found)[:2] == ["crawl", "by type"]
    assert len(found) == 2 + shuffles
    assert all(sorted(order) == list(range(len(types))) for order in found.values())
    hostile = [types[page] for page in found["by type"]]
    runs = [kind for place, kind in enumerate(hostile) if place == 0 or hostile[place - 1] != kind]
    assert runs == list(dict.fromkeys(types))


def test_a_site_is_learned_in_every_order(sites: list[TypedSite]) -> None:
    learned = orders.learn_all(sites, 2)
    assert [one.order for one in learned[:4]] == ["crawl", "by type", "shuffle 0", "shuffle 1"]
    assert all(one.is_same_parts for one in learned)
    assert [one.kind for one in learned[:4]] == ["crawl", "by type", "shuffle", "shuffle"]
    assert list(learned[0].moments) == [10, "end"]
    assert set(learned[4].moments) == {10, 25, "end"}
    assert {one.quality for one in learned} == {Quality(1.0, 1.0, 1.0)}


class _Merging:
    """Page types that take each page for a new template, and in the end all for one."""

    def __init__(self) -> None:
        self.pages = 0

    def observe(self, features: object, *, anchors: object, url: object) -> int:
        self.pages += 1
        return self.pages - 1

    def template(self, leaf: int) -> int:
        return leaf

    def current(self, leaf: int) -> int:
        return leaf

    def settled(self) -> tuple[dict[int, int], dict[int, int]]:
        """All leaves are one template; of the names given, the first and the second."""
        leaves = range(self.pages)
        return dict.fromkeys(leaves, 0), {leaf: min(leaf, 1) for leaf in leaves}


def test_a_label_is_scored_as_it_was_emitted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learned_types, "PageTypes", _Merging)
    pages = [PageEvidence(np.zeros(0, np.uint64))] * 3
    site = TypedSite("tea", "tuned", pages, [b""] * 3, ["list", "list", "note"])
    assert orders.learn(site, [2, 0, 1]) == {
        "end": Moment(Quality(0.0, 1.0, 1.0), Quality(1.0, 1.0, 1.0), Quality(0.0, pytest.approx(2 / 3), 1.0))
    }


def test_labels_are_averaged_over_all_sites_and_over_each_group() -> None:
    def moment(ari: float) -> Moment:
        return Moment(Quality(ari, 0.5, 1), Quality(ari / 2, 0.5, 1), Quality(0.25, ari, 1))

    labelled = {"tea": ("tuned", moment(1.0)), "ink": ("third", moment(0.5)), "pen": ("third", moment(0))}
    table = label_table(
        {"": labelled, "other": {name: (group, moment(1)) for name, (group, _) in labelled.items()}}
    )
    rows = list(zip(*(list(column.cells) for column in table.columns)))
    best = ("1.000 / 0.500", "0.500 / 0.500", "0.250 / 1.000")
    assert [column.header for column in table.columns][2:6] == [
        "emitted",
        "template",
        "leaf",
        "other emitted",
    ]
    assert rows[1] == ("ink", "third", "0.500 / 0.500", "0.250 / 0.500", "0.250 / 0.500", *best)
    assert rows[3] == ("mean of 3", "all", "0.500 / 0.500", "0.250 / 0.500", "0.250 / 0.500", *best)
    assert rows[5] == ("mean of 2", "third", "0.250 / 0.500", "0.125 / 0.500", "0.250 / 0.250", *best)


def test_partitions_by_fingerprints_do_not_depend_on_the_order(sites: list[TypedSite]) -> None:
    site = sites[1]
    order = list(range(len(site.types)))
    random.Random(1).shuffle(order)
    assert orders.parts_of(site, order) == orders.parts_of(site, range(len(site.types)))
    assert set(orders.parts_of(site, order)) == set(site.fingerprints)


def test_the_orders_are_printed_and_written(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = tmp_path / "orders.json"
    orders.main(["--corpora", str(folder), "--shuffles", "1", "--json", str(raw)])
    shown = capsys.readouterr()
    for line in (
        "ARI of each site",
        "mean of 1",
        "Means over 2 sites",
        "Labels on the way",
        "crawl's: 0 of 4",
    ):
        assert line in shown.out
    assert "learned shop: 12 pages" in shown.err
    figures = json.loads(raw.read_text(encoding="utf-8"))
    assert [one["order"] for one in figures] == ["crawl", "by type", "shuffle 0"] * 2
    assert figures[0]["moments"]["end"]["then"]["ari"] == 1.0


# across


def test_clusters_over_sites_worked_out_by_hand() -> None:
    found = across.compare({"tea": [b"aaa", b"aab", b"xyz"], "ink": [b"aba", b"uvw"], "pen": [b"abb"]})
    # aaa, aab, aba and abb are a chain of single edits; xyz and uvw are alone.
    assert (found.sites, found.pages, found.fingerprints, found.clusters, found.alone) == (3, 6, 6, 3, 2)
    assert (found.purity, found.purity_shared) == (pytest.approx(4 / 6), pytest.approx(2 / 4))
    assert found.mixed == [{"tea": 2, "ink": 1, "pen": 1}]
    assert across.compare({"tea": [b"abc"]}).purity_shared == 1.0


def test_the_three_collections_are_compared_alone_and_together(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manual = tmp_path / "packages/git-doc/usr/share/doc/git-doc"
    host = tmp_path / "news/English/tea.example"
    for place in (manual, host):
        place.mkdir(parents=True)
    (manual / "git.html").write_text(f"<html><body>{FORM * 9}</body></html>", encoding="utf-8")
    for number in (1, 2):
        (host / f"{number}.html").write_text(f"<html><body>{LIST * 3}</body></html>", encoding="utf-8")
        (host / f"{number}.txt").write_text("<p>tea", encoding="utf-8")
    raw = tmp_path / "across.json"
    places = {"--corpora": folder, "--debian": tmp_path / "packages", "--news": tmp_path / "news"}
    across.main([*(str(word) for pair in places.items() for word in pair), "--json", str(raw)])
    # The three sites of the folder are made alike.
    assert "mixed, " in capsys.readouterr().out
    figures = json.loads(raw.read_text(encoding="utf-8"))
    assert {name: (one["sites"], one["pages"]) for name, one in figures.items()} == {
        "corpora": (3, 55),
        "debian": (1, 1),
        "news": (1, 2),
        "all": (5, 58),
    }
    assert figures["news"]["purity"] == 1.0


# the index


@pytest.mark.parametrize("heads", [0, 7])
def test_made_up_fingerprints_are_distinct_and_refer_to_earlier_entries(heads: int) -> None:
    found = [one for block in fingerprint_index.fingerprints(10_100, heads, 17) for one in block]
    assert len(found) == 10_100
    assert all(value <= place for one in found for place, value in enumerate(one))
    assert {len(one) for one in found} == {25}
    if heads:
        assert len({one[:17] for one in found}) == heads
    else:
        assert len(set(found)) == len(found)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_an_index_grows_in_a_process_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw = tmp_path / "index.json"
    fingerprint_index.main(["--count", "30000", "--json", str(raw)])
    assert "Index of 30,000 fingerprints" in capsys.readouterr().out
    figures = json.loads(raw.read_text(encoding="utf-8"))
    assert figures["distinct"] == 30_000
    assert len(figures["adds_per_second"]) == 3
    assert figures["peak"] >= figures["steady"] > 0


@pytest.mark.parametrize(
    ("experiment", "options"),
    [
        (split, ["--corpora", "{empty}"]),
        (split, ["--corpora", "{empty}", "--pages", "0"]),
        (orders, ["--corpora", "{empty}"]),
        (orders, ["--corpora", "{empty}", "--shuffles", "-1"]),
        (across, []),
        (across, ["--pages", "0"]),
        (fingerprint_index, ["--count", "9"]),
    ],
)
def test_what_cannot_be_done_is_refused(experiment: Any, options: list[str], tmp_path: Path) -> None:
    (tmp_path / "sites.json").write_text("{}", encoding="utf-8")
    with pytest.raises(SystemExit):
        experiment.main([option.format(empty=tmp_path) for option in options])

"""The structural baselines, on pages small enough to work out by hand."""

from __future__ import annotations

import doctest
import json
import pkgutil
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import combinations, product
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import structure
from benchmarks.structure import cp, cps, ctss, lcts, md5, mdh5, rtdm, tv
from benchmarks.structure.__main__ import main
from benchmarks.structure.clusterings import by_key, by_leader
from benchmarks.structure.experiments import Kept, classify, cluster_sites, cluster_types, keep, mean_of
from benchmarks.structure.fp import FP
from benchmarks.structure.methods import BASELINES, METHODS
from benchmarks.structure.metrics import score_classes, score_clusters
from benchmarks.structure.page_sets import Site, read_sites
from benchmarks.structure.rtdm import Tree, edits, tree
from benchmarks.structure.shape import Classifier, Folds
from templcrawl import Page
from tests.oracles import lcs_length

pytestmark = pytest.mark.exhaustive

HEAD = "<html><head><title>tea</title></head><body>"
SHORT = "<ul><li>green</li><li>black</li></ul>"
LONG = "<ul><li>green</li><li><b>black</b></li><li>white</li></ul>"
NOTE = "<div><p>closed on <em>Mondays</em></p></div>"
PAGES = [SHORT, LONG, NOTE, HEAD + SHORT, HEAD + LONG, HEAD + NOTE, ""]


def page(html: str) -> Page:
    return Page(html, "http://tea.example/")


def distance(method: Any, a: str, b: str) -> float:
    return method.distance(method.features(page(a)), method.features(page(b)))


@pytest.mark.parametrize(
    ("method", "a", "b", "expected"),
    [
        # ul li li li li ul / ul li li li b b li li li ul: all six tags of the shorter are common
        (lcts.LCTS, SHORT, LONG, 1 - 6 / 10),
        (lcts.LCTS, SHORT, NOTE, 1.0),
        (lcts.LCTS, "<p></p>", "<p><br></p>", 1 - 2 / 3),
        # counts ul 2, li 4 / ul 2, li 6, b 2
        (tv.TV, SHORT, LONG, 1 - (2 * 2 + 4 * 6) / sqrt((4 + 16) * (4 + 36 + 4))),
        (tv.TV, SHORT, NOTE, 1.0),
        (tv.TV, SHORT, "", 1.0),
        # ul/li / ul/li, ul/li/b
        (cp.CP, SHORT, LONG, 0.5),
        (cp.CP, SHORT, NOTE, 1.0),
        # html/head/title of each page is common
        (cp.CP, HEAD + SHORT, HEAD + NOTE, 0.5),
        # ul li / ul li, ul li b (each shorter than four names)
        (cps.CPS, SHORT, LONG, 0.5),
        # html head title, html body ul li / html head title, html body ul li, body ul li b
        (cps.CPS, HEAD + SHORT, HEAD + LONG, 1 / 3),
        # {ul li li li, li li li li, li li li ul} / {ul li li li, li li li b, li li b b, li b b li,
        # b b li li, b li li li, li li li ul}
        (ctss.CTSS, SHORT, LONG, 1 - 2 / 7),
        # li li ul p comes in
        (ctss.CTSS, SHORT, SHORT + "<p>", 1 - 3 / 4),
        # one li with a b comes in: 2 of 3 + 5 nodes
        (rtdm.RTDM, SHORT, LONG, 2 / 8),
        # ul against div: 1 for the pair, 2 and 2 below it, of 3 + 3 nodes
        (rtdm.RTDM, SHORT, NOTE, 5 / 6),
        (rtdm.RTDM, "", NOTE, 1.0),
        (md5.MD5, SHORT, LONG, 1.0),
        (mdh5.MDH5, HEAD + SHORT, HEAD + NOTE, 0.0),
        (mdh5.MDH5, SHORT, LONG, 1.0),
        (FP, "<p><p><br>", "<p><br>", 1 / 25),
    ],
)
def test_a_distance_worked_out_by_hand(method: Any, a: str, b: str, expected: float) -> None:
    assert distance(method, a, b) == pytest.approx(expected)


@pytest.mark.parametrize("method", BASELINES, ids=lambda method: method.name)
def test_equal_structure_is_at_distance_0_and_order_says_nothing(method: Any) -> None:
    for html in PAGES:
        assert distance(method, html, html.replace("green", "red <!-- leaf -->")) == 0
    for a, b in combinations(PAGES, 2):
        assert 0 <= distance(method, a, b) == distance(method, b, a) <= 1


@pytest.mark.parametrize("method", BASELINES, ids=lambda method: method.name)
def test_attributes_are_not_read(method: Any) -> None:
    marked = HEAD.replace("<html>", '<html lang="en">').replace("<body>", '<body class="home page-1">')
    assert distance(method, HEAD + NOTE, marked + NOTE) == 0


def test_the_header_ends_with_head_or_before_body() -> None:
    assert list(mdh5.header("html head br head body p".split())) == "html head br head".split()
    assert list(mdh5.header("html br body p".split())) == ["html", "br"]
    assert list(mdh5.header("ul li ul".split())) == ["ul", "li", "ul"]


@pytest.mark.parametrize("module", [one.name for one in pkgutil.iter_modules(structure.__path__)])
def test_the_examples_of_every_module_hold(module: str) -> None:
    assert doctest.testmod(import_module(f"benchmarks.structure.{module}")).failed == 0


@given(st.lists(st.sampled_from("abc"), max_size=8), st.lists(st.sampled_from("abc"), max_size=8))
def test_lcts_is_the_textbook_subsequence(a: list[str], b: list[str]) -> None:
    longer = max(len(a), len(b), 1)
    apart = longer - lcs_length(a, b) if a or b else 0
    assert lcts.distance(tuple(a), tuple(b)) == pytest.approx(apart / longer)


# RTDM against every mapping there is
Mapping = tuple[tuple[Tree, Tree], ...]


def _row_mappings(a: Sequence[Tree], b: Sequence[Tree]) -> Iterator[Mapping]:
    """Yield every restricted top-down mapping of two rows of siblings."""
    for paired in range(min(len(a), len(b)) + 1):
        for left, right in product(combinations(a, paired), combinations(b, paired)):
            below = [list(_mappings(x, y)) for x, y in zip(left, right)]
            yield from (sum(parts, ()) for parts in product(*below))


def _mappings(a: Tree, b: Tree) -> Iterator[Mapping]:
    """Yield every restricted top-down mapping that pairs two roots."""
    if a.name != b.name:
        yield ((a, b),)
        return
    yield from (((a, b), *rest) for rest in _row_mappings(a.children, b.children))


def _least_edits(a: Tree, b: Tree) -> int:
    return min(
        a.size + b.size - 2 * len(mapping) + sum(x.name != y.name for x, y in mapping)
        for mapping in _mappings(a, b)
    )


_names = st.sampled_from("ab")
_small_trees = st.recursive(
    _names.map(tree), lambda inner: st.builds(tree, _names, st.lists(inner, max_size=3)), max_leaves=5
)


@given(st.lists(_small_trees, max_size=3), st.lists(_small_trees, max_size=3))
def test_rtdm_is_the_least_of_all_mappings(a: list[Tree], b: list[Tree]) -> None:
    one, other = tree("", a), tree("", b)
    if one.size + other.size <= 16:
        assert edits(one, other) == _least_edits(one, other)


def test_rtdm_pairs_nothing_below_different_names() -> None:
    inside = [tree("p", [tree("em")])]
    assert edits(tree("", [tree("div", inside)]), tree("", [tree("section", inside)])) == 5


def test_rtdm_reads_a_page_of_any_depth() -> None:
    deep = rtdm.features(page("<div>" * 5_000 + "<p>"))
    assert deep.size == 5_002
    assert rtdm.distance(deep, rtdm.features(page("<div>" * 5_000 + "<i>"))) == pytest.approx(1 / 10_002)


def test_a_leader_stays_the_first_page_of_its_cluster() -> None:
    assert by_leader([0.0, 0.9, 1.8, 2.0], lambda a, b: abs(a - b), 1.0) == [0, 0, 1, 1]
    assert by_key("abca") == [0, 1, 2, 0]
    assert by_leader([], max, 1.0) == by_key([]) == []


def test_clusters_scored_by_hand() -> None:
    # Clusters aaa bb c, classes xxy yy y.  15 pairs; together 3 + 1, of one class 1 + 6, both 1 + 1.
    score = score_clusters("aaabbc", "xxyyyy")
    assert score.clusters == 3
    assert score.purity == pytest.approx((2 + 2 + 1) / 6)
    assert score.rand == pytest.approx((2 + (15 - 4 - 7 + 2)) / 15)
    assert score.ari == pytest.approx((2 - 4 * 7 / 15) / ((4 + 7) / 2 - 4 * 7 / 15))
    assert score.f1 == pytest.approx(2 * (2 / 4) * (2 / 7) / (2 / 4 + 2 / 7))


@pytest.mark.parametrize(
    ("clusters", "classes", "purity", "ari", "f1"),
    [
        ("aabb", "xxyy", 1, 1, 1),
        ("aaaa", "xxyy", 0.5, 0, 2 * 2 / 8),
        ("abcd", "xxyy", 1, 0, 0),
        ("abab", "xxyy", 0.5, -0.5, 0),
        ("abcd", "wxyz", 1, 1, 1),
        ("aaaa", "xxxx", 1, 1, 1),
        ("a", "x", 1, 1, 1),
    ],
)
def test_clusters_at_the_edges(clusters: str, classes: str, purity: float, ari: float, f1: float) -> None:
    score = score_clusters(clusters, classes)
    assert (score.purity, score.ari, score.f1) == pytest.approx((purity, ari, f1))


def test_classes_scored_by_hand() -> None:
    # Pages 0 and 1 are of class 0, page 2 of class 1; class 2 has none and gets page 1.
    found = np.array([[1, 1, 0], [0, 0, 1], [0, 1, 0]], dtype=bool)
    score = score_classes(found, np.array([0, 0, 1]))
    assert score.precision == pytest.approx((1 + 1 / 2 + 0) / 3)
    assert score.recall == pytest.approx((1 / 2 + 1 + 0) / 3)
    assert score.f1 == pytest.approx((2 / 3 + 2 / 3 + 0) / 3)
    assert score.accuracy == pytest.approx(6 / 9)


def _kept(method: Any) -> list[Kept]:
    shop = [SHORT, LONG, SHORT, SHORT + "<hr>"]
    club = [NOTE, NOTE, NOTE + "<hr>", NOTE]
    types = ["list", "detail", "list", None]
    return [
        keep(method, Site(name, [page(HEAD + html) for html in htmls], types), sample=10)
        for name, htmls in (("shop", shop), ("club", club))
    ]


@pytest.mark.parametrize("method", BASELINES, ids=lambda method: method.name)
def test_every_method_clusters_and_classifies(method: Any) -> None:
    kept = _kept(method)
    together, by_type = cluster_sites(method, kept), mean_of(cluster_types(method, kept).values())
    assert (together.sites, together.pages, by_type.sites, by_type.pages) == (2, 8, 2, 6)
    nearest, each = classify(method, kept).scores
    assert 0 <= nearest.recall <= each.recall <= 1


def test_the_nearest_rule_takes_one_class_and_the_papers_rule_all_that_accept() -> None:
    # All headers are equal: the first site takes all, or both do.
    nearest, each = classify(mdh5.MDH5, _kept(mdh5.MDH5)).scores
    assert (nearest.precision, nearest.recall) == (0.25, 0.5)
    assert (each.precision, each.recall) == (0.5, 1.0)


def test_a_page_is_judged_by_the_other_folds_alone() -> None:
    folds = Folds(np.array([0, 0, 1]), np.array([0, 1, 0]), 2)
    found = md5.MD5.judge([b"a", b"a", b"a"], folds).distances
    assert found.tolist() == [[0, np.inf], [0, 0], [0, np.inf]]


def test_a_class_learns_how_far_apart_its_pages_are() -> None:
    pages = [lcts.features(page(html)) for html in (SHORT, LONG, SHORT)]
    judged = lcts.LCTS.judge(pages, Folds(np.array([0, 0, 0]), np.array([0, 1, 2]), 1))
    # Without the long page the two short ones are equal, so nothing but an equal page is accepted.
    assert judged.accepted.ravel().tolist() == [True, False, True]
    assert judged.distances.ravel() == pytest.approx([0, 0.4, 0])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two sites of five pages; of the second no types are known."""
    links = "".join(f'<a href="/leaf {n}.html">leaf</a>' for n in range(4))
    for site in ("shop", "club"):
        (tmp_path / site).mkdir()
        (tmp_path / site / "index.html").write_text(f"{HEAD}{links}", encoding="utf-8")
        for number in range(4):
            body = (SHORT, NOTE)[number % 2] if site == "shop" else LONG
            (tmp_path / site / f"leaf {number}.html").write_text(HEAD + body, encoding="utf-8")
    types = {"index.html": "home", **{f"leaf {n}.html": ("list", "note")[n % 2] for n in range(3)}}
    sites = {
        "shop": {"start": "index.html", "content": [], "page_types": {**types, "leaf 3.html": "other-3"}},
        "club": {"start": "index.html", "content": [], "page_types": None},
    }
    (tmp_path / "sites.json").write_text(json.dumps(sites), encoding="utf-8")
    return tmp_path


def test_pages_come_with_their_types(folder: Path) -> None:
    shop, club = read_sites(folder, 10)
    assert [one.name for one in (shop, club)] == ["shop", "club"]
    assert list(shop.types) == ["home", "list", "note", "list", None]
    assert list(club.types) == [None] * 5


def test_the_command_prints_three_tables_and_writes_the_figures(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = tmp_path / "figures.json"
    main(["--corpora", str(folder), "--sample", "2", "--json", str(raw)])
    shown = capsys.readouterr()
    for line in ("Sites found", "All sites together", "Site by site"):
        assert line in shown.out
    assert "read shop: 5 pages" in shown.err
    figures = json.loads(raw.read_text(encoding="utf-8"))
    classifiers = [method.name for method in METHODS if isinstance(method, Classifier)]
    assert [one["method"] for one in figures["classification"]] == classifiers
    assert [one["method"] for one in figures["sites"]] == [method.name for method in METHODS]
    assert [one["pages"] for one in figures["sites"]] == [10, 10, 4, 4, *[10] * 6, 4, 10]
    assert figures["page types"][0]["shop"]["pages"] == 4


def test_the_command_refuses_a_folder_without_sites(tmp_path: Path) -> None:
    (tmp_path / "sites.json").write_text("{}", encoding="utf-8")
    with pytest.raises(SystemExit):
        main(["--corpora", str(tmp_path)])

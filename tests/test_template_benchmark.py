"""``python -m benchmarks.template``: gold by nodes and words, the ways it compares, its tables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("rich")

from benchmarks import template
from benchmarks.metrics import Score
from benchmarks.saved_sites import SavedPage, corpus_sites
from benchmarks.template_runs import MEMORY, ORDERS, VOTE, Found, SitePages, gold_of, node_score, site_runs
from sites.menu_site import TEMPLATE, page, pages
from templcrawl.algorithms.site_template.nodes import Nodes

pytestmark = pytest.mark.exhaustive


@pytest.fixture
def corpora(tmp_path: Path) -> Path:
    folder = tmp_path / "tea"
    folder.mkdir()
    for path, html in {**pages(), "/x.html": page("x"), "/y.html": page("y")}.items():
        if path != "/":
            (folder / path[1:]).write_text(html, encoding="utf-8")
    site = {"start": "home.html", "hosts": ["tea.example"], "content": ["//main"]}
    (tmp_path / "sites.json").write_text(json.dumps({"tea": site}), encoding="utf-8")
    return tmp_path


def test_gold_is_what_stands_outside_of_the_container() -> None:
    html = "<title>t</title><nav>Menu</nav><div id=c><p>Text <b>bold</b></p></div><script>x</script>End"
    saved = SavedPage("http://tea.example/", html.encode(), ["//*[@id='none']", "//*[@id='c']"])
    gold = gold_of(saved)
    assert gold is not None
    tree = Nodes(saved.page)
    labels = [tree[node].label if not tree.texts[node] else "text" for node in range(len(tree))]
    counted = [label for label, counts in zip(labels, gold.nodes) if counts]
    assert counted == ["nav", "text", "div", "p", "text", "b", "text", "text"]
    assert [label for label, truth in zip(labels, gold.truth) if truth] == ["nav", "text", "text"]
    assert gold.words == {"Menu": 1, "End": 1}
    assert node_score(gold.truth, gold).f1 == 1
    assert node_score(~gold.truth, gold).f1 == 0


def test_a_page_without_its_container_has_no_gold() -> None:
    assert gold_of(SavedPage("http://tea.example/", b"<p>x", ["//main"])) is None


def test_three_key_pages_are_spread(corpora: Path) -> None:
    (site,) = corpus_sites(corpora)
    keys = SitePages(site).key_pages()
    assert len(keys) == 3
    assert keys[0] == "http://tea.example/home.html"


def test_the_longest_page_has_gold(corpora: Path) -> None:
    (corpora / "tea" / "x.html").write_text(page("x") + "<p>tea</p>" * 1000, encoding="utf-8")
    (corpora / "tea" / "y.html").write_text("<p>tea</p>" * 10_000, encoding="utf-8")
    (site,) = corpus_sites(corpora)
    assert SitePages(site).longest_page() == "http://tea.example/x.html"


def test_figures_of_the_longest_page_stand_apart() -> None:
    pages = [
        Found(longest, 1, 0, number, Score(1, 1, 1), Score(1, 1, number), 0)
        for number, longest in ((1, False), (3, False), (5, True))
    ]
    assert (template.figures(pages)[1], template.figures(pages, longest=True)[1]) == (2, 5)
    assert template.figures(pages[:2], longest=True) == []
    sites = {"tea": {VOTE: pages}, "milk": {VOTE: pages[:1]}}
    assert template.means_of_sites(sites, VOTE)[4] == 1.5
    assert template.means_of_sites(sites, VOTE, longest=True)[4] == 5


def test_every_way_finds_the_template(corpora: Path) -> None:
    (site,) = corpus_sites(corpora)
    found = site_runs(site)
    assert set(found) == {VOTE, *ORDERS, MEMORY}
    for way, ones in found.items():
        finds_links_of_one_page = way in (VOTE, MEMORY)
        assert all(one.words.f1 == 1 for one in ones if finds_links_of_one_page or not one.longest), way
        assert all(one.loaded == one.size == 0 for one in ones) == (way == MEMORY)
        assert [one.longest for one in ones] == [False, False, False, True]
    assert {one.size for one in found["menu+links"]} == {4}
    assert len(TEMPLATE) == 7


def test_the_tables_are_printed(corpora: Path, capsys: pytest.CaptureFixture[str]) -> None:
    template.main(["--corpora", str(corpora), "--json", str(corpora / "out.json")])
    printed = capsys.readouterr().out
    assert "Mean of 1 sites" in printed
    assert "tea" in json.loads((corpora / "out.json").read_text())


@pytest.mark.parametrize("arguments", [[], ["--corpora", ".", "--sites", "nobody"]])
def test_what_is_not_accepted(arguments: list[str], corpora: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(corpora)
    with pytest.raises(SystemExit):
        template.main(arguments)

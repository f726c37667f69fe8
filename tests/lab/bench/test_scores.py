"""What ``lab.bench.separation`` scores: words against gold, the pages of the tables, stresses and peers."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lab.bench import peers
from lab.bench.facts import blocks_of, own_score, wanted_of
from lab.bench.measures import NOTHING, Score, score
from lab.bench.peers import ALL_TEXT, PEERS, Ask, PeerMissing
from lab.bench.saved_sites import SavedSite, corpus_sites, news_hosts, read_sites, tree_of, words_of
from lab.bench.separation import (
    HEAVY_RUNS,
    HEAVY_WORDS,
    erase_nav,
    group_table,
    groups_of,
    heavy_block,
    insert_heavy_block,
)
from lab.bench.site_runs import (
    MIN_GOLD,
    Method,
    PageScore,
    Run,
    Shares,
    all_methods,
    figures_of,
    run,
    tasks_of,
)
from lab.bench.tables import cells_of
from templcrawl import Page

pytestmark = pytest.mark.exhaustive

STORIES = ("anvil", "bellows", "chisel", "drill", "easel")
SHORT = "easel"


def _story(tool: str) -> str:
    """Forty words that no other page has, five on the page whose gold is too short."""
    return " ".join(f"{tool}{number}" for number in range(5 if tool == SHORT else 40))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A saved site: a start page and five pages, each with a menu and a story in <main>."""
    menu = "".join(f"<li><a href='{tool}.html'>The {tool} shelf</a>" for tool in STORIES)
    for name in ("index", *STORIES):
        story = f"<main><p>{_story(name)}</p></main>"
        page = (
            f"<html><title>{name}</title><body><ul>{menu}</ul>{story}<p>Open on market days</p></body></html>"
        )
        path = tmp_path / "shed" / f"{name}.html"
        path.parent.mkdir(exist_ok=True)
        path.write_text(page, encoding="utf-8")
    sites = {"shed": {"start": "index.html", "content": ["//main"]}}
    (tmp_path / "sites.json").write_text(json.dumps(sites), encoding="utf-8")
    return tmp_path


@pytest.fixture
def site(folder: Path) -> SavedSite:
    return corpus_sites(folder)[0]


def _method(ask: Ask, *, ours: bool = False) -> Method:
    return Method("asked", lambda: lambda pages: ask, ours=ours)


def _run(site: str, f1: dict[int, float], method: str = "vote", group: str = "tuned") -> Run:
    scores = [PageScore(number, Shares(1.0, 1.0, value), False) for number, value in f1.items()]
    return Run(site, group, method, scores)


def test_words_count_as_often_as_both_texts_have_them() -> None:
    assert score(words_of("tea tea pot"), words_of("tea pot pot lid")) == Score(2 / 3, 1 / 2, 4 / 7)
    assert score(words_of("茶碗"), words_of("茶 碗 茶")) == pytest.approx((1, 2 / 3, 4 / 5))
    assert score(words_of("cup"), words_of("tea")) == NOTHING
    assert score(words_of(""), words_of("tea")) == NOTHING


def test_pages_come_breadth_first_and_short_ones_are_not_scored(site: SavedSite) -> None:
    tasks = tasks_of(site, 10)
    assert [task.url.rpartition("/")[2] for task in tasks] == [f"{one}.html" for one in ("index", *STORIES)]
    assert [task.gold.total() if task.gold else None for task in tasks] == [40, 40, 40, 40, 40, None]
    assert MIN_GOLD == 30


def test_words_that_the_container_hides_count_neither_for_nor_against(folder: Path) -> None:
    page = f"<main>{'tea ' * 40}<p hidden>milk sugar</p><p style='display: none'>milk</main><p>lid"
    (folder / "shed" / "index.html").write_text(page, encoding="utf-8")
    (site,) = corpus_sites(folder)
    task = tasks_of(site, 1)[0]
    assert task.gold == words_of("tea " * 40)
    assert task.hidden == words_of("milk sugar milk")
    answers = [f"{'tea ' * 40}{more}" for more in ("", "milk sugar milk", "milk milk milk lid lid")]
    precisions = [
        run(site, _method(lambda html, url, text=text: text, ours=True), [task], pages=1).scores[0].score[0]
        for text in answers
    ]
    assert precisions == [1.0, 1.0, 40 / 43]


def test_types_that_are_artefacts_are_no_types_to_score(folder: Path) -> None:
    types = {"anvil.html": "tool", "bellows.html": "other-tool"}
    shed = {"start": "index.html", "content": ["//main"], "page_types": types}
    (folder / "sites.json").write_text(json.dumps({"shed": shed}), encoding="utf-8")
    (site,) = read_sites(folder, 3)
    assert [page.url.rpartition("/")[2] for page in site.pages] == [
        "index.html",
        "anvil.html",
        "bellows.html",
    ]
    assert site.types == [None, "tool", None]
    assert [site.find(page.url) for page in site.pages][1:] == [*types]


def test_a_peer_is_asked_only_about_the_pages_of_the_tables(site: SavedSite) -> None:
    asked: list[str] = []
    found = run(site, _method(lambda html, url: asked.append(url) or "x"), tasks_of(site, 10), pages=4)
    assert [url.rpartition("/")[2] for url in asked] == ["anvil.html", "bellows.html", "chisel.html"]
    assert [one.number for one in found.scores] == [2, 3, 4]
    assert found.ask_pages == 3
    assert found.learn_pages == 4


def test_a_detector_reads_every_page_but_page_1_is_not_in_the_tables(site: SavedSite) -> None:
    asked: list[str] = []
    detector = _method(lambda html, url: asked.append(url) or "x", ours=True)
    found = run(site, detector, tasks_of(site, 10), pages=4)
    assert len(asked) == 6
    assert [one.number for one in found.scores] == [1, 2, 3, 4, 5]
    assert [one.number for one in found.in_tables(4)] == [2, 3, 4]
    assert found.ask_pages == 3


def test_a_method_that_raises_or_says_nothing_is_counted(site: SavedSite) -> None:
    def ask(html: str, url: str) -> str:
        if "bellows" in url:
            raise RuntimeError("no bellows")
        return " \n" if "chisel" in url else Page(html, url).text

    found = run(site, _method(ask), tasks_of(site, 10), pages=10)
    assert [one.failed for one in found.scores] == [False, True, True, False]
    assert [one.score.f1 == 0 for one in found.scores] == [False, True, True, False]
    assert found.errors == {"RuntimeError: no bellows": 1}
    figures = figures_of([found], 10)
    assert figures is not None
    assert (figures.failed, figures.scored) == (2, 4)


def test_the_sandwich_finds_the_stories(site: SavedSite) -> None:
    tasks = tasks_of(site, 10)
    found = run(site, all_methods()["sandwich"], tasks, pages=10)
    everything = run(site, all_methods()[ALL_TEXT], tasks, pages=10)
    assert [one.score for one in found.in_tables(10)] == [Shares(1.0, 1.0, 1.0)] * 4
    precision = 40 / (40 + 5 * 3 + 4)
    assert everything.scores[0].score[:3] == pytest.approx((precision, 1.0, 2 * precision / (precision + 1)))


def test_figures_are_means_over_pages_then_over_sites() -> None:
    runs = [
        _run("one", {1: 0.0, 2: 0.8, 3: 0.6, 26: 0.0}),
        _run("other", {2: 0.4}),
        _run("unscored", {1: 1.0}),
    ]
    figures = figures_of(runs, 25)
    assert figures is not None
    assert {site: round(one.f1, 3) for site, one in figures.sites.items()} == {"one": 0.7, "other": 0.4}
    assert figures.mean.f1 == pytest.approx(0.55)
    assert (figures.worst, figures.scored) == ("other", 3)


def test_a_group_counts_the_sites_that_are_below_all_their_text() -> None:
    runs = [
        _run("one", {2: 0.9}, "sandwich"),
        _run("other", {2: 0.5}, "sandwich"),
        _run("near", {2: 0.52}, "sandwich"),
        _run("one", {2: 0.6}, ALL_TEXT),
        _run("other", {2: 0.54}, ALL_TEXT),
        _run("near", {2: 0.54}, ALL_TEXT),
    ]
    rows = cells_of(group_table("tuned", groups_of(runs, 25)["tuned"]))
    assert {method: (row["F1"], row["below"]) for method, row in rows.items()} == {
        "sandwich": ("0.640", "1"),
        ALL_TEXT: ("0.560", "0"),
    }


def test_nav_names_and_roles_are_erased_and_nothing_else() -> None:
    page = (
        "<NAV\nclass='nav' role=navigation>role=x<header/></nav><menuitem><p title='a > role=b' role=\"c\">"
    )
    assert erase_nav(page) == "<div\nclass='nav' >role=x<div/></div><menuitem><p title='a > role=b' >"


def test_the_heavy_block_is_constant_and_half_links() -> None:
    page = Page(heavy_block(), "http://heavy.example/")
    text = PEERS[ALL_TEXT]()([])(page.text, page.url)
    assert words_of(text).total() == HEAVY_WORDS == 1_200
    assert len(text.splitlines()) == HEAVY_RUNS == 400
    assert len(page.links) == 200
    assert heavy_block().count("<div") == 401


@pytest.mark.parametrize("stress", [erase_nav, insert_heavy_block])
def test_gold_is_taken_before_a_stress(site: SavedSite, stress: Callable[[str], str]) -> None:
    plain, hard = tasks_of(site, 10), tasks_of(site, 10, stress)
    assert [task.gold for task in hard] == [task.gold for task in plain]
    assert all(task.html == stress(one.html) for task, one in zip(hard, plain))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("peer", "module"),
    [
        *((name, "templcrawl") for name in (ALL_TEXT, "dom", "text", "mdl")),
        ("trafilatura", "trafilatura"),
        ("trafilatura-balanced", "trafilatura"),
        ("resiliparse", "resiliparse"),
        ("readability", "readability"),
        ("justext", "justext"),
        ("boilerpy3", "boilerpy3"),
        ("deboiler", "deboiler"),
    ],
)
def test_every_peer_answers(site: SavedSite, peer: str, module: str) -> None:
    pytest.importorskip(module, exc_type=ImportError)
    found = run(site, all_methods()[peer], tasks_of(site, 10), pages=10)
    assert len(found.scores) == 4
    assert not found.errors
    assert found.ask_seconds > 0


def test_a_missing_peer_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "trafilatura", None)
    with pytest.raises(PeerMissing, match=r"trafilatura: .*pip install 'templcrawl\[bench\]'"):
        peers.library("trafilatura")


def test_a_news_host_is_one_site_in_all_its_languages(tmp_path: Path) -> None:
    for language, number in (("English", "001"), ("Russian", "000")):
        pages = tmp_path / language / "news.example"
        pages.mkdir(parents=True)
        (pages / f"{number}.html").write_text("<p>page</p>", encoding="utf-8")
        (pages / f"{number}.txt").write_text(f"<p>{language} news</p>\n<p>more</p>", encoding="utf-8")
    (host,) = news_hosts(tmp_path)
    golds = [(page.url, sorted(words_of(page.gold or ""))) for page in host.pages(5)]
    assert golds == [
        ("http://news.example/000.html", ["Russian", "more", "news"]),
        ("http://news.example/001.html", ["English", "more", "news"]),
    ]


def test_headings_and_labels_that_a_type_repeats_count_neither_way() -> None:
    lap = "<h2>About</h2><div><div>Laps</div><div><p>{0}</p></div></div>"
    line = f"{lap}<p>Add to cart</p><p>own{{0}} words{{0}}</p>"
    pages = [blocks_of([tree_of(line.format(number))]) for number in range(5)]
    wanted = wanted_of(pages, ["lap"] * 5)[3]
    assert [*wanted.labels] == ["About", "Laps"]
    assert [*wanted.furniture] == ["Add to cart"]
    gold = words_of("About Laps 3 Add to cart own3 words3")
    with_labels, without = (
        own_score(words_of(text), gold, wanted) for text in ("About Laps 3 own3", "3 own3")
    )
    assert with_labels == without == (1.0, 2 / 3, 0.8)
    bought = own_score(words_of("3 own3 words3 Add to cart"), gold, wanted)
    assert bought is not None
    assert (bought.precision, bought.recall) == (0.5, 1.0)
    assert own_score(gold, gold, wanted, least=4) is None

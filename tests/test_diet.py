"""The sandwich paper's experiments over saved sites, on pages small enough to count by hand."""

from __future__ import annotations

import doctest
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks import diet, retrieval
from benchmarks.diet import AS_IS, LineCounts, gold_lines, kept_lines, pieces_of
from benchmarks.retrieval import Query, Search, chosen, queries_of, signed_rank_p, unique
from benchmarks.saved_sites import SavedPage, words_of
from templcrawl.errors import MissingExtra
from templcrawl.memory.detectors.table import DETECTORS
from templcrawl.page.separation import Separation

pytestmark = pytest.mark.exhaustive

Run = Callable[..., tuple[dict[str, Any], str]]
GOLD = ("//*[@id='main']",)


@pytest.fixture
def searching() -> Iterator[Callable[..., Search]]:
    """Makes an index of texts, closed after the test."""
    made = []

    def search_in(*texts: str) -> Search:
        made.append(Search([AS_IS]))
        for number, text in enumerate(texts):
            made[-1].add(number, {AS_IS: words_of(text)})
        return made[-1]

    yield search_in
    for search in made:
        search.close()


@pytest.mark.parametrize("module", [diet, retrieval], ids=lambda module: module.__name__)
def test_the_examples_are_true(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]


def test_a_posting_is_a_term_of_a_page_however_often_it_stands_there(
    searching: Callable[..., Search],
) -> None:
    """Harbour on 1 page, light and keeper on 2 each, whatever their case."""
    search = searching("Harbour light, light light", "KEEPER", "keeper", "Light")
    assert search.postings == {AS_IS: 5}


def test_ideographs_are_a_term_each(searching: Callable[..., Search]) -> None:
    assert searching("茶碗 茶").postings == {AS_IS: 2}


def test_an_index_without_pages_has_no_postings(searching: Callable[..., Search]) -> None:
    assert searching().postings == {AS_IS: 0}


def test_the_mean_reciprocal_rank_of_three_pages_is_that_counted_by_hand(
    searching: Callable[..., Search],
) -> None:
    """The heron is asked for and comes first, the lapwing second, the page of the owl not at all."""
    search = searching("heron", "lapwing and a long tale of many more words", "lapwing", "marsh")
    queries = [Query(0, ("heron",)), Query(1, ("lapwing",)), Query(3, ("owl",))]
    ranks = search.reciprocal_ranks(queries)
    assert ranks == {AS_IS: [1, 1 / 2, 0]}
    assert retrieval.compared(ranks)[AS_IS] == {"queries": 3, "mrr": 0.5, "risen": 0, "fallen": 0, "p": 1}


def test_a_page_below_the_lowest_rank_counts_as_not_found(
    monkeypatch: pytest.MonkeyPatch, searching: Callable[..., Search]
) -> None:
    monkeypatch.setattr(retrieval, "LOWEST_RANK", 2)
    search = searching("reed", "reed", "reed")
    assert search.reciprocal_ranks([Query(1, ("reed",)), Query(2, ("reed",))]) == {AS_IS: [1 / 2, 0]}


def test_words_of_a_query_are_words_and_never_operators(searching: Callable[..., Search]) -> None:
    search = searching("not near or and", "star")
    queries = queries_of({0: 'NOT "near" OR*', 1: "star:^1 (-x)"})
    assert search.reciprocal_ranks(queries) == {AS_IS: [1, 1]}
    assert search.reciprocal_ranks([Query(0, ("not_near",))]) == {AS_IS: [1]}


def test_a_title_is_asked_for_without_what_most_titles_of_the_site_share() -> None:
    titles = [
        "Fenland Guide: Otters - Fen Trust",
        "Fenland Guide: Sluices - Fen Trust",
        "Contact - Fen Trust",
    ]
    assert queries_of(dict(enumerate(titles))) == [
        Query(0, ("Otters",)),
        Query(1, ("Sluices",)),
        Query(2, ("Contact",)),
    ]


def test_titles_without_a_word_left_or_not_unique_then_are_no_queries() -> None:
    titles = {3: "Fen Trust", 5: "Eels | Fen Trust", 6: "EELS | Fen Trust", 8: "Voles | Fen Trust", 9: ""}
    assert queries_of(titles) == [Query(8, ("Voles",))]
    assert unique([Query(1, ("a", "b")), Query(2, ("B", "a")), Query(3, ("c",))]) == [Query(3, ("c",))]


def test_the_choice_of_queries_is_the_same_each_time() -> None:
    queries = [Query(number, (str(number),)) for number in range(50)]
    assert chosen(queries, 50) == queries
    assert len(chosen(queries, 7)) == 7
    assert chosen(queries, 7) == chosen(list(queries), 7)


def test_equal_ranks_need_no_test() -> None:
    assert signed_rank_p([0.0, 0.0]) == signed_rank_p([]) == 1


def test_six_rises_of_six_are_significant() -> None:
    """Two-sided and exact: 2 of the 2 ** 6 ways to give signs to six ranks are as extreme."""
    pytest.importorskip("scipy")
    assert signed_rank_p([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]) == pytest.approx(2 / 2**6)
    assert signed_rank_p([0.5, -0.5, 0.0]) == pytest.approx(1)


def test_without_scipy_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    with pytest.raises(MissingExtra, match=r"templcrawl\[bench\]"):
        signed_rank_p([0.5])


HTML = """<html><head><title>Not seen</title>
<style>p { color: red }</style></head>
<body><ul>
<li>Home</li><li>Map</li>
</ul>
<div id="main">
<p>The mill turns
all night</p>
<hr>
<p>&nbsp;</p>
Side <b>by</b> side</div> Footer one
Footer two
</body></html>
"""


def saved_page(html: str = HTML) -> SavedPage:
    return SavedPage("http://mill.example/", html.encode(), GOLD)


def words_on(saved: SavedPage, lines: set[int]) -> list[str]:
    """Return the lines, as they are numbered: without the blank ones."""
    written = [line for line in saved.page.text.splitlines() if line.strip()]
    return [written[line] for line in sorted(lines)]


def test_a_line_is_gold_if_a_word_on_it_stands_in_the_container() -> None:
    saved = saved_page()
    gold = gold_lines(saved, pieces_of(saved.page))
    assert gold is not None
    mixed = "Side <b>by</b> side</div> Footer one"
    assert words_on(saved, gold) == ["<p>The mill turns", "all night</p>", mixed]


def test_lines_without_a_word_do_not_count() -> None:
    saved = saved_page()
    lines = {line for _, line, _ in pieces_of(saved.page)}
    assert len(lines) == 5
    assert words_on(saved, lines)[0] == "<li>Home</li><li>Map</li>"
    assert words_on(saved, lines)[-1] == "Footer two"


def test_a_page_without_the_mark_of_its_site_has_no_gold_lines() -> None:
    saved = saved_page("<p>Closed for the winter")
    assert gold_lines(saved, pieces_of(saved.page)) is None


def test_the_gold_of_a_page_in_another_encoding_is_found() -> None:
    html = '<meta charset="iso-8859-1"><p>Menü</p>\n<div id="main">Mühle\n und Bäche</div>'
    saved = SavedPage("http://mill.example/", html.encode("latin-1"), GOLD)
    assert gold_lines(saved, pieces_of(saved.page)) == {1, 2}


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_precision_recall_and_f1_of_lines_are_those_counted_by_hand(line_end: str) -> None:
    """Kept: the menu, and "by" of the line where content and footer meet; 1 of 2 right, 1 of 3 found."""
    saved = saved_page(HTML.replace("\n", line_end))
    page, pieces = saved.page, list(pieces_of(saved.page))
    tokens = [page.tokens.forms[form] for form in page.tokens.form_of]
    spans = [(place, place + 1) for place in (tokens.index("Home"), tokens.index("by"))]
    kept = kept_lines(pieces, Separation(page, spans))
    gold = gold_lines(saved, pieces)
    assert gold is not None
    counts = LineCounts(len(kept & gold), len(kept), len(gold))
    assert counts == (1, 2, 3)
    assert counts.scores == pytest.approx((1 / 2, 1 / 3, 2 / 5))


def test_where_nothing_is_kept_precision_is_zero() -> None:
    assert LineCounts(0, 0, 4).scores == (0, 0, 0)


PAGE = """<html><head><title>{name} - Pond Life</title><script>count()</script></head><body>
<p>Pond menu here</p>
<a href="/newt.html">Newt</a> <a href="/toad.html">Toad</a>
<div id="main">
<p>{text}</p>
</div>
</body></html>
"""
TEXTS = {"index": "Welcome all", "newt": "Crested amphibian", "toad": "Warty amphibian swims"}


@pytest.fixture
def corpora(tmp_path: Path) -> Path:
    folder = tmp_path / "pond"
    folder.mkdir()
    for name, text in TEXTS.items():
        html = PAGE.format(name=name.title(), text=text)
        (folder / f"{name}.html").write_text(html, encoding="utf-8")
    sites = {"pond": {"start": "index.html", "content": GOLD}, "sea": {"start": "a.html", "content": GOLD}}
    (tmp_path / "sea").mkdir()
    (tmp_path / "sea" / "a.html").write_text(PAGE.format(name="Sea", text="Salt"), encoding="utf-8")
    (tmp_path / "sites.json").write_text(json.dumps(sites), encoding="utf-8")
    return tmp_path


@pytest.fixture
def run(corpora: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    pytest.importorskip("scipy")

    def run(*arguments: str) -> tuple[dict[str, Any], str]:
        written = tmp_path / "figures.json"
        diet.main(["--corpora", str(corpora), "--json", str(written), *arguments])
        return json.loads(written.read_text(encoding="utf-8")), capsys.readouterr().out

    return run


def test_a_site_is_measured_as_counted_by_hand(run: Run) -> None:
    """The first page has no sibling and stays whole; of the others only their own line is left."""
    report, printed = run("--sites", "pond", "--detectors", "sandwich")
    pond = report["sites"]["pond"]
    whole = [5 + 2, 5 + 2, 5 + 3]
    assert pond["pages"] == 3
    assert pond["postings"] == {AS_IS: sum(whole), "sandwich": whole[0] + 2 + 3}
    sizes = [len(PAGE.format(name=name.title(), text=text)) for name, text in TEXTS.items()]
    assert pond["html"][AS_IS] == sum(sizes)
    assert pond["seen"] < pond["html"][AS_IS]
    assert pond["lines"][AS_IS]["mean of pages"] == pytest.approx([1 / 3, 1, 1 / 2])
    assert pond["lines"]["sandwich"]["mean of pages"] == pytest.approx([(1 / 3 + 1 + 1) / 3, 1, 2.5 / 3])
    assert pond["lines"]["sandwich"]["all lines pooled"] == pytest.approx([3 / 5, 1, 6 / 8])
    assert printed.count("│ pond ") == 3


def test_all_sites_are_pooled_and_every_detector_is_compared(run: Run) -> None:
    report, printed = run()
    assert report["ways"] == [AS_IS, *DETECTORS]
    assert list(report["sites"]) == ["pond", "sea"]
    assert report["all"]["pages"] == 4
    for way in report["ways"]:
        assert report["all"]["html"][way] == sum(one["html"][way] for one in report["sites"].values())
        assert report["all"]["postings"][way] == sum(one["postings"][way] for one in report["sites"].values())
    assert report["all"]["lines"][AS_IS]["pages"] == 4
    for heading in ("Size", "Known-item", "Lines kept", "mean of sites", "one index of all"):
        assert heading in printed


def test_titles_are_asked_for_but_not_indexed(run: Run) -> None:
    """ "Newt" and "Toad" stand in the menu of every page, "Index" on none; equals go by their visit."""
    report, _ = run("--sites", "pond", "--detectors", "sandwich")
    found = report["sites"]["pond"]["retrieval"]
    assert found[AS_IS]["queries"] == 3
    assert found[AS_IS]["mrr"] == pytest.approx((0 + 1 / 2 + 1 / 3) / 3)


def test_a_run_without_sites_says_what_to_give(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        diet.main([])
    assert "--corpora" in capsys.readouterr().err


def test_a_table_has_means_of_shares_but_not_of_counts() -> None:
    columns = [("cups", ".0f"), ("hot", ".1%")]
    table = diet.table_of("Tea", columns, {"a": [9, 1], "b": [3, 0], "c": []}, {"all": [12, 0.75]})
    assert [list(column.cells) for column in table.columns] == [
        ["a", "b", "mean of sites", "all"],
        ["9", "3", "", "12"],
        ["100.0%", "0.0%", "50.0%", "75.0%"],
    ]

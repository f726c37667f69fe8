"""``python -m benchmarks.near_duplicates``: its copies, its truth and its counts."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from benchmarks.near_duplicates import RULES, Answers, answers_of, counts_of, main
from benchmarks.repeated_pages import (
    BEHIND,
    EVERY,
    SIDE_BARS,
    Arrival,
    Copy,
    alike,
    arrivals_of,
    copied,
    repeats_earlier,
)
from benchmarks.saved_sites import SavedPage, SavedSite, corpus_sites
from sites.words import prose
from templcrawl import CrawlMemory

pytestmark = pytest.mark.exhaustive

GOLD = ("//main",)
LETTERS = "abcdefghij"


def story(number: int, words: int = 120) -> str:
    """Words of small letters alone, as the copies change them."""
    return "".join(LETTERS[int(c)] if c.isdigit() else c for c in prose(number, words).replace("w", "xw"))


def saved(number: int, text: str | None = None) -> SavedPage:
    html = f"<html><body class=a><ul><li>Menu</ul><main><p>{text or story(number)}</p></main></body></html>"
    return SavedPage(f"http://shed.example/{number}.html", html.encode(), GOLD)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A saved site of 41 pages; the last says what the second says, but for its last word."""
    (tmp_path / "shed").mkdir()
    for number in range(41):
        text = saved(number, f"{story(1)} more" if number == 40 else None).html
        links = "".join(f"<a href={other}.html>" for other in range(41))
        (tmp_path / "shed" / f"{number}.html").write_bytes(text.replace(b"Menu", links.encode()))
    sites = {"shed": {"start": "0.html", "content": [*GOLD]}}
    (tmp_path / "sites.json").write_text(json.dumps(sites), encoding="utf-8")
    return tmp_path


@pytest.fixture
def site(folder: Path) -> SavedSite:
    return corpus_sites(folder)[0]


@pytest.mark.parametrize("side_bar", SIDE_BARS)
@pytest.mark.parametrize("changes", [0, 1, 3])
def test_a_copy_has_another_url_another_dress_and_so_many_changed_words(changes: int, side_bar: str) -> None:
    original = saved(1)
    copy = copied(original, Copy(1, changes, side_bar), random.Random(1))
    assert copy.url == f"{original.url}?again=1"
    before, after = (original.gold or "").split(), (copy.gold or "").split()
    assert sum(one != two for one, two in zip(before, after)) == changes
    assert len(before) == len(after)
    html = copy.page.text
    assert html.index("<body class=a><div>") < html.index("<main>") < html.index(f"<{side_bar}><ul>")
    assert html.endswith(f"</ul></{side_bar}></body></html>")


def test_every_tenth_page_arrives_again_some_pages_later(site: SavedSite) -> None:
    arrivals = arrivals_of(site, 41)
    originals = [arrival for arrival in arrivals if arrival.copy is None]
    copies = [(place, arrival.copy) for place, arrival in enumerate(arrivals) if arrival.copy]
    assert [copy.original for _, copy in copies] == [0, EVERY, 2 * EVERY, 3 * EVERY, 4 * EVERY]
    assert len(originals) == 41
    for place, copy in copies[:2]:
        assert arrivals.index(originals[copy.original]) + BEHIND < place
    assert [one.saved.url for one in arrivals_of(site, 41)] == [one.saved.url for one in arrivals]


def test_the_truth_is_the_resemblance_of_the_gold_of_pages_with_enough_of_it() -> None:
    pages = [saved(1), saved(2), saved(3, "too short"), saved(4, f"{story(1)} more"), saved(5, "too short")]
    arrivals = [Arrival(page) for page in pages]
    assert alike(arrivals[0], arrivals[3]) == pytest.approx(116 / 117)
    assert alike(arrivals[0], arrivals[1]) == 0
    assert alike(arrivals[2], arrivals[4]) is None
    assert repeats_earlier(arrivals) == [False, False, False, True, False]


def test_answers_are_counted_by_what_the_gold_says_and_pages_by_their_kind() -> None:
    again = Arrival(copied(saved(1), Copy(0, 1, "div"), random.Random(1)), Copy(0, 1, "div"))
    arrivals = [Arrival(saved(1)), Arrival(saved(2)), Arrival(saved(4, f"{story(1)} more")), again]
    counts = counts_of(arrivals, repeats_earlier(arrivals), Answers([None, 0, 0, None], 2e-6, 2, 500))
    assert (counts["answers"], counts["right"], counts["wrong"]) == (2, 1, 1)
    assert (counts["natural"], counts["natural found"]) == (1, 1)
    for kind in ("1 changed", "div", "page 1"):
        assert (counts[kind], counts[f"{kind} found"]) == (1, 0)
    assert (counts["pages"], counts["kept"], counts["us"], counts["bytes"]) == (4, 2, 2, 500)


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_finds_a_page_that_comes_again_as_it_was(rule: str) -> None:
    memory = CrawlMemory()
    pages = [saved(number) for number in (*range(8), 3)]
    pages[-1] = SavedPage("http://shed.example/print.html", pages[-1].html, GOLD)
    answers = answers_of(rule, [memory.observe(Arrival(page).page) for page in pages])
    assert answers.repeated == [*[None] * 8, 3]
    assert answers.kept == 8
    assert answers.bytes > 8 * 384


def test_the_table_and_the_figures_are_written(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["--corpora", str(folder), "--pages", "41", "--json", str(tmp_path / "counts.json")])
    assert "precision" in capsys.readouterr().out
    counts = json.loads((tmp_path / "counts.json").read_text())["shed"]["content"]
    assert counts["natural"] == counts["natural found"] == 1
    assert counts["answers"] == counts["right"]

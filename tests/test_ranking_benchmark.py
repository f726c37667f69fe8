"""The ranking benchmark on two small sites: what it asks, what it holds relevant, what it counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.ranking import WAYS, heads_of, main, precision, queries_of
from benchmarks.saved_sites import corpus_sites

pytestmark = pytest.mark.exhaustive

MARK = "//main"


def page(number: int, topic: str, site: str) -> str:
    links = "".join(
        f"<li><a href=p{other}.html>{topic} {other}</a></li>" for other in range(number, number + 4)
    )
    words = " ".join(f"{site}{number}x{at}" for at in range(60))
    return (
        f"<html><title>About {topic} {number} | The site</title><h2>Welcome</h2>"
        f"<main><h1>{topic.upper()} in brief</h1><p>{words}</p><ul>{links}</ul></main></html>"
    )


@pytest.fixture
def corpora(tmp_path: Path) -> Path:
    about = {"start": "p0.html", "content": [MARK], "hosts": ["shared.example"]}
    for site, topics in {"one": ["oolong", "coffee"], "two": ["oolong", "pastry"]}.items():
        (tmp_path / site).mkdir()
        for number in range(24):
            (tmp_path / site / f"p{number}.html").write_text(
                page(number, topics[number % 2], site), encoding="utf-8"
            )
    (tmp_path / "sites.json").write_text(json.dumps({"one": about, "two": about}), encoding="utf-8")
    return tmp_path


def test_a_head_is_the_own_title_and_the_first_marked_heading(corpora: Path) -> None:
    heads = heads_of(corpus_sites(corpora)[0], 24)
    assert heads["http://one.example/p0.html"] == {"oolong", "brief"}


def test_queries_are_words_of_the_right_number_of_heads() -> None:
    heads = [frozenset({"every", "some", *(["rare"] if number < 9 else [])}) for number in range(60)]
    assert sorted(queries_of(heads, 5)) == ["every", "some"]
    assert queries_of(heads, 1) == queries_of(reversed(heads), 1)
    assert queries_of([*heads, *heads], 5) == ["rare"]


def test_empty_places_are_not_relevant() -> None:
    assert precision([True, False, True], 10) == 0.2
    assert precision([], 10) == 0.0


def test_every_way_is_asked_on_one_site_and_on_all(
    corpora: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("scipy")
    target = tmp_path / "found.json"
    main(["--corpora", str(corpora), "--json", str(target)])
    found = json.loads(target.read_text(encoding="utf-8"))
    assert sorted(one["query"] for one in found["One site"]) == [
        "brief",
        "brief",
        "coffee",
        "oolong",
        "oolong",
        "pastry",
    ]
    assert {one["query"]: one["relevant"] for one in found["All sites"]} == {
        "brief": 48,
        "oolong": 24,
        "coffee": 12,
        "pastry": 12,
    }
    assert all(set(one["hits"]) == set(WAYS) for one in found["All sites"])
    assert all(one["hits"]["bm25"][:10] == [True] * 10 for one in found["One site"])
    assert "best of the six" in capsys.readouterr().out

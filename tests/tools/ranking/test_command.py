"""The command on a site whose navigation bar drowns the lists of links on the topic."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.tools.commands.running import run
from tests.tools.readers.archives import write_folder

HOST = "tea.example"
TOPIC = [f"tea{number}" for number in range(4)]
CLIQUE = ["home", "shop", "jobs", "news", "press", "legal"]
OTHERS = [f"note{number}" for number in range(12)]
KEYS = {"format", "input", "capped", "unreadable", "pages", "hosts", "duplicates", "query", "like"}


def listed(names: list[str]) -> str:
    items = "".join(f'<li><a href="/{name}.html">{name}</a></li>' for name in names)
    return f"<ul>{items}</ul>"


def body(name: str, number: int) -> str:
    words = " ".join(f"{name}{number * 31 + at}" for at in range(80))
    of_its_own = " ".join(f"{name}says{at}" for at in range(60))
    links = listed(TOPIC).replace("</ul>", f"<li>oolong {of_its_own}</ul>") if name in OTHERS[:4] else ""
    bar = listed(CLIQUE).replace("</ul>", "<li>oolong</ul>")
    return f"<html><title>About {name}</title><nav>{bar}</nav><p>{words}</p>{links}</html>"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    pytest.importorskip("scipy")
    monkeypatch.chdir(tmp_path)
    names = [*CLIQUE, *OTHERS, *TOPIC]
    pages = {f"{HOST}/{name}.html": body(name, number) for number, name in enumerate(names)}
    return write_folder(tmp_path / "saved", pages)


def names(results: list[dict[str, str]]) -> list[str]:
    return [result["url"].removeprefix(f"http://{HOST}/").removesuffix(".html") for result in results]


def test_the_pages_on_the_topic_come_first_and_their_hubs_are_shown(folder: Path, capsys) -> None:
    found = run(capsys, "rank", folder, "--query", "oolong", "--json", "-")
    assert (found.code, found.err) == (0, "")
    report = found.json
    assert set(report) == KEYS
    assert (report["format"], report["pages"], report["hosts"], report["duplicates"]) == (1, 22, 1, 0)
    assert report["like"] is None
    query = report["query"]
    assert (query["query"], query["version"]) == ("oolong", "pagelet-ft-fnm")
    assert (query["root_set"], query["base_set"], query["template_pages"]) == (22, 22, 1.0)
    assert sorted(names(query["results"])) == TOPIC
    first = query["results"][0]
    assert first["title"] == f"About {names([first])[0]}"
    assert first["score"] == pytest.approx(0.5)
    assert len(first["hubs"]) == 3
    for hub in first["hubs"]:
        assert names([hub])[0] in OTHERS[:4]
        assert hub["anchors"] == names([first])


@pytest.mark.parametrize("version", ["page", "page-fnm", "pagelet", "pagelet-fnm"])
def test_with_the_template_the_navigation_bar_wins(version: str, folder: Path, capsys) -> None:
    found = run(capsys, "rank", folder, "--query", "oolong", "--version", version, "--top", 4, "--json", "-")
    results = found.json["query"]["results"]
    assert len(results) == 4
    assert set(names(results)) < set(CLIQUE)


def test_pages_like_one_are_those_cited_beside_it(folder: Path, capsys) -> None:
    url = f"https://{HOST}/tea1.html"
    found = run(capsys, "rank", folder, "--like", url, "--json", "-")
    like = found.json["like"]
    assert like["url"] == f"http://{HOST}/tea1.html"
    assert [(one["score"], one["together"]) for one in like["results"]] == [(4.0, 4)] * 3
    assert sorted(names(like["results"])) == ["tea0", "tea2", "tea3"]
    in_bar = run(capsys, "rank", folder, "--like", f"http://{HOST}/shop.html", "--json", "-")
    assert in_bar.json["like"]["results"] == []


def test_a_template_may_need_more_pages(folder: Path, capsys) -> None:
    found = run(
        capsys, "rank", folder, "--query", "oolong", "--template-pages", 23, "--top", 4, "--json", "-"
    )
    assert set(names(found.json["query"]["results"])) < set(CLIQUE)
    assert found.json["query"]["template_pages"] == 0


def test_tables_are_written_and_json_goes_to_a_file(folder: Path, capsys) -> None:
    url = f"http://{HOST}/tea1.html"
    found = run(capsys, "rank", folder, "--query", "oolong", "--like", url, "--json", "found.json")
    assert (found.code, found.err) == (0, "")
    for expected in ("pages: 22", '"oolong", pagelet-ft-fnm', "Authorities", "tea3", f"Cited beside {url}"):
        assert expected in found.out
    report = json.loads(Path("found.json").read_text(encoding="utf-8"))
    assert len(report["query"]["results"]) == 4


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--query", "coffee"], "no page holds it"),
        (["--query", "oolong", "--between-hosts"], "No page is ranked"),
        (["--like", f"http://{HOST}/shop.html"], "Nothing is cited beside"),
    ],
)
def test_where_nothing_is_found_it_says_why(arguments: list[str], said: str, folder: Path, capsys) -> None:
    found = run(capsys, "rank", folder, *arguments)
    assert found.code == 0
    assert said in found.out


def test_without_scipy_pages_like_one_are_found(folder: Path, capsys, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    assert run(capsys, "rank", folder, "--like", f"http://{HOST}/tea1.html").code == 0


def test_a_pagelet_may_need_more_links(folder: Path, capsys) -> None:
    def pagelets(*option: object) -> int:
        found = run(capsys, "rank", folder, "--query", "oolong", *option, "--json", "-").json["query"]
        return int(found["pagelets"])

    # at 7 links an element a page is one pagelet: neither its bar of six nor its list of four is one
    assert pagelets("--min-links", 7) < pagelets("--min-links", 3) == pagelets()

"""``scrapy detect --method dom|text|mdl``: shares of every site from the HTML of its pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from templcrawl.algorithms.detectors.template_amounts import template_amounts
from templcrawl.algorithms.site_detectors.choice import SITE_DETECTORS
from templcrawl.commands import detect
from tests.commands.running import run
from tests.memory.pages import article
from tests.readers.archives import write_folder

HOSTS = {"a.example": 6, "b.example": 3}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pages = {
        f"{host}/articles/{number}.html": article(number, host=host).text
        for host, many in HOSTS.items()
        for number in range(many)
    }
    return write_folder(tmp_path / "saved", pages)


def test_the_names_that_the_command_offers_are_those_that_there_are() -> None:
    assert tuple(SITE_DETECTORS) == detect._SITE_METHODS


@pytest.mark.parametrize("method", SITE_DETECTORS)
def test_the_shares_of_each_site(method: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = run(capsys, "detect", folder, "--method", method, "--json", "-")
    assert (found.code, found.err) == (0, "")
    report = found.json
    assert (report["format"], report["method"], report["unreadable"]["count"]) == (1, method, 0)
    assert [(one["host"], one["pages"]) for one in report["hosts"]] == list(HOSTS.items())
    for host in report["hosts"]:
        pages = [article(number, host=host["host"]) for number in range(host["pages"])]
        site = SITE_DETECTORS[method]()
        for page in pages:
            site.learn(page)
        amounts = [template_amounts(site.separate(page)) for page in pages]
        words = sum(template.words for template, _ in amounts), sum(whole.words for _, whole in amounts)
        assert host["word_share"] == words[0] / words[1]
    assert report["overall"]["pages"] == 9


def test_a_table_of_the_largest_sites(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "detect", folder, "--method", "dom", "--top", 1).out.splitlines()
    assert lines[0] == "pages: 9, hosts: 2"
    assert "by dom" in lines[2]
    assert [line.split()[-1] for line in lines[-2:]] == ["a.example", "all"]
    assert [line.split()[:2] for line in lines[-2:]] == [["6", "100%"], ["9", "100%"]]


def test_what_is_not_accepted(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    assert run(capsys, "detect", "empty", "--method", "dom").code == 2
    for options in (["-o", "out"], ["--min-links", "2"], ["--memory", "1GB"]):
        found = run(capsys, "detect", folder, "--method", "text", *options)
        assert (found.code, "local and global" in found.err) == (2, True)

"""``lab.bench.sitebench``: sites fetched by git, tools run over them, tables equal to the byte."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.bench.saved_sites import corpus_sites
from lab.bench.sitebench import tools
from lab.bench.sitebench.__main__ import main
from lab.bench.sitebench.collection import FetchError, fetch
from lab.bench.sitebench.site_table import SITES, TableError, read_rules, read_sites
from lab.bench.sitebench.tools import TOOLS, find_tool, page_by_page, run_program, tool
from tests.lab.bench.site_repositories import git, make_repository, shop_files, write_table

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")

README = SITES.parent / "README.md"


@pytest.fixture(scope="module")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Two repositories, one with its site in a folder beside pictures; and the commits of their sites."""
    folder = tmp_path_factory.mktemp("mirror")
    tea = {**shop_files("docs/", 12), "docs/cup.png": b"\x89PNG", "docs/a.png/index.html": "<p>low</p>" * 99}
    return folder, {
        "tea": make_repository(folder, "a/tea", tea),
        "pot": make_repository(folder, "b/pot", {**shop_files("", 9), "readme.txt": "tea"}),
    }


@pytest.fixture
def table(tmp_path: Path, mirror: tuple[Path, dict[str, str]]) -> Path:
    """A table of the two; one commit is written out, one is not, and its folder is looked for."""
    _, commits = mirror
    return write_table(
        tmp_path / "sites.tsv",
        {"name": "tea", "repository": "a/tea", "commit": commits["tea"][:9], "folder": "?"},
        {"name": "pot", "repository": "b/pot", "commit": commits["pot"], "added": "fourth"},
    )


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> dict[str, tools.Tool]:
    """The tools, put back as they were after the test."""
    monkeypatch.setattr(tools, "TOOLS", dict(TOOLS))
    return tools.TOOLS


def _run(folder: Path, table: Path, mirror: Path, *names: str) -> int:
    arguments = ["--table", str(table), "--mirror", str(mirror), "--corpora", str(folder / "corpora")]
    return main(
        [*arguments, "--results", str(folder / "results"), "--tools", *(names or ("templcrawl", "all-text"))]
    )


def _files(folder: Path) -> dict[str, bytes]:
    """What stands in a folder, without times."""
    paths = [path for path in folder.rglob("*") if path.is_file() and "times" not in path.parts]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def test_the_table_lists_some_seventy_sites_whose_page_types_have_rules() -> None:
    sites = read_sites()
    assert len(sites) == 76
    assert {site.types for site in sites} - {""} <= read_rules().keys()
    assert sum(site.gold == "weak" for site in sites) == 6


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"commit": "master"}, "line 2: commit is 'master'"),
        ({"folder": "../up"}, "line 2: folder is '../up'"),
        ({"start": "/etc/passwd"}, "line 2: start is '/etc/passwd'"),
        ({"licence": "a\tb"}, "line 2: 13 cells, not 12"),
    ],
)
def test_a_row_that_cannot_be_read_is_named(tmp_path: Path, row: dict[str, str], reason: str) -> None:
    sound = {"name": "tea", "repository": "a/tea", "commit": "0123456"}
    with pytest.raises(TableError, match=re.escape(reason)):
        read_sites(write_table(tmp_path / "sites.tsv", {**sound, **row}))
    with pytest.raises(TableError, match="line 3: a second site is called tea"):
        read_sites(write_table(tmp_path / "sites.tsv", sound, sound))


def test_two_runs_are_equal_to_the_byte(
    tmp_path: Path, table: Path, mirror: tuple[Path, dict[str, str]]
) -> None:
    """A run builds the sites, scores the tools and writes both tables; so does a run elsewhere."""
    found = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        assert _run(tmp_path / name, table, mirror[0]) == 0
        found.append(_files(tmp_path / name))
    assert found[0] == found[1]
    assert {"results/table.md", "results/table.json", "results/scores/tea/templcrawl.json"} <= found[0].keys()
    figures = json.loads(found[0]["results/table.json"])["tools"]
    assert list(figures) == ["templcrawl", "all-text"]
    assert figures["templcrawl"]["f1"] > 0.9 > figures["all-text"]["f1"]
    assert figures["all-text"]["recall"] == 1
    assert set(figures["all-text"]["f1 of sites"]) == {"tea", "pot"}


def test_a_built_site_is_a_saved_site_of_the_other_benchmarks(
    tmp_path: Path, table: Path, mirror: tuple[Path, dict[str, str]]
) -> None:
    assert _run(tmp_path, table, mirror[0]) == 0
    pot, tea = corpus_sites(tmp_path / "corpora")
    assert (tea.name, tea.group, pot.group) == ("tea", "tuned", "fourth")
    assert len(tea.files) == len(shop_files("", 12)) + 1
    assert "a.png/index.html" in tea.files.values()
    assert not (tea.folder / "cup.png").exists()
    notes = [json.loads((tmp_path / "corpora/built" / f"{name}.json").read_text()) for name in ("tea", "pot")]
    assert [note["commit"] for note in notes] == [mirror[1]["tea"], mirror[1]["pot"]]


@pytest.mark.exhaustive
def test_a_run_goes_on_where_it_was(
    tmp_path: Path,
    table: Path,
    mirror: tuple[Path, dict[str, str]],
    registry: dict[str, tools.Tool],
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked: list[str] = []

    @tool("stops")
    def stops(pages: Iterator[tuple[str, str]]) -> Iterator[str]:
        for _, url in pages:
            asked.append(url)
            if len(asked) == 30:
                raise KeyboardInterrupt
            yield url

    with pytest.raises(KeyboardInterrupt):
        _run(tmp_path, table, mirror[0], "stops")
    assert _run(tmp_path, table, mirror[0], "stops") == 0
    assert "tea: there" in capsys.readouterr().err
    assert len(asked) == 30 + 25
    assert _run(tmp_path, table, mirror[0], "stops") == 0
    assert len(asked) == 30 + 25


def test_a_site_that_cannot_be_fetched_is_named_and_the_others_are_scored(
    tmp_path: Path, mirror: tuple[Path, dict[str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    """A damaged mirror, a missing commit in either length, a folder without the start page, no mirror."""
    broken = tmp_path / "mirror"
    shutil.copytree(mirror[0], broken)
    shutil.copytree(broken / "a/tea", broken / "a/torn")
    for blob in git(broken / "a/torn", "ls-tree", "-r", mirror[1]["tea"]).splitlines()[:5]:
        name = blob.split()[2]
        (broken / "a/torn/.git/objects" / name[:2] / name[2:]).unlink(missing_ok=True)
    sound = {"repository": "a/tea", "commit": mirror[1]["tea"], "folder": "docs"}
    table = write_table(
        tmp_path / "sites.tsv",
        {**sound, "name": "torn", "repository": "a/torn"},
        {**sound, "name": "short", "commit": "0" * 10},
        {**sound, "name": "long", "commit": "0" * 40},
        {**sound, "name": "root", "folder": ""},
        {**sound, "name": "away", "repository": "a/away"},
        {**sound, "name": "tea"},
    )
    assert _run(tmp_path, table, broken) == 1
    printed = capsys.readouterr()
    assert "# Template detection on 1 sites" in printed.out
    errors = printed.err.partition("5 of 6 sites could not be fetched:\n")[2]
    assert re.search(r"torn: git \w+ of a/torn at .*: (?:fatal|error): ", errors)
    assert "short: git rev-parse of a/tea at 0000000000: no such commit" in errors
    assert re.search(r"long: git fetch of a/tea at 0{40}: fatal: .*not our ref", errors)
    assert "root: no start page index.html in the root; docs, docs/a.png, docs/manual has it" in errors
    assert "away: no mirror " in errors
    assert [site.name for site in corpus_sites(tmp_path / "corpora")] == ["tea"]


def test_a_site_is_fetched_without_what_is_no_page(
    tmp_path: Path, mirror: tuple[Path, dict[str, str]]
) -> None:
    site = read_sites(
        write_table(
            tmp_path / "sites.tsv", {"name": "pot", "repository": "b/pot", "commit": mirror[1]["pot"]}
        )
    )[0]
    (tmp_path / "pot").mkdir()
    assert fetch(site, tmp_path / "pot", mirror[0]) == (mirror[1]["pot"], tmp_path / "pot")
    assert (tmp_path / "pot/index.html").exists()
    assert not (tmp_path / "pot/readme.txt").exists()
    with pytest.raises(FetchError, match="pot: no mirror"):
        fetch(site, tmp_path / "pot", tmp_path)


def test_a_tool_that_raises_fails_its_pages_and_no_more(
    tmp_path: Path,
    table: Path,
    mirror: tuple[Path, dict[str, str]],
    registry: dict[str, tools.Tool],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One page, the rest of a site, all for reading ahead, and all but the pages that have a text."""

    def one_page(html: str, url: str) -> str:
        if url.endswith("tea.example/articles/"):
            raise RuntimeError("no tea")
        return html

    @tool("one page")
    def single(pages: Iterator[tuple[str, str]]) -> Iterator[str | Exception]:
        return page_by_page(one_page, pages)

    @tool("the rest")
    def rest(pages: Iterator[tuple[str, str]]) -> Iterator[str]:
        for number, (html, _) in enumerate(pages, 1):
            if number == 10:
                raise RuntimeError("full")
            yield html

    @tool("ahead")
    def ahead(pages: Iterator[tuple[str, str]]) -> Iterator[str]:
        return iter([html for html, _ in pages])

    @tool("few", whole=True)
    def few(pages: list[tuple[str, str]]) -> list[str]:
        return [html for html, _ in pages[:5]]

    assert _run(tmp_path, table, mirror[0], "all-text", "one page", "the rest", "ahead", "few") == 0
    figures = json.loads((tmp_path / "results/table.json").read_text())["tools"]
    scored = figures["all-text"]["scored"]
    assert {figure["scored"] for figure in figures.values()} == {scored}
    assert figures["one page"]["errors"] == {}
    assert figures["ahead"]["failed"] == scored
    assert figures["few"]["errors"].keys() == {"TextMissing: gave no text for this page"}
    assert 0 < figures["the rest"]["failed"] < scored
    assert figures["the rest"]["errors"].keys() == {"RuntimeError: full"}
    assert "ahead: " in capsys.readouterr().out


@pytest.mark.exhaustive
def test_a_tool_of_the_site_s_pages_is_given_all_and_answers_like_an_online_one(
    tmp_path: Path, table: Path, mirror: tuple[Path, dict[str, str]], registry: dict[str, tools.Tool]
) -> None:
    tool("whole", whole=True)(registry["all-text"].run)
    assert _run(tmp_path, table, mirror[0], "all-text", "whole") == 0
    figures = json.loads((tmp_path / "results/table.json").read_text())["tools"]
    assert [figures[name].pop("mode") for name in ("all-text", "whole")] == ["online", "whole"]
    assert figures["all-text"] == figures["whole"]


@pytest.mark.exhaustive
def test_the_tool_of_the_readme_runs(
    tmp_path: Path,
    table: Path,
    mirror: tuple[Path, dict[str, str]],
    registry: dict[str, tools.Tool],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    block = re.search(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    assert len(re.findall(r"\S.*", block[1])) <= 10
    (tmp_path / "my_tool.py").write_text(block[1], encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "my_tool", raising=False)
    assert _run(tmp_path, table, mirror[0], "my_tool:seen-before", "all-text") == 0
    figures = json.loads((tmp_path / "results/table.json").read_text())["tools"]
    assert list(figures) == ["seen-before", "all-text"]


def test_a_program_is_given_each_page_on_its_standard_input() -> None:
    upper = [sys.executable, "-c", "import sys; sys.stdout.write(sys.stdin.read().upper())"]
    assert list(run_program(upper, iter([("tea", ""), ("pot", "")]))) == ["TEA", "POT"]
    (failed,) = run_program([sys.executable, "-c", "raise SystemExit(3)"], iter([("tea", "")]))
    assert isinstance(failed, Exception)


def test_a_tool_that_is_missing_says_what_it_needs(registry: dict[str, tools.Tool]) -> None:
    tool("nowhere", modules=("no_such_module",))(lambda pages: [])
    tool("nothing", programs=("no-such-program",))(lambda pages: [])
    for name, reason in (
        ("nowhere", "nowhere needs no_such_module"),
        ("nothing", "nothing needs the program no-such-program"),
        ("no_such_module:x", "no module no_such_module"),
        ("kettle", "no tool is called kettle; there are templcrawl, "),
    ):
        with pytest.raises(tools.ToolMissing, match=reason):
            find_tool(name)

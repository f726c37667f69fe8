"""``python -m benchmarks.changes``: what its edits edit, and that the table says who is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("rich")

from benchmarks.changes import generated_pages, main
from sites.page_edits import OF_CONTENT, OF_TEMPLATE, Dressed, dressed

pytestmark = pytest.mark.exhaustive

MENU = "<ul><li><a href=a>A</a><li><a href=b>B</a><li><a href=c>C</a></ul>"
PAGE = f"<html><body>{MENU}<div id=c>{{}}</div></body></html>"


def page(text: str = "<p>One two three four five six</p>") -> Dressed | None:
    return dressed("http://a.example/1", PAGE.format(text), ("//*[@id='c']",))


def content_of(subject: Dressed) -> str:
    return " ".join(" ".join(node.text_content().split()) for node in subject.containers)


def test_pages_whose_content_is_not_marked_or_has_no_words_are_left_out() -> None:
    assert page() is not None
    assert page("<p>One</p>") is None
    assert dressed("http://a.example/1", PAGE.format("<p>One two three four five</p>"), ("//main",)) is None


@pytest.mark.parametrize("name", [*OF_TEMPLATE, *OF_CONTENT])
def test_an_edit_alters_its_side_of_the_page_alone_and_the_copy_alone(name: str) -> None:
    subject = page()
    assert subject is not None
    before, copy = subject.html, subject.copied()
    assert copy.html == before
    (OF_TEMPLATE | OF_CONTENT)[name](copy)
    assert subject.html == before
    assert (copy.html == before) == (name == "nothing")
    assert (content_of(copy) == content_of(subject)) == (name in OF_TEMPLATE)


def test_edits_are_the_same_each_time() -> None:
    for edit in (OF_TEMPLATE | OF_CONTENT).values():
        pages = [next(generated_pages()) for _ in range(2)]
        for subject in pages:
            assert subject is not None
            edit(subject)
        assert len({subject.html for subject in pages if subject is not None}) == 1


def test_the_table_of_a_generated_site(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = tmp_path / "figures.json"
    main(["--pages", "16", "--json", str(figures)])
    printed = capsys.readouterr().out
    assert "False alarms, % of pages" in printed
    assert "Misses, % of pages" in printed
    said = json.loads(figures.read_text(encoding="utf-8"))["generated"]
    assert said["nothing/ours"] == said["token/ours"] == said["menu_entry/ours"] == [0, 16]
    assert said["banner/ours"] == [16, 16]
    assert said["token/bytes"] == said["banner/text"] == [16, 16]
    assert [said[f"{edit}/ours"] for edit in OF_CONTENT] == [[0, 4]] * len(OF_CONTENT)


def save_versions(folder: Path) -> None:
    """Save two versions of a site: its year has passed on all pages, of two the content has changed."""
    for version, year in (("old", 2025), ("new", 2026)):
        pages = folder / version
        pages.mkdir(parents=True)
        for number in range(12):
            words = "other" if version == "new" and number in (4, 7) else "quiet"
            sign = "<a class=sign>#</a>" if version == "new" else ""
            text = f"<h1>Tea {number}{sign}</h1><p>The {words} leaf h{number} is dried in k{number}</p>"
            links = "".join(f"<a href=p{other}.html>p{other}</a> " for other in range(12))
            html = f"<body>{links}<div id=c>{text}</div><p>Copyright {year} by us</p></body>"
            (pages / f"p{number}.html").write_text(html)
    (folder / "new" / "p3.html").unlink()
    (folder / "old" / "p5.html").write_text("<body><p>Not here</p></body>")
    site = {"versions": ["old", "new"], "start": "p0.html", "content": ["//*[@id='c']"]}
    sites = {"tea_site": {**site, "furniture": ["//a[@class='sign']"]}, "bare": site}
    (folder / "dated.json").write_text(json.dumps(sites))


def test_the_table_of_dated_sites(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_versions(tmp_path / "dated")
    figures = tmp_path / "figures.json"
    main(["--dated", str(tmp_path / "dated"), "--json", str(figures)])
    printed = capsys.readouterr().out
    assert "False alarms / misses" in printed
    said = json.loads(figures.read_text(encoding="utf-8"))
    assert {name: counts["pages"] for name, counts in said.items()} == {"tea_site": [8, 2], "bare": [0, 10]}
    tea = said["tea_site"]
    assert (tea["false_alarms"]["bytes"], tea["misses"]["bytes"]) == (8, 0)
    assert {rule: tea["misses"][rule] for rule in ("ours", "at end", "both")} == dict.fromkeys(
        ("ours", "at end", "both"), 0
    )
    of_signs = tea["false_alarms"]
    assert (of_signs["ours"], of_signs["at end"], of_signs["both"]) == (8, 8, 8)
    with pytest.raises(SystemExit, match="2"):
        main(["--dated", str(tmp_path / "dated"), "--sites", "nobody"])

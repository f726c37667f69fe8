"""The figures that documents cite are those that benchmarks have kept."""

import json
import re

import pytest

from documents import figures
from documents.figures import DOCUMENTS, FOLDER, ROOT, Cell, Named, kept_figures, main, rendered

pytestmark = pytest.mark.exhaustive

KEPT = kept_figures()


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_documents_say_what_was_kept(path):
    document = path.read_text(encoding="utf-8")
    assert rendered(document, KEPT) == document, "run: make figures"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.name)
def test_what_was_kept_is_cited_and_names_no_machine(path):
    documents = "".join(document.read_text(encoding="utf-8") for document in DOCUMENTS)
    assert f"{{{path.stem}[" in documents
    for table in json.loads(path.read_text(encoding="utf-8")).values():
        assert table["command"].startswith(("python -m benchmarks.", "python -m experiments.")) != (
            path.stem == "judged"
        )
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", table["date"])
        assert not re.search(r"[\s=]/\w", table["command"])


def test_readme_shows_what_was_kept():
    """Where it is read nothing can be included or rendered: its one table is typed, and compared here."""
    separation, judged, single = (
        KEPT["separation"]["tuned"],
        KEPT["judged"]["separation"]["19 sites"],
        KEPT["lone_pages"],
    )
    left_out = single["left out"]["all but news"]
    rows = [
        (separation["vote"]["F1"], judged["templcrawl"], left_out["F1"]),
        (separation["trafilatura"]["F1"], left_out["trafilatura-balanced"]),
        (separation["deboiler"]["F1"], judged["best other method"], left_out["trafilatura-balanced"]),
    ]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"\b0\.\d{3}\b", readme) == [cell for row in rows for cell in row]


@pytest.mark.parametrize("name", ["docs/measured.md", "docs/cost.md"])
def test_no_figure_is_typed(name):
    document = (ROOT / name).read_text(encoding="utf-8")
    outside = re.sub(r"<!-- figures\n.*?<!-- /figures -->", "", document, flags=re.DOTALL)
    prose = re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)|^    .*$", "", outside, flags=re.DOTALL | re.MULTILINE)
    assert re.findall(r"\d\.\d+|\d+ %", prose) == []


def test_a_cell_that_is_no_number_is_not_rounded():
    with pytest.raises(ValueError, match="could not convert"):
        f"{Cell('none'):.1f}"


def test_a_block_says_what_its_comment_says(tmp_path, monkeypatch, capsys):
    before = "A\n<!-- figures\n| {some[one][vote][F1]} |\n-->\n| 0.1 |\n| old |\n<!-- /figures -->\nB\n"
    after = "A\n<!-- figures\n| {some[one][vote][F1]} |\n-->\n| 0.97 |\n<!-- /figures -->\nB\n"
    kept = {"some": {"one": {"vote": {"F1": Cell("0.97")}}}}
    assert rendered(before, kept) == after
    with pytest.raises(KeyError):
        rendered(before, {"some": {"one": {}}})
    document = tmp_path / "page.md"
    document.write_text(before, encoding="utf-8")
    for name, value in {"ROOT": tmp_path, "DOCUMENTS": [document], "kept_figures": lambda: kept}.items():
        monkeypatch.setattr(figures, name, value)
    main()
    assert document.read_text(encoding="utf-8") == after
    assert capsys.readouterr().out == "page.md\n"
    main()
    assert capsys.readouterr().out == ""


def test_cells_of_a_row_are_cited_together():
    kept = {"some": {"a b": {"x": {"F1": "1"}}, "c": {"x": {"F1": "2"}}}}
    block = "<!-- figures\n| m | **{some[a b|c][x][F1]}** | {some[c][x][F1]} |\n-->\n<!-- /figures -->"
    assert "\n| m | **1** | **2** | 2 |\n<!-- /" in rendered(block, kept)


def test_a_name_may_be_a_number():
    kept = {"some": Named({"1": "one"})}
    assert "\none\n<!-- /" in rendered("<!-- figures\n{some[1]}\n-->\n<!-- /figures -->", kept)
    with pytest.raises(KeyError):
        rendered("<!-- figures\n{some[2]}\n-->\n<!-- /figures -->", kept)


def test_every_block_is_closed():
    for path in DOCUMENTS:
        document = path.read_text(encoding="utf-8")
        blocks = re.findall(r"<!-- figures\n.*?<!-- /figures -->", document, flags=re.DOTALL)
        assert document.count("<!-- figures\n") == document.count("<!-- /figures -->") == len(blocks)
        assert all(block.count("<!--") == 2 for block in blocks)

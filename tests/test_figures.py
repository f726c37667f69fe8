"""The figures that documents cite are those that benchmarks have kept."""

import json
import re
import sys
from pathlib import Path

import pytest
from rich.table import Table

from benchmarks import figures
from benchmarks.figures import (
    DOCUMENTS,
    FOLDER,
    ROOT,
    Cell,
    cells_of,
    keep_tables,
    kept_figures,
    main,
    rendered,
)

KEPT = kept_figures()


def table_of(*rows):
    table = Table("method", "way", "F1")
    for row in rows:
        table.add_row(*row)
    return table


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_documents_say_what_was_kept(path):
    document = path.read_text(encoding="utf-8")
    assert rendered(document, KEPT) == document, "run: make figures"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.name)
def test_what_was_kept_is_cited_and_names_no_machine(path):
    documents = "".join(document.read_text(encoding="utf-8") for document in DOCUMENTS)
    assert f"{{{path.stem}[" in documents
    for table in json.loads(path.read_text(encoding="utf-8")).values():
        assert table["command"].startswith("python -m benchmarks.") != (path.stem == "judged")
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", table["date"])
        assert not re.search(r"[\s=]/\w", table["command"])


@pytest.mark.parametrize("name", ["README.md", "docs/measured.md", "docs/cost.md"])
def test_no_figure_is_typed(name):
    document = (ROOT / name).read_text(encoding="utf-8")
    outside = re.sub(r"<!-- figures\n.*?<!-- /figures -->", "", document, flags=re.DOTALL)
    prose = re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)|^    .*$", "", outside, flags=re.DOTALL | re.MULTILINE)
    assert re.findall(r"\d\.\d+|\d+ %", prose) == []


def test_a_row_is_named_by_the_cells_that_tell_it_apart():
    assert cells_of(table_of(("vote", "a", "[bold]0.97[/]"), ("dom", "a", "1"))) == {
        "vote": {"way": "a", "F1": "0.97"},
        "dom": {"way": "a", "F1": "1"},
    }
    assert cells_of(table_of(("vote", "a", "0.97"), ("vote", "b", "1"))) == {
        "vote, a": {"F1": "0.97"},
        "vote, b": {"F1": "1"},
    }
    with pytest.raises(ValueError, match="told apart"):
        cells_of(table_of(("vote", "a", "0.97"), ("vote", "a", "1")))


def test_a_column_of_a_name_that_is_taken_has_a_number():
    table = Table("way", "F1", "F1", "F1")
    table.add_row("vote", "1", "2", "3")
    assert cells_of(table) == {"vote": {"F1": "1", "F1 (2)": "2", "F1 (3)": "3"}}


def test_what_is_kept_again_takes_the_place_of_what_was(tmp_path, monkeypatch):
    file = tmp_path / "new" / "some.json"
    monkeypatch.setattr(sys, "argv", ["/x/benchmarks/some.py", "--json", "/y", "--corpora", "/y", "--figures", str(file)])
    keep_tables(None, {"nothing": table_of()})
    keep_tables(file, {"one": table_of(("vote", "a", "1,234.5")), "two": table_of(("vote", "a", "2"))})
    keep_tables(file, {"two": table_of(("vote", "a", "3 / 4"))})
    kept = json.loads(file.read_text(encoding="utf-8"))
    assert [*kept] == ["one", "two"]
    assert kept["two"]["command"] == "python -m benchmarks.some --corpora FOLDER"
    read = kept_figures(file.parent)
    assert "{some[two][vote][F1]}, {some[one][vote][F1]:.0f}".format_map(read) == "3 / 4, 1234"
    assert len(read["runs"].splitlines()) == 1
    assert "[some](figures/some.json)" in read["runs"]


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
    main([])
    assert document.read_text(encoding="utf-8") == after
    assert capsys.readouterr().out == "page.md\n"
    main([])
    assert capsys.readouterr().out == ""


def test_every_block_is_closed():
    for path in DOCUMENTS:
        document = Path(path).read_text(encoding="utf-8")
        blocks = re.findall(r"<!-- figures\n.*?<!-- /figures -->", document, flags=re.DOTALL)
        assert document.count("<!-- figures\n") == document.count("<!-- /figures -->") == len(blocks)
        assert all(block.count("<!--") == 2 for block in blocks)

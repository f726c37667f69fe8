"""The tables of the documents say what the stored results of benchmarks say."""

import json
import re

import pytest

from docs.build import figures
from docs.build.figures import (
    DOCUMENTS,
    FOLDER,
    ROOT,
    TEMPLATES,
    Cell,
    Named,
    filled_tables,
    main,
    stored_figures,
    with_tables,
)

pytestmark = pytest.mark.exhaustive

TABLES = filled_tables(stored_figures())
TABLE = re.compile(r"(?m)^<!-- table: ([\w-]+) -->\n(?:[^<]|<(?!!--))+^<!-- /table -->$")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_documents_say_what_is_stored(path):
    document = path.read_text(encoding="utf-8")
    assert with_tables(document, TABLES) == document, "run: make figures"


def test_every_marker_is_closed_and_every_table_stands_in_one_document():
    marked = []
    for path in DOCUMENTS:
        document = path.read_text(encoding="utf-8")
        names = TABLE.findall(document)
        assert document.count("\n<!-- table") == document.count("\n<!-- /table") == len(names)
        marked += names
    assert sorted(marked) == sorted(TABLES)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.name)
def test_what_is_stored_is_cited_and_names_no_machine(path):
    templates = "".join(template.read_text(encoding="utf-8") for template in TEMPLATES.glob("*.md"))
    assert f"{{{path.stem}[" in templates
    for table in json.loads(path.read_text(encoding="utf-8")).values():
        assert table["command"].startswith(("python -m lab.bench.", "python -m lab.papers.")) != (
            path.stem == "judged"
        )
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", table["date"])
        assert not re.search(r"[\s=]/\w", table["command"])


@pytest.mark.parametrize(
    ("name", "figure"),
    [
        ("README.md", r"\b0\.\d+|\d %"),
        ("docs/measured.md", r"\d\.\d|\d %"),
        ("docs/cost.md", r"\d\.\d|\d %"),
    ],
)
def test_no_figure_is_typed(name, figure):
    outside = TABLE.sub("", (ROOT / name).read_text(encoding="utf-8"))
    prose = re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)|(?m:^ {4}[^\n]*$)", "", outside, flags=re.DOTALL)
    assert re.findall(figure, prose) == []


@pytest.mark.parametrize("path", sorted(TEMPLATES.glob("*.md")), ids=lambda path: path.name)
def test_no_figure_is_typed_in_a_template(path):
    """Only its headings, and the first cell of a row, may have a digit that is not cited."""
    rows = re.sub(r"(?m)^.*\n(?=\|---)|\{.*?\}", "", path.read_text(encoding="utf-8")).splitlines()
    assert [row for row in rows if re.search(r"\d", row.partition(" | ")[2])] == []


def test_a_cell_that_is_no_number_is_not_rounded():
    with pytest.raises(ValueError, match="could not convert"):
        f"{Cell('none'):.1f}"


@pytest.fixture
def template(tmp_path):
    """A function that returns what a template says with some results."""

    def fill(text, stored):
        (tmp_path / "one.md").write_text(text, encoding="utf-8")
        return filled_tables(stored, tmp_path)["one"]

    return fill


def test_a_document_says_what_the_template_says(template, tmp_path, monkeypatch, capsys):
    before = "A\n<!-- table: one -->\n| 0.1 |\n| old |\n<!-- /table -->\nB\n"
    after = "A\n<!-- table: one -->\n| 0.97 |\n<!-- /table -->\nB\n"
    stored = {"some": {"one": {"vote": {"F1": Cell("0.97")}}}}
    filled = template("| {some[one][vote][F1]} |\n", stored)
    assert with_tables(before, {"one": filled}) == after
    with pytest.raises(KeyError):
        template("| {some[one][vote][F1]} |\n", {"some": {"one": {}}})
    document = tmp_path / "page.md"
    document.write_text(before, encoding="utf-8")
    for name, value in {
        "ROOT": tmp_path,
        "DOCUMENTS": [document],
        "filled_tables": lambda _: {"one": filled},
    }.items():
        monkeypatch.setattr(figures, name, value)
    main()
    assert document.read_text(encoding="utf-8") == after
    assert capsys.readouterr().out == "page.md\n"
    main()
    assert capsys.readouterr().out == ""


def test_a_marker_of_no_table_is_an_error():
    with pytest.raises(KeyError, match="two"):
        with_tables("<!-- table: two -->\n<!-- /table -->\n", {"one": ""})


def test_cells_of_a_row_are_cited_together(template):
    stored = {"some": {"a b": {"x": {"F1": "1"}}, "c": {"x": {"F1": "2"}}}}
    filled = template("| m | **{some[a b|c][x][F1]}** | {some[c][x][F1]} |\n", stored)
    assert filled == "| m | **1** | **2** | 2 |\n"


def test_a_name_may_be_a_number(template):
    stored = {"some": Named({"1": "one"})}
    assert template("{some[1]}\n", stored) == "one\n"
    with pytest.raises(KeyError):
        template("{some[2]}\n", stored)

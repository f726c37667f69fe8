"""The tables of the documents say what the stored results of benchmarks say."""

import json
import re

import pytest

from docs.build import figures

pytestmark = pytest.mark.exhaustive

TABLES = figures.filled_tables(figures.stored_figures())
TABLE = re.compile(r"(?m)^<!-- table: ([\w-]+) -->\n(?:[^<]|<(?!!--))+^<!-- /table -->$")
RESULTS = sorted(figures.FOLDER.glob("*.json"))


def test_documents_say_what_is_stored_and_every_table_stands_in_one():
    marked = []
    for path in figures.DOCUMENTS:
        document = path.read_text(encoding="utf-8")
        assert figures.fill_tables(document, TABLES) == document, "run: make figures"
        names = TABLE.findall(document)
        assert document.count("\n<!-- table") == document.count("\n<!-- /table") == len(names)
        marked += names
    assert sorted(marked) == sorted(TABLES)


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.name)
def test_what_is_stored_is_cited_and_names_no_machine(path):
    templates = "".join(template.read_text(encoding="utf-8") for template in figures.TEMPLATES.glob("*.md"))
    assert f"{{{path.stem}[" in templates
    for table in json.loads(path.read_text(encoding="utf-8")).values():
        is_ours = table["command"].startswith(("python -m lab.bench.", "python -m lab.papers."))
        assert is_ours != (path.stem == "judged")
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", table["date"])
        assert not re.search(r"[\s=]/\w", table["command"])


@pytest.mark.parametrize(
    ("name", "figure"), [("README.md", r"\b0\.\d+|\d %"), ("docs/measured.md", r"\d\.\d|\d %")]
)
def test_no_figure_is_typed(name, figure):
    outside = TABLE.sub("", (figures.ROOT / name).read_text(encoding="utf-8"))
    prose = re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)|(?m:^ {4}[^\n]*$)", "", outside, flags=re.DOTALL)
    assert re.findall(figure, prose) == []


def test_no_figure_is_typed_in_a_template():
    """Only its headings, and the first cell of a row, may have a digit that is not cited."""
    for path in figures.TEMPLATES.glob("*.md"):
        rows = re.sub(r"(?m)^.*\n(?=\|---)|\{.*?\}", "", path.read_text(encoding="utf-8")).splitlines()
        assert [row for row in rows if re.search(r"\d", row.partition(" | ")[2])] == []


def test_cells_are_cited_together_and_by_number_and_are_not_rounded_unless_they_are_numbers(tmp_path):
    stored = {"some": figures.Named({"a b": {"x": {"F1": "1"}}, "c": {"x": {"F1": "2"}}, "1": "one"})}

    def fill(template):
        (tmp_path / "one.md").write_text(template, encoding="utf-8")
        return figures.filled_tables(stored, tmp_path)["one"]

    assert fill("| m | **{some[a b|c][x][F1]}** | {some[c][x][F1]} |\n") == "| m | **1** | **2** | 2 |\n"
    assert fill("{some[1]}\n") == "one\n"
    for missing in ("{some[2]}", "{some[c][x][F2]}"):
        with pytest.raises(KeyError):
            fill(missing)
    with pytest.raises(ValueError, match="could not convert"):
        f"{figures.Cell('none'):.1f}"


def test_a_document_says_what_the_template_says():
    before = "A\n<!-- table: one -->\n| 0.1 |\n| old |\n<!-- /table -->\nB\n"
    after = "A\n<!-- table: one -->\n| 0.97 |\n<!-- /table -->\nB\n"
    assert (
        figures.fill_tables(before, {"one": "| 0.97 |\n"})
        == figures.fill_tables(after, {"one": "| 0.97 |\n"})
        == after
    )
    with pytest.raises(KeyError, match="two"):
        figures.fill_tables("<!-- table: two -->\n<!-- /table -->\n", {"one": ""})

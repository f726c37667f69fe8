"""What benchmarks print is kept under names that documents can cite."""

import json
import sys

import pytest

from docs.build.figures import stored_figures
from lab.bench.tables import cells_of, keep_tables, table_of

pytestmark = pytest.mark.exhaustive


def of_methods(*rows):
    return table_of("methods", ("method", "way", "F1"), rows)


def test_a_row_is_named_by_the_cells_that_tell_it_apart():
    assert cells_of(of_methods(("vote", "a", "[bold]0.97[/]"), ("dom", "a", "1"))) == {
        "vote": {"way": "a", "F1": "0.97"},
        "dom": {"way": "a", "F1": "1"},
    }
    assert cells_of(of_methods(("vote", "a", "0.97"), ("vote", "b", "1"))) == {
        "vote, a": {"F1": "0.97"},
        "vote, b": {"F1": "1"},
    }
    with pytest.raises(ValueError, match="told apart"):
        cells_of(of_methods(("vote", "a", "0.97"), ("vote", "a", "1")))


def test_a_column_of_a_name_that_is_taken_has_a_number():
    table = table_of("", ("way", "F1", "F1", "F1"), [("vote", "1", "2", "3")])
    assert cells_of(table) == {"vote": {"F1": "1", "F1 (2)": "2", "F1 (3)": "3"}}


def test_what_is_kept_again_takes_the_place_of_what_was(tmp_path, monkeypatch):
    file = tmp_path / "new" / "some.json"
    monkeypatch.setattr(
        sys, "argv", ["/x/lab/bench/some.py", "--json", "/y", "--corpora", "/y", "--figures", str(file)]
    )
    keep_tables(None, {"nothing": of_methods()})
    keep_tables(file, {"one": of_methods(("vote", "a", "1,234.5")), "two": of_methods(("vote", "a", "2"))})
    keep_tables(file, {"two": of_methods(("vote", "a", "3 / 4"))})
    kept = json.loads(file.read_text(encoding="utf-8"))
    assert [*kept] == ["one", "two"]
    assert kept["two"]["command"] == "python -m lab.bench.some --corpora FOLDER"
    read = stored_figures(file.parent)
    assert "{some[two][vote][F1]}, {some[one][vote][F1]:.0f}".format_map(read) == "3 / 4, 1234"
    assert len(read["runs"].splitlines()) == 1
    assert "[some](figures/some.json)" in read["runs"]

"""The labels of columns are counted by site; what has no label counts neither way."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from lab.bench import labelled
from lab.bench.labelled import LABELS, count, read_labels

LINES = """tea\tcups\tPrice\twanted\tnamed
tea\tcups\th2\twanted\tbadly
tea\tcups\tbanner\tnot
leaf\tleaves\tAge\twanted\tnamed
leaf\tleaves\tgone\tnot"""


def save(file: Path, content: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


def test_columns_are_counted_by_their_labels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    save(tmp_path / "labels.tsv", LINES)
    columns = {"tea": {"cups": ["Price", "h2", "banner", "new"]}, "leaf": {"leaves": ["Age"]}, "pot": {}}
    for site, tables in columns.items():
        about = [
            {"table": table, "columns": [{"name": name} for name in names]} for table, names in tables.items()
        ]
        save(tmp_path / "tables" / site / "columns.json", {"tables": about})
        (tmp_path / site).mkdir()
    save(tmp_path / "sites.json", {site: {"start": "", "content": ["//main"]} for site in columns})
    monkeypatch.setattr(labelled, "LABELS", tmp_path / "labels.tsv")
    monkeypatch.setattr(labelled, "is_held_out", lambda site: site == "leaf")
    monkeypatch.setattr(sys, "argv", ["lab/bench/labelled.py"])
    figures = tmp_path / "figures.json"
    labelled.main(
        ["--corpora", str(tmp_path), "--tables", str(tmp_path / "tables"), "--figures", str(figures)]
    )
    assert "Columns that a person wants" in capsys.readouterr().out
    told = json.loads(figures.read_text(encoding="utf-8"))
    assert {site: [*row.values()] for site, row in told["labelled"]["rows"].items()} == {
        "leaf": ["held out", "1", "1", "1", "1", "1.00", "1.00"],
        "tea": ["looked at", "4", "3", "2", "1", "0.67", "0.50"],
    }
    assert [*told["summary"]["rows"]["all"].values()] == ["2", "5", "4", "0.75", "0.67", "0.83", "0.75"]


def test_a_site_whose_columns_all_lack_a_label_has_no_share() -> None:
    assert count([("tea", "cups", "new")], {}).shares == (0, 0)


def test_each_column_has_one_label_that_can_be_read() -> None:
    lines = LABELS.read_text(encoding="utf-8").splitlines()
    labels = read_labels(lines)
    assert len(labels) == len(lines)
    assert {tuple(line.split("\t")[3:]) for line in lines} == {
        ("wanted", "named"),
        ("wanted", "badly"),
        ("not",),
    }
    assert len({site for site, _, _ in labels}) == 41

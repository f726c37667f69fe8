"""A stored figure has the fingerprint of the defaults that it depends on, and they have not changed since."""

from __future__ import annotations

import doctest
import json
import shutil
from dataclasses import fields
from pathlib import Path

import pytest

pytest.importorskip("rich")

import templcrawl
from docs.build.figures import FOLDER
from lab.bench import defaults
from lab.bench.defaults import DEPENDS, DETECTION, OPTIONS, SOURCES, defaults_of, fingerprint, fingerprints
from templcrawl.memory.memory_options import MemoryOptions

PACKAGE = Path(templcrawl.__file__).parent


def test_its_examples_hold() -> None:
    assert doctest.testmod(defaults).failed == 0


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.stem)
def test_no_stored_figure_is_older_than_a_default_that_it_depends_on(path: Path) -> None:
    for name, table in json.loads(path.read_text(encoding="utf-8")).items():
        expected = fingerprints(table["command"])
        assert table.get("defaults", {}) == expected, f"{name} is out of date; run {table['command']} again"


def test_every_program_that_depends_on_defaults_has_figures() -> None:
    commands = {
        table["command"].split()[2]
        for path in FOLDER.glob("*.json")
        for table in json.loads(path.read_text(encoding="utf-8")).values()
    }
    assert {*DEPENDS} <= commands


def test_a_default_changes_the_fingerprint_and_a_comment_does_not(tmp_path: Path) -> None:
    copy = tmp_path / "templcrawl"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    assert fingerprint(DETECTION, copy) == fingerprint(DETECTION)
    leaves = copy / "memory" / "leaves.py"
    text = leaves.read_text(encoding="utf-8")
    leaves.write_text(f"# a comment\n{text}", encoding="utf-8")
    assert fingerprint(DETECTION, copy) == fingerprint(DETECTION)
    leaves.write_text(text.replace("NEAR = 0.5", "NEAR = 0.6"), encoding="utf-8")
    assert fingerprint(DETECTION, copy) != fingerprint(DETECTION)


def test_options_and_modules_are_there() -> None:
    for topic, patterns in SOURCES.items():
        assert all(list(PACKAGE.glob(pattern)) for pattern in patterns)
        assert set(OPTIONS[topic]) <= {field.name for field in fields(MemoryOptions)}


def test_constants_fields_and_arguments_are_defaults() -> None:
    source = (
        "A, B = 1, 2\nC: int = 3\nd = 4\nclass E:\n    f: int = 5\n    G = 6\n"
        "    def h(self, i: int = 7, *, j): k = 8\n"
    )
    assert sorted(defaults_of(source)) == ["(A, B) = (1, 2)", "C = 3", "E.f = 5", "h(self, i=7, *, j)"]

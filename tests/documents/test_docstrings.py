"""Docstrings as Markdown: columns become lists, doctests code."""

from __future__ import annotations

import doctest
import re
from importlib import import_module
from inspect import getdoc, getmembers, isclass

import pytest

import templcrawl
from docs.build.docstrings import as_markdown, folded

pytestmark = pytest.mark.exhaustive


@pytest.mark.parametrize("module", ["docstrings", "commands", "command_lines", "figures"])
def test_the_examples_of_the_modules_are_true(module: str) -> None:
    failed, tried = doctest.testmod(import_module(f"docs.build.{module}"))
    assert (failed, tried > 0) == (0, True)


def test_every_public_name_says_what_it_is_and_no_columns_are_left() -> None:
    things = {name: getattr(templcrawl, name) for name in templcrawl.__all__}
    for name, thing in [*things.items()]:
        own = vars(thing) if isclass(thing) else {}
        things |= {f"{name}.{member}": value for member, value in getmembers(thing) if member in own}
    docstrings = {name: getdoc(thing) for name, thing in things.items() if "._" not in name}
    assert len(docstrings) > 100
    assert [name for name in templcrawl.__all__ if not docstrings[name]] == []
    left = {
        name: line
        for name, docstring in docstrings.items()
        for block in as_markdown(docstring or "").split("\n\n")
        if not block.startswith(("```", "    "))
        for line in block.split("\n")
        if re.match(r"\w+ {2,}\w", line) or ":`" in line.partition("- `")[0]
    }
    assert left == {}


@pytest.mark.parametrize(
    ("docstring", "markdown"),
    [
        (
            "Make it.\n\nsplit, cut  where it is cut,\n            or not\nlast  the end\nRaises KeyError.",
            "Make it.\n\n- `split`, `cut`: where it is cut, or not\n- `last`: the end\n\nRaises KeyError.",
        ),
        ("Read once.  Written twice.", "Read once.  Written twice."),
        ("A.\n\n>>> 1\n1", "A.\n\n```pycon\n>>> 1\n1\n```"),
        ("A.\n\n::\n\n    b  c\n\nD.", "A.\n\n    b  c\n\nD."),
    ],
)
def test_columns_are_lists_and_examples_are_code(docstring: str, markdown: str) -> None:
    assert as_markdown(docstring) == markdown
    assert folded("How", "A.\n\nb  c") == '??? note "How"\n\n    A.\n\n    - `b`: c'

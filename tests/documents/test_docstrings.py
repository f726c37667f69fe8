"""Docstrings as Markdown: columns become lists, doctests code, and no word is lost."""

from __future__ import annotations

import doctest
import re
from importlib import import_module
from inspect import getdoc, getmembers, isclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

import templcrawl
from docs.build.docstrings import as_markdown, folded

pytestmark = pytest.mark.exhaustive


def documented() -> dict[str, str]:
    """Return the public names, and those of their own members, with their docstrings."""
    things = {name: getattr(templcrawl, name) for name in templcrawl.__all__}
    members = {
        f"{name}.{member}": value
        for name, thing in things.items()
        if isclass(thing)
        for member, value in getmembers(thing)
        if not member.startswith("_") and member in vars(thing) and getdoc(value) is not None
    }
    return {name: getdoc(thing) or "" for name, thing in {**things, **members}.items()}


@pytest.mark.parametrize("module", ["docstrings", "commands", "command_lines", "figures"])
def test_the_examples_of_the_modules_are_true(module: str) -> None:
    failed, tried = doctest.testmod(import_module(f"docs.build.{module}"))
    assert (failed, tried > 0) == (0, True)


def test_every_public_name_says_what_it_is_and_no_columns_are_left() -> None:
    docstrings = documented()
    assert len(docstrings) > 100
    assert [name for name, docstring in docstrings.items() if not docstring.strip()] == []
    left = {
        name: line
        for name, docstring in docstrings.items()
        for block in as_markdown(docstring).split("\n\n")
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


def test_what_is_folded_is_indented_and_nothing_else() -> None:
    assert folded("How", "A.\n\nb  c") == '??? note "How"\n\n    A.\n\n    - `b`: c'


@given(
    st.lists(
        st.tuples(st.from_regex(r"[a-z]{1,9}", fullmatch=True), st.sampled_from(["a b", "x. y", "z, 1"]))
    )
)
def test_no_word_is_lost(rows: list[tuple[str, str]]) -> None:
    docstring = "\n".join(f"{name:<9}  {meaning}" for name, meaning in rows)
    written = re.findall(r"[a-z0-9]+", as_markdown(docstring))
    assert written == re.findall(r"[a-z0-9]+", docstring)

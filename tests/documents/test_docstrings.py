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

MODULES = ("docstrings", "commands", "command_lines")


def documented() -> list[tuple[str, str]]:
    """Return the public names, those of their members too, with their docstrings."""
    things = []
    for name in templcrawl.__all__:
        thing = getattr(templcrawl, name)
        things.append((name, thing))
        if isclass(thing):
            own = [
                pair for pair in getmembers(thing) if not pair[0].startswith("_") and pair[0] in vars(thing)
            ]
            things += [(f"{name}.{member}", value) for member, value in own if getdoc(value) is not None]
    return [(name, getdoc(thing) or "") for name, thing in things]


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_the_modules_are_true(module: str) -> None:
    failed, tried = doctest.testmod(import_module(f"docs.build.{module}"))
    assert (failed, tried > 0) == (0, True)


def test_every_public_name_says_what_it_is() -> None:
    assert [name for name, docstring in documented() if not docstring.strip()] == []
    assert len(documented()) > 100


def test_no_columns_are_left_in_a_public_docstring() -> None:
    left = {
        name: line
        for name, docstring in documented()
        for block in as_markdown(docstring).split("\n\n")
        if not block.startswith(("```", "    "))
        for line in block.split("\n")
        if re.match(r"\w+ {2,}\w", line) or ":`" in line.partition("- `")[0]
    }
    assert left == {}


def test_columns_with_a_sentence_after_them() -> None:
    docstring = (
        "Make it.\n\nsplit, cut  where it is cut,\n            or not\nlast  the end\nRaises KeyError."
    )
    assert as_markdown(docstring) == (
        "Make it.\n\n- `split`, `cut`: where it is cut, or not\n- `last`: the end\n\nRaises KeyError."
    )


def test_two_spaces_within_a_sentence_make_no_columns() -> None:
    sentence = "Read once.  Written twice."
    assert as_markdown(sentence) == sentence


def test_a_doctest_and_a_literal_block_are_code() -> None:
    assert as_markdown("A.\n\n>>> 1\n1") == "A.\n\n```pycon\n>>> 1\n1\n```"
    assert as_markdown("A.\n\n::\n\n    b  c\n\nD.") == "A.\n\n    b  c\n\nD."


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

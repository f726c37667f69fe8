"""The suite itself: its examples are the same everywhere, every test is run, and what stays open is seen."""

from __future__ import annotations

import asyncio
import re
import socket
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import still_open
from tests.scrapy_processes import ROOT

CONTINUOUS = [*ROOT.glob(".ci/run"), *ROOT.glob(".github/workflows/*.yml")]
MOST = min(60, settings().max_examples)
TRIED: list[int] = []
PARTS = [
    '"not exhaustive and not long" --hypothesis-profile quick',
    '"(exhaustive or hypothesis) and not long"',
]
LONG = ['"long and not hypothesis"', "hypothesis --hypothesis-profile fuzz"]


def parts_run_by(*targets: str) -> list[str]:
    """Return the parts of the tests that make would run."""
    made = subprocess.run(["make", "-n", *targets], cwd=ROOT, capture_output=True, text=True, check=True)
    return re.findall(r"pytest .* -m ((?:\"[^\"]*\"|\w+)(?: --hypothesis-profile \w+)?)", made.stdout)


def test_every_run_has_the_same_examples_and_no_deadline() -> None:
    quick, suite, fuzz = map(settings.get_profile, ("quick", "suite", "fuzz"))
    assert (quick.derandomize, suite.derandomize, fuzz.derandomize) == (True, True, False)
    for profile in (quick, suite, fuzz):
        assert profile.deadline is None
        assert profile.database is None
        assert profile.print_blob
    assert fuzz.max_examples > suite.max_examples > quick.max_examples


@given(st.integers())
@settings(max_examples=60)
def test_in_make_test_no_property_tries_more_examples_than_its_profile(number: int) -> None:
    TRIED.append(number)
    assert len(TRIED) <= MOST


def test_make_check_runs_both_parts_and_make_test_the_first() -> None:
    assert parts_run_by("test") == PARTS[:1]
    assert parts_run_by("check") == PARTS


@pytest.mark.parametrize("file", CONTINUOUS, ids=lambda file: file.name)
def test_continuous_integration_runs_both_parts(file: Path) -> None:
    commands = re.findall(r"^[^#\n]*\bmake ([a-z -]*[a-z])", file.read_text(encoding="utf-8"), re.MULTILINE)
    parts = parts_run_by(*" ".join(commands).split())
    assert set(PARTS) <= set(parts) <= {*PARTS, *LONG}


def test_the_longest_tests_are_run_by_make_fuzz_which_a_workflow_runs() -> None:
    assert parts_run_by("fuzz") == LONG
    assert any("make fuzz" in file.read_text(encoding="utf-8") for file in CONTINUOUS)


def test_a_loop_and_a_socket_that_are_open_are_seen() -> None:
    before = len(still_open())
    loop, end = asyncio.new_event_loop(), socket.socket()
    assert repr(loop) in still_open()
    assert repr(end) in still_open()
    loop.close()
    end.close()
    assert len(still_open()) == before

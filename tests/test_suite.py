"""The suite itself: its examples are the same everywhere, and what stays open is seen."""

from __future__ import annotations

import asyncio
import socket

from hypothesis import settings

from tests.conftest import still_open


def test_every_run_has_the_same_examples_and_no_deadline() -> None:
    suite, fuzz = settings.get_profile("suite"), settings.get_profile("fuzz")
    assert (suite.derandomize, fuzz.derandomize) == (True, False)
    for profile in (suite, fuzz):
        assert profile.deadline is None
        assert profile.database is None
        assert profile.print_blob
    assert fuzz.max_examples > suite.max_examples


def test_a_loop_and_a_socket_that_are_open_are_seen() -> None:
    before = len(still_open())
    loop, end = asyncio.new_event_loop(), socket.socket()
    assert repr(loop) in still_open()
    assert repr(end) in still_open()
    loop.close()
    end.close()
    assert len(still_open()) == before

"""A new site starts slowly and never stalls."""

from __future__ import annotations

from templcrawl.memory.slow_start import SlowStart


def test_until_enough_has_come_back_one_request_is_in_flight() -> None:
    start = SlowStart(2)
    assert [start.holds("a", active) for active in (0, 1, 5)] == [False, True, True]
    start.finish("a")
    assert start.holds("a", 1)
    start.finish("a")
    assert not start.holds("a", 16)
    assert start.holds("b", 1)


def test_with_nothing_in_flight_the_next_may_always_go() -> None:
    assert not SlowStart(10).holds("a", 0)


def test_zero_pages_switches_it_off() -> None:
    start = SlowStart(0)
    start.finish("a")
    assert not start.holds("a", 99)

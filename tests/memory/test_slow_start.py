"""A new site starts slowly and never stalls."""

from __future__ import annotations

from templcrawl.memory.slow_start import SlowStart


def test_until_a_template_has_enough_pages_two_requests_are_in_flight() -> None:
    start = SlowStart(3)
    assert [start.holds("a", active) for active in (0, 1, 2, 5)] == [False, False, True, True]
    start.finish("a", 1)
    start.finish("a", 2)
    assert start.holds("a", 2)
    start.finish("a", 3)
    assert not start.holds("a", 16)
    assert start.holds("b", 2)


def test_a_site_without_two_pages_alike_is_waited_for_three_times_as_long() -> None:
    start = SlowStart(2)
    for _ in range(5):
        start.finish("a", 1)
    assert start.is_on("a")
    start.finish("a")
    assert not start.is_on("a")


def test_with_nothing_in_flight_the_next_may_always_go() -> None:
    assert not SlowStart(10).holds("a", 0)


def test_zero_pages_switches_it_off() -> None:
    start = SlowStart(0)
    start.finish("a")
    assert not start.holds("a", 99)

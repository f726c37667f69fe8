"""A new site starts slowly and never stalls."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from templcrawl.crawl.slow_start import SlowStart


class Flight:
    """Requests in flight, as a crawl would start and end them."""

    def __init__(self, start: SlowStart) -> None:
        self.start = start
        self.active: list[tuple[str, int]] = []
        self.number = 0

    def begin(self, slot: str) -> None:
        self.number += 1
        self.active.append((slot, self.number))
        self.start.begin(slot, self.active[-1])

    def finish(self, pages_alike: int | None) -> None:
        request = self.active.pop(0)
        self.start.finish(request[0], request, pages_alike)

    def answer(self, slot: str, pages_alike: int | None) -> None:
        self.begin(slot)
        self.finish(pages_alike)

    @property
    def held(self) -> set[str]:
        return self.start.held(self.active)


def test_until_a_template_has_enough_pages_two_requests_are_in_flight() -> None:
    flight = Flight(SlowStart(3))
    flight.begin("a")
    assert not flight.held
    flight.begin("a")
    assert flight.held == {"a"}
    flight.finish(1)
    assert not flight.held
    flight.begin("a")
    assert flight.held == {"a"}
    flight.finish(3)
    flight.begin("a")
    flight.begin("b")
    flight.begin("b")
    assert flight.held == {"b"}


def test_a_site_without_two_pages_alike_is_waited_for_three_times_as_long() -> None:
    flight = Flight(SlowStart(2))
    for _ in range(5):
        flight.answer("a", 1)
    flight.begin("a")
    flight.begin("a")
    assert flight.held == {"a"}
    flight.finish(1)
    flight.begin("a")
    assert not flight.held


def test_a_host_whose_first_answers_are_no_pages_is_not_waited_for() -> None:
    flight = Flight(SlowStart(10))
    flight.answer("api", None)
    flight.answer("api", None)
    flight.answer("site", 1)
    for _ in range(9):
        flight.answer("site", None)
    for slot in ("api", "api", "site", "site"):
        flight.begin(slot)
    assert flight.held == {"site"}


def test_a_host_is_waited_for_whose_first_answer_alone_is_no_page() -> None:
    flight = Flight(SlowStart(10))
    flight.answer("site", None)
    for _ in range(2):
        flight.begin("site")
    assert flight.held == {"site"}
    flight.answer("site", None)
    assert not flight.held


def test_it_ends_after_so_many_seconds() -> None:
    now = [100.0]
    flight = Flight(SlowStart(10, seconds=30, clock=lambda: now[0]))
    flight.begin("a")
    flight.begin("a")
    now[0] += 29
    assert flight.held == {"a"}
    now[0] += 1
    assert not flight.held


def test_a_request_that_ended_without_a_word_is_in_flight_no_longer() -> None:
    flight = Flight(SlowStart(10))
    flight.begin("a")
    flight.begin("a")
    flight.active.pop()
    assert not flight.held


def test_zero_pages_switches_it_off() -> None:
    flight = Flight(SlowStart(0))
    for _ in range(9):
        flight.begin("a")
    assert not flight.held


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans())))
def test_while_nothing_is_known_a_slot_is_held_that_has_two_requests_in_flight(
    steps: list[tuple[str, bool]],
) -> None:
    flight = Flight(SlowStart(1_000))
    for slot, is_begun in steps:
        if is_begun and slot not in flight.held:
            flight.begin(slot)
        elif flight.active:
            flight.finish(1)
        in_flight = Counter(active for active, _ in flight.active)
        assert flight.held == {active for active, number in in_flight.items() if number == 2}

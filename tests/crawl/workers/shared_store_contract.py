"""What every store does that workers share; a new store inherits these tests."""

from __future__ import annotations

from abc import ABC, abstractmethod

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from templcrawl.crawl.workers import MOST_BYTES, MOST_STATES, SharedStore
from tests.memory import stores

HOST = "example.org"


def state(number: int) -> bytes:
    return stores.state(number=number)


def polled(store: SharedStore, host: str = HOST) -> list[bytes] | None:
    """Return the states of the other workers in a fixed order, None if they are the same as before."""
    states = store.poll(host)
    return None if states is None else sorted(states)


pushes = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["a.org", "b.org"]), st.integers(0, 9)))


class SharedStoreContract(ABC):
    """Tests of a store, each with a store of its own that is empty."""

    @abstractmethod
    def open_store(self, worker: str) -> SharedStore:
        """Return the store as a worker has it."""

    @abstractmethod
    def lose_all(self) -> None:
        """Let the store lose all that was pushed."""

    def test_a_worker_polls_the_states_of_the_others_once_they_are_new(self) -> None:
        a, b, c = map(self.open_store, "abc")
        assert polled(a) is None
        a.push(HOST, state(1))
        b.push(HOST, state(2))
        assert polled(c) == sorted([state(1), state(2)])
        assert polled(c) is None
        assert polled(a) == [state(2)]
        b.push(HOST, state(3))
        assert (polled(a), polled(a)) == ([state(3)], None)
        assert polled(a, "other.org") is None
        a.invalidate(HOST)
        assert polled(a) == [state(3)]

    def test_a_worker_s_push_takes_the_place_of_its_own_state_and_of_no_other(self) -> None:
        a, b, c = map(self.open_store, "abc")
        for number, store in enumerate((a, b, a, b, b)):
            store.push(HOST, state(number))
        assert polled(c) == sorted([state(2), state(4)])

    @settings(suppress_health_check=[HealthCheck.differing_executors], max_examples=20, deadline=None)
    @given(pushes)
    def test_it_is_as_a_dict_for_each_worker_and_host(self, steps: list[tuple[str, str, int]]) -> None:
        self.lose_all()
        stores, model = {worker: self.open_store(worker) for worker in "abc"}, dict[tuple[str, str], bytes]()
        for worker, host, number in steps:
            stores[worker].push(host, state(number))
            model[worker, host] = state(number)
        reader = self.open_store("reader")
        for host in ("a.org", "b.org"):
            expected = sorted(pushed for (_, of_host), pushed in model.items() if of_host == host)
            assert (polled(reader, host) or []) == expected

    def test_the_first_salt_is_that_of_all_and_a_loss_is_told_by_the_generation(self) -> None:
        a, b = map(self.open_store, "ab")
        salt, generation = a.negotiate(7)
        assert salt == 7
        assert (b.negotiate(8), a.negotiate(9)) == ((7, generation), (7, generation))
        a.push(HOST, state(1))
        assert polled(b) == [state(1)]
        self.lose_all()
        assert polled(b) == []
        salt, later = b.negotiate(8)
        assert (salt, a.negotiate(7)) == (8, (8, later))
        assert later != generation

    def test_of_too_many_states_those_that_were_pushed_last_remain(self) -> None:
        for number in range(MOST_STATES + 3):
            self.open_store(f"worker {number}").push(HOST, state(number))
        reader = self.open_store("reader")
        assert polled(reader) == sorted(map(state, range(3, MOST_STATES + 3)))
        assert polled(reader) is None

    def test_a_state_that_is_too_large_is_counted_and_the_earlier_one_stays(self) -> None:
        a, b = map(self.open_store, "ab")
        a.push(HOST, state(1))
        a.push(HOST, b"x" * (MOST_BYTES + 1))
        assert (a.refused, a.pushed_bytes, polled(b)) == (1, len(state(1)), [state(1)])

    def test_what_it_costs_is_counted(self) -> None:
        a, b = map(self.open_store, "ab")
        a.push(HOST, state(1))
        polled(b)
        assert min(a.commands, b.commands) > 0 == a.unreadable == b.unreadable
        a.close()

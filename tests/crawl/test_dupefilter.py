"""The dupefilter of a job answers as Scrapy's does, and keeps what it has let in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request
from scrapy.dupefilters import RFPDupeFilter

from templcrawl.crawl.dupefilter import FingerprintSet, JobDupeFilter
from tests.crawl.test_priority_queue import Jobs, errors_of, fail, jobs, queue_of
from tests.crawl.test_taken_requests import OURS

__all__ = ["jobs"]

RANDOM = st.binary(min_size=20, max_size=20)
OVERLAPPING = st.lists(st.sampled_from([b"\0", b"\1"]), min_size=20, max_size=20).map(b"".join)
"""Of two bytes: what stands across the border of two of them is often another one."""

OTHERS = st.binary(max_size=40)


@given(st.lists(st.one_of(RANDOM, OVERLAPPING, OTHERS), max_size=200))
def test_a_set_of_fingerprints_is_a_set(fingerprints: list[bytes]) -> None:
    ours, known = FingerprintSet(), set[bytes]()
    for fingerprint in fingerprints:
        assert ours.add(fingerprint) == (fingerprint not in known)
        known.add(fingerprint)
        assert not ours.add(fingerprint)


def test_a_fingerprint_that_lies_across_two_others_is_new() -> None:
    """Each way to cut 18 bytes out of two rests of the same first two bytes."""
    one, two = bytes(range(20)), b"\0\1" + bytes(range(100, 118))
    seen = FingerprintSet()
    assert (seen.add(one), seen.add(two)) == (True, True)
    for first in range(1, 18):
        across = one[:2] + one[2 + first :] + two[2 : 2 + first]
        assert (seen.add(across), seen.add(across)) == (True, False)


def answers(of: Any, urls: list[str]) -> list[bool]:
    return [of.request_seen(Request(url)) for url in urls]


URLS = [f"http://a.example/{number % 7}?{'ab'[number % 2]}" for number in range(40)]


def test_it_answers_as_scrapys_does_and_goes_on_with_what_was_written(jobs: Jobs) -> None:
    queue = jobs.open(**OURS)
    ours = JobDupeFilter.from_crawler(queue.crawler)
    scrapys = RFPDupeFilter(fingerprinter=queue.crawler.request_fingerprinter)
    assert isinstance(ours, JobDupeFilter)
    assert answers(ours, URLS) == answers(scrapys, URLS)
    request = Request("http://a.example/written")
    assert not ours.request_seen(request)
    queue.push(request)
    unwritten = Request("http://a.example/never-written")
    assert not ours.request_seen(unwritten)
    again = JobDupeFilter.from_crawler(jobs.open(**OURS).crawler)
    assert answers(again, [request.url, unwritten.url, unwritten.url]) == [True, False, True]


def test_what_is_let_in_is_written_with_its_request_alone(jobs: Jobs) -> None:
    """A request that passes by the filter has no fingerprint, whatever was let in before it."""
    queue = jobs.open(**OURS)
    ours = JobDupeFilter.from_crawler(queue.crawler)
    let_in, passing = Request("http://a.example/1"), Request("http://a.example/2", dont_filter=True)
    assert not ours.request_seen(let_in)
    queue.push(passing)
    queue.push(let_in)
    again = JobDupeFilter.from_crawler(jobs.open(**OURS).crawler)
    assert answers(again, [let_in.url, passing.url]) == [True, False]


def test_without_a_job_or_our_queue_it_is_scrapys(tmp_path: Path) -> None:
    for settings in (OURS, {"SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue"}):
        queue = queue_of(**settings)
        found = JobDupeFilter.from_crawler(queue.crawler)
        assert type(found) is RFPDupeFilter
        assert answers(found, URLS[:3]) == [False, False, False]


@pytest.mark.parametrize("fails", ["__init__", "add"])
def test_where_it_fails_scrapys_own_answers(fails: str, jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    queue = jobs.open(**OURS)
    monkeypatch.setattr(FingerprintSet, fails, fail)
    ours = JobDupeFilter.from_crawler(queue.crawler)
    scrapys = RFPDupeFilter(fingerprinter=queue.crawler.request_fingerprinter)
    assert answers(ours, URLS) == answers(scrapys, URLS)
    assert errors_of(queue)

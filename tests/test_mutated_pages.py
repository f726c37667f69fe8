"""Whatever a page is, it is judged: nothing fails, nothing of it is lost, and every process says the same.

``FUZZ_PAGES`` in the environment says how many damaged pages each detector is given, ``FUZZ_SEED`` which.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lab.sites.mutated import damaged_pages
from templcrawl import CrawlMemory, Page
from templcrawl.memory.detectors import ARRIVING
from templcrawl.page import kernel
from templcrawl.page.separation import Separation
from tests.memory.invariants import check
from tests.parts import exhaustive_but

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.usefixtures("reader")
COUNT = int(os.environ.get("FUZZ_PAGES", "250"))
SEED = os.environ.get("FUZZ_SEED", "0")


def observed(detector: str, count: int, seed: str) -> str:
    """Let a memory observe damaged pages; return a digest of all that it said."""
    memory = CrawlMemory(detector=detector, sample_salt=0, link_evidence=True)
    said = hashlib.sha256()
    for number, html in enumerate(damaged_pages(count, seed)):
        page = Page(html, f"https://damaged.example/{number % 9}/{number}")
        separation = memory.observe(page)
        assert_whole(separation)
        answers = (separation.content_spans, separation.leaf_id, separation.content_text)
        said.update(
            repr((*answers, separation.content_html, separation.link_pages)).encode("utf-8", "replace")
        )
        if number % 100 == 99:
            check(memory)
    check(memory)
    return said.hexdigest()


def assert_whole(separation: Separation) -> None:
    """Content and template partition the page's tokens, and its visible text."""
    end = 0
    for start, stop in separation.content_spans:
        assert end <= start < stop
        end = stop
    assert end <= len(separation.page.tokens)
    kept, whole = separation.text_lengths
    assert 0 <= kept <= whole <= len(separation.page.text)
    content = len("".join(separation.content_text.split()))
    template = len("".join(separation.template_text.split()))
    everything = Separation(separation.page, [(0, len(separation.page.tokens))]).content_text
    assert content + template == len("".join(everything.split()))


@pytest.mark.parametrize("detector", exhaustive_but(["vote"], sorted(ARRIVING)))
def test_damaged_pages_are_judged_and_nothing_is_lost(detector: str) -> None:
    assert observed(detector, COUNT, f"{SEED} {detector}")


@pytest.mark.exhaustive
def test_two_processes_say_the_same_of_damaged_pages() -> None:
    code = "from tests.test_mutated_pages import observed; print(observed('vote', 120, 'twice'))"
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed, kernel.SETTING: kernel.default()},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1

"""What the kernel works out for the algorithms is what Python works out: votes, contents, fingerprints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.sites.mutated import damaged_pages
from templcrawl.algorithms.extraction.type_furniture import (
    MANY_OF_TYPE,
    MIN_OF_TYPE,
    remove_type_furniture,
)
from templcrawl.algorithms.extraction.vote import vote_spans
from templcrawl.algorithms.page_types.fingerprint import page_fingerprint, template_fingerprint
from templcrawl.algorithms.similarity.near_duplicates import Content, content_of
from templcrawl.memory.detectors.page_sample import PageSample
from templcrawl.memory.detectors.sample_vote import Verdict, encode_query, verdict_on
from templcrawl.page import kernel
from templcrawl.page.arrays import Keys
from templcrawl.page.kernel_columns import Task
from templcrawl.page.native_page import NativePage
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation, labelled_spans
from templcrawl.page.tokens import Limits
from tests.page.test_kernel import CAPS, COUNT, PAGES, SEED
from tests.page_readers import WHOLE, by_both, needs_kernel
from tests.strategies import mask_of, noises, spans_of

OTHER_KEYS = np.array([0, 1 << 62, (1 << 64) - 1], dtype=np.uint64)
SHARES = [0.0, 1 / 16, 1 / 3, 0.49, 0.5, 0.75, 0.8, 15 / 16, 0.95, 1.0]
MARKS = """
<nav>¦</nav>¦<header>¦</header>¦<article>¦</article>¦<div class=navbar>¦<div>¦</div>¦</div>¦<p>¦<ul>¦<li>
</ul>¦<table>¦<td>¦</table>¦<div role=alert>¦<a href=/x>¦<a href=/y?z=1>¦</a>¦</a>¦<h1>¦</h1>
<title>tea cup</title>¦<p>
""".replace("\n", "¦").split("¦")


def _words(count: int, kinds: int) -> str:
    return " ".join(f"tea{number % kinds}" for number in range(count))


READABLE = st.lists(
    st.sampled_from(MARKS) | st.builds(_words, st.integers(1, 90), st.integers(1, 600)), max_size=60
).map("".join)
"""Pages of enough words to be voted on, with all that tells template from content."""


@pytest.fixture
def refused() -> Iterator[dict[str, int]]:
    """Return how often the kernel refused each call before; it does so no more."""
    before = dict(kernel.REFUSED)
    yield before
    assert dict(kernel.REFUSED) == before


def shares_of(page: Page, seed: int, pages: int) -> Any:
    """Return shares of a page's runs; in stretches, as the runs of a template are."""
    chance = Random(seed)
    shares: list[float] = []
    while len(shares) < len(page.text_runs):
        shares += [chance.choice(SHARES) if pages else 0.0] * chance.randint(1, 6)
    return np.array(shares[: len(page.text_runs)])


def plain(content: Content) -> list[object]:
    """Return a content with nothing in it but numbers."""
    near = content.sketch
    sketch = None if near is None else (near.minima.tolist(), near.minima.dtype, near.size, near.bands)
    return [content.hash, content.terms, sketch]


def answers(page: Page, noise: bytes, seed: int, pages: int) -> list[object]:
    """Return what the algorithms say of a page."""
    spans = vote_spans(page, shares_of(page, seed, pages), pages)
    kept = spans_of(mask_of(noise, len(page.tokens)))
    contents = [plain(content_of(Separation(page, kept))), plain(content_of(Separation(page, spans)))]
    return [spans, page_fingerprint(page), *contents]


def assert_equal(html: str, limits: Limits, noise: bytes, seed: int, pages: int) -> None:
    answered = by_both(lambda page: answers(page, noise, seed, pages), html, limits=limits)
    assert answered[1] == template_fingerprint(html, limits)


def judged(html: str, sample: PageSample, like: Sequence[Keys] = (), without: int = 0) -> Verdict:
    """Return what both readers make of a page beside a sample, and beside outsiders that are like it."""
    return by_both(lambda page: verdict_on(page, sample, like, without), html, "")


@needs_kernel
@settings(max_examples=300)
@given(PAGES, st.sampled_from(CAPS), noises, st.integers(), st.integers(0, 16))
def test_both_readers_judge_any_page_alike(
    html: str, limits: Limits, noise: bytes, seed: int, pages: int
) -> None:
    assert_equal(html, limits, noise, seed, pages)


@needs_kernel
@settings(max_examples=600)
@given(READABLE, noises, st.integers(), st.integers(0, 16))
@pytest.mark.usefixtures("refused")
def test_both_readers_judge_readable_pages_alike(html: str, noise: bytes, seed: int, pages: int) -> None:
    assert_equal(html, WHOLE, noise, seed, pages)


@needs_kernel
def test_both_readers_judge_damaged_pages_alike() -> None:
    chance = Random(SEED)
    for html in damaged_pages(COUNT // 4, f"{SEED} answers"):
        assert_equal(html, WHOLE, chance.randbytes(24), chance.getrandbits(30), chance.randint(0, 16))


@needs_kernel
@settings(max_examples=300)
@given(
    st.lists(st.tuples(READABLE, st.booleans()), min_size=1, max_size=8),
    st.integers(1, 31),
    st.integers(0, 2**64 - 1),
)
@pytest.mark.usefixtures("refused")
def test_both_readers_count_the_votes_of_a_sample_alike(
    pages: list[tuple[str, bool]], size: int, salt: int
) -> None:
    sample, before = PageSample(size=size, salt=salt), 0
    like: list[Keys] = []
    for html, is_stale in (*pages, pages[0]):
        judged(html, sample, like, before)
        sampled = judged(html, sample, (), before).sampled
        sample.offer(sampled.hash, sampled.keys, is_stale=is_stale)
        like.append(sampled.keys)
        before = sampled.hash


@needs_kernel
def test_both_readers_see_strangers_outsiders_and_menus_alike(refused: dict[str, int]) -> None:
    menu = "".join(f"<li><a href=/{n}>tea {n}</a>" for n in range(9))
    pages = [f"<p>one<p>two<p>three<p>four<p>five{menu}<p>cup {n}" for n in range(5)]
    pages += [f"<p>one<p>two<p>three<p>four<p>five<p>pot {n}" for n in range(9)]
    sample = PageSample(size=16)
    for html in (*pages, "<p>coffee<p>milk"):
        sampled = judged(html, sample).sampled
        sample.offer(sampled.hash, sampled.keys)
    found = judged(pages[0], sample)
    assert found.pages == 13
    assert found.shares[5] == 4 / 5
    assert not found.is_outsider
    outsider = "".join(f"<p>milk {n}" for n in range(20))
    assert judged(outsider, sample).is_outsider


@needs_kernel
@pytest.mark.parametrize("runs", [0, 1, 16, 17, 128, 129, 400])
@pytest.mark.parametrize("salt", [0, 2**64 - 5])
def test_both_readers_hash_a_page_of_any_length_alike(runs: int, salt: int, refused: dict[str, int]) -> None:
    html = "".join(f"<p>tea {number}" for number in range(runs))
    judged(html, PageSample(size=4, salt=salt))


@needs_kernel
@pytest.mark.parametrize("words", [0, 1, 65, 66, 67, 5_000])
@pytest.mark.parametrize("kinds", [1, 10_000])
def test_both_readers_sketch_contents_of_any_length_alike(
    words: int, kinds: int, refused: dict[str, int]
) -> None:
    assert_equal(f"<p>{_words(words, kinds)}", WHOLE, b"\1", 0, 0)


@needs_kernel
def test_a_page_that_python_has_read_is_judged_by_python_and_counted_once(refused: dict[str, int]) -> None:
    assert_equal(f"<p>a<b\u0130>{_words(90, 90)}", WHOLE, b"\1\0", 0, 8)
    assert kernel.REFUSED["read"] == refused.get("read", 0) + 1
    refused["read"] = kernel.REFUSED["read"]


@needs_kernel
@pytest.mark.parametrize("task", [Task.VERDICT, Task.CONTENT])
def test_what_the_kernel_refuses_python_answers(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    html = f"<title>Cup</title><h1>Cup</h1><ul><li>{_words(7, 7)}<li>a</ul><p>{_words(90, 90)}"
    expected = answers(Page(html, "", Limits(kernel="off")), b"\1\0\1", 7, 9)
    before = kernel.REFUSED[task.name.lower()]
    run_task = NativePage.run_task

    def cut_short(columns: NativePage, wanted: Task, first: bytes, *rest: Any, **named: Any) -> bytes | None:
        return run_task(columns, wanted, first[: -8 if wanted == task else None], *rest, **named)

    monkeypatch.setattr(NativePage, "run_task", cut_short)
    assert answers(Page(html, "", Limits(kernel="on")), b"\1\0\1", 7, 9) == expected
    assert kernel.REFUSED[task.name.lower()] > before


@needs_kernel
def test_a_damaged_table_is_refused() -> None:
    page = Page(f"<p>{_words(90, 90)}", "", Limits(kernel="on"))
    asked, table = kernel.kernel_of("on"), page.native.table.content
    text, mask = page.text.encode(), b"\1" * len(page.tokens)
    query = encode_query(page, PageSample(size=4))
    assert asked is not None
    assert table is not None
    assert asked.run_task(Task.CONTENT, text, table, mask) is not None
    assert asked.run_task(Task.CONTENT, text, table, mask[1:]) is None
    assert asked.run_task(Task.CONTENT, text, table, b"") is None
    for size in range(0, len(table), 8):
        table = table[:size] + b"\xff" * 8 + table[size + 8 :]
        asked.run_task(Task.CONTENT, text, table, mask)
        asked.run_task(Task.VERDICT, text, table, *query)


@needs_kernel
@given(READABLE | PAGES, st.integers(0, 2**32), st.sampled_from((2, MIN_OF_TYPE, MANY_OF_TYPE)))
def test_both_readers_leave_the_same_of_what_a_page_type_repeats(html: str, seed: int, pages: int) -> None:
    def left(page: Page) -> tuple[object, ...]:
        chance, runs = np.random.default_rng(seed), len(page.text_runs)
        every = np.concatenate((page.text_runs.keys, page.rows.keys))
        keys = np.unique(np.concatenate((every, page.text_runs.hidden_in_sight)))
        common = [np.sort(np.append(keys[chance.random(len(keys)) < 0.9], OTHER_KEYS)) for _ in range(pages)]
        of_type = chance.choice([0.0, 0.5, 0.9, 1.0], len(every)), common
        of_site = chance.choice([0.0, 1.0], runs)
        spans = labelled_spans(page.tokens, chance.random(len(page.tokens)) < 0.8)
        separation = Separation(page, spans, run_shares=of_site, voters=4)
        return tuple(
            (left.content_spans, left.run_shares, left.content_mask, left.running_words, left.lost_words)
            for left in (remove_type_furniture(separation, votes, pages) for votes in of_type)
        )

    by_both(left, html)

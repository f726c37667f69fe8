"""What the benchmark of template poisoning measures."""

from __future__ import annotations

import pytest

from lab.bench import poisoning
from lab.bench.poisoning import LEFT, attack, attackers_pages, paragraphs
from templcrawl.memory.detectors.page_sample import PageSample

pytestmark = pytest.mark.exhaustive


@pytest.fixture(autouse=True)
def _a_small_site(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(poisoning, "PAGES", 40)
    monkeypatch.setattr(poisoning, "VARIANTS", 300)


def test_who_knows_the_salt_needs_a_sample_of_pages_and_who_does_not_needs_most_of_them() -> None:
    """Sixteen of 40 pages: with the salt all of the sample, without it some six of its pages."""
    (least, _) = LEFT
    assert attack(0, salt=1, believed=1, left=least).lost == 0
    assert attack(17, salt=1, believed=1, left=least).lost == 7 / 8
    assert attack(17, salt=1, believed=2, left=least).lost == 0
    assert attack(38, salt=1, believed=2, left=least).lost == 7 / 8


def test_the_best_of_the_variants_is_published() -> None:
    others = [paragraphs(number) for number in range(3)]
    pages = attackers_pages(2, others, 5, 1)
    sample = PageSample(size=1, salt=5)
    assert all(sample.read(page.text_runs.keys).hash < 2**64 * 0.05 for page in pages)
    assert all(text in pages[0].text for texts in others for text in texts[:-1])
    assert not any(texts[-1] in pages[0].text for texts in others)

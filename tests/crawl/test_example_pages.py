"""Relevance by example pages."""

from __future__ import annotations

import math
import sys
from collections import Counter, defaultdict
from pathlib import Path
from statistics import median

import pytest

from templcrawl.crawl.relevance import ExampleRelevance
from templcrawl.errors import InvalidOption, MissingExtra
from templcrawl.page.page import Page

WIND = [
    "wind mills turn wind into power and heat",
    "wind turbines and wind power at sea",
    "the power of wind moves mills and sails",
]

OTHERS = ["cheese and the milk of it", "of the making of bread", "tea into the pot and milk"]


def write(folder: Path, texts: list[str]) -> Path:
    folder.mkdir()
    for number, text in enumerate(texts):
        (folder / f"{number}.html").write_text(f"<html><body><p>{text}</p></body></html>")
    return folder


def page(text: str) -> Page:
    return Page.from_html(f"<p>{text}")


def test_without_the_library_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.feature_extraction.text", None)
    with pytest.raises(MissingExtra, match=r"templcrawl\[focus\]"):
        ExampleRelevance(write(tmp_path / "wind", WIND))


def test_pages_like_the_examples_are_relevant_and_others_less(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    like = ExampleRelevance(write(tmp_path / "wind", WIND))
    assert all(like(page(text)) == 1.0 for text in WIND)
    near, far = like(page("wind power is cheap")), like(page("cheese and the making of it"))
    assert 0.3 < near <= 1
    assert 0 < far < near
    assert like(page("")) == like(page("12 34")) == 0.0
    assert like.names("https://x.example/wind-power/")
    assert not like.names("cheese")


def naive(texts: list[str], others: list[str], text: str) -> float:
    """The same by loops over words."""
    bags = [Counter(text.split()) for text in (*texts, *others)]
    weight = {
        word: math.log((1 + len(bags)) / (1 + sum(word in bag for bag in bags))) + 1
        for bag in bags
        for word in bag
    }

    def vector(bag: Counter[str]) -> dict[str, float]:
        unknown = math.log(1 + len(bags)) + 1
        found = {word: (1 + math.log(count)) * weight.get(word, unknown) for word, count in bag.items()}
        length = math.sqrt(sum(value**2 for value in found.values()))
        return {word: value / length for word, value in found.items()}

    def cosine(one: dict[str, float], others: list[dict[str, float]]) -> float:
        total: dict[str, float] = defaultdict(float)
        for other in others:
            for word, value in other.items():
                total[word] += value
        length = math.sqrt(sum(value**2 for value in total.values()))
        return sum(value * total[word] for word, value in one.items()) / length

    vectors = [vector(bag) for bag in bags]
    examples, beside = vectors[: len(texts)], vectors[len(texts) :]
    own = median(cosine(one, [other for other in examples if other is not one]) for one in examples)
    floor = median(cosine(other, examples) for other in beside) if beside else 0.0
    return min(1.0, max(0.0, (cosine(vector(Counter(text.split())), examples) - floor) / (own - floor)))


@pytest.mark.parametrize("others", [[], OTHERS])
@pytest.mark.parametrize("text", ["wind power is cheap", "the sea and the sails", "mills at sea at night"])
def test_the_figure_is_that_of_the_formula(text: str, others: list[str], tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    beside = write(tmp_path / "others", others) if others else None
    like = ExampleRelevance(write(tmp_path / "wind", WIND), beside)
    assert like(page(text)) == pytest.approx(naive(WIND, others, text))


def test_pages_off_the_topic_take_away_what_all_pages_have_in_common(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    examples = write(tmp_path / "wind", WIND)
    alone, beside = ExampleRelevance(examples), ExampleRelevance(examples, write(tmp_path / "others", OTHERS))
    far, near = page("cheese and the making of it"), page("wind power is cheap")
    assert beside(far) == 0.0 < alone(far) < alone(near)
    assert beside(near) > 0.3


@pytest.mark.parametrize(
    "texts", [[], ["wind"], ["wind", "12 34"], ["", ""], ["wind mills", "cheese making"]]
)
def test_too_few_examples_are_refused(texts: list[str], tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    with pytest.raises(InvalidOption, match="2 or more saved pages"):
        ExampleRelevance(write(tmp_path / "few", texts))


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    with pytest.raises(InvalidOption, match=r"folder = .* a folder of saved pages"):
        ExampleRelevance(tmp_path / "missing")

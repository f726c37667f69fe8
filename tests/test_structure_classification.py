"""The experiment "page types, classified": its splits, its scores, its rules, on a handful of pages."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("rich")

from benchmarks.structure.experiments import Kept, classify
from benchmarks.structure.fp import FP
from benchmarks.structure.shape import FOLDS
from benchmarks.structure.structural import STRUCTURAL
from benchmarks.structure.tables import type_table
from benchmarks.structure.type_classes import (
    SETTINGS,
    Trial,
    classify_types,
    left_out_scores,
    score_types,
    splits,
)
from benchmarks.structure.type_trainers import TRAINERS
from sites.generated import generate_demo_site
from templcrawl import Page
from templcrawl.algorithms.page_types.classification import Classification
from templcrawl.algorithms.page_types.structural_classifier import NoneRule

pytestmark = pytest.mark.exhaustive

KINDS = ("article", "chapter", "product")


def said(name: str | None, distance: float, nearest: str) -> tuple[Classification, float | None]:
    return Classification(name, distance, nearest, "y", 0.9), 0.2


def kept(method: str, site: str = "tea.example") -> Kept:
    features = {"page types": STRUCTURAL.features, "FP": FP.features}[method]
    pages = [
        one
        for one in generate_demo_site(seed=site, articles=8, products=8, chapters=8).pages.values()
        if one.kind in KINDS
    ]
    return Kept(site, [features(Page(one.html, "")) for one in pages], [one.kind for one in pages], 0.0)


def test_the_first_pages_of_a_type_are_its_examples() -> None:
    types = ["x", "y", None, "x", "x", "y", "z"]
    every, without_x, without_y = splits(types, 1)
    assert every == (None, [("x", 0), ("y", 1)], [("x", 3), ("x", 4), ("y", 5)])
    assert without_x == ("x", [("y", 1)], [("x", 3), ("x", 4)])
    assert without_y == ("y", [("x", 0)], [("y", 5)])
    assert list(splits(types, 2)) == []


def test_every_page_is_judged_once_by_the_other_folds() -> None:
    types = ["x", "y"] * 15
    found = list(splits(types, FOLDS))
    whole = [split for split in found if split.left_out is None]
    assert sorted(page for split in whole for _, page in split.judged) == list(range(30))
    for split in found:
        assert not set(split.examples) & set(split.judged)
        assert split.left_out not in {name for name, _ in split.examples}
        assert {name for name, _ in split.judged} <= {split.left_out or "x", split.left_out or "y"}


TRIALS = [
    Trial(
        None, ["x", "x", "y", "y"], [said("x", 0.1, "x"), said(None, 0.8, "x"), *[said("y", 0.1, "y")] * 2]
    ),
    Trial("x", ["x", "x"], [said(None, 0.6, "y"), said("y", 0.3, "y")]),
    Trial("y", ["y"], [said(None, 0.9, "x")]),
]


def test_scores_worked_out_by_hand() -> None:
    scores = score_types(TRIALS)
    assert scores == pytest.approx((0.75, 1.0, 0.75, (2 / 3 + 1) / 2, 0.25, 0.75))
    lenient = NoneRule(room=0.65, slope=0, margin=0)
    assert score_types(TRIALS, lenient)[-2:] == pytest.approx((0.25, 0.5))


def test_the_rule_for_a_site_is_chosen_on_the_others() -> None:
    strict, lenient = NoneRule(room=0.5, slope=0, margin=0), NoneRule(room=0.95, slope=0, margin=0, limit=1)
    wants_lenient = [
        Trial(None, ["x", "y"], [said("x", 0.9, "x"), said("y", 0.9, "y")]),
        Trial("x", ["x"], [said(None, 1.0, "y")]),
    ]
    trials = {1: {"one": TRIALS, "other": wants_lenient}}
    assert score_types(wants_lenient, lenient).accuracy == 1
    assert score_types(TRIALS, strict).none_found > score_types(TRIALS, lenient).none_found
    found = left_out_scores(trials, (strict, lenient))[1]
    expected = (score_types(TRIALS, lenient).accuracy + score_types(wants_lenient, strict).accuracy) / 2
    assert found.accuracy == pytest.approx(expected)


@pytest.mark.parametrize("method", ["page types", "FP"])
def test_the_types_of_generated_sites_are_classified(method: str) -> None:
    sites = [kept(method), kept(method, "shop.example")]
    results = classify_types(method, sites)
    assert [one.setting for one in results if "left out" not in one.method] == list(SETTINGS)
    assert all(one.sites == 2 and 0 <= min(one.scores) <= max(one.scores) <= 1 for one in results)
    if method == "page types":
        assert results[0].scores.accuracy > 0.9
        assert [one.setting for one in results if "left out" in one.method] == list(SETTINGS)
    assert type_table(results).row_count == len(results)


def test_ours_classifies_sites_too() -> None:
    result = classify(
        STRUCTURAL, [kept("page types"), Kept("bare", [np.array([1, 2], dtype=np.uint64)] * 12)]
    )
    nearest, each = result.scores
    assert nearest == each
    assert nearest.precision == 1
    assert nearest.recall > 0.9
    assert set(TRAINERS) == {"page types", "FP", "CTSS"}

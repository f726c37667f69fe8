"""The odds of merges, trained and judged on families left out: by hand, and on small sites."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.structure import merge_odds
from benchmarks.structure.logistic import fit
from benchmarks.structure.merge_odds import IN_USE, State, ari_of, examples_of, states_of, train
from benchmarks.structure.typed_sites import TypedSite
from benchmarks.structure.types import PageEvidence
from templcrawl.algorithms.page_types import template_cut
from templcrawl.algorithms.page_types.template_cut import MergeOdds

pytestmark = pytest.mark.exhaustive

# logistic regression


def test_a_regression_worked_out_by_hand() -> None:
    # Two places, so the chances are the weighted means: at 0 (1 * 1 + 3 * 0) / 4, at 2 (2 * .5 + 2 * 1) / 4.
    features = np.array([[0.0], [0.0], [2.0], [2.0]])
    bias, slope = fit(features, np.array([1.0, 0.0, 0.5, 1.0]), np.array([1.0, 3.0, 2.0, 2.0]), c=1e9)
    assert np.exp(bias) == pytest.approx(1 / 3, rel=1e-6)
    assert np.exp(bias + 2 * slope) == pytest.approx(3, rel=1e-6)


def test_separable_examples_have_an_answer_that_strength_bounds() -> None:
    features, targets = np.array([[-1.0], [1.0]]), np.array([0.0, 1.0])
    # By symmetry the bias is 0; s = 1, so 2 (1 - p) = b / C with p = 1 / (1 + e^-b).
    for c in (0.1, 10.0):
        bias, slope = fit(features, targets, np.ones(2), c=c)
        assert bias == pytest.approx(0, abs=1e-9)
        assert 2 * (1 - 1 / (1 + np.exp(-slope))) == pytest.approx(slope / c)


EXAMPLES = st.lists(
    st.tuples(*[st.integers(-8, 8)] * 2, st.sampled_from([0.0, 0.2, 1.0]), st.integers(1, 9)),
    min_size=2,
    max_size=20,
)


@given(EXAMPLES)
def test_no_coefficient_can_be_bettered(examples: list[tuple[int, int, float, int]]) -> None:
    *columns, targets, weights = np.array(examples, dtype=float).T
    targets = np.append(targets, [0.0, 1.0])
    weights, features = np.append(weights, [1.0, 1.0]), np.array([[*column, 0, 0] for column in columns]).T
    bias, *slopes = fit(features, targets, weights)
    wrong = weights * (1 / (1 + np.exp(-bias - features @ slopes)) - targets)
    held = features.var(axis=0) * slopes / 0.1
    assert wrong.sum() == pytest.approx(0, abs=1e-6)
    assert features.T @ wrong + held == pytest.approx(np.zeros(2), abs=1e-6)


def test_a_step_that_goes_too_far_is_halved() -> None:
    features, targets = np.array([[4.0], [-10.0], [24.0], [-1.0]]), np.array([1.0, 1.0, 0.0, 0.0])
    weights = np.array([0.2, 0.8, 10.6, 88.4])
    bias, slope = fit(features, targets, weights, c=1000.0)
    wrong = weights * (1 / (1 + np.exp(-bias - features[:, 0] * slope)) - targets)
    assert wrong.sum() == pytest.approx(0, abs=1e-9)
    assert features[:, 0] @ wrong + features.var() * slope / 1000 == pytest.approx(0, abs=1e-9)


def test_the_unit_of_a_feature_does_not_matter() -> None:
    features, targets = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0.0, 0.5, 0.0, 1.0])
    small, large = (fit(features * unit, targets, np.ones(4)) for unit in (1, 100))
    assert small[0] == pytest.approx(large[0])
    assert small[1] == pytest.approx(large[1] * 100)


# examples, and odds


def _state(types: list[str | None], features: list[list[float]]) -> State:
    """Three leaves of two, one and three pages; the first two merge, then all."""
    pages, merges = np.array([2.0, 1.0, 3.0]), [(0, 1, 0.1), (3, 2, 0.5)]
    return State([0, 0, 1, 2, 2, 2], types, pages, merges, np.array(features))


def test_examples_worked_out_by_hand() -> None:
    state = _state(["a", "b", "a", "a", "c", None], [[1.0], [2.0]])
    features, targets, weights = examples_of(state)
    # First merge: a, b | a. Second: a, b, a | a, c.
    assert features.tolist() == [[1.0], [2.0]]
    assert targets.tolist() == [1 / 2, 2 / 6]
    assert weights.tolist() == [np.sqrt(2), np.sqrt(6)]
    # Nothing is known of the second leaf: only the second merge tells.
    features, targets, weights = examples_of(_state(["a", "a", None, "a", None, None], [[1.0], [2.0]]))
    assert (features.tolist(), targets.tolist(), weights.tolist()) == ([[2.0]], [1.0], [np.sqrt(2)])


def test_odds_are_trained_on_what_they_ask() -> None:
    near, far = [0.1, 0.0, 0.9, 0.2, 0.0, 0.0, 0.0], [0.9, 0.5, 0.1, 0.2, 0.0, 0.0, 0.0]
    state = _state(["a", "a", "a", "b", "b", "b"], [near, far])
    odds = train([[state]] * 30, unasked={"anchors"})
    assert odds.anchors == 0.0
    assert max(odds.structure, odds.structure_switched) < 0
    assert ari_of(state, odds) == 1.0
    assert train([[state]] * 30, unasked=set()).anchors > 0


def test_each_site_weighs_the_same_and_a_large_merge_more(monkeypatch: pytest.MonkeyPatch) -> None:
    told = []

    def fitted(features: Any, targets: Any, weights: Any) -> list[float]:
        told.append((len(targets), weights))
        return [0.0] * (1 + features.shape[1])

    monkeypatch.setattr(merge_odds, "fit", fitted)
    state = _state(["a", "a", "a", "b", "b", "b"], [[0.1] * 7, [0.9] * 7])
    train([[state], [state] * 3], unasked=set())
    ((count, weights),) = told
    assert count == 8
    assert weights[:2].sum() == pytest.approx(weights[2:].sum()) == pytest.approx(4)
    assert weights[1] / weights[0] == pytest.approx(np.sqrt(9 / 2))


def test_the_bias_is_the_one_that_is_best_at_the_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merge_odds, "fit", lambda *examples: [1.0, *[0.0] * 7])
    aris = {0.5: 0.1, 0.75: 0.2, 1.0: 0.6, 1.25: 0.9, 1.5: 0.4}
    monkeypatch.setattr(merge_odds, "ari_of", lambda state, odds: aris[odds.bias] * (len(state.rows) > 5))
    few = State([0, 1], ["a", "b"], np.ones(2), [(0, 1, 0.5)], np.zeros((1, 7)))
    whole = _state(["a", "a", "a", "b", "b", "b"], [[0.1] * 7, [0.9] * 7])
    assert train([[few, whole]], set()).bias == 1.25


def _site(name: str, count: int = 30) -> TypedSite:
    """Pages of two kinds, told apart by structure; every page links to the next two of its own kind."""
    pages = []
    for number in range(count):
        kind = 100 * (number % 2)
        own = [kind + 20 + number % 4, kind + 30 + number % 5]
        structure = np.array(sorted({*range(kind, kind + 8), *own}), np.uint64)
        links = [(number + step, kind + 1) for step in (2, 4) if number + step < count]
        pages.append(PageEvidence(structure, np.array([kind + 5, kind + 6], np.uint64), links))
    types = ["list" if number % 2 else "note" for number in range(count)]
    return TypedSite(name, "third", pages, [b""] * count, types)


def test_the_states_of_a_site_are_those_of_the_memory() -> None:
    states = states_of(_site("wp_tea"))
    assert {name: [len(state.rows) for state in of_site] for name, of_site in states.items()} == {
        name: [25, 30] for name in IN_USE
    }
    both, urls, anchors = (states[name][-1] for name in ("WITH_BOTH", "WITH_URLS", "WITH_ANCHORS"))
    names = MergeOdds._fields[1:]
    for state, nothing in ((urls, ["anchors"]), (anchors, ["urls", "urls_switched"])):
        told = dict(zip(names, state.features.T))
        assert [name for name in ("anchors", "urls", "urls_switched") if not told[name].any()] == nothing
    assert both.features.all(axis=0)[0]
    assert len(both.merges) == len(both.pages) - 1
    assert ari_of(both, template_cut.WITH_BOTH) == 1.0


def test_odds_are_trained_where_the_memory_asks_their_views() -> None:
    site = _site("wp_tea")
    unlinked = site._replace(pages=[page._replace(links=()) for page in site.pages])
    assert {name: len(of_site) for name, of_site in states_of(unlinked).items()} == {
        "WITH_BOTH": 0,
        "WITH_URLS": 2,
        "WITH_ANCHORS": 0,
    }
    assert merge_odds.train_all([states_of(unlinked), states_of(site)]) == {
        "WITH_BOTH": train([states_of(site)["WITH_BOTH"]], set()),
        "WITH_URLS": train([states_of(of_site)["WITH_URLS"] for of_site in (unlinked, site)], {"anchors"}),
        "WITH_ANCHORS": train([states_of(site)["WITH_ANCHORS"]], {"urls", "urls_switched"}),
    }


def test_odds_are_used_and_put_back() -> None:
    site, in_use = _site("wp_tea"), template_cut.WITH_BOTH
    odds = dict.fromkeys(IN_USE, in_use._replace(bias=99.0))
    with merge_odds.using(odds):
        assert template_cut.WITH_URLS.bias == 99.0
    assert template_cut.WITH_BOTH is in_use
    assert merge_odds.judge(site, odds).then.purity == 0.5
    assert merge_odds.judge(site, {name: odds for name, (odds, _) in IN_USE.items()}).then.ari == 1.0


def test_no_site_is_judged_by_odds_that_its_family_had_a_say_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merge_odds, "states_of", lambda site: site.name)
    monkeypatch.setattr(merge_odds, "train_all", list)
    names = ["wp_tea", "drupal_ink", "wp_pen", "shop"]
    left_out, fitted = merge_odds.leave_families_out([_site(name, 2) for name in names])
    assert left_out == {
        "wp_tea": ["drupal_ink", "shop"],
        "drupal_ink": ["wp_tea", "wp_pen", "shop"],
        "wp_pen": ["drupal_ink", "shop"],
        "shop": ["wp_tea", "drupal_ink", "wp_pen"],
    }
    assert fitted == names  # type: ignore[comparison-overlap]


def test_the_odds_are_printed_and_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sites: list[Any] = [_site("wp_tea"), _site("drupal_ink"), _site("wp_pen")]
    monkeypatch.setattr(merge_odds, "read_typed_sites", lambda folder, pages: sites)
    raw = tmp_path / "odds.json"
    merge_odds.main(["--corpora", str(tmp_path), "--json", str(raw)])
    shown = capsys.readouterr()
    assert "trained without wp: 1 sites" in shown.err
    for line in ("z of a merge", "a family left out", "mean of 3"):
        assert line in shown.out
    figures = json.loads(raw.read_text(encoding="utf-8"))
    assert figures["labels"]["left out"]["wp_pen"]["then"]["ari"] == 1.0
    assert figures["odds"].keys() == figures["left out"]["wp_tea"].keys() == set(IN_USE)
    monkeypatch.setattr(merge_odds, "read_typed_sites", lambda folder, pages: sites[::2])
    for options in ([], ["--pages", "0"]):
        with pytest.raises(SystemExit):
            merge_odds.main(["--corpora", str(tmp_path), *options])

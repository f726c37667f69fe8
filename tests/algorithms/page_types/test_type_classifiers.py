"""Classification by fingerprints: by hand, and against a look at every training page.

Classification by structure: worked out by hand, by plain loops, and what must hold for any examples.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.sites.generated import generate_demo_site
from templcrawl import Page
from templcrawl.algorithms.page_types import class_profiles
from templcrawl.algorithms.page_types.class_profiles import gather, make_profiles
from templcrawl.algorithms.page_types.fingerprint import same_template
from templcrawl.algorithms.page_types.type_classifiers import (
    FingerprintClassifier,
    NoneRule,
    StructuralClassifier,
)
from templcrawl.errors import InvalidOption
from templcrawl.page.arrays import Keys

FINGERPRINTS = st.lists(st.integers(0, 2), max_size=4).map(bytes)
EXAMPLES = st.lists(st.tuples(st.sampled_from("abc"), FINGERPRINTS), min_size=1, max_size=12)


def test_the_nearest_fingerprint_decides_then_the_number_of_pages_then_the_name() -> None:
    near, far = bytes([0, 0, 1]), bytes([0, 0, 2])
    classifier = FingerprintClassifier([("far", far), ("far", far), ("near", near)])
    assert classifier.classify_fingerprint(near) == ("near", 0.0, "near", "far", 1 / 25)
    assert classifier.classify_fingerprint(bytes([0, 0, 3])).name == "far"
    tied = FingerprintClassifier([("b", near), ("a", far)])
    assert tied.classify_fingerprint(bytes([0, 0, 3])) == ("a", 1 / 25, "a", "b", 1 / 25)
    assert tied.classify_fingerprint(bytes([5, 5, 5])) == (None, 1.0, None, None, 1.0)


@given(EXAMPLES, FINGERPRINTS, st.randoms(use_true_random=False))
def test_the_answer_is_that_of_a_look_at_every_example(
    examples: list[tuple[str, bytes]], page: bytes, random: st.random_module
) -> None:
    pages = Counter((int(one != page), name) for name, one in examples if same_template(one, page))
    best = min(((edits, -count, name) for (edits, name), count in pages.items()), default=(0, 0, None))
    shuffled = random.sample(examples, len(examples))  # type: ignore[attr-defined]
    assert FingerprintClassifier(shuffled).classify_fingerprint(page).name == best[2]


CLASSIFIERS = [StructuralClassifier, FingerprintClassifier]


def keys(*features: int) -> Keys:
    return np.array(sorted(features), dtype=np.uint64)


def entropy(share: float) -> float:
    return -(share * log2(share) + (1 - share) * log2(1 - share))


def demo_pages() -> dict[str, list[Page]]:
    pages: dict[str, list[Page]] = defaultdict(list)
    for one in generate_demo_site(seed=3, articles=20, products=12, chapters=12).pages.values():
        pages[one.kind].append(Page(one.html, f"http://tea.example{one.path}"))
    return {kind: pages[kind] for kind in ("article", "chapter", "product")}


def test_distances_worked_out_by_hand() -> None:
    classifier = StructuralClassifier([("a", keys(1, 2)), ("b", keys(1, 3))])
    common, unseen = 0.05 * entropy(2.5 / 3), entropy(0.5 / 3)
    found = classifier.classify_structure(keys(1, 2, 9))
    assert found.distance == pytest.approx(1 - (1 + common) / (1 + common + unseen))
    assert found.runner_up_distance == pytest.approx(1 - common / (2 + common + unseen))
    assert (found.name, found.nearest, found.runner_up) == ("a", "a", "b")
    assert classifier.spreads is None


def test_the_spread_of_a_class_is_drawn_to_the_mean_of_all() -> None:
    # one column differs within "a": each of its two pages is as far from the other as the farthest
    examples = [("a", keys(1, 2)), ("a", keys(1, 3)), ("b", keys(4))]
    classifier = StructuralClassifier(examples)
    weights = dict(zip([1, 2, 3, 4], make_profiles(gather(examples)).weights.tolist()))
    widest = 1 - weights[1] / (weights[1] + weights[2] + weights[3])
    assert classifier.spreads is not None
    assert classifier.spreads.tolist() == pytest.approx([widest, widest])


def test_the_rule_for_none_worked_out_by_hand() -> None:
    rule = NoneRule(room=0.1, slope=0.5, margin=0.5, spread=0.4, limit=0.9)
    assert rule.rejects(0.4, 0.5, 0.4)  # allowed 0.1 + 0.2 + 0.05
    assert not rule.rejects(0.4, 0.9, 0.4)  # allowed 0.55
    assert rule.rejects(0.4, 0.5, None)
    assert not rule.rejects(0.3, 0.2, 0.4)
    assert rule.rejects(0.95, 1.0, 2.0)


def test_close_classes_are_told_apart_by_what_is_switched_between_them() -> None:
    shell = range(100, 110)
    examples = [("a", keys(*shell, 1, 20 + n)) for n in range(6)]
    examples += [("b", keys(*shell, 2, 20 + n)) for n in range(6, 12)]
    # classes that have neither make a switch of "a" and "b" rare, and the free content common
    examples += [(f"c{n}", keys(200 + n, *range(20, 32))) for n in range(6)]
    classifier = StructuralClassifier(examples)
    for noise in range(20, 32):
        assert classifier.classify_structure(keys(*shell, 1, noise)).nearest == "a"
        assert classifier.classify_structure(keys(*shell, 2, noise)).nearest == "b"


def test_one_class_is_told_from_pages_of_another_kind() -> None:
    pages = demo_pages()
    for kind, its in pages.items():
        for examples in (its[:1], its[:3]):
            classifier = StructuralClassifier.train((kind, page) for page in examples)
            assert classifier.classify(its[0]) == (kind, 0.0, kind, None, 1.0)
    note = Page("<article><table><tr><td><img src=a><em>x</em></table></article>", "")
    assert StructuralClassifier.train([("product", pages["product"][0])]).classify(note).name is None


FEATURES = st.sets(st.integers(0, 12), max_size=6).map(lambda features: keys(*features))
STRUCTURES = st.lists(st.tuples(st.sampled_from("abc"), FEATURES), min_size=1, max_size=12)


@given(STRUCTURES, FEATURES)
def test_distances_are_the_nearest_group_s_by_plain_loops(
    examples: list[tuple[str, Keys]], page: Keys
) -> None:
    classifier, profiles = StructuralClassifier(examples), make_profiles(gather(examples))
    has = set(page.tolist())
    unseen = len(has.difference(profiles.features.tolist()))
    extra = profiles.unseen * unseen**0.25 if unseen else 0.0
    nearest = [1.0] * len(classifier.names)
    for number, shares in zip(profiles.class_of.tolist(), profiles.shares.tolist()):
        columns = list(zip(profiles.features.tolist(), profiles.weights.tolist(), shares))
        shared = sum(weight * min(share, feature in has) for feature, weight, share in columns)
        either = extra + sum(weight * max(share, feature in has) for feature, weight, share in columns)
        nearest[number] = min(nearest[number], 1 - shared / either if either else 1.0)
    assert classifier._compared(page)[1].tolist() == pytest.approx(nearest, abs=1e-5)


@given(STRUCTURES, FEATURES, st.randoms(use_true_random=False))
def test_the_order_of_the_examples_says_nothing(
    examples: list[tuple[str, Keys]], page: Keys, random: st.random_module
) -> None:
    shuffled = random.sample(examples, len(examples))  # type: ignore[attr-defined]
    one, other = StructuralClassifier(examples), StructuralClassifier(shuffled)
    assert one.classify_structure(page) == other.classify_structure(page)


@given(STRUCTURES)
def test_an_example_is_of_its_class_unless_another_class_has_it_too(
    examples: list[tuple[str, Keys]],
) -> None:
    classifier = StructuralClassifier(examples)
    for _, features in examples:
        holders = [name for name, one in examples if one.tolist() == features.tolist()]
        found = classifier.classify_structure(features)
        assert found.name == max(sorted(set(holders)), key=holders.count)
        assert found.distance == 0


def test_what_is_learned_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_profiles, "MAX_CLASS_EXAMPLES", 10)
    monkeypatch.setattr(class_profiles, "MAX_COLUMNS", 40)
    sets = [range(7 * n, 7 * n + 7) for n in range(50)]
    examples = [(name, keys(*one, shell)) for name, shell in (("a", 900), ("b", 901)) for one in sets]
    profiles = make_profiles(gather(examples))
    assert len(profiles.table) == 20
    assert len(profiles.features) == 40
    assert {900, 901} <= set(profiles.features.tolist())
    groups = make_profiles(gather(("a", keys(*one)) for one in sets)).sizes
    assert len(groups) == class_profiles.MAX_CLASS_GROUPS
    monkeypatch.setattr(class_profiles, "MAX_CLASSES", 1)
    with pytest.raises(InvalidOption, match="at most 1 classes"):
        StructuralClassifier(examples)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_no_examples_are_an_error_that_says_what_to_give(
    classifier: type[StructuralClassifier | FingerprintClassifier],
) -> None:
    with pytest.raises(InvalidOption, match="at least one example page"):
        classifier.train([])


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_a_page_without_tags_is_known_if_it_was_an_example(
    classifier: type[StructuralClassifier | FingerprintClassifier],
) -> None:
    empty, tea = Page("", ""), Page("<ul><li>green<li>black<li>white</ul>", "")
    both = classifier.train([("empty", empty), ("tea", tea)])
    assert (both.classify(empty).name, both.classify(tea).name) == ("empty", "tea")
    assert classifier.train([("tea", tea)]).classify(empty).name is None

"""The methods that fingerprints are compared with: by hand, and against plain searches."""

from __future__ import annotations

import doctest
from importlib import import_module
from itertools import combinations
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("rich")

from lab.papers import structure
from lab.papers.structure import METHODS, Tree, edits, in_folds, scores_of, train, tree
from lab.sites.generated import generate_demo_site
from templcrawl.algorithms.page_types.fingerprint import same_template, template_fingerprint
from tests.oracles import lcs_length

NAMED = {method.name: method for method in METHODS}
TAGS = st.lists(st.sampled_from(["p", "b", "br", "li"]), max_size=9)
TREES = st.recursive(
    st.sampled_from("ab").map(tree),
    lambda below: st.builds(
        lambda name, of: tree(name, *of), st.sampled_from("ab"), st.lists(below, max_size=3)
    ),
    max_leaves=6,
)


def html_of(tags: list[str]) -> str:
    return "".join(f"<{tag}>" for tag in tags)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", sorted(path.stem for path in Path(structure.__file__).parent.glob("*.py")))
def test_what_a_program_takes_from_the_package_is_there(name: str) -> None:
    try:
        import_module(f"lab.papers.{name}".removesuffix(".__init__"))
    except ModuleNotFoundError as error:
        if str(error.name).startswith(("templcrawl", "lab")):
            raise
        pytest.skip(f"no {error.name}")


def test_their_examples_hold() -> None:
    assert doctest.testmod(structure).failed == 0


def cheapest(a: Tree, b: Tree) -> int:
    """Return the least cost of all mappings: of every choice of pairs of children, in order."""
    if a.name != b.name:
        return a.size + b.size - 1
    costs = []
    for count in range(min(len(a.children), len(b.children)) + 1):
        for left in combinations(range(len(a.children)), count):
            for right in combinations(range(len(b.children)), count):
                pairs = sum(cheapest(a.children[x], b.children[y]) for x, y in zip(left, right))
                gone = [child.size for at, child in enumerate(a.children) if at not in left]
                new = [child.size for at, child in enumerate(b.children) if at not in right]
                costs.append(pairs + sum(gone) + sum(new))
    return min(costs)


@given(TREES, TREES)
def test_rtdm_costs_what_the_cheapest_of_all_mappings_does(a: Tree, b: Tree) -> None:
    assert edits(a, b) == edits(b, a) == cheapest(a, b)


def test_rtdm_of_two_lists_by_hand() -> None:
    """A list of two entries and one of three: an entry too many, of two elements: 2 of 3 + 5 nodes."""
    method = NAMED["RTDM"]
    two, three = (f"<ul>{'<li>x' * count}</ul>" for count in (2, 3))
    three = three.replace("<li>x</ul>", "<li><b>x</b></ul>")
    assert method.similarity(method.features(two), method.features(three)) == pytest.approx(1 - 2 / 8)
    assert method.similarity(method.features(two), method.features(two)) == 1


@given(TAGS, TAGS)
def test_lcts_tv_and_ctss_are_what_their_definitions_say(a: list[str], b: list[str]) -> None:
    found = {name: NAMED[name].similarity(*map(NAMED[name].features, map(html_of, (a, b)))) for name in NAMED}
    longer = max(len(a), len(b))
    assert found["LCTS"] == pytest.approx(lcs_length(a, b) / longer if longer else 1)
    both, of_a, of_b = (sum(x.count(tag) * y.count(tag) for tag in {*x}) for x, y in ((a, b), (a, a), (b, b)))
    squares = of_a * of_b
    assert found["TV"] == pytest.approx(both / sqrt(squares) if squares else float(a == b))
    runs = [{tuple(tags[at : at + 4]) for at in range(max(1, len(tags) - 3))} - {()} for tags in (a, b)]
    either = runs[0] | runs[1]
    assert found["CTSS"] == pytest.approx(len(runs[0] & runs[1]) / len(either) if either else 1)
    assert found["MD5"] == (a == b)


def test_paths_and_their_runs_by_hand() -> None:
    """Of the paths ul/li, ul/li/b and ul/li, p, the larger set has two, and one of three is of both."""
    one, other = "<ul><li>x<li><b>x</b></ul>", "<ul><li>x</ul><p>x"
    both = [NAMED[name].similarity(*map(NAMED[name].features, (one, other))) for name in ("CP", "CPS")]
    assert both == [1 / 2, 1 / 3]
    deep = "<div><p><a><b><i>x</i></b></a></p></div>"
    assert NAMED["CPS"].features(deep) == {"div p a b", "p a b i"}


def demo_pages(count: int) -> tuple[list[str], list[int]]:
    """The first page of each of three templates, then the second ..."""
    kinds: dict[str, list[str]] = {"article": [], "chapter": [], "product": []}
    for page in generate_demo_site(seed=4, articles=2 * count, products=count, chapters=count).pages.values():
        if page.kind in kinds:
            kinds[page.kind].append(page.html)
    rows = list(zip(*(htmls[:count] for htmls in kinds.values())))
    return [html for row in rows for html in row], [0, 1, 2] * len(rows)


@pytest.mark.parametrize("name", [method.name for method in METHODS])
def test_folds_say_what_a_classifier_of_the_other_folds_says(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(structure, "FOLDS", 3)
    htmls, truth = demo_pages(6)
    method = NAMED[name]
    features = list(map(method.features, htmls))
    yes = in_folds(method, htmls, truth).yes
    for page, own in enumerate(features):
        others = [at for at in range(len(htmls)) if at // 3 % 3 != page // 3 % 3]
        assert set(np.flatnonzero(yes[page])) == train(method, [(truth[at], features[at]) for at in others])(
            own
        )
    assert yes[np.arange(len(truth)), truth].any() == (name != "MD5"), (
        "each of these pages has tags of its own"
    )


def test_the_index_of_fp_says_what_a_look_at_every_training_page_says() -> None:
    htmls, truth = demo_pages(8)
    prints = list(map(template_fingerprint, htmls))
    find = train(NAMED["FP"], list(zip(truth, prints))[:12])
    for own in prints:
        assert find(own) == {kind for kind, one in list(zip(truth, prints))[:12] if same_template(own, one)}


@given(st.lists(st.tuples(st.integers(0, 2), st.sets(st.integers(0, 2))), min_size=1, max_size=9))
def test_scores_are_those_of_plain_counts(answers: list[tuple[int, set[int]]]) -> None:
    truth = [own for own, _ in answers]
    scores = scores_of(np.array([[kind in said for kind in range(3)] for _, said in answers]), truth)
    shares, right = [], 0
    for kind in sorted(set(truth)):
        hits = sum(own == kind and kind in said for own, said in answers)
        put, true = sum(kind in said for _, said in answers), truth.count(kind)
        shares.append((hits / put if put else 0, hits / true, 2 * hits / (put + true)))
        right += sum((own == kind) == (kind in said) for own, said in answers)
    assert scores[:3] == pytest.approx([sum(column) / len(shares) for column in zip(*shares)])
    assert scores.accuracy == pytest.approx(right / len(answers) / len(shares))

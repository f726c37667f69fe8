"""The approximation of TEXT-MDL by MinHash."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from templcrawl.algorithms.page_types.mdl_minhash import K, mdl_minhash, signature
from templcrawl.algorithms.page_types.text_mdl import (
    bits,
    essential_paths,
    in_template,
    page_paths,
    text_mdl,
)
from templcrawl.page.arrays import Keys
from tests.memory.pages import article, listing

documents = st.lists(st.sets(st.integers(0, 9), max_size=8), min_size=1, max_size=8)


def keys(paths: set[int]) -> Keys:
    return np.array(sorted(paths), dtype=np.uint64)


@settings(deadline=None)
@given(st.sets(st.integers(0, 2**64 - 1), min_size=1), st.sets(st.integers(0, 2**64 - 1), min_size=1))
def test_the_signature_of_a_union_is_the_least_of_both(one, other) -> None:
    least = np.minimum(signature(keys(one)), signature(keys(other)))
    assert signature(keys(one | other)).tolist() == least.tolist()


def test_shared_entries_estimate_jaccard_s_coefficient() -> None:
    one, other = set(range(1_000)), set(range(500, 1_500))
    shared = signature(keys(one), size=1_024) == signature(keys(other), size=1_024)
    assert shared.mean() == pytest.approx(1 / 3, abs=0.06)


def test_counts_of_entries_estimate_the_template_of_a_cluster() -> None:
    chance = np.random.default_rng(7)
    paths = [set(range(400)) | set(chance.integers(400, 900, 60).tolist()) for _ in range(9)]
    signatures = np.array([signature(keys(one), size=1_024) for one in paths])
    least = signatures.min(axis=0)
    counts = (signatures == least).sum(axis=0)
    distinct = sum(map(len, paths)) / counts.mean()
    assert distinct == pytest.approx(len(set().union(*paths)), rel=0.1)
    assert in_template(counts, 9).mean() * distinct == pytest.approx(400, rel=0.1)


@settings(deadline=None)
@given(documents)
def test_equal_documents_are_in_one_cluster_named_after_its_first(paths) -> None:
    found = mdl_minhash(list(map(keys, paths + paths)), size=16)
    assert found[: len(paths)] == found[len(paths) :]
    assert all(found[name] == name <= number for number, name in enumerate(found))


@pytest.mark.parametrize("all_pairs", [False, True])
def test_it_finds_the_clusters_of_the_exact_form(all_pairs: bool) -> None:
    pages = [article(number) for number in range(6)] + [listing(number) for number in range(6)]
    essential = essential_paths([page_paths(page) for page in pages])
    found = mdl_minhash(essential, size=K, all_pairs=all_pairs)
    assert found == text_mdl(essential) == [0] * 6 + [6] * 6


def estimated_bits(clusters: list[list[set[int]]], size: int) -> float:
    """Estimate the description length of some clusters of documents from the signatures of these."""
    total = np.zeros(3)
    for documents in clusters:
        signatures = np.array([signature(keys(paths), size=size) for paths in documents])
        counts = (signatures == signatures.min(axis=0)).sum(axis=0)
        is_template = 2 * counts >= len(documents) + 1
        share = sum(map(len, documents)) / counts.mean() / size
        added, missing = counts[~is_template].sum(), (len(documents) - counts[is_template]).sum()
        total += share * np.array([is_template.sum(), added, missing])
    of_all = [paths for documents in clusters for paths in documents]
    distinct = len(set().union(*of_all))
    cost = bits(total[:, None], paths=distinct, documents=len(of_all), clusters=len(clusters))
    return float(cost[0])


def greedy(paths: list[set[int]], size: int) -> float:
    """Join equal signatures, then the best of all pairs as long as it pays; return the bits."""
    groups: dict[bytes, list[set[int]]] = {}
    for one in paths:
        groups.setdefault(signature(keys(one), size=size).tobytes(), []).append(one)
    clusters = list(groups.values())
    now = estimated_bits(clusters, size)
    while len(clusters) > 1:
        ways = [
            [clusters[a] + clusters[b], *(one for at, one in enumerate(clusters) if at not in (a, b))]
            for a, b in combinations(range(len(clusters)), 2)
        ]
        best = min(ways, key=lambda way: estimated_bits(way, size))
        if estimated_bits(best, size) > now + 1e-9:
            break
        clusters, now = best, estimated_bits(best, size)
    return now


OF_TWO_SITES = st.lists(
    st.tuples(
        st.integers(0, 1), st.sets(st.integers(0, 19), max_size=5), st.sets(st.integers(50, 59), max_size=3)
    ),
    min_size=4,
    max_size=7,
).map(lambda made: [{100 * site + path for path in range(20)} - gone | new for site, gone, new in made])


@settings(deadline=None, max_examples=40)
@given(OF_TWO_SITES)
def test_all_pairs_are_joined_as_a_plain_search_joins_them(paths: list[set[int]]) -> None:
    label = mdl_minhash(list(map(keys, paths)), size=32, all_pairs=True)
    clusters = [[one for one, at in zip(paths, label) if at == number] for number in sorted(set(label))]
    assert estimated_bits(clusters, 32) == pytest.approx(greedy(paths, 32), abs=1e-6)


def test_six_sites_of_many_documents_are_told_apart() -> None:
    chance = np.random.default_rng(3)
    own = [set(range(1_000 * site, 1_000 * site + 300)) for site in range(6)]
    paths = [
        own[n % 6] | {1_000 * (n % 6) + 400 + int(extra) for extra in chance.integers(0, 9, 4)}
        for n in range(90)
    ]
    assert mdl_minhash(list(map(keys, paths))) == [n % 6 for n in range(90)]


def test_no_documents_are_no_clusters() -> None:
    assert mdl_minhash([]) == []
    assert mdl_minhash([keys(set()), keys(set())]) == [0, 0]

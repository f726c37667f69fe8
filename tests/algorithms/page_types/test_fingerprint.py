"""Fingerprints: the published example, and Definition 3.1 against a plain edit distance.

The index misses no pair within one edit, and its clusters do not depend on the order.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from templcrawl.algorithms.page_types import fingerprint as fingerprint_index
from templcrawl.algorithms.page_types.fingerprint import (
    DisjointSets,
    FingerprintIndex,
    lz78_references,
    same_template,
    template_fingerprint,
)
from templcrawl.errors import InvalidOption
from tests.oracles import edit_distance

pytestmark = pytest.mark.usefixtures("reader")

PUBLISHED = bytes([0, 0, 0, 0, 4, 3, 0, 3, 0, 9, 3, 0, 8, 0, 8, 0, 8, 0, 0, 19, 2])

short = st.binary(max_size=6).map(lambda noise: bytes(value % 3 for value in noise))


def test_nothing_is_read_beyond_the_last_entry() -> None:
    def tags() -> Iterator[int]:
        yield from range(25)
        raise AssertionError("read on")

    assert lz78_references(tags()) == bytes(25)


@given(st.lists(st.integers(0, 3), max_size=200))
def test_every_reference_points_back_and_the_references_rebuild_the_runs(tags: list[int]) -> None:
    references = lz78_references(tags)
    assert len(references) <= 25
    runs: list[list[int]] = [[]]
    position = 0
    for number, reference in enumerate(references, start=1):
        assert reference < number
        run = runs[reference] + [tags[position + len(runs[reference])]]
        assert tags[position : position + len(run)] == run
        assert run not in runs
        runs.append(run)
        position += len(run)
    assert len(references) == 25 or tags[position:] in runs


def test_attributes_text_and_later_parts_do_not_matter() -> None:
    one = "<html><head><title>a</title></head><body>" + "<p>x</p>" * 400
    two = (
        "<HTML lang=en><head><title>b < c</title></head>\n<body class='z'>" + "<p id=1>yy</p>" * 300 + "<hr>"
    )
    assert template_fingerprint(one) == template_fingerprint(two)
    assert template_fingerprint("") == template_fingerprint("only text") == b""


@given(short, short)
def test_same_template_is_edit_distance_of_one_at_most(a: bytes, b: bytes) -> None:
    assert same_template(a, b) == (edit_distance(a, b) <= 1)


@st.composite
def families(draw: st.DrawFn) -> list[bytes]:
    """Fingerprints of all lengths, many of them one or two edits from one another."""
    found = []
    for base in draw(st.lists(st.binary(max_size=25), min_size=1, max_size=3)):
        base = bytes(value % 4 for value in base)
        for _ in range(draw(st.integers(1, 6))):
            edited = bytearray(base)
            for _ in range(draw(st.integers(0, 2))):
                position = draw(st.integers(0, len(edited)))
                kind = draw(st.sampled_from("ids"))
                if kind == "i" and len(edited) < 25:
                    edited.insert(position, draw(st.integers(0, 4)))
                elif position < len(edited):
                    if kind == "d":
                        del edited[position]
                    else:
                        edited[position] = draw(st.integers(0, 4))
            found.append(bytes(edited))
    return found


def edits(fingerprint: bytes, values: range) -> set[bytes]:
    """Every fingerprint of at most 25 entries within one edit, written out."""
    found = {fingerprint}
    for position in range(len(fingerprint) + 1):
        head, tail = fingerprint[:position], fingerprint[position:]
        found.add(head + tail[1:])
        found.update(head + bytes([value]) + tail[1:] for value in values)
        found.update(head + bytes([value]) + tail for value in values)
    return {one for one in found if len(one) <= 25}


def components(fingerprints: list[bytes]) -> list[list[bytes]]:
    """Connected components of edit distance <= 1, by repeated scanning."""
    left = set(fingerprints)
    groups = []
    while left:
        group = {left.pop()}
        while near := {f for f in left if any(edit_distance(f, g) <= 1 for g in group)}:
            group |= near
            left -= near
        groups.append(sorted(group))
    return sorted(groups)


@given(families(), st.binary(max_size=25).map(lambda noise: bytes(v % 4 for v in noise)))
@settings(deadline=None)
def test_similar_finds_what_a_scan_finds(fingerprints: list[bytes], query: bytes) -> None:
    index = FingerprintIndex()
    for fingerprint in fingerprints:
        index.add(fingerprint)
    for wanted in (query, *fingerprints):
        assert index.similar(wanted) == sorted({f for f in fingerprints if edit_distance(f, wanted) <= 1})


@given(families(), st.randoms(use_true_random=False), st.integers(1, 24))
@settings(deadline=None)
def test_clusters_are_connected_components_in_every_order_and_for_every_split(
    fingerprints: list[bytes], chance: random.Random, split: int
) -> None:
    shuffled = list(fingerprints)
    chance.shuffle(shuffled)
    index = FingerprintIndex(split=split)
    for fingerprint in shuffled:
        assert index.add(fingerprint) in index
    assert index.clusters() == components(fingerprints)
    for group in index.clusters():
        assert {index.cluster(fingerprint) for fingerprint in group} == {group[0]}


@pytest.mark.parametrize("length", [0, 1, 20, 23, 24, 25])
def test_every_single_edit_of_a_fingerprint_of_this_length_is_found(length: int) -> None:
    """Insertions are found, too, where the published lemma fails."""
    base = bytes(position % 3 for position in range(length))
    near = edits(base, range(4))
    forward, back = FingerprintIndex(), FingerprintIndex()
    forward.add(base)
    for one in near:
        assert forward.similar(one) == [base]
        back.add(one)
    assert back.similar(base) == sorted(near)
    assert back.clusters() == [sorted(near)]


PUBLISHED_PAGE = (
    "<html><body>"
    + "".join(f"<p><{name}>x</{name}></p>" for name in ("b", "strong", "big", "em", "i", "small"))
    + "<p><sub>x</sub><!-- a comment --><sup class='y'>x</sup></p></body></html>"
)


def test_the_published_example_is_found_by_pages_that_are_nearly_it() -> None:
    index = FingerprintIndex()
    assert template_fingerprint(PUBLISHED_PAGE) == PUBLISHED
    assert index.add(PUBLISHED) == PUBLISHED
    # Its last entry is the run "body html", the last two end tags.
    cut = template_fingerprint(PUBLISHED_PAGE.removesuffix("</body></html>"))
    assert cut == PUBLISHED[:-1]
    assert index.similar(cut) == [PUBLISHED]
    # A menu before the first paragraph changes every reference behind it.
    menu = template_fingerprint(PUBLISHED_PAGE.replace("<body>", "<body><ul><li>x</li></ul>"))
    assert index.similar(menu) == []


def test_strong_for_i_changes_the_published_fingerprint_though_the_paper_says_not() -> None:
    """Erratum: entry 7 is ``strong``, so by Algorithm 1 the second ``strong`` and the next p are entry 14."""
    changed = template_fingerprint(re.sub(r"<(/?)i>", r"<\1strong>", PUBLISHED_PAGE))
    assert PUBLISHED[12:16] == bytes([8, 0, 8, 0])
    assert changed == PUBLISHED[:12] + bytes([8, 7, 3, 0]) + PUBLISHED[16:]
    assert not same_template(changed, PUBLISHED)


def test_an_empty_page_and_a_page_without_tags_are_one_template() -> None:
    index = FingerprintIndex()
    assert index.similar(template_fingerprint("")) == []
    assert index.add(template_fingerprint("")) == index.add(template_fingerprint("only text")) == b""
    assert len(index) == 1
    assert b"" in index
    # One tag is one edit away, two are not.
    assert index.similar(template_fingerprint("<p>")) == [b""]
    assert index.similar(template_fingerprint("<p><b>")) == []


@settings(deadline=None, max_examples=25)
@given(st.lists(st.binary(max_size=25), min_size=1, max_size=4), st.data())
def test_a_crowded_index_misses_no_neighbour_whatever_its_entries(given_prints, data) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fingerprint_index, "_MANY", 0)
        index = FingerprintIndex()
        known = set()
        for fingerprint in given_prints:
            position = data.draw(st.integers(0, len(fingerprint)))
            entry = data.draw(st.binary(max_size=1))
            for one in (fingerprint, fingerprint[:position] + entry + fingerprint[position + 1 :]):
                known.add(one)
                index.add(one)
        for one in known:
            assert index.similar(one) == sorted(other for other in known if edit_distance(one, other) <= 1)


def test_one_that_is_too_long_is_refused() -> None:
    index = FingerprintIndex()
    with pytest.raises(ValueError, match="26 entries"):
        index.add(bytes(26))
    assert bytes(26) not in index
    with pytest.raises(KeyError):
        index.cluster(bytes(3))


def test_an_impossible_split_is_refused() -> None:
    with pytest.raises(InvalidOption, match="split = 25"):
        FingerprintIndex(split=25)


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=40))
def test_unions_give_the_same_partition_as_merging_plain_sets(pairs: list[tuple[int, int]]) -> None:
    sets = DisjointSets()
    assert [sets.make_set() for _ in range(13)] == list(range(13))
    plain = [{item} for item in range(13)]
    for a, b in pairs:
        sets.union(a, b)
        merged = set().union(*(group for group in plain if a in group or b in group))
        plain = [group for group in plain if not group & merged] + [merged]
    assert sets.groups() == sorted(map(sorted, plain))
    assert len(sets) == 13
    for group in plain:
        for item in group:
            assert sets.smallest(item) == min(group)


def test_what_is_smallest_is_a_matter_of_the_order() -> None:
    sets = DisjointSets(order=lambda number: -number)
    for _ in range(4):
        sets.make_set()
    sets.union(0, 2)
    assert (sets.smallest(0), sets.groups()) == (2, [[3], [2, 0], [1]])

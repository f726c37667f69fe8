"""Fingerprints: the published example, and Definition 3.1 against a plain edit distance."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.fingerprints.fingerprint import (
    lz78_references,
    same_template,
    template_fingerprint,
)
from tests.oracles import edit_distance

pytestmark = pytest.mark.usefixtures("reader")

PUBLISHED_TAGS = (
    "html, body, p, b, b, p, p, strong, strong, p, p, big, big, p, p, em, em, p, p, i, i, p, p, "
    "small, small, p, p, sub, sub, sup, sup, p, body, html"
).split(", ")
PUBLISHED = [0, 0, 0, 0, 4, 3, 0, 3, 0, 9, 3, 0, 8, 0, 8, 0, 8, 0, 0, 19, 2]

short = st.binary(max_size=6).map(lambda noise: bytes(value % 3 for value in noise))


def test_the_published_example() -> None:
    assert list(lz78_references(PUBLISHED_TAGS)) == PUBLISHED


def test_the_published_example_as_a_page() -> None:
    html = "<html><body>" + "".join(
        f"<p><{name}>some text</{name}></p>" for name in ("b", "strong", "big", "em", "i", "small")
    )
    html += "<p><sub>x</sub><!-- a comment --><sup class='y'>z</sup></p></body></html>"
    assert list(template_fingerprint(html)) == PUBLISHED


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


@pytest.mark.parametrize("position", range(25))
def test_one_edit_anywhere_is_still_the_same_template(position: int) -> None:
    full = bytes(range(25))
    assert same_template(full, full[:position] + b"\x63" + full[position + 1 :])
    assert same_template(full, full[:position] + full[position + 1 :])
    assert same_template(full[:position] + b"\x63" + full[position:], full)
    assert not same_template(full, b"\x63" + full[:position] + full[position + 2 :] + b"\x62")

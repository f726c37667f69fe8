"""Classification by fingerprints: by hand, and against a look at every training page."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from templcrawl.algorithms.fingerprints.fingerprint import same_template
from templcrawl.algorithms.page_types.classification import FingerprintClassifier

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

"""Which texts of pages are fixed."""

from __future__ import annotations

import pytest

from tests.algorithms.columns.typed_pages import columns_of, values_of

WORDS = ("alder", "birch", "cedar", "elm", "fir")


@pytest.mark.parametrize(("other", "own"), [("Bob", ["Ann"]), ("", [])])
def test_a_text_is_a_value_if_another_one_has_its_place_on_pages_that_lack_it(
    other: str, own: list[str]
) -> None:
    def body(page: int) -> str:
        first = "Ann" if page % 19 else other
        texts = [*filter(None, [first]), *(f"{word} {page}" for word in WORDS[: page % 5 + 1])]
        return f"<h1>Cup {page}</h1><p class=by>{''.join(f'<i>{text}</i> ' for text in texts)}</p>"

    bodies = [*map(body, range(95))]
    assert values_of(columns_of(bodies), bodies[2])["author"] == [*own, "alder 2", "birch 2", "cedar 2"]

"""Any item as JSON text."""

from __future__ import annotations

import enum
import json
import math
from datetime import date
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from templcrawl.outputs.item_values import json_text
from templcrawl.outputs.items import PageItem


class Color(enum.Enum):
    RED = "red"


def test_values_that_json_lacks_are_written_as_told():
    item = {
        "bytes": b"\x00\xff",
        "date": date(2024, 5, 1),
        "decimal": Decimal("1.50"),
        "enum": Color.RED,
        "nan": math.nan,
        "nested": [PageItem(url="u"), ("a", 1)],
        "numpy": np.arange(2),
        "set": {"b", "a", 1},
        1: "a number for a name",
    }
    assert json.loads(json_text(item)) == {
        "bytes": {"base64": "AP8="},
        "date": "2024-05-01",
        "decimal": "1.50",
        "enum": "red",
        "nan": "nan",
        "nested": [
            json.loads(json_text(PageItem(url="u"))),
            ["a", 1],
        ],
        "numpy": [0, 1],
        "set": ["a", "b", 1],
        "1": "a number for a name",
    }


def test_names_that_read_alike_are_both_kept():
    assert json_text({1: "a", "1": "b"}) == '[["1","a"],["1","b"]]'


def test_a_value_that_contains_itself_is_refused():
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(RecursionError):
        json_text(loop)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    # every character, lone surrogates included
    | st.text(st.characters(), max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.text(max_size=3), json_values, max_size=4))
def test_json_text_is_read_back_and_does_not_depend_on_the_order_of_fields(item):
    text = json_text(item)
    assert json.loads(text) == item
    assert text.encode().decode() == text
    assert json_text(dict(reversed(item.items()))) == text

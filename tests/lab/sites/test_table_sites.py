"""The generated sites with known tables: their truth stands in their HTML, and each trouble is there."""

from __future__ import annotations

from itertools import product

import pytest
from lxml import html

from lab.sites.table_sites import KINDS, LAYOUTS, LISTED, RECORDS, TROUBLES, generate_table_site


def folded(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize(("kind", "trouble"), list(product(KINDS, TROUBLES)))
def test_values_and_rows_stand_on_their_page(kind: str, trouble: str) -> None:
    layout = list(LAYOUTS)[len(trouble) % len(LAYOUTS)]
    site = generate_table_site(kind, layout, trouble)
    assert [page.kind for page in site] == ["start"] + ["listing"] * (RECORDS // LISTED) + [
        "record"
    ] * RECORDS
    for page in site:
        text = folded(html.fromstring(page.html).text_content())
        rows = [value for row in page.rows for name, value in row.items() if not name.endswith("_url")]
        assert all(folded(value) in text for value in (*page.values.values(), *rows))
    assert site == generate_table_site(kind, layout, trouble)
    assert site != generate_table_site(kind, layout, trouble, 2)


def test_each_trouble_is_there() -> None:
    sites = {trouble: generate_table_site("shop", "table", trouble) for trouble in TROUBLES}
    records = {trouble: [page for page in site if page.kind == "record"] for trouble, site in sites.items()}
    assert all(len(page.values) == 5 for page in records[""])
    assert any(len(page.values) < 5 for page in records["missing"])
    assert len({tuple(page.values) for page in records["reordered"]}) > 5
    assert 5 < sum("<del>" in page.html for page in records["reduced"]) < RECORDS - 5
    assert {page.values["Weight"][-2:] for page in records["units"]} == {" g", "kg"}
    assert all("<th>Preis</th>" in page.html for page in records["language"])

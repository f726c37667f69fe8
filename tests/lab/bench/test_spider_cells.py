"""The cells of a printed spider are compared with those of the tables; weights are fitted on labels."""

from __future__ import annotations

import numpy as np

from lab.bench.column_weights import Labelled, fitted
from lab.bench.spider_cells import compare_cells
from lab.sites.table_sites import generate_table_site
from templcrawl.algorithms.columns.scores import WEIGHTS
from templcrawl.page.page import Page


def test_the_spider_of_a_generated_site_has_the_cells_of_its_tables() -> None:
    pages = [
        Page(page.html, f"http://h.example{page.path}") for page in generate_table_site("forum", "items")
    ]

    def each(use, _) -> None:
        for page in pages:
            use(page)

    found = compare_cells(each)
    assert found["cells"] > 300
    assert found["differ"] <= 0.01 * found["cells"]


def test_what_labels_say_has_a_weight_and_sites_count_alike() -> None:
    names = list(WEIGHTS)

    def features(**values: float) -> list[float]:
        return [1.0 if name == "constant" else values.get(name, 0.0) for name in names]

    wanted = [Labelled("tea", features(labelled=1.0), True)] * 20
    columns = [*wanted, Labelled("tea", features(), False), Labelled("leaf", features(), False)]
    weights = dict(zip(names, fitted(columns)))
    assert weights["labelled"] > 1 > 0 > weights["constant"]
    assert np.allclose(fitted(columns), fitted([*columns, columns[-1]]), atol=0.1)

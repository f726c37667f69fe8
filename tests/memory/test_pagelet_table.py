"""Local template detection as the crawl goes gives what Figure 4 gives at the end."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from templcrawl.memory.pagelet_table import PageletTable
from tests.oracles import detect_local_templates

collections = st.lists(st.lists(st.integers(1, 9), max_size=5), max_size=8)


@given(collections, st.integers(2, 4))
def test_counting_page_by_page_equals_the_batch_algorithm(pages: list[list[int]], least: int) -> None:
    table = PageletTable(template_pages=least, limit=100)
    for shingles in pages:
        table.count(shingles)
    batch = detect_local_templates(dict(enumerate(pages)), min_pages=least)
    online = {s: table.template_pages_of(s) for s in range(1, 10) if table.template_pages_of(s)}
    assert online == {found: len(owners) for found, owners in batch.items()}
    assert table.templates() == len(batch)
    table.validate()


def test_the_least_recently_seen_pagelets_leave() -> None:
    table = PageletTable(template_pages=2, limit=2)
    for shingles in ([1, 2], [1], [3]):
        table.count(shingles)
    assert (table.template_pages_of(1), table.template_pages_of(2), len(table)) == (2, 0, 2)
    table.validate()

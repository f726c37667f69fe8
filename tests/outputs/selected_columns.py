"""What selects the columns of pages that a test writes."""

from __future__ import annotations

from collections.abc import Sequence

from templcrawl.outputs.proposed_xpaths import Selection
from templcrawl.outputs.selectors import selections
from templcrawl.outputs.tried_pages import parse
from tests.algorithms.columns.typed_pages import columns_of, pages_of

TEAS = (
    "Assam",
    "Darjeeling",
    "Keemun",
    "Lapsang",
    "Sencha",
    "Yunnan",
    "Oolong",
    "Matcha",
    "Pu-erh",
    "Senchb",
)


def selected(bodies: Sequence[str]) -> dict[str, Selection]:
    """Return what selects the columns of pages, and those of records behind the name of their table."""
    columns, pages = columns_of(bodies), pages_of(bodies)
    tried = [parse(page.text, page.base_url) for page in pages]
    read = [columns.read(page) for page in pages]
    rows = [[columns.values(one, page.base_url)] for one, page in zip(read, pages)]
    found = selections(columns.columns, (), list(zip(tried, rows)))[1]
    for name, of_rows in columns.rows.items():
        records = [columns.records(one, page.base_url)[name] for one, page in zip(read, pages)]
        xpath, chosen = selections(of_rows.columns, of_rows.places, list(zip(tried, records)))
        found |= {f"{name}.{column}": one for column, one in chosen.items()} | {name: Selection(xpath)}
    return found

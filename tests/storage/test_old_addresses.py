"""Settings that name the pipelines by their old addresses work for one version, with a warning."""

from __future__ import annotations

import sys

import pytest
from scrapy.exceptions import ScrapyDeprecationWarning
from scrapy.utils.misc import load_object

from templcrawl.storage.parquet_exporter import ParquetItemExporter
from templcrawl.storage.postgresql import PostgresqlPagesPipeline
from templcrawl.storage.sqlite import SqlitePagesPipeline


@pytest.mark.parametrize(
    ("module", "kind"),
    [
        ("sqlite_pipeline", SqlitePagesPipeline),
        ("postgresql_pipeline", PostgresqlPagesPipeline),
        ("parquet_exporter", ParquetItemExporter),
    ],
)
def test_an_old_address_leads_to_the_same_class(module: str, kind: type) -> None:
    address = f"templcrawl.components.{module}"
    sys.modules.pop(address, None)
    with pytest.warns(ScrapyDeprecationWarning, match=kind.__module__):
        assert load_object(f"{address}.{kind.__name__}") is kind

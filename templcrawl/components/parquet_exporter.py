"""The old address of ``templcrawl.storage.parquet_exporter``, kept for one version."""

from warnings import warn

from scrapy.exceptions import ScrapyDeprecationWarning

from templcrawl.storage.parquet_exporter import ParquetItemExporter as ParquetItemExporter

warn(f"{__name__} is templcrawl.storage.parquet_exporter now", ScrapyDeprecationWarning, stacklevel=2)

"""Items of a crawl in a database or in Parquet.

One door a store: :mod:`~templcrawl.storage.sqlite`, :mod:`~templcrawl.storage.postgresql` and
:mod:`~templcrawl.storage.parquet_exporter`.
"""

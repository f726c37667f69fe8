"""Outputs of a crawl: answers about pages, items, the archive, the report, Parquet, databases."""

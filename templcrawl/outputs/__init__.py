"""What a crawl leaves behind: answers about pages, items, the archive, the report, Parquet, databases."""

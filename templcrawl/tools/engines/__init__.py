"""Engines that run the same SQL texts over the tables of an archive: DuckDB here, Spark at scale.

No file here imports Scrapy; an engine's library is imported when the engine is started.
"""

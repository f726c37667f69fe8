"""A step for Spark: the text of each page of a table without the template of its site.

    pages = spark.read.parquet("pages/")                      # columns url: string, html: string or binary
    texts = site_texts(pages)                                 # columns url, text, site_pages
    texts.write.parquet("texts/")

Pages are sent to the partition of their host and sorted there, so that the pages of a host follow one
another; no group is gathered in memory.  ``spark-submit --py-files host_texts.py,spark_step.py`` brings both
files to the workers, which need templcrawl.

Cost: one shuffle of the pages, and what :mod:`host_texts` says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby, islice, tee
from typing import Any

import pandas as pd
from host_texts import host_of, host_texts

SCHEMA = "url string, text string, site_pages long"
_ROWS = 200


def site_texts(pages: Any) -> Any:
    """Return a DataFrame of the texts of a DataFrame of pages; rows without URL or HTML are left out."""
    from pyspark.sql.functions import col, lit, lower, parse_url

    host = lower(parse_url(col("url"), lit("HOST")))
    by_host = pages.select("url", "html").dropna().withColumn("host", host).repartition("host")
    return by_host.sortWithinPartitions("host", "url").mapInPandas(text_frames, SCHEMA)


def text_frames(frames: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """Yield the texts of pages that come sorted by host, some rows at a time: a function for mapInPandas."""
    rows = (row for frame in frames for row in zip(frame["url"], frame["html"]))
    texts = _texts(rows)
    while found := list(islice(texts, _ROWS)):
        yield pd.DataFrame(found, columns=["url", "text", "site_pages"])


def _texts(rows: Iterator[tuple[str, Any]]) -> Iterator[tuple[str, str, int]]:
    for _, group in groupby(rows, key=lambda row: host_of(row[0])):
        given, written = tee(group)
        pages = ((html if isinstance(html, str) else bytes(html), url) for url, html in given)
        for (url, _), found in zip(written, host_texts(pages)):
            yield url, found.text, found.pages

"""The step for Spark in ``docs/examples`` gives the texts that the pages of each host give by themselves."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pyspark", reason="make test-spark installs it")

import pandas as pd

from templcrawl.tools.engines.spark import SparkEngine
from tests.documents.example_pages import EXAMPLES, LONE, content_share, load_example, pages_of_hosts

pytestmark = pytest.mark.filterwarnings("ignore:::pyspark", "ignore:::py4j", "ignore::ResourceWarning")

spark_step = load_example("spark_step")


@pytest.fixture(scope="module")
def session(spark: SparkEngine) -> Any:
    """The session, with the two files of the example on its workers."""
    for name in ("host_texts.py", "spark_step.py"):
        spark._session.sparkContext.addPyFile(str(EXAMPLES / name))
    return spark._session


def test_frames_are_cut_at_rows_not_at_hosts() -> None:
    """Whatever frames the rows come in, the texts are the same."""
    pages = sorted(pages_of_hosts())
    whole = pd.DataFrame(pages, columns=["url", "html"])
    once = pd.concat(spark_step.text_frames([whole]), ignore_index=True)
    cut = [whole[at : at + 7] for at in range(0, len(whole), 7)]
    assert pd.concat(spark_step.text_frames(cut), ignore_index=True).equals(once)
    assert list(spark_step.text_frames([])) == []


@pytest.mark.parametrize("kind", [str, bytes])
def test_a_table_of_pages_in_any_order_becomes_one_of_texts(session: Any, kind: type) -> None:
    pages = pages_of_hosts()
    shuffled = sorted(pages, key=lambda page: page[0][::-1])
    rows = [(url, html if kind is str else html.encode()) for url, html in shuffled]
    frame = session.createDataFrame(
        [*rows, (None, rows[0][1])], f"url string, html {'string' if kind is str else 'binary'}"
    )
    found = {row.url: (row.text, row.site_pages) for row in spark_step.site_texts(frame).collect()}
    by_host = pd.DataFrame(
        sorted(pages, key=lambda page: (page[0].split("/")[2], page[0])), columns=["url", "html"]
    )
    alone = pd.concat(spark_step.text_frames([by_host]), ignore_index=True)
    assert found == {row.url: (row.text, row.site_pages) for row in alone.itertuples()}
    assert found[LONE[0]][1] == 1
    assert content_share({url: text for url, (text, _) in found.items()}) > 0.93

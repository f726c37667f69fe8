from __future__ import annotations

import enum
import gzip
import io
import json
import math
import os
import subprocess
import sys
from base64 import b64decode
from dataclasses import fields
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from uuid import UUID

import pytest
import scrapy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from templcrawl.errors import InvalidOption
from templcrawl.outputs import arrow, parquet_exporter
from templcrawl.outputs.column_types import COLUMN_TYPES, to_cell
from templcrawl.outputs.items import PageItem
from templcrawl.outputs.parquet_exporter import MAX_COLUMNS, ParquetItemExporter

pq = pytest.importorskip("pyarrow.parquet")


class Color(enum.Enum):
    RED = "red"


class Stats(dict):
    def inc_value(self, key, count=1):
        self[key] = self.get(key, 0) + count


class BrokenDisk(io.BytesIO):
    """Takes ``capacity`` writes, then none."""

    def __init__(self, capacity):
        super().__init__()
        self.capacity = capacity

    def write(self, data):
        if self.capacity == 0:
            raise OSError(28, "No space left on device")
        self.capacity -= 1
        return super().write(data)


def export(items, file=None, group_rows=2_000, group_size=2**25, **options):
    file = io.BytesIO() if file is None else file
    with pytest.MonkeyPatch.context() as patch:
        for module in (arrow, parquet_exporter):
            patch.setattr(module, "ROWS", group_rows)
            patch.setattr(module, "SIZE", group_size)
        exporter = ParquetItemExporter(file, **options)
        exporter.start_exporting()
        for item in items:
            exporter.export_item(item)
        exporter.finish_exporting()
    return file


def rows(file):
    return pq.read_table(file).to_pylist()


def columns(file):
    return {field.name: str(field.type) for field in pq.read_schema(file)}


TEXT = "string"


def test_a_page_item_has_a_column_for_each_of_its_fields():
    page = PageItem(url="https://a.example/", title="A", content_text="Café", leaf_id="t1")
    (row,) = rows(export([page]))
    given = {"url": "https://a.example/", "title": "A", "content_text": "Café", "leaf_id": "t1"}
    names = [field.name for field in fields(PageItem)]
    assert row == {**dict.fromkeys([*names, "extra"]), "truncated": False, **given}


def test_answers_have_the_types_of_the_one_list_where_their_values_fit():
    headings = [{"path": ["A"], "start": 0, "stop": 2}]
    found = columns(export([{"relevance": 1, "content_headings": []}, {"content_headings": headings}]))
    assert found["relevance"] == "double"
    assert found["content_headings"].startswith("list<element: struct<path: list<")
    assert columns(export([{"relevance": "high"}]))["relevance"] == TEXT


def test_columns_are_the_fields_of_the_first_items_and_nothing_that_nobody_asked_for():
    file = export([{"name": "pot", "price": 3}, {"name": "cup", "stock": True}])
    assert columns(file) == {"name": TEXT, "price": "int64", "stock": "bool", "extra": TEXT}
    assert rows(file) == [
        {"name": "pot", "price": 3, "stock": None, "extra": None},
        {"name": "cup", "price": None, "stock": True, "extra": None},
    ]


def test_fields_that_a_class_declares_are_columns_before_they_are_filled():
    class Product(scrapy.Item):
        name = scrapy.Field()
        price = scrapy.Field()

    file = export([Product(name="pot"), Product(name="cup", price="3 EUR")], group_rows=1)
    assert rows(file)[1] == {"name": "cup", "price": "3 EUR", "extra": None}


def test_the_fields_of_a_feed_are_its_columns_in_their_order_even_without_items():
    options = {"fields_to_export": ["price", "name"]}
    assert list(columns(export([], **options))) == ["price", "name", "extra"]
    item = {"name": "pot", "secret": 1, "price": 3}
    assert rows(export([item], **options)) == [{"price": 3, "name": "pot", "extra": None}]
    renamed = export([item], fields_to_export={"price": "EUR"})
    assert rows(renamed) == [{"EUR": 3, "extra": None}]


KINDS = [
    ([1, 2], "int64"),
    ([1, 2.5], "double"),
    ([9.0, 12.0], "double"),
    ([True, None], "bool"),
    ([True, 1], "string"),
    ([2**70], "string"),
    ([1, "a"], "string"),
    ([Decimal("1.5")], "double"),
    ([Decimal("0.12345678901234567890")], "string"),
    ([date(2024, 5, 1)], "string"),
    ([datetime(2024, 5, 1)], "timestamp[us, tz=UTC]"),
    ([b"a"], "binary"),
    ([["a"], ("b",), {"c"}], "list<element: string>"),
    ([[1, 2]], "string"),
    ([{"a": 1}], "string"),
    ([None], "string"),
]


@pytest.mark.parametrize(("values", "type_name"), KINDS)
def test_a_type_is_the_narrowest_that_holds_the_first_values(values, type_name):
    file = export([{"v": value} for value in values])
    assert columns(file)["v"] == type_name
    assert [row["extra"] for row in rows(file)] == [None] * len(values)


def test_what_later_items_bring_is_in_extra_and_is_said(caplog):
    caplog.set_level("INFO")
    file = export([{"n": 1}, {"n": 2}, {"n": 2.5, "m": 1}], group_rows=2)
    assert rows(file)[2] == {"n": None, "extra": '{"m":1,"n":2.5}'}
    said = [record.getMessage() for record in caplog.records]
    assert "from the fields of its first 2 items: n int64" in said[0]
    assert said[1:] == [
        "Values of the field 'n' that do not fit its Parquet column and are in 'extra': 1",
        "Values of fields that have no Parquet column and are in 'extra': 1",
    ]


def test_an_item_that_changes_after_it_was_exported_is_written_as_it_was():
    tags, nested = ["a"], {"k": [1]}

    def items():
        yield {"tags": tags, "nested": nested}
        tags.append("b")
        nested["k"].append(2)
        yield {"tags": tags, "nested": nested}

    written = [(row["tags"], row["nested"]) for row in rows(export(items()))]
    assert written == [(["a"], '{"k":[1]}'), (["a", "b"], '{"k":[1,2]}')]


def test_names_that_can_be_no_column_are_in_extra():
    item = {"\ud800": 1, "extra": 3, "": 4}
    (row,) = rows(export([item]))
    assert json.loads(row.pop("extra")) == item
    assert row == {}


def test_there_are_not_more_columns_than_can_be_kept():
    (row,) = rows(export([{f"f{n}": n for n in range(MAX_COLUMNS + 5)}]))
    assert len(row) == MAX_COLUMNS + 1
    assert len(json.loads(row["extra"])) == 5


def test_an_item_that_cannot_be_written_costs_no_other():
    itself = {}
    itself["itself"] = itself
    file = io.BytesIO()
    exporter = ParquetItemExporter(file)
    exporter.start_exporting()
    for broken in (itself, {"n": 10**5000}):
        with pytest.raises((RecursionError, ValueError)):
            exporter.export_item(broken)
    exporter.export_item({"n": 1})
    exporter.finish_exporting()
    assert rows(file) == [{"n": 1, "extra": None}]


NOON = datetime(2024, 5, 1, 12, 0, tzinfo=timezone.utc)
SECTION = {"path": ["A"], "start": 0, "stop": 2}
OF_TWO_HOURS = timezone(timedelta(hours=2))
FITS = {  # type -> value -> cell
    "string": [
        ("a", "a"),
        (7, "7"),
        (0.5, "0.5"),
        (Decimal("1.50"), "1.50"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (date(2024, 5, 1), "2024-05-01"),
        (NOON, "2024-05-01T12:00:00+00:00"),
        (Color.RED, "red"),
    ],
    "int64": [(2**63 - 1, 2**63 - 1), (-(2**63), -(2**63)), (2.0, 2), (Decimal("2.00"), 2)],
    "float64": [(0.1, 0.1), (3, 3.0), (Decimal("12.10"), 12.1), (math.inf, math.inf)],
    "bool": [(True, True)],
    "timestamp": [(NOON, NOON), (datetime(2024, 5, 1, 12, 0), NOON), (NOON.astimezone(OF_TWO_HOURS), NOON)],
    "binary": [(b"\xff", b"\xff"), (bytearray(b"a"), b"a"), ("é", b"\xc3\xa9")],
    "list<string>": [
        (["a", None, 1], ["a", None, "1"]),
        ((), []),
        ({"b", "a"}, ["a", "b"]),
        ([Color.RED], ["red"]),
    ],
    "sections": [([SECTION], [SECTION]), ([], [])],
    "json": [
        ("7", '"7"'),
        ({"b": [date(2024, 5, 1)], "a": b"a"}, '{"a":{"base64":"YQ=="},"b":["2024-05-01"]}'),
    ],
}
FINE = Decimal("0.12345678901234567890")
MISFITS = {
    "string": [True, b"a", ["a"], "\ud800"],
    "int64": [2**63, 2.5, math.nan, Decimal("NaN"), Decimal("1E+999999999"), "007", True],
    "float64": [2**53 + 1, 10**400, FINE, "0.5", False],
    "bool": [1, "true"],
    "timestamp": [
        "2024-05-01T12:00:00",
        date(2024, 5, 1),
        1714564800,
        datetime(1, 1, 1, tzinfo=OF_TWO_HOURS),
    ],
    "binary": [1, "\ud800"],
    "list<string>": ["ab", {"a": 1}, [["a"]], {"a", 1}],
    "sections": [
        "ab",
        ["ab"],
        [{"path": ["A"], "start": 0}],
        [{**SECTION, "stop": 2**64}],
        [{**SECTION, "path": "A"}],
    ],
}


@pytest.mark.parametrize("type_name", COLUMN_TYPES)
def test_a_value_that_fits_is_read_back_and_a_misfit_is_never_bent_to_fit(type_name):
    for value, cell in FITS[type_name]:
        (row,) = rows(export([{"v": value}], schema={"v": type_name}))
        assert row == {"v": cell, "extra": None}
        assert type(row["v"]) is type(cell)
    for value in MISFITS.get(type_name, []):
        (row,) = rows(export([{"v": value}], schema={"v": type_name}))
        assert row["v"] is None
        assert list(json.loads(row["extra"])) == ["v"]


def test_a_moment_finer_than_a_microsecond_is_a_misfit():
    class Nanoseconds(datetime):
        nanosecond = 1

    with pytest.raises(ValueError, match="microsecond"):
        to_cell(Nanoseconds(2024, 5, 1), "timestamp")


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.decimals(-(10**30), 10**30))
def test_a_number_column_holds_a_number_exactly_or_not_at_all(number):
    try:
        whole = to_cell(number, "int64")
    except ValueError:
        assert Fraction(number).denominator > 1 or not -(2**63) <= number < 2**63
    else:
        assert Fraction(whole) == Fraction(number)
    if isinstance(number, Decimal):
        return
    try:
        real = to_cell(number, "float64")
    except ValueError:
        assert isinstance(number, int)
    else:
        assert Fraction(real) == Fraction(number)


names = st.sampled_from(["url", "n", "x", "flag", "at", "raw", "tags", "other", "extra"])
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(), max_size=5)
    | st.binary(max_size=5)
    | st.decimals(allow_nan=False)
    | st.datetimes(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)
EVERY_TYPE = {
    "url": "string",
    "n": "int64",
    "x": "float64",
    "flag": "bool",
    "at": "timestamp",
    "raw": "binary",
    "tags": "list<string>",
}


@pytest.mark.parametrize("schema", [None, EVERY_TYPE])
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.dictionaries(names | st.text(max_size=2), values), max_size=6), st.integers(1, 4))
def test_no_items_break_the_file_and_none_loses_a_field(schema, items, group_rows):
    written = rows(export(items, schema=schema, group_rows=group_rows))
    assert len(written) == len(items)
    for item, row in zip(items, written, strict=True):
        extra = json.loads(row.pop("extra") or "{}")
        in_cells = {name for name, cell in row.items() if cell is not None}
        assert in_cells.isdisjoint(extra)
        must_be_kept = {name for name, value in item.items() if value is not None or name not in row}
        assert must_be_kept <= in_cells | {*extra} <= {*item}
        assert all(row[name] == item[name] for name in in_cells if isinstance(row[name], (bool, int)))
        for name in ("other", "extra"):
            if name in extra and isinstance(item[name], (str, bytes)):
                kept = extra[name]
                kept = b64decode(kept["base64"]) if isinstance(kept, dict) else kept
                assert kept == item[name]


def row_group_lengths(file):
    metadata = pq.ParquetFile(file).metadata
    return [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]


def test_a_row_group_is_written_when_its_text_is_full_wherever_the_text_is():
    schema = {"url": "string", "raw": "binary", "tags": "list<string>"}
    for field in [{"url": "x" * 60}, {"raw": b"x" * 60}, {"tags": ["x" * 30] * 2}, {"o": "x" * 60}]:
        file = export([field] * 5, schema=schema, group_size=100)
        assert row_group_lengths(file) == [2, 2, 1]


def test_the_columns_are_compressed_with_zstd():
    metadata = pq.ParquetFile(export([{"url": "u"}])).metadata
    assert metadata.row_group(0).column(0).compression == "ZSTD"


def test_a_file_that_holds_something_is_left_as_it_is(caplog):
    file = io.BytesIO(b"PAR1 of an earlier run")
    file.seek(0, io.SEEK_END)
    stats = Stats()
    export([{"url": "u"}] * 3, file, stats=stats)
    assert file.getvalue() == b"PAR1 of an earlier run"
    assert stats == {"templcrawl/parquet/lost": 3}
    assert [record.levelname for record in caplog.records].count("ERROR") == 1


def test_a_disk_that_fails_at_any_write_costs_the_file_but_raises_nothing(caplog):
    healthy = BrokenDisk(capacity=1_000)
    export([{"url": "u"}] * 5, healthy, group_rows=2)
    assert len(rows(healthy)) == 5
    writes = 1_000 - healthy.capacity
    for capacity in range(writes):
        caplog.clear()
        stats = Stats()
        export([{"url": "u"}] * 5, BrokenDisk(capacity), stats=stats, group_rows=2)
        assert stats == {"templcrawl/parquet/lost": 5}
        assert [record.levelname for record in caplog.records].count("ERROR") == 1


@pytest.mark.parametrize(
    "options",
    [
        {"schema": {"url": "varchar"}},
        {"schema": {"extra": "string"}},
    ],
)
def test_an_option_that_is_not_accepted_is_named(options):
    with pytest.raises(InvalidOption):
        ParquetItemExporter(io.BytesIO(), **options)


CRAWL = """
import json, sys
from pathlib import Path
import scrapy
from scrapy.crawler import AsyncCrawlerProcess
from templcrawl.outputs.items import PageItem

here = Path.cwd()
parquet = {"format": "parquet", "overwrite": True}


class Pages(scrapy.Spider):
    name = "pages"
    start_urls = [path.as_uri() for path in sorted(here.glob("*.html"))]

    def parse(self, response):
        page = Path(response.url).stem
        yield PageItem(url=page, title=response.css("title::text").get())
        yield {"url": page, "price": 9.5}


process = AsyncCrawlerProcess({
    "FEED_EXPORTERS": {
        "parquet": "templcrawl.outputs.parquet_exporter.ParquetItemExporter"
    },
    "FEEDS": {
        here / "all.parquet.gz": {
            **parquet,
            "postprocessing": ["scrapy.extensions.postprocessing.GzipPlugin"],
        },
        "batch-%(batch_id)d.parquet": {**parquet, "batch_item_count": 4},
        here / "none.parquet": {**parquet, "item_classes": ["scrapy.Item"]},
        here / "priced.parquet": {
            **parquet,
            "item_classes": [dict],
            "item_export_kwargs": {"schema": {"price": "float64"}, },
        },
        here / "old.parquet": {"format": "parquet"},
        here / "lines.jsonl": {"format": "jsonlines"},
    },
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "LOG_LEVEL": "INFO",
})
crawler = process.create_crawler(Pages)
process.crawl(crawler)
process.start()
Path("stats.json").write_text(json.dumps(crawler.stats.get_stats(), default=str))
"""


@pytest.fixture(scope="module")
def crawled(tmp_path_factory) -> Path:
    """The folder of a crawl of five local pages into six feeds."""
    folder = tmp_path_factory.mktemp("crawl")
    for number in range(5):
        (folder / f"{number}.html").write_text(f"<title>Page {number}</title>")
    (folder / "old.parquet").write_bytes(b"an earlier run")
    (folder / "crawl.py").write_text(CRAWL)
    path = os.pathsep.join([str(Path.cwd()), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-W", "error", "crawl.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr
    assert "Traceback" not in done.stderr
    (folder / "log.txt").write_text(done.stderr)
    return folder


def test_a_crawl_writes_batches_of_pages(crawled):
    batches = [rows(crawled / f"batch-{number}.parquet") for number in (1, 2, 3)]
    assert [len(batch) for batch in batches] == [4, 4, 2]
    together = [row for batch in batches for row in batch]
    titles = {row["url"]: row["title"] for row in together if row["title"] is not None}
    assert titles == {str(number): f"Page {number}" for number in range(5)}
    assert [row["price"] for row in together if row["price"]] == [9.5] * 5
    assert {row["extra"] for row in together} == {None}


def test_a_crawl_writes_a_valid_file_where_no_item_is_accepted(crawled):
    assert rows(crawled / "none.parquet") == []


def test_a_feed_has_the_schema_of_its_export_options(crawled):
    assert [row["price"] for row in rows(crawled / "priced.parquet")] == [9.5] * 5


def test_a_feed_may_be_compressed_once_more(crawled):
    assert len(rows(io.BytesIO(gzip.decompress((crawled / "all.parquet.gz").read_bytes())))) == 10


def test_a_feed_that_cannot_be_written_harms_no_other(crawled):
    assert (crawled / "old.parquet").read_bytes() == b"an earlier run"
    assert len((crawled / "lines.jsonl").read_text().splitlines()) == 10
    stats = json.loads((crawled / "stats.json").read_text())
    assert stats["templcrawl/parquet/lost"] == 10
    assert stats["log_count/ERROR"] == 1
    assert stats["item_scraped_count"] == 10

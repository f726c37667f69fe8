"""``python -m benchmarks.broad``: crawls of a few hosts, beside Scrapy alone."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.linkextractors import LinkExtractor

from benchmarks.broad import GOAL, QUEUES, Row, Scene, crawl_table, main, ways_of
from benchmarks.broad_crawl import FOLLOWED, KINDS, ROOT, Figures, Job, Website, in_new_process

pytestmark = pytest.mark.exhaustive

SCENE = Scene(3, 4, "html", 16, "default", 0.0, jobdir=False, longest=60.0)


BLOCKS = f"{__name__}.Blocks"


class Blocks:
    """An extension that blocks the event loop at the second answer."""

    def __init__(self) -> None:
        self._answers = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Blocks:
        blocks = cls()
        crawler.signals.connect(blocks.block, signals.response_received)
        return blocks

    def block(self) -> None:
        self._answers += 1
        if self._answers == 2:
            time.sleep(0.25)


def row(way: str, rate: float, cpu: float) -> Row:
    return Row(SCENE, way, rate, cpu, 0, 0, 0, 0)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10_000), st.integers(1, 50))
def test_the_pages_of_a_host_are_reached_from_its_first_and_have_its_template(host: int, pages: int) -> None:
    site = Website(Job(None, host + 1, pages))
    answers = [site.answer(f"http://h{host}.example/page/{number}") for number in range(pages)]
    assert [answer.body for answer in answers] == [site.answer(answer.url).body for answer in answers]
    assert all(4_000 < len(answer.body) < 60_000 for answer in answers)
    assert len({answer.text.partition("<nav>")[2].partition("</nav>")[0] for answer in answers}) == 1
    found = {answers[0].url}
    for answer in answers:
        if answer.url in found:
            found.update(link.url for link in LinkExtractor(allow=FOLLOWED).extract_links(answer))
    assert found == {answer.url for answer in answers}


def test_hosts_have_templates_of_their_own() -> None:
    site = Website(Job(None, 9, 1))
    assert (
        len({site.answer(f"http://h{host}.example/page/0").body.partition(b"<main>")[0] for host in range(9)})
        == 9
    )


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_is_what_was_asked_for(kind: str) -> None:
    answer = Website(Job(None, 1, 1, kind)).answer("http://h0.example/page/0")
    names = {"html": "HtmlResponse", "json": "JsonResponse", "pdf": "Response", "404": "HtmlResponse"}
    assert type(answer).__name__ == names[kind]
    assert answer.status == (404 if kind == "404" else 200)


def test_the_goal_is_asked_for_where_latency_rules() -> None:
    assert row("with", 100 * GOAL, 9).goal(row("without", 100, 4.9)) == "met"
    assert row("with", 100 * GOAL - 0.1, 5).goal(row("without", 100, 4.9)) == "missed"
    assert row("with", 10, 5).goal(row("without", 100, 5)) == "CPU rules"


def test_a_row_is_the_median_of_its_rounds() -> None:
    rounds = [Figures(10, 0, seconds, 2 * seconds, 0.1 * seconds, 0.01, 50.0) for seconds in (1.0, 5.0, 2.0)]
    assert Row.of(SCENE, "with", rounds) == Row(SCENE, "with", 5.0, 400.0, 200.0, 10.0, 0, 50.0)


def test_a_crawl_is_compared_with_the_one_without_of_its_scene() -> None:
    table = crawl_table([row("without", 100, 4), row("with", 50, 6)], "")
    cells = {str(column.header): list(column.cells) for column in table.columns}
    assert cells["crawl"] == ["without", "with"]
    assert cells["goal"] == ["", "missed"]
    assert [list(column.cells) for column in table.columns if column.header == "of without"] == [
        ["1.00", "0.50"],
        ["1.00", "1.50"],
    ]


def test_queues_and_switches_go_to_the_crawls_that_they_are_for() -> None:
    more = {"TEMPLCRAWL_HOLD": "3"}
    scene = Scene(1, 9, "json", 16, "focus", 0.0, jobdir=True, longest=60.0)
    bare, ours = (dict(scene.job(addon, more, "jobs").settings) for addon in (None, str(ROOT)))
    assert bare["JOBDIR"] == ours["JOBDIR"] == "jobs"
    assert bare["CONCURRENT_REQUESTS_PER_DOMAIN"] == 16
    assert bare["SCHEDULER_PRIORITY_QUEUE"] == "scrapy.pqueues.ScrapyPriorityQueue"
    assert not [name for name in bare if name.startswith("TEMPLCRAWL_")]
    assert ours["TEMPLCRAWL_ORDER"] == "focus"
    assert ours["TEMPLCRAWL_HOLD"] == "3"
    assert "SCHEDULER_PRIORITY_QUEUE" not in ours


def test_checkouts_are_those_that_are_given(tmp_path: Path) -> None:
    assert ways_of(None, None) == {"without": None, "with": str(ROOT)}
    assert [*ways_of(None, None, freeze=True)] == ["without", "with", "without, frozen", "with, frozen"]
    assert ways_of(tmp_path, ROOT) == {"without": None, "with": str(tmp_path), "baseline": str(ROOT)}


def test_the_add_on_of_another_checkout_is_the_one_that_crawls(tmp_path: Path) -> None:
    (tmp_path / "templcrawl.py").write_text("raise ImportError('of the checkout')", encoding="utf-8")
    with pytest.raises(RuntimeError, match="of the checkout"):
        in_new_process("benchmarks.broad_crawl", Job(str(tmp_path), 1, 1))


def test_a_crawl_that_fails_says_why() -> None:
    with pytest.raises(RuntimeError, match="TEMPLCRAWL_ORDER"):
        in_new_process("benchmarks.broad_crawl", Job(str(ROOT), 1, 1, settings={"TEMPLCRAWL_ORDER": "odd"}))


def test_every_page_is_fetched_with_every_queue(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw = tmp_path / "figures.json"
    small = ["--hosts", "3", "--pages", "4", "--in-flight", "4", "--latency", "0.01", "--kind", "html"]
    main([*small, "--queue", *QUEUES, "--jobdir", "--json", str(raw)])
    rows = json.loads(raw.read_text(encoding="utf-8"))
    assert [(one["scene"]["queue"], one["way"]) for one in rows] == [
        (queue, way) for queue in QUEUES for way in ("without", "with")
    ]
    assert all(one["missing"] == 0 and one["rate"] > 0 and one["cpu"] > 0 for one in rows)
    assert all(0 < one["stall"] < 1000 / one["rate"] * 12 for one in rows)
    assert "Crawls of many hosts, 0.01 s latency, JOBDIR" in capsys.readouterr().out


def test_a_stall_is_seen() -> None:
    figures = in_new_process(
        "benchmarks.broad_crawl", Job(str(ROOT), 1, 3, "json", 0.01, {"EXTENSIONS": {BLOCKS: 1}})
    )
    assert figures["stall"] > 0.2
    assert figures["stall_cpu"] < figures["stall"]


def test_pops_are_measured_in_every_way(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw = tmp_path / "figures.json"
    main(["--pops", "--slots", "2", "20", "--in-flight", "4", "--json", str(raw)])
    rows = json.loads(raw.read_text(encoding="utf-8"))
    assert [(one["slots"], one["in_flight"]) for one in rows] == [(2, 4), (20, 4)]
    assert all(one["without"] > 0 and one["with"] > 0 for one in rows)
    assert "CPU of a pop" in capsys.readouterr().out

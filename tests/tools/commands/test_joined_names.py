"""A page type has one name: in items by their leaf, in the archive, and in what every command says of them.

Crawls are real ones, of generated sites; each command reads what they have left, in other orders too.
"""

from __future__ import annotations

import json
import re
import signal
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
from templcrawl.outputs.archive.final_labels import FinalLabels

from lab.sites.server import Answer as Answered
from lab.sites.server import LocalSite
from templcrawl.outputs.archive.parts import Archive
from templcrawl.page.records import page_url
from templcrawl.tools.readers.sources import open_pages
from tests.crawl.crawls import DEMO_SITE, ONE_BY_ONE, SMALL_PARTS, Crawl, run_crawl
from tests.tools.commands.running import run
from tests.tools.readers.archives import Answer, write_warc

pytestmark = pytest.mark.exhaustive

FIELDS = ["template_id", "leaf_id"]


class Left(NamedTuple):
    """What a crawl has left in a folder.

    labels  URL -> field -> label, of its items
    """

    folder: Path
    labels: dict[str, dict[str, str]]

    @property
    def job(self) -> Path:
        return self.folder / "job"

    @property
    def archive(self) -> Path:
        return self.folder / "crawl"

    def final_labels(self, capsys: pytest.CaptureFixture[str], source: Path | None = None) -> dict[str, str]:
        """Return URL -> what ``scrapy labels`` says that its leaf has become."""
        items = self.folder / "items.jsonl"
        items.write_text("".join(json.dumps(item) + "\n" for item in self.labels.values()))
        table = run(capsys, "labels", items, "--of", source or self.job, "--json", "-").json
        now = {row["label"]: row["template_id"] for row in table["labels"]}
        return {url: now[item["leaf_id"]] for url, item in self.labels.items()}


def settings_for(folder: Path, **more: object) -> dict[str, object]:
    return {
        **SMALL_PARTS,
        **ONE_BY_ONE,
        "JOBDIR": str(folder / "job"),
        "TEMPLCRAWL_ITEM_FIELDS": FIELDS,
        "TEMPLCRAWL_ARCHIVE": str(folder / "crawl"),
        "TEMPLCRAWL_ARCHIVE_BODIES": True,
        "SHOP_PART_PAGES": 25,
        "TEMPLCRAWL_REPORT": str(folder / "report.html"),
        **more,
    }


def labels_of(*crawls: Crawl) -> dict[str, dict[str, str]]:
    """Return URL -> field -> label."""
    items = [item for crawl in crawls for kind, item in crawl.items if kind == "dict"]
    return {item["url"]: {name: item[name] for name in FIELDS} for item in items}


@pytest.fixture(scope="module")
def two_sites(tmp_path_factory: pytest.TempPathFactory) -> Left:
    """A crawl of two sites to its end."""
    return crawled(tmp_path_factory.mktemp("two"))


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Left:
    """A crawl of two sites that has room for one in memory."""
    return crawled(tmp_path_factory.mktemp("crowded"), TEMPLCRAWL_MAX_SITES=1)


def crawled(folder: Path, **more: object) -> Left:
    with LocalSite(DEMO_SITE.html) as other:

        def answer(path: str) -> Answered:
            page = DEMO_SITE.html(path)
            link = f'<a href="{other.url}shop/">Our shop</a></body>'
            return page.replace("</body>", link) if path == "/" else page

        with LocalSite(answer) as first:
            crawl = run_crawl("plain", first.url, folder / "out", settings_for(folder, **more))
    left = Left(folder, labels_of(crawl))
    assert len({url.split("/")[2] for url in left.labels}) == 2
    return left


@pytest.fixture(scope="module")
def resumed(tmp_path_factory: pytest.TempPathFactory) -> Left:
    """A crawl that was killed and has gone on to its end."""
    folder = tmp_path_factory.mktemp("resumed")
    with LocalSite(DEMO_SITE.html, delay=0.002) as site:
        settings = settings_for(folder, SHOP_PART_PAGES=4, TEMPLCRAWL_CHECKPOINT_SECONDS=0.3)
        killed = run_crawl(
            "plain",
            site.url,
            folder / "out",
            settings,
            stop_when=lambda: len(site.targets) >= 90,
            with_signal=signal.SIGKILL,
        )
        assert 30 < len(labels_of(killed)) < 100
        assert Archive(str(folder / "crawl")).parts
        assert not (folder / "crawl" / "labels").exists()
        rest = run_crawl("plain", site.url, folder / "out", settings)
    return Left(folder, labels_of(killed, rest))


@pytest.fixture(params=["two_sites", "crowded", "resumed"])
def left(request: pytest.FixtureRequest) -> Left:
    found: Left = request.getfixturevalue(request.param)
    return found


def clusters(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, str]:
    report = run(capsys, "cluster", *arguments, "--per-host", "--pages", "--json", "-").json
    sizes = {cluster["id"]: cluster["pages"] for cluster in report["clusters"]}
    assert sizes == Counter(page["cluster"] for page in report["page_clusters"])
    return {page["url"]: page["cluster"] for page in report["page_clusters"]}


def stripped(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, str]:
    lines = run(capsys, "strip", *arguments, "-o", "-").out.splitlines()
    return {row["url"]: row["template_id"] for row in map(json.loads, lines)}


def reported(file: Path) -> Counter[str]:
    """Return the names of the templates in a report -> pages; it shows the ten largest of a site."""
    rows = re.findall(
        r'<code class="label">([0-9a-f]{12})</code></th><td class="number">([\d,]+)', file.read_text()
    )
    assert rows
    reported = Counter[str]()
    for name, pages in rows:
        reported[name] += int(pages.replace(",", ""))
    return reported


def names(words: dict[str, str]) -> Counter[str]:
    return Counter(label.rpartition("#")[2] for label in words.values())


def saved(left: Left) -> dict[str, str]:
    """Write the pages of an archive as a folder, in another order; return URL of a file -> URL."""
    url_of = {}
    for number, record in enumerate(open_pages(left.archive)):
        file = left.folder / "saved" / record.url.split("/")[2] / f"{9999 - number}.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(record.html)
        url_of[page_url(left.folder / "saved", file)] = record.url
    return url_of


def test_what_commands_say_of_an_archive_joins_the_items(
    left: Left, capsys: pytest.CaptureFixture[str]
) -> None:
    words = left.final_labels(capsys)
    assert len({*words.values()}) > 5
    early = {url: item["template_id"] for url, item in left.labels.items()}
    assert early != words
    answers = clusters(capsys, left.archive), stripped(capsys, left.archive)
    for answer in answers:
        assert {url: words[url] for url in answer} == answer
        assert len(answer) > 100
    file = left.folder / "of-archive.html"
    assert run(capsys, "report", left.archive, "-o", file).code == 0
    expected = names(answers[0])
    assert reported(file).items() <= expected.items()


def test_the_report_of_the_crawl_calls_them_the_same(
    two_sites: Left, capsys: pytest.CaptureFixture[str]
) -> None:
    assert {*reported(two_sites.folder / "report.html")} <= {*names(two_sites.final_labels(capsys))}


def test_so_does_a_folder_in_another_order_by_the_memory_of_the_crawl(
    left: Left, capsys: pytest.CaptureFixture[str]
) -> None:
    words, url_of = left.final_labels(capsys), saved(left)
    folder = left.folder / "saved"
    assert clusters(capsys, folder) != {url: words[url_of[url]] for url in url_of}
    for way in (clusters, stripped):
        answer = way(capsys, folder, "--labels", left.job)
        assert answer == {url: words[url_of[url]] for url in url_of}
    file = left.folder / "of-folder.html"
    assert run(capsys, "report", folder, "--labels", left.job, "-o", file).code == 0
    assert reported(file).items() <= names({url: words[url_of[url]] for url in url_of}).items()


@pytest.mark.parametrize("detector", ["vote", "etdm"])
def test_without_a_memory_pages_in_the_order_of_the_crawl_have_its_names(
    detector: str, two_sites: Left, capsys: pytest.CaptureFixture[str]
) -> None:
    words = two_sites.final_labels(capsys)
    file = two_sites.folder / "crawl.warc"
    write_warc(file, [Answer(record.url, record.html) for record in open_pages(two_sites.archive)])
    answer = stripped(capsys, file, "--detector", detector)
    assert answer == clusters(capsys, file) == {url: words[url] for url in answer}


@pytest.mark.parametrize("detector", ["sandwich", "dom", "mdl"])
def test_an_archive_knows_names_that_a_detector_does_not(
    detector: str, two_sites: Left, capsys: pytest.CaptureFixture[str]
) -> None:
    words = two_sites.final_labels(capsys)
    answer = stripped(capsys, two_sites.archive, "--detector", detector)
    assert answer == {url: words[url] for url in answer}


def test_the_archive_has_the_last_word_on_every_label(left: Left, capsys: pytest.CaptureFixture[str]) -> None:
    assert left.final_labels(capsys, left.archive) == left.final_labels(capsys)


def test_the_archive_has_the_labels_of_the_items(two_sites: Left) -> None:
    archive = Archive(str(two_sites.archive))
    table = archive.read("pages", ["url", "template", "leaf"]).to_pylist()
    for row in table:
        of_item = two_sites.labels[row["url"]]
        assert (row["template"], row["leaf"]) == (of_item["template_id"], of_item["leaf_id"])
    labels = {row[name] for row in table for name in ("template", "leaf")}
    assert labels <= {*FinalLabels(archive).labels}


def test_an_archive_of_a_crawl_that_has_not_ended_is_sorted_by_itself(
    two_sites: Left, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for table in ("pages", "bodies", "links", "pagelets"):
        (tmp_path / table).symlink_to(two_sites.archive / table)
    assert clusters(capsys, tmp_path) == clusters(capsys, two_sites.archive)


def test_labels_that_are_no_memory_are_refused(
    two_sites: Left, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for command in (["cluster"], ["report"], ["strip", "-o", "-"]):
        told = run(capsys, *command, two_sites.archive, "--labels", tmp_path / "none")
        assert told.code == 2
        assert "JOBDIR" in told.err + told.out
    assert run(capsys, "cluster", two_sites.archive, "--labels", two_sites.job, "--across").code == 2

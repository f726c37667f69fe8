"""What the labels of a crawl's items have become, by the memory that the crawl has left."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lab.sites.generated import generate_demo_site
from templcrawl import CrawlMemory, Page
from templcrawl.memory.store import FolderStore
from templcrawl.outputs.archive.writer import ArchiveWriter
from tests.outputs.archive.tables import some_rows
from tests.tools.commands.running import run

PAGES = [*generate_demo_site().pages.items()][:80]


@pytest.fixture
def crawl(tmp_path: Path) -> tuple[CrawlMemory, Path, Path]:
    """A memory, its JOBDIR, and the items of its crawl."""
    job, items = tmp_path / "job", tmp_path / "pages.jsonl"
    memory = CrawlMemory(store=FolderStore(job / "templcrawl"), sample_salt=0, detector="sandwich")
    with items.open("w") as file:
        for path, page in PAGES:
            seen = memory.observe(Page(page.html, f"https://a.example:8000{path}"))
            item = {"url": path, "template_id": seen.template_id, "type": seen.leaf_id, "text": "#no label"}
            file.write(json.dumps(item) + "\n")
    memory.save()
    return memory, job, items


def test_every_label_is_what_resolve_says(
    crawl: tuple[CrawlMemory, Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    memory, job, items = crawl
    told = run(capsys, "labels", items, "--of", job, "--json", "-")
    assert (told.code, told.err) == (0, "")
    given = [json.loads(line) for line in items.read_text().splitlines()]
    labels = {item[name] for item in given for name in ("template_id", "type")}
    rows = {row["label"]: row for row in told.json["labels"]}
    assert {*rows} == labels
    assert {label: row["template_id"] for label, row in rows.items()} == {
        label: memory.resolve(label) for label in labels
    }
    assert any(label != row["template_id"] for label, row in rows.items())
    assert sum(row["items"] for row in rows.values()) == 2 * len(PAGES)


def test_the_table_is_cut_and_says_what_is_not_known(
    crawl: tuple[CrawlMemory, Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    _, job, items = crawl
    strange = '{"template_id": "b.example#0123456789ab", "url": "https://b.example/x#0123456789ab"}'
    items.write_text(f"{items.read_text()}{strange}\nno JSON\n[]\n{'[' * 100_000}\n")
    told = run(capsys, "labels", items, "--of", job, "--top", "500")
    assert told.code == 3
    assert told.out.splitlines()[-1].split() == ["1", "b.example#0123456789ab", "not", "known"]
    assert len(run(capsys, "labels", items, "--of", job, "--top", "2").out.splitlines()) == 4


def test_items_are_written_with_the_final_label_and_the_name_of_their_page_type(
    crawl: tuple[CrawlMemory, Path, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    memory, job, items = crawl
    given = [json.loads(line) for line in items.read_text().splitlines()]
    for item in given:
        item["leaf_id"] = item.pop("type")
        item |= {"page_kind": "listing", "page_kind_confidence": 0.5}
    given[-1]["page_kind"] = "error"
    feed, written, names = tmp_path / "feed.jsonl", tmp_path / "final.jsonl", tmp_path / "names.json"
    feed.write_text("".join(f"{json.dumps(item)}\n" for item in given))
    final = {item["leaf_id"]: memory.resolve(item["leaf_id"]) for item in given}
    aliases = tmp_path / "aliases.json"
    (site,) = memory
    aliases.write_text(json.dumps(site.final_labels()))
    most = max(final.values(), key=[final[item["leaf_id"]] for item in given].count)
    names.write_text(json.dumps({most: "article", "/no/such": "none"}))
    for of in (job, aliases):
        told = run(capsys, "labels", feed, "--of", of, "-o", written, "--names", names)
        assert (told.code, told.out) == (0, "")
        resolved = [json.loads(line) for line in written.read_text().splitlines()]
        assert [item["template_id"] for item in resolved] == [final[item["leaf_id"]] for item in given]
        assert [item["leaf_id"] for item in resolved] == [item["leaf_id"] for item in given]
        assert [item["text"] for item in resolved] == ["#no label"] * len(given)
        named = {(item["template_id"], item["page_type_name"]) for item in resolved}
        assert len({label for label, _ in named}) == len({name for _, name in named}) == len(named) > 2
        assert (most, "article") in named
        kinds = {
            (item["page_type_name"] == "article", item["page_kind"], item["page_kind_confidence"])
            for item in resolved[:-1]
        }
        assert kinds == {(True, "article", 1.0), (False, "listing", 0.5)}
        assert (resolved[-1]["page_kind"], resolved[-1]["page_kind_confidence"]) == ("error", 0.5)
    names.write_text("[]")
    assert run(capsys, "labels", feed, "--of", job, "--names", names).code == 2
    aliases.write_text("no JSON")
    assert run(capsys, "labels", feed, "--of", aliases).code == 2


def test_what_is_no_jobdir_and_what_has_no_labels_is_refused(
    crawl: tuple[CrawlMemory, Path, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    _, job, items = crawl
    none = run(capsys, "labels", items, "--of", tmp_path / "none")
    assert none.code == 2
    assert "JOBDIR" in none.err + none.out
    assert not (tmp_path / "none").exists()
    (tmp_path / "empty.jsonl").write_text('{"url": "a"}\n')
    assert run(capsys, "labels", tmp_path / "empty.jsonl", "--of", job).code == 2
    assert run(capsys, "labels", items).code == 2


def test_labels_of_an_archive_that_are_damaged_are_named(
    crawl: tuple[CrawlMemory, Path, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    memory, _, items = crawl
    archive = tmp_path / "crawl"
    for number in (1, 2):
        writer = ArchiveWriter(str(archive))
        for page in some_rows(number):
            writer.add(page)
        (site,) = memory
        writer.close(site.final_labels())
    min((archive / "labels").iterdir()).write_bytes(b"PAR1")
    told = run(capsys, "labels", items, "--of", archive, "--json", "-")
    assert (told.code, "labels/" in told.err) == (3, True)
    assert {
        row["label"]: row["template_id"] for row in told.json["labels"]
    }.items() <= site.final_labels().items()

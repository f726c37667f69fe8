"""``scrapy changes`` on two crawls of the demo site, and on inputs that are not accepted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest

from tests.outputs.report.reading import assert_inert
from tests.tools.commands import running
from tests.tools.readers.archives import HOST, Answer, demo_pages, write_folder, write_warc

run = partial(running.run, module="templcrawl.tools.commands.changes_command")

OLD = {path: html for path, (_, html) in demo_pages().items()}
EDITED, GROWN, GONE, ADDED = list(OLD)[3], list(OLD)[5], list(OLD)[7], "news/of-today.html"
HOSTILE = "<p>A quite new sentence &lt;script&gt;alert(1)&lt;/script&gt; stands here.</p>"


def new_crawl() -> dict[str, str]:
    """Return the site of another day: a banner on all pages, two edited, a page gone, a page new."""
    new = {path: html.replace("<body", "<body data-day=2", 1) for path, html in OLD.items() if path != GONE}
    for path, html in new.items():
        body = html.lower().index("<body")
        after = html.index(">", body) + 1
        new[path] = f"{html[:after]}<div>We are moving to the harbour on Monday.</div>{html[after:]}"
    new[EDITED] = new[EDITED].replace(content_of(EDITED), "Nothing of what was said here is true.", 1)
    end = new[GROWN].index(content_of(GROWN)) + len(content_of(GROWN))
    new[GROWN] = f"{new[GROWN][:end]}{HOSTILE}{new[GROWN][end:]}"
    new[ADDED] = new[EDITED].replace("true.", "new.")
    return new


def content_of(path: str) -> str:
    """Return a sentence of a page that no other has."""
    runs = [run.partition("<")[0].strip() for run in OLD[path].split(">")]
    others = "".join(html for other, html in OLD.items() if other != path)
    body = OLD[path].lower().index("<body")
    return next(
        run
        for run in runs
        if len(run) > 60 and run in OLD[path][body:] and run not in others and "{" not in run
    )


NEW = new_crawl()


def folder(where: Path, pages: Mapping[str, str], host: str = HOST) -> Path:
    return write_folder(where, {f"{host}/{path}" if host else path: html for path, html in pages.items()})


@pytest.fixture
def crawls(tmp_path: Path, monkeypatch) -> tuple[Path, Path]:
    monkeypatch.chdir(tmp_path)
    return folder(tmp_path / "old", OLD), folder(tmp_path / "new", NEW)


def test_two_folders(crawls: tuple[Path, Path], capsys, tmp_path: Path) -> None:
    found = run(capsys, "changes", *crawls, "--json", "changes.json", "-o", "changes.html")
    assert (found.code, found.err) == (0, "")
    rest = len(OLD) - 3
    assert found.out.startswith(f"changed: 2, new: 1, gone: 1, template only: {rest}, same: 0\n")
    assert EDITED in found.out
    said = json.loads((tmp_path / "changes.json").read_text())
    changed = {page["url"].partition(f"{HOST}/")[2]: page["differences"] for page in said["changed"]}
    assert set(changed) == {EDITED, GROWN}
    (edit,) = changed[EDITED]
    assert "Nothing of what was said here is true." in edit["added"][0]
    assert content_of(EDITED)[:30] in edit["removed"][0]
    assert [part["removed"] for part in changed[GROWN]] == [[]]
    assert [url.partition(f"{HOST}/")[2] for url in said["new"]] == [ADDED]
    assert [url.partition(f"{HOST}/")[2] for url in said["gone"]] == [GONE]
    assert said["pages"]["template only"] == rest
    assert [source["input"] for source in said["inputs"]] == [str(crawl) for crawl in crawls]


def test_the_page_shows_what_was_added_as_text_and_nothing_of_it_runs(
    crawls: tuple[Path, Path], capsys, tmp_path: Path
) -> None:
    assert run(capsys, "changes", *crawls, "-o", "changes.html").code == 0
    html = (tmp_path / "changes.html").read_text(encoding="utf-8")
    assert "A quite new sentence" in assert_inert(html).text
    assert "<script" not in html
    assert run(capsys, "changes", *crawls, "-o", "-").out == html


def test_the_same_crawl_has_not_changed(crawls: tuple[Path, Path], capsys) -> None:
    found = run(capsys, "changes", crawls[0], crawls[0])
    assert (found.code, found.err) == (0, "")
    assert found.out == f"changed: 0, new: 0, gone: 0, template only: 0, same: {len(OLD)}\n"


@pytest.mark.exhaustive
def test_folders_that_stand_for_a_host_are_one_host_and_a_warc_file_is_read(tmp_path: Path, capsys) -> None:
    old, new = folder(tmp_path / "january", OLD, ""), folder(tmp_path / "february", NEW, "")
    found = run(capsys, "changes", old, new)
    assert found.out.startswith("changed: 2, new: 1, gone: 1, ")
    for name, pages in (("old", OLD), ("new", NEW)):
        answers = [Answer(f"http://{HOST}/{path}", html.encode()) for path, html in pages.items()]
        write_warc(tmp_path / f"{name}.warc.gz", answers)
    again = run(capsys, "changes", tmp_path / "old.warc.gz", tmp_path / "new.warc.gz")
    assert again.out.splitlines()[0] == found.out.splitlines()[0]


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["t", "h", "example"])
def test_a_folder_whose_name_stands_elsewhere_in_an_address_is_the_same_host(
    name: str, tmp_path: Path, capsys
) -> None:
    old, new = folder(tmp_path / "old", OLD, ""), folder(tmp_path / name, OLD, "")
    found = run(capsys, "changes", old, new)
    assert found.out == f"changed: 0, new: 0, gone: 0, template only: 0, same: {len(OLD)}\n"


def test_a_page_in_another_order_is_shown(tmp_path: Path, capsys) -> None:
    """Also one of which only a number that it says elsewhere has changed."""
    pages = {
        f"{n}.html": f"<h1>Page {n}</h1><p>Red {n}</p><p>{n}7</p><p>Blue {n}</p><p>{n}8</p><p>{n}7</p>"
        for n in range(9)
    }
    moved = {
        **pages,
        "3.html": pages["3.html"].replace("Blue", "x").replace("Red", "Blue").replace("x", "Red"),
    }
    moved["4.html"] = pages["4.html"].replace("<p>48</p><p>47</p>", "<p>48</p><p>48</p>")
    old, new = folder(tmp_path / "old", pages, ""), folder(tmp_path / "new", moved, "")
    found = run(capsys, "changes", old, new, "--json", "-")
    said = json.loads(found.out[found.out.index("{") :])
    assert {page["url"].rpartition("/")[2]: bool(page["differences"]) for page in said["changed"]} == {
        "3.html": True,
        "4.html": True,
    }


def test_what_cannot_be_read_is_said_and_counted(tmp_path: Path, capsys) -> None:
    path = tmp_path / "crawl.warc.gz"
    starts = write_warc(path, [Answer(f"http://{HOST}/{at}", html.encode()) for at, html in OLD.items()])
    cut = tmp_path / "cut.warc.gz"
    cut.write_bytes(path.read_bytes()[: starts[-1] + 40])
    found = run(capsys, "changes", path, cut)
    assert (found.code, found.out.startswith("changed: 0, new: 0, gone: 1, template only: 0, ")) == (3, True)
    assert "could not be read: 1\n" in found.err

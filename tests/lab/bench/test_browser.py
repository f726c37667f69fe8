"""``python -m lab.bench.browser``: what it opens, read without a browser, and what it counts."""

from __future__ import annotations

import re

import pytest

from lab.bench import browser
from lab.bench.browser import WAYS, Hits, hits_of, reported, written, wrongs
from lab.sites.attacks import ATTACKS, SHOWN, Beacons
from templcrawl.page.page import Page
from tests.outputs.report.reading import assert_inert

pytestmark = pytest.mark.exhaustive

BEACONS = Beacons("http://beacons.example/")


@pytest.mark.parametrize("name", ATTACKS)
def test_a_report_of_an_attack_is_inert(name: str) -> None:
    reader = assert_inert(written("report", name, BEACONS))
    assert len(reader.pictures) >= 2
    assert not any("beacons.example" in str(values.get("href")) for _, values in reader.tags)


def test_a_report_of_all_attacks_is_inert() -> None:
    pages = {f"http://s{number}.example/": BEACONS.page(name) for number, name in enumerate(ATTACKS)}
    assert assert_inert(reported(pages, "all </title><script>")).pictures


@pytest.mark.parametrize("name", ATTACKS)
def test_a_template_begins_with_a_policy_and_has_no_script_refresh_or_document_of_a_frame(name: str) -> None:
    html = written("template", name, BEACONS)
    head = '<html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src'
    assert html.startswith(head + " 'none'; ")
    assert "script-src" not in html.partition("<base")[0]
    page = Page(html, "")
    assert not {"script"} & {*page.elements.names}
    inside = html.partition("<base")[2]
    assert not re.search(r"""<[a-z][^<>]*[\s/"'](?:http-equiv|srcdoc)\s*=""", inside)
    assert not re.search(r"<link[^<>]*rel=(?:prefetch|preload|modulepreload)", inside)


def test_a_page_is_the_attack_and_has_its_words_in_every_place() -> None:
    html = BEACONS.page("script-src")
    assert "\n<script src=http://beacons.example/loaded/script-src></script></body>" in html
    assert html.count("&lt;script src=http://beacons.example/loaded/script-src&gt;") >= 7
    assert set(ATTACKS) >= SHOWN >= {"img-src", "svg-use"}
    assert not any(re.search(r"""["'<>\s]""", BEACONS.ran(name)) for name in ATTACKS)


def test_what_a_browser_did_is_counted() -> None:
    targets = ["/page/script", "/ran/script", "/loaded/img-src?2", "/loaded/img-src", "/favicon.ico"]
    hits = hits_of(targets, '<html data-ran=" script onclick" data-found=" base">')
    assert hits == {
        ("ran", "script"): 2,
        ("ran", "onclick"): 1,
        ("loaded", "img-src"): 2,
        ("found", "base"): 1,
    }
    assert hits.named("ran") == {"script", "onclick"}
    assert not hits_of([], "<html>")


def test_what_must_not_be_is_told_and_so_is_a_control_that_proves_nothing() -> None:
    control = Hits(("ran", name) for name in ATTACKS)
    found = Hits(("found", name) for name in ATTACKS)
    fine = {"page": control, "report": found, "template": Hits([("loaded", "img-src")]), "file": Hits()}
    assert wrongs(fine) == []
    assert wrongs({**fine, "report": Hits([*found, ("loaded", "img-src")])}) == ["report: img-src loaded"]
    assert wrongs({**fine, "report": Hits()}) == ["report: its search does not find its pages"]
    assert wrongs({**fine, "template": Hits([("loaded", "prefetch")])}) == ["template: prefetch loaded"]
    assert wrongs({**fine, "file": Hits([("ran", "script")])}) == ["file: script ran"]
    assert "proves nothing" in wrongs({**fine, "page": Hits([("ran", "script")])})[0]


def test_the_table_and_the_exit_status(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    control = Hits(("ran", name) for name in ATTACKS)
    found = Hits(("found", name) for name in ATTACKS)
    results = {way: Hits() for way in (*WAYS, "file")} | {"page": control, "report": found}
    monkeypatch.setattr(browser, "attack", lambda chromium: results)
    assert browser.main([]) == 0
    assert "nothing ran, nothing loaded" in capsys.readouterr().out
    results["report"]["ran", "script"] += 1
    assert browser.main([]) == 1
    assert capsys.readouterr().out.endswith("report: script ran\n")

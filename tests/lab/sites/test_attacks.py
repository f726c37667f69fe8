"""Pages with attacks: what templcrawl makes of them has nothing that a browser would run."""

from __future__ import annotations

import re

import pytest

from lab.sites.attacks import ATTACKS, Beacons, report_of, reported, template_of
from templcrawl.page.page import Page
from tests.outputs.report.reading import assert_inert

pytestmark = pytest.mark.exhaustive

BEACONS = Beacons("http://beacons.example/")


@pytest.mark.parametrize("name", ATTACKS)
def test_a_report_of_an_attack_is_inert(name: str) -> None:
    reader = assert_inert(report_of(name, BEACONS))
    assert len(reader.pictures) >= 2
    assert not any("beacons.example" in str(values.get("href")) for _, values in reader.tags)


def test_a_report_of_all_attacks_is_inert() -> None:
    pages = {f"http://s{number}.example/": BEACONS.page(name) for number, name in enumerate(ATTACKS)}
    assert assert_inert(reported(pages, "all </title><script>")).pictures


@pytest.mark.parametrize("name", ATTACKS)
def test_a_template_begins_with_a_policy_and_has_no_script_refresh_or_document_of_a_frame(name: str) -> None:
    html = template_of(name, BEACONS)
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
    assert not any(re.search(r"""["'<>\s]""", BEACONS.ran(name)) for name in ATTACKS)

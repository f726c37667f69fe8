"""The table of strippers; a page has the leaf that a crawl gives it."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.sites.generated import generate_demo_site
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.page.page import Page
from templcrawl.tools.commands.strippers import stripper
from templcrawl.tools.whole_site import SITE_DETECTORS
from templcrawl.tools.whole_site.two_pass_dom import TwoPassDom
from tests.tools.commands.running import run
from tests.tools.readers.archives import write_folder

PAGES = [
    Page(page.html, f"http://a.example{path}") for path, page in [*generate_demo_site().pages.items()][:92]
]


@pytest.mark.parametrize("detector", ["vote", "etdm"])
def test_the_leaf_of_a_stripped_page_is_that_of_a_crawl_that_meets_the_pages_in_this_order(
    detector: str,
) -> None:
    memory = CrawlMemory(sample_salt=0)
    with stripper(detector) as way:
        for page in PAGES:
            way.learn(page)
            memory.observe(page)
        expected = [memory.observe(page).leaf_id for page in PAGES]
        assert [way.separate(page).leaf_id for page in PAGES] == expected
    assert len(set(expected)) > 6


class Elements(TwoPassDom):
    """A detector that somebody adds."""

    evidence = "the evidence of a new detector"


@pytest.mark.parametrize("command", ["strip saved -o out.jsonl --detector", "detect saved --method"])
def test_a_new_detector_is_a_class_and_a_row_in_its_table(
    command: str, tmp_path: Path, capsys, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(SITE_DETECTORS, "new", Elements)
    write_folder(tmp_path / "saved", {f"a.example/{n}.html": page.text for n, page in enumerate(PAGES[:8])})
    helped = run(capsys, command.partition(" ")[0], "--help")
    assert Elements.evidence in " ".join(helped.out.split())
    new, known = (run(capsys, *command.split(), name) for name in ("new", "dom"))
    assert (new.code, new.out) == (0, known.out.replace("dom", "new"))

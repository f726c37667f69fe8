"""The table of strippers; a page has the leaf that a crawl gives it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lab.sites.generated import generate_demo_site
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.page.page import Page
from templcrawl.tools.commands.strippers import stripper
from tests.tools.commands.running import run
from tests.tools.readers.archives import write_folder

PAGES = [
    Page(page.html, f"http://a.example{path}") for path, page in [*generate_demo_site().pages.items()][:92]
]


def test_the_leaf_of_a_stripped_page_is_that_of_a_crawl_that_meets_the_pages_in_this_order() -> None:
    memory = CrawlMemory(sample_salt=0)
    with stripper("vote") as way:
        for page in PAGES:
            way.learn(page)
            memory.observe(page)
        expected = [memory.observe(page).leaf_id for page in PAGES]
        assert [way.observe(page).leaf_id for page in PAGES] == expected
    assert len(set(expected)) > 6


NEW_DETECTOR = """
import sys
from scrapy.cmdline import execute
from scrapy.settings import Settings
from templcrawl.memory import detectors
from templcrawl.tools.whole_site.two_pass_dom import TwoPassDom

class Elements(TwoPassDom):
    pass

row = detectors.DetectorRow("__main__.Elements", "the evidence of a new detector", reads_all_first=True)
detectors.DETECTORS["new"] = row
detectors.WHOLE_SITE += ("new",)
execute(["scrapy", *sys.argv[1:]], settings=Settings())
"""
STRIP, DETECT = "strip saved -o out.jsonl --detector", "detect saved --method"


@pytest.mark.exhaustive
@pytest.mark.parametrize("command", [STRIP, DETECT])
def test_a_new_detector_is_a_class_and_a_row_in_its_table(
    command: str, tmp_path: Path, capsys, monkeypatch
) -> None:
    """In a process of its own: modules read the table as they are imported."""

    def output(*arguments: str) -> str:
        found = [sys.executable, "-c", NEW_DETECTOR, *arguments]
        return subprocess.run(found, cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    write_folder(tmp_path / "saved", {f"a.example/{n}.html": page.text for n, page in enumerate(PAGES[:8])})
    assert "the evidence of a new detector" in " ".join(output(command.split()[0], "--help").split())
    monkeypatch.chdir(tmp_path)
    known = run(capsys, *command.split(), "dom").out
    assert output(*command.split(), "new") == known.replace("dom", "new")

"""The table of strippers; a page has the leaf that a crawl gives it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lab.sites.generated import generate_demo_site
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.page.page import Page
from templcrawl.tools.commands.strippers import stripper

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


NEW_DETECTOR = """
import sys
from scrapy.cmdline import execute
from scrapy.settings import Settings
from templcrawl.tools.whole_site import SITE_DETECTORS
from templcrawl.tools.whole_site.two_pass_dom import TwoPassDom

class Elements(TwoPassDom):
    evidence = "the evidence of a new detector"

SITE_DETECTORS["new"] = Elements
execute(["scrapy", *sys.argv[1:]], settings=Settings())
"""


@pytest.mark.parametrize("command", [["strip", "-o", "out.jsonl", "--detector"], ["detect", "--method"]])
def test_a_new_detector_is_a_class_and_a_row_in_its_table(command: list[str], tmp_path: Path) -> None:
    def output(*arguments: str) -> str:
        run = [sys.executable, "-c", NEW_DETECTOR, command[0], *arguments]
        return subprocess.run(run, cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    folder = tmp_path / "saved" / "a.example"
    folder.mkdir(parents=True)
    for number, page in enumerate(PAGES[:8]):
        (folder / f"{number}.html").write_text(page.text)
    assert "the evidence of a new detector" in " ".join(output("--help").split())
    assert output("saved", *command[1:], "new") == output("saved", *command[1:], "dom").replace("dom", "new")

"""The table of strippers; a page that is told apart by all of its site has its final label."""

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
"""So many that the view of them all is another than the one that was last renewed."""


@pytest.mark.parametrize("detector", ["vote", "etdm"])
def test_the_label_of_a_stripped_page_is_what_its_leaf_resolves_to(detector: str) -> None:
    way, memory = stripper(detector), CrawlMemory(sample_salt=0)
    for page in PAGES:
        way.learn(page)
        memory.observe(page)
    known = [memory.observe(page) for page in PAGES]
    words = [memory.resolve(page.leaf_id) for page in known]
    assert words != [page.template_id for page in known]
    assert [way.separate(page).template_id for page in PAGES] == words
    way.close()


NEW_DETECTOR = """
import sys
from scrapy.cmdline import execute
from scrapy.settings import Settings
from templcrawl.tools.whole_site.site_detector_table import SITE_DETECTORS
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

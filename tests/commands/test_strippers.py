"""A page that is told apart by all of its site has the template of the last word."""

from __future__ import annotations

import pytest

from sites.generated import generate_demo_site
from templcrawl.commands.strippers import stripper
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.page.page import Page

PAGES = [
    Page(page.html, f"http://a.example{path}") for path, page in [*generate_demo_site().pages.items()][:40]
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

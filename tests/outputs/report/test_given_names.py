"""A report calls templates as their crawl did, where pages carry that, whatever it would find itself."""

from __future__ import annotations

from datetime import datetime, timezone

from lab.sites.generated import generate_demo_site
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.outputs.report.contents import Run, report_contents
from templcrawl.outputs.report.figures import CrawlFigures, SiteFigures
from templcrawl.page.page import Page
from tests.outputs.report.sites import separated

HOST = "a.example"
NAMES = [f"{HOST}#{number:012x}" for number in (1, 2, 3)]
RUN = Run("a test", datetime(2026, 1, 2, tzinfo=timezone.utc), 1.0)


def test_pages_of_one_leaf_that_were_given_two_templates_are_told_apart() -> None:
    site = SiteFigures()
    for number, given in enumerate([NAMES[0], NAMES[0], NAMES[1], ""]):
        page = separated("<p>x", f"http://{HOST}/{number}", template_id=given or "seen", leaf_id="leaf")
        page.page.assigned_label = given
        site.update(page)
    groups = site.templates(lambda leaf, template: f"{leaf} {template} resolved")
    assert {name: group.tally.pages for name, group in groups.items()} == {
        NAMES[0]: 2,
        NAMES[1]: 1,
        "leaf seen resolved": 1,
    }
    assert site.are_assigned


def test_a_report_shows_the_names_that_were_given_and_a_page_of_each() -> None:
    memory, figures = CrawlMemory(sample_salt=0), CrawlFigures()
    pages, given = [*generate_demo_site().pages.items()][:40], {}
    for number, (path, made) in enumerate(pages):
        page = Page(made.html, f"http://{HOST}{path}")
        page.assigned_label = given[page.url] = NAMES[0 if number % 4 else 1 + number % 8 // 4]
        figures.update(memory.observe(page))
    contents = report_contents(figures, memory, RUN)
    assert contents.templates == len(NAMES) < len(memory.site(HOST).templates())
    (site,) = contents.sites
    rows = {f"{HOST}#{row.name}": row for row in site.templates}
    assert {name: row.tally.pages for name, row in rows.items()} == dict(zip(NAMES, (30, 5, 5)))
    assert {name: given[row.example] for name, row in rows.items()} == {name: name for name in NAMES}
    assert all(row.picture is not None and row.picture.url == row.example for row in rows.values())

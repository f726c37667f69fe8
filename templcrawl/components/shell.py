"""For ``scrapy shell``: look at what templcrawl keeps of a response.

::

    fetch("https://example.org/news/1")
    from templcrawl import view_content
    view_content(response, crawler)

Each ``fetch`` in a project with the add-on is a page that is learned from, so the second page of a site is
shown with its template greyed out, and the tenth better.
"""

from __future__ import annotations

import webbrowser
from pathlib import Path
from tempfile import mkdtemp

from scrapy.crawler import Crawler
from scrapy.http import TextResponse

from templcrawl.components.extension import TemplateMemory
from templcrawl.memory.crawl import CrawlMemory
from templcrawl.page.page import Page
from templcrawl.report.greyed_page import greyed_page


def view_content(response: TextResponse, crawler: Crawler | None = None, *, is_opened: bool = True) -> Path:
    """Write a page with its template greyed out to a file, open that in a browser, and return its path.

    crawler    the shell's crawler: the page is shown as it was observed; None: as a page that comes alone
    is_opened  whether a browser is asked to show it
    """
    extension = crawler.get_extension(TemplateMemory) if crawler is not None else None
    observation = extension.observation_of(response) if extension is not None else None
    if observation is None:
        observation = CrawlMemory().observe(Page(response.text, response.url))
    path = Path(mkdtemp(prefix="templcrawl-"), "page.html")
    path.write_text(greyed_page(observation.separation), encoding="utf-8", errors="replace")
    if is_opened:
        webbrowser.open(path.as_uri())
    return path

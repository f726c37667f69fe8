"""Follow every link of one site, and emit each page with its template stripped.

::

    scrapy crawl site -a start=https://example.org/ -o pages.jsonl
    scrapy crawl site -a start=saved/example.org/ -a host=example.org -o pages.jsonl
    scrapy crawl site -a start=https://example.org/ -a targets=https://example.org/p/1 -o pages.jsonl

The command ``templcrawl`` crawls with the same spider.
"""

from __future__ import annotations

from templcrawl.crawl import site_spider


class SiteSpider(site_spider.SiteSpider):
    """A site; see the class it is made of for its arguments."""

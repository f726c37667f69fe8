"""Extract the template of one page of a site, from as few pages as possible.

::

    scrapy crawl template -a url=https://example.org/ -o template.json
    scrapy crawl template -a url=saved/example.org/ -a host=example.org -o template.json
    scrapy crawl template -a url=https://example.org/ -a memory=JOBDIR -o template.json

``scrapy template`` writes the template as a page.
"""

from __future__ import annotations

from templcrawl.crawl import template_spider


class TemplateSpider(template_spider.TemplateSpider):
    """The template of a page; see the class it is made of for its arguments."""

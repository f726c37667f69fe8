"""The crawl that the papers describe, over the settings ``default``: breadth first, against one sibling.

::

    SCRAPY_PROJECT=papers scrapy crawl site -a start=https://example.org/ -O pages.parquet

Pages and the HTML in items are stripped by the sandwich (Rowlands, Thomas, Wan 2009), links in template
pagelets wait (Bar-Yossef, Rajagopalan 2002), and each page is in a cluster of fingerprints (Hachenberg,
Gottron 2013).
"""

from settings.default import *  # noqa: F403

# One at a time: links wait in the scheduler, not in the downloader, and the sibling is the previous page.
CONCURRENT_REQUESTS = 1

TEMPLCRAWL_DETECTOR = "sandwich"
TEMPLCRAWL_ORDER = "template"
TEMPLCRAWL_ITEM_FIELDS = {name: name for name in ("content_text", "cluster_id")}
TEMPLCRAWL_STRIP_FIELDS = ["html"]

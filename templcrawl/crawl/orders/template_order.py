"""``template``: the rule of the paper; links that stand in template pagelets alone come behind all others.

Source: Bar-Yossef & Rajagopalan (WWW 2002), section 4, case 2: "pages which are pointed to out of template
pagelets can be assigned a reduced priority for crawling".

A link waits with the others that were found in the same pagelets.
"""

from __future__ import annotations

from scrapy import Request

from templcrawl.crawl.orders import Order
from templcrawl.memory.sections import WaitingLink
from templcrawl.page.addresses import url_key


class TemplateOrder(Order):
    """The order of two values: 0 for a link of template pagelets alone, 1 for any other."""

    def class_of(self, url: str, source: str, request: Request | None = None) -> WaitingLink:
        """Return the link of a request, in the class of the pagelets in which it was found."""
        site = self.memory.load(source) if source else None
        if site is None:
            return WaitingLink(url)
        return site.links.pagelet_classes(url, source)

    def value(self, link: WaitingLink) -> float:
        """Return 0 for a link that waits, else 1."""
        if link.key is None:
            return 1.0
        return 0.0 if self.links(link.source).is_template(link.target) else 1.0

    def step(self, url: str, source: str) -> int:
        """Return -1 for a link that waits, else 0."""
        return -1 if self.links(source).is_template(url_key(url)) else 0

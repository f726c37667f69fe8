"""``adaptive``: links by what the links of their role and directory have led to, in new words.

Source: :mod:`templcrawl.algorithms.crawl_order.link_value`.
"""

from __future__ import annotations

from scrapy import Request

from templcrawl.algorithms.crawl_order.link_value import value_step
from templcrawl.crawl.orders import Order
from templcrawl.memory.sections import WaitingLink
from templcrawl.page.addresses import host_of


class AdaptiveOrder(Order):
    """The order of the value of links; 1 is the average of their site."""

    def class_of(self, url: str, source: str, request: Request | None = None) -> WaitingLink:
        """Return the link of a request, in the class of its role and its directory."""
        if not source:
            return WaitingLink(url)
        site = self.memory.load(source)
        return WaitingLink(url, source, host_of(url)) if site is None else site.links.classes(url, source)

    def value(self, link: WaitingLink) -> float:
        """Return the value of a link by what its classes have paid."""
        return 1.0 if link.key is None else self.links(link.source).value(link)

    def step(self, url: str, source: str) -> int:
        """Return a step forward for a valuable link, up to three back for a poor one."""
        if not self.links(source).is_known(url):
            return 0
        return value_step(self.value(self.class_of(url, source)))

"""What settings choose of the options of a crawl, a row each: imported only where a setting asks for it.

The parts of a crawl have a table of their own (:mod:`templcrawl.crawl.parts`).
"""

from __future__ import annotations

from typing import NamedTuple


class OrderRow(NamedTuple):
    """An order of ``TEMPLCRAWL_ORDER``.

    path   its class in :mod:`templcrawl.crawl.orders`
    needs  the setting that it needs; why, as a message adds it
    """

    path: str
    needs: str = ""
    why: str = ""


ORDERS = {
    "adaptive": OrderRow("adaptive_order.AdaptiveOrder"),
    "targets": OrderRow("targets_order.TargetsOrder", "targets"),
    "changes": OrderRow("changes_order.ChangesOrder", "store", ", to know what earlier crawls have read"),
    "template": OrderRow("template_order.TemplateOrder"),
    "focus": OrderRow("focus_order.FocusOrder", "relevance", ", or TEMPLCRAWL_TOPIC"),
    "distiller": OrderRow("distiller_order.DistillerOrder", "relevance", ", or TEMPLCRAWL_TOPIC"),
    "off": OrderRow("Order"),
}
# What is said of a page before its site sees it -> the setting that asks for that, the class that says it.
JUDGES = {
    "page_type": ("page_type_examples", "templcrawl.crawl.example_types.ExampleTypes"),
    "relevance": ("relevance", "templcrawl.crawl.topic.Topic"),
}
PAY_ORDERS = ("adaptive", "targets")  # they fetch first what pays: traps and roles of links are told

"""The orders of ``TEMPLCRAWL_ORDER``: what each needs, and what it learns of links."""

from __future__ import annotations

from typing import NamedTuple


class OrderRow(NamedTuple):
    """An order of ``TEMPLCRAWL_ORDER``.

    path     its class in :mod:`templcrawl.crawl.orders`
    needs    the setting that it needs; why, as a message adds it
    section  what it learns of links (:data:`templcrawl.memory.options.LINK_SECTIONS`)
    """

    path: str
    needs: str = ""
    why: str = ""
    section: str = ""


ORDERS = {
    "adaptive": OrderRow("adaptive.Adaptive"),
    "targets": OrderRow("targets.Targets", "targets", section="targets"),
    "changes": OrderRow("changes.Changes", "store", ", to know what earlier crawls have read"),
    "template": OrderRow("template.Template"),
    "focus": OrderRow("focus.Focus", "relevance", ", or TEMPLCRAWL_TOPIC", section="topic"),
    "distiller": OrderRow("distiller.Distiller", "relevance", ", or TEMPLCRAWL_TOPIC", section="hubs"),
    "off": OrderRow("Order"),
}
PAY_ORDERS = ("adaptive", "targets")  # they fetch first what pays: traps and roles of links are told

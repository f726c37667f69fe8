"""``distiller``: the paper's focused crawl, in which the hubs of each site say how promising links are.

Source: :mod:`templcrawl.algorithms.crawl_order.distiller`, of which
:class:`~templcrawl.memory.hub_table.HubTable` has the evidence.
"""

from __future__ import annotations

from typing import ClassVar

from templcrawl.crawl.orders.focus_order import FocusOrder


class DistillerOrder(FocusOrder):
    """The order of the promise of links by hubs, in [0, 1]."""

    section: ClassVar[str] = "hubs"

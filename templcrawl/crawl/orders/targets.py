"""``targets``: links by whether they lead to pages of wanted types, as a regression predicts.

Source: :mod:`templcrawl.algorithms.crawl_order.link_regression`, of which
:class:`~templcrawl.memory.regression_table.RegressionTable` has the pages.  Until the first page of a site is
learned, its links go by what they pay.
"""

from __future__ import annotations

from templcrawl.crawl.orders.adaptive import Adaptive


class Targets(Adaptive):
    """The order of the predicted value of links."""

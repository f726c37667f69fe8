"""Ordering policies: each turns the evidence about a link into steps of priority.

Where our queues are in use, ``adaptive``, ``targets`` and ``focus`` need no steps: requests wait by the class
of their link, and the class of the highest value goes first (:mod:`templcrawl.crawl.slot_order`).  The
steps here are for ``template``, and for queues of a project's own.

``template`` is the rule of Bar-Yossef & Rajagopalan (WWW 2002), section 4, case 2: "pages which are
pointed to out of template pagelets can be assigned a reduced priority for crawling".  ``adaptive`` goes by
the value of a link, which is what links of the same classes have paid (see
:mod:`templcrawl.algorithms.crawl_order.link_value`).  ``focus`` goes by how promising a link is for the topic
of a focused crawl (see :mod:`templcrawl.algorithms.crawl_order.focus`).

A policy never drops a link: a step back means that it is fetched later.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class LinkEvidence(NamedTuple):
    """The evidence of a site's pages about one link target so far.

    template_pagelets  in how many template pagelets links to it were seen
    content_pagelets   in how many other pagelets
    is_pagination      whether one of the links pages through a list
    value              its value by what its classes have paid; 1 is the average of the site
    promise            how promising it is for the topic of the crawl, in [0, 1]; None without a topic
    """

    template_pagelets: int = 0
    content_pagelets: int = 0
    is_pagination: bool = False
    value: float = 1.0
    promise: float | None = None

    @property
    def is_template(self) -> bool:
        """Whether the link sits in template pagelets alone, and does not page through a list."""
        return bool(self.template_pagelets) and not self.content_pagelets and not self.is_pagination

    @property
    def is_known(self) -> bool:
        """Whether anything is known of the target."""
        return bool(self.template_pagelets or self.content_pagelets) or self.promise is not None


class OrderPolicy(NamedTuple):
    """How far forward or back a link goes.

    name      as in the setting
    step      evidence -> 0 to leave the link where its spider put it, -1 for one step back, 1 for one forward
    lowest    the lowest step that it gives
    drop      steps that a queued link must have lost before it is moved back
    by_pay    whether our queues order links by what their classes have paid, without steps
    by_topic  whether they order links by how promising they are for the topic of the crawl, without steps
    """

    name: str
    step: Callable[[LinkEvidence], int]
    lowest: int = 0
    drop: int = 1
    by_pay: bool = False
    by_topic: bool = False


def template_step(evidence: LinkEvidence) -> int:
    """Return -1 for a link of template pagelets only.

    >>> template_step(LinkEvidence(template_pagelets=2))
    -1
    >>> template_step(LinkEvidence(template_pagelets=2, content_pagelets=1))
    0
    """
    return -1 if evidence.is_template else 0


def value_step(evidence: LinkEvidence) -> int:
    """Return 1 for a value of 1.5 or more, then 0, -1, -2, and -3 below a tenth.

    Coarse, since a queue of a project's own has one queue for each priority, and what waits is moved
    by hand.

    >>> [value_step(LinkEvidence(value=value)) for value in (2, 1, 0.5, 0.2, 0.05)]
    [1, 0, -1, -2, -3]
    """
    return 1 - sum(evidence.value < limit for limit in (1.5, 0.7, 0.3, 0.1))


def promise_step(evidence: LinkEvidence) -> int:
    """Return 0 for a link without promise to 100 for one that keeps all it can.

    >>> promise_step(LinkEvidence(promise=0.286))
    29
    """
    return round(100 * (evidence.promise or 0.0))


POLICIES = {
    policy.name: policy
    for policy in (
        OrderPolicy("adaptive", value_step, lowest=-3, by_pay=True),
        OrderPolicy("targets", value_step, lowest=-3, by_pay=True),
        OrderPolicy("template", template_step, lowest=-1),
        OrderPolicy("focus", promise_step, drop=10, by_topic=True),
        OrderPolicy("off", lambda evidence: 0),
    )
}

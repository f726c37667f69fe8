"""In what order links are followed: evidence about a link in, steps of priority out.

``template`` is the rule of Bar-Yossef & Rajagopalan (WWW 2002), section 4, case 2: "pages which are
pointed to out of template pagelets can be assigned a reduced priority for crawling".  ``adaptive`` goes by
what links of the same role have led to (see :mod:`templcrawl.algorithms.crawl_order.roles`); the paper's
rule is what it believes of a role until it has a record.  ``focus`` goes by how promising a link is for the
topic of a focused crawl (see :mod:`templcrawl.algorithms.crawl_order.focus`).

A policy never drops a link: a step back means that it is fetched later.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

TEMPLATE_PRIOR = 0.7
"""Yield that is believed of a role without record if its link is template: the least that is no step back.

A step back at once, as the paper has it, finds no more on the average and loses on some sites: a menu often
leads to the largest pages, and a request that waits is not brought forward again.
"""


def is_template_link(template_pagelets: int, content_pagelets: int, is_pagination: bool) -> bool:
    """Say whether a link sits in template pagelets alone, and does not page through a list."""
    return bool(template_pagelets) and not content_pagelets and not is_pagination


class LinkEvidence(NamedTuple):
    """What a site's pages have said about one link target so far.

    template_pagelets  in how many template pagelets links to it were seen
    content_pagelets   in how many other pagelets
    is_pagination      whether one of the links pages through a list
    role_yield         new words that its roles have led to, as a share of the site's average; 1 if unknown
    promise            how promising it is for the topic of the crawl, in [0, 1]; None without a topic
    """

    template_pagelets: int = 0
    content_pagelets: int = 0
    is_pagination: bool = False
    role_yield: float = 1.0
    promise: float | None = None

    @property
    def is_template(self) -> bool:
        """Whether the link sits in template pagelets alone, and does not page through a list."""
        return is_template_link(self.template_pagelets, self.content_pagelets, self.is_pagination)

    @property
    def is_known(self) -> bool:
        """Whether anything is known of the target."""
        return bool(self.template_pagelets or self.content_pagelets) or self.promise is not None


class OrderPolicy(Protocol):
    """Decides how far forward or back a link goes.

    name    as in the setting
    lowest  the lowest step that it gives
    drop    steps that a queued link must have lost before it is moved back
    """

    name: str
    lowest: int
    drop: int

    def step(self, evidence: LinkEvidence) -> int:
        """Return 0 to leave the link where its spider put it, -1 for one step back, 1 for one forward."""


class TemplateLinksWait:
    """Links that sit in template pagelets only wait one step; pagination does not."""

    name = "template"
    lowest = -1
    drop = 1

    def step(self, evidence: LinkEvidence) -> int:
        """Return -1 for a link of template pagelets only.

        >>> TemplateLinksWait().step(LinkEvidence(template_pagelets=2))
        -1
        >>> TemplateLinksWait().step(LinkEvidence(template_pagelets=2, content_pagelets=1))
        0
        """
        return -1 if evidence.is_template else 0


class RolesWait:
    """Links wait by what links of their roles have led to, in five coarse steps.

    Coarse, so that within a step the first found is the first fetched: finer steps pay more on the
    average and lose on some sites.
    """

    name = "adaptive"
    lowest = -3
    drop = 1
    _below = (1.5, 0.7, 0.3, 0.1)

    def step(self, evidence: LinkEvidence) -> int:
        """Return 1 for a yield of 1.5 times the average or more, then 0, -1, -2, and -3 below a tenth.

        >>> [RolesWait().step(LinkEvidence(role_yield=share)) for share in (2, 1, 0.5, 0.2, 0.05)]
        [1, 0, -1, -2, -3]
        """
        return 1 - sum(evidence.role_yield < limit for limit in self._below)


class PromisingFirst:
    """Links go forward by how promising they are for the topic of the crawl, in hundredths."""

    name = "focus"
    lowest = 0
    drop = 10

    def step(self, evidence: LinkEvidence) -> int:
        """Return 0 for a link without promise to 100 for one that keeps all it can.

        >>> PromisingFirst().step(LinkEvidence(promise=0.286))
        29
        """
        return round(100 * (evidence.promise or 0.0))


class AsFound:
    """Every link stays where its spider put it."""

    name = "off"
    lowest = 0
    drop = 1

    def step(self, evidence: LinkEvidence) -> int:
        """Return 0."""
        return 0


POLICIES: dict[str, OrderPolicy] = {
    policy.name: policy for policy in (RolesWait(), TemplateLinksWait(), PromisingFirst(), AsFound())
}

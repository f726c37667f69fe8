"""In what order links are followed: evidence about a link in, a step of priority out.

Source: Bar-Yossef & Rajagopalan (WWW 2002), section 4, case 2: "pages which are pointed to out of
template pagelets can be assigned a reduced priority for crawling".

A policy never drops a link: a step back means that it is fetched later.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol


class LinkEvidence(NamedTuple):
    """What a site's pages have said about one link target so far.

    template_pagelets  in how many template pagelets links to it were seen
    content_pagelets   in how many other pagelets
    is_pagination      whether one of the links pages through a list
    """

    template_pagelets: int = 0
    content_pagelets: int = 0
    is_pagination: bool = False


class OrderPolicy(Protocol):
    """Decides how far back a link waits.

    name  as in the setting
    """

    name: str

    def step(self, evidence: LinkEvidence) -> int:
        """Return 0 to leave the link where its spider put it, -1 for one step back."""


class TemplateLinksWait:
    """Links that sit in template pagelets only wait one step; pagination does not."""

    name = "template"

    def step(self, evidence: LinkEvidence) -> int:
        """Return -1 for a link of template pagelets only.

        >>> TemplateLinksWait().step(LinkEvidence(template_pagelets=2))
        -1
        >>> TemplateLinksWait().step(LinkEvidence(template_pagelets=2, content_pagelets=1))
        0
        """
        waits = evidence.template_pagelets and not evidence.content_pagelets and not evidence.is_pagination
        return -1 if waits else 0


class AsFound:
    """Every link stays where its spider put it."""

    name = "off"

    def step(self, evidence: LinkEvidence) -> int:
        """Return 0."""
        return 0


POLICIES: dict[str, OrderPolicy] = {policy.name: policy for policy in (TemplateLinksWait(), AsFound())}

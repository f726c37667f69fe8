"""The detectors of a whole site: they read its pages once to learn, and once more to tell them apart.

- ``dom`` counts nodes of the element tree (:mod:`templcrawl.algorithms.site_detectors.two_pass_dom`)
- ``text`` counts phrases (:mod:`templcrawl.algorithms.site_detectors.two_pass_text`)
- ``mdl`` clusters pages by the paths they share (:mod:`templcrawl.algorithms.site_detectors.mdl_templates`)

They are for a finished crawl.  Those of :mod:`templcrawl.algorithms.detectors.choice` judge a page as it
arrives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from templcrawl.algorithms.site_detectors.mdl_templates import MdlTemplates
from templcrawl.algorithms.site_detectors.two_pass_dom import TwoPassDom
from templcrawl.algorithms.site_detectors.two_pass_text import TwoPassText
from templcrawl.page.page import Page
from templcrawl.page.separation import Separation


class SiteDetector(Protocol):
    """What every detector of a whole site can do."""

    @property
    def size(self) -> int:
        """Bytes that it takes, about."""

    def learn(self, page: Page) -> None:
        """First pass: take note of a page of the site."""

    def separate(self, page: Page) -> Separation:
        """Second pass: return the separation of a page by all that was learned."""


SITE_DETECTORS: dict[str, Callable[[], SiteDetector]] = {
    "dom": TwoPassDom,
    "text": TwoPassText,
    "mdl": MdlTemplates,
}
"""Name -> what makes the detector of one site."""

"""The detectors of a whole site: they read its pages once to learn, and once more to tell them apart.

- ``dom`` counts nodes of the element tree (:mod:`templcrawl.algorithms.site_detectors.two_pass_dom`)
- ``text`` counts phrases (:mod:`templcrawl.algorithms.site_detectors.two_pass_text`)
- ``mdl`` clusters pages by the paths they share (:mod:`templcrawl.algorithms.site_detectors.mdl_templates`)

They are for a finished crawl.  Those of :mod:`templcrawl.algorithms.detectors.choice` judge a page as it
arrives.
"""

from __future__ import annotations

from collections.abc import Callable

from templcrawl.algorithms.site_detectors.learned_pages import SiteDetector
from templcrawl.algorithms.site_detectors.mdl_templates import MdlTemplates
from templcrawl.algorithms.site_detectors.two_pass_dom import TwoPassDom
from templcrawl.algorithms.site_detectors.two_pass_text import TwoPassText

SITE_DETECTORS: dict[str, Callable[[], SiteDetector]] = {
    "dom": TwoPassDom,
    "text": TwoPassText,
    "mdl": MdlTemplates,
}
"""Name -> what makes the detector of one site."""

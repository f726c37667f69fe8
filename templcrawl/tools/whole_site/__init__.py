"""Detectors that read a finished site twice: every page once to learn, and once more to be separated.

- ``dom`` counts nodes of the element tree (:mod:`templcrawl.tools.whole_site.two_pass_dom`)
- ``text`` counts phrases (:mod:`templcrawl.tools.whole_site.two_pass_text`)
- ``mdl`` clusters pages by the paths they share (:mod:`templcrawl.tools.whole_site.mdl_templates`)

They are for a finished crawl.  Those of :mod:`templcrawl.memory.detectors` judge a page as it
arrives; of them ``vote`` has its like here (:class:`~templcrawl.tools.whole_site.site_detector.SiteVote`).
"""

from __future__ import annotations

from templcrawl.tools.whole_site.mdl_templates import MdlTemplates
from templcrawl.tools.whole_site.site_detector import SiteDetector
from templcrawl.tools.whole_site.two_pass_dom import TwoPassDom
from templcrawl.tools.whole_site.two_pass_text import TwoPassText

# Name -> the detector of one site.
SITE_DETECTORS: dict[str, type[SiteDetector]] = {"dom": TwoPassDom, "text": TwoPassText, "mdl": MdlTemplates}

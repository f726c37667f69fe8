"""The detectors of a whole site: they read its pages once to learn, and once more to separate them.

- ``dom`` counts nodes of the element tree (:mod:`templcrawl.tools.whole_site.two_pass_dom`)
- ``text`` counts phrases (:mod:`templcrawl.tools.whole_site.two_pass_text`)
- ``mdl`` clusters pages by the paths they share (:mod:`templcrawl.tools.whole_site.mdl_templates`)

They are for a finished crawl.  Those of :mod:`templcrawl.memory.detectors.detector_table` judge a page as
it arrives; of them ``vote`` has its like here (:mod:`templcrawl.tools.whole_site.site_vote`).
"""

from __future__ import annotations

from templcrawl.tools.whole_site.mdl_templates import MdlTemplates
from templcrawl.tools.whole_site.site_detector import AnySiteDetector
from templcrawl.tools.whole_site.two_pass_dom import TwoPassDom
from templcrawl.tools.whole_site.two_pass_text import TwoPassText

SITE_DETECTORS: dict[str, type[AnySiteDetector]] = {
    "dom": TwoPassDom,
    "text": TwoPassText,
    "mdl": MdlTemplates,
}
"""Name -> the detector of one site."""

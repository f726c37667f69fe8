"""The detectors that judge a page as it arrives, by their names in settings and options.

- ``vote`` asks a sample of the site's pages how many of them have each text run of the page
- ``sandwich`` and ``sandwich-lines`` compare a page with one sibling page, by tokens or by lines

The unread rest of a page is content for all of them.  Those that read a finished site twice are in
:mod:`templcrawl.tools.whole_site`.

Sources: :mod:`templcrawl.algorithms.extraction.vote`; Rowlands, Thomas, Wan (ADCS 2009), section 3 and its
footnote; Alarte, Insa, Silva, Tamarit (2014).
"""

from __future__ import annotations

from templcrawl.memory.detectors.detector import AnyDetector
from templcrawl.memory.detectors.sample_vote import Vote
from templcrawl.memory.detectors.sibling_sandwich import LineSandwich, Sandwich

DETECTORS: dict[str, type[AnyDetector]] = {
    "vote": Vote,
    "sandwich": Sandwich,
    "sandwich-lines": LineSandwich,
}

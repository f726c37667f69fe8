"""The detectors that judge a page as it arrives, by their names in settings and options.

- ``vote`` asks a sample of the site's pages how many of them have each text run of the page
- ``sandwich`` and ``sandwich-lines`` compare a page with one sibling page, by tokens or by lines
- ``etdm`` maps a page onto up to four pages that it links to and that link to each other

The unread rest of a page is content for all of them.  Those that read a finished site twice are in
:mod:`templcrawl.memory.whole_site.table`.

Sources: :mod:`templcrawl.algorithms.detectors.vote`; Rowlands, Thomas, Wan (ADCS 2009), section 3 and its
footnote; Alarte, Insa, Silva, Tamarit (2014).
"""

from __future__ import annotations

from templcrawl.memory.detectors.detector import AnyDetector
from templcrawl.memory.detectors.etdm import Etdm
from templcrawl.memory.detectors.sandwich import LineSandwich, Sandwich
from templcrawl.memory.detectors.vote import Vote

DETECTORS: dict[str, type[AnyDetector]] = {
    "vote": Vote,
    "sandwich": Sandwich,
    "sandwich-lines": LineSandwich,
    "etdm": Etdm,
}

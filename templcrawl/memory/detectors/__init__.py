"""The detectors that judge a page as it arrives, by their names in settings and options.

- ``vote`` asks a sample of the site's pages how many of them have each text run of the page
- ``sandwich`` and ``sandwich-lines`` compare a page with one sibling page, by tokens or by lines

The unread rest of a page is content for all of them.  Those that read a finished site twice are in
:mod:`templcrawl.tools.whole_site`.

Sources: :mod:`templcrawl.algorithms.extraction.vote`; Rowlands, Thomas, Wan (ADCS 2009), section 3 and its
footnote; Alarte, Insa, Silva, Tamarit (2014).
"""

from __future__ import annotations

from importlib import import_module

from templcrawl.memory.detectors.detector import AnyDetector

DETECTORS = {
    "vote": ("sample_vote", "Vote"),
    "sandwich": ("sibling_sandwich", "Sandwich"),
    "sandwich-lines": ("sibling_sandwich", "LineSandwich"),
}
"""Name -> module of this folder, and class in it: loaded where the detector is used."""


def load_detector(name: str) -> type[AnyDetector]:
    """Return the class of a detector."""
    module, class_name = DETECTORS[name]
    detector: type[AnyDetector] = getattr(import_module(f"{__name__}.{module}"), class_name)
    return detector

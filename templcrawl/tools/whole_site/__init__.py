"""Whole-site detectors: they read each page once to learn, and once more to separate it.

- ``dom`` counts nodes of the element tree (:mod:`templcrawl.tools.whole_site.two_pass_dom`)
- ``text`` counts phrases (:mod:`templcrawl.tools.whole_site.two_pass_text`)
- ``mdl`` clusters pages by the paths they share (:mod:`templcrawl.tools.whole_site.mdl_templates`)

Their names are in the table of all detectors, :data:`templcrawl.memory.detectors.DETECTORS`; of those that
judge a page as it arrives ``vote`` has its like here (:mod:`templcrawl.tools.whole_site.site_detector`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from templcrawl.errors import InvalidOption
from templcrawl.memory.detectors import load_detector
from templcrawl.tools.whole_site.site_detector import SiteDetector


class Parameter(NamedTuple):
    """A parameter that a paper leaves to those who use it: an option of commands, an argument of detectors.

    detectors    those that have it
    value        N, a whole number, or W, a number
    least, most  what it may be
    meaning      in the help of a command
    """

    detectors: tuple[str, ...]
    value: str
    least: float
    most: float
    meaning: str


_SMALL = 1e-6  # stands for what is above 0
PARAMETERS: Mapping[str, Parameter] = {
    "lower": Parameter(("dom",), "W", _SMALL, 1, "share of a site's pages that must have an element (.4)"),
    "upper": Parameter(
        ("dom",), "W", _SMALL, 1e6, "times a page that it may occur at most, on average (1.5)"
    ),
    "gap": Parameter(("dom",), "N", 0, 10**6, "words that may stand between two parts of one template (2)"),
    "window": Parameter(("text",), "N", 1, 10**4, "W, words of a phrase (10)"),
    "frequency": Parameter(("text",), "W", _SMALL, 1, "F, share of the pages that must have a phrase (.4)"),
    "density": Parameter(("text",), "N", 1, 10**6, "D, one in so many phrases is counted (1)"),
    "sample": Parameter(("text", "mdl"), "N", 1, 10**4, "P, pages drawn of a site (100, of mdl 200)"),
    "support": Parameter(("mdl",), "N", 1, 10**4, "t, pages that must have a path (as most paths of a page)"),
    "permutations": Parameter(
        ("mdl",), "N", 1, 10**4, "k, hashes by which above 100 pages are compared (128)"
    ),
}


def new_detector(name: str, parameters: Mapping[str, float] | None = None) -> SiteDetector:
    """Return a detector of one site.

    name        one of ``WHOLE_SITE``
    parameters  of ``PARAMETERS``, those that are not as by default
    Raises InvalidOption for one that is out of its bounds, or that the detector has not.
    """
    for option, value in (parameters or {}).items():
        about = PARAMETERS[option]
        if name not in about.detectors:
            raise InvalidOption(option, value, f"it to {' and '.join(about.detectors)} only, not to {name}")
        if not about.least <= value <= about.most:
            bounds = f"above 0, at most {about.most:g}" if about.least == _SMALL else ""
            raise InvalidOption(option, value, bounds or f"a number from {about.least:g} to {about.most:g}")
    detector: SiteDetector = load_detector(name)(**(parameters or {}))
    return detector

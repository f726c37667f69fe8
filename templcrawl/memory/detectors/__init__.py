"""The detectors, by their names in settings, options and commands: what tells template and content apart.

Those that judge a page *as it arrives*, by the pages before it:

- ``vote`` asks a sample of the site's pages how many of them have each text run of the page
- ``sandwich`` and ``sandwich-lines`` compare a page with one sibling page, by tokens or by lines

Those that read a *finished site* twice, to learn and to separate (:mod:`templcrawl.tools.whole_site`); of the
first, ``vote`` has its like there:

- ``dom`` counts nodes of the element tree, ``text`` counts phrases
- ``mdl`` clusters pages by the paths they share

The unread rest of a page is content for all of them.

Sources: :mod:`templcrawl.algorithms.extraction.vote`; Rowlands, Thomas, Wan (ADCS 2009), section 3 and its
footnote; Alarte, Insa, Silva, Tamarit (2014); and in the files of the others.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple


class DetectorRow(NamedTuple):
    """A detector.

    path             import path of its class, loaded where it is used
    evidence         what separates template and content, in the words of the help of commands
    reads_all_first  whether it reads a finished site twice
    """

    path: str
    evidence: str
    reads_all_first: bool = False


_SANDWICH = f"{__name__}.sibling_sandwich"
_WHOLE = "templcrawl.tools.whole_site"
DETECTORS = {
    "vote": DetectorRow(f"{__name__}.sample_vote.Vote", "a vote of the site's pages"),
    "sandwich": DetectorRow(f"{_SANDWICH}.Sandwich", "one sibling page, by tokens"),
    "sandwich-lines": DetectorRow(f"{_SANDWICH}.LineSandwich", "one sibling page, by lines"),
    "dom": DetectorRow(
        f"{_WHOLE}.two_pass_dom.TwoPassDom", "elements that many pages have", reads_all_first=True
    ),
    "text": DetectorRow(
        f"{_WHOLE}.two_pass_text.TwoPassText", "phrases that many pages have", reads_all_first=True
    ),
    "mdl": DetectorRow(
        f"{_WHOLE}.mdl_templates.MdlTemplates",
        "paths that the pages of a cluster share",
        reads_all_first=True,
    ),
}
"""Name -> its row."""

ARRIVING = tuple(name for name, row in DETECTORS.items() if not row.reads_all_first)
WHOLE_SITE = tuple(name for name, row in DETECTORS.items() if row.reads_all_first)


def load_detector(name: str) -> Any:
    """Return the class of a detector."""
    module, _, class_name = DETECTORS[name].path.rpartition(".")
    return getattr(import_module(module), class_name)

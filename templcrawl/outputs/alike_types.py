"""Page types that are one for tables: their addresses have one pattern, and their tags are alike.

They differ by a class word that stands for a value (``star-rating Three``), or in how editors have marked up
the same.

Cost: O(t p) for t types with p tag paths; a type is compared with ``_MAX_ALIKE`` others.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping

import numpy as np

from templcrawl.page.arrays import Keys

_ALIKE, _MAX_ALIKE = 0.9, 8  # of the tag paths of two page types that are one; types of one pattern
_NUMBERED = re.compile(r" \(\d+\)$")


def one_type(types: Mapping[str, str], paths: Mapping[str, Keys]) -> dict[str, str]:
    """Return leaf -> its page type, where types that are alike are one.

    types  leaf -> its page type, behind its host: of equal patterns with a number behind that
    paths  leaf -> keys of the tag paths of a page of it
    """
    known: defaultdict[str, dict[str, Keys]] = defaultdict(dict)
    merged: dict[str, str] = {}
    counts = Counter(types.values())
    example = dict(zip(types.values(), types))
    for name, _ in counts.most_common():
        if example[name] not in paths:  # its pages are of other leaves by now
            continue
        ours = paths[example[name]]
        alike = known[_NUMBERED.sub("", name)]
        for other, theirs in list(alike.items())[:_MAX_ALIKE]:
            shared = len(np.intersect1d(ours, theirs))
            if shared >= _ALIKE * (len(ours) + len(theirs) - shared):
                merged[name] = other
                break
        else:
            alike[name] = ours
    return {leaf: merged.get(name, name) for leaf, name in types.items()}

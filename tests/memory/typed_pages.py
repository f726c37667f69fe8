"""Pages of generated page types by their features alone."""

from __future__ import annotations

import random

import numpy as np

from templcrawl.page.arrays import Keys
from templcrawl.page.page import Page


def keys(*features: int) -> Keys:
    return np.array(sorted(set(features)), dtype=np.uint64)


def site_of(kinds: int, pages: int, seed: int = 1) -> list[tuple[int, Keys]]:
    """Pages of so many types: 20 features of the type, 20 of the site, three by chance."""
    chance = random.Random(seed)
    found = []
    for _ in range(pages):
        kind = chance.randrange(kinds)
        own = range(100 * kind + 1000, 100 * kind + 1020)
        found.append((kind, keys(*range(20), *own, *chance.sample(range(5000, 5400), 3))))
    return found


def page_with(features: Keys) -> Page:
    """Return an empty page that has these features of structure."""
    page = Page("", "http://a.example/")
    page.__dict__["structure"] = features
    return page

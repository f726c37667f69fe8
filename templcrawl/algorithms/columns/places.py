"""Places: name an element of a page alike on all pages of its type.

Class words may say what one page is about: ``topic-tea`` on the article of a post. So a place keeps the words
that some of the sampled pages have (:mod:`templcrawl.algorithms.columns.template`). It is read from its
element upwards until ``NAMED_STEPS`` steps have a word; ``html`` and ``body`` are left out. So a page with
another frame around the same part has the same place, and a selector is as short as a person's. What is in an
``h1`` has that as its place, unless the markup says that it is no title.

Source: our own.  Places of d steps.  Cost: O(d) for each; it is shortened once.
"""

from __future__ import annotations

from collections.abc import Collection
from sys import intern

from templcrawl.algorithms.columns.flows import calls_otherwise
from templcrawl.algorithms.columns.units import is_section, parts_of

NAMED_STEPS = 3  # with a word, of a place
_MAX_STEPS = 12  # of a place without words
_FRAMES = ("html", "body")  # what their words say is about the page
_MAX_KNOWN = 4_000  # places whose short form is remembered


class Places(dict[str, str]):
    """The places of a page type: page place -> type place, reduced to the words that the type keeps.

    >>> places = Places({"price", "title", "item", "page"})
    >>> places["html/body/div.page/div.item/p.price.sale/b"], places["html/body.page/p"]
    ('div.page/div.item/p.price/b', 'p')
    """

    def __init__(self, words: Collection[str], steps: int = NAMED_STEPS) -> None:
        """Keep these words; shorten places, from the element upwards, to so many steps with a word."""
        super().__init__()
        self._words, self._steps = words, steps

    def __missing__(self, place: str) -> str:
        steps: list[str] = []
        named = 0
        for step in reversed(place.split("/")):
            tag, words = parts_of(step)
            kept = [word for word in words if word in self._words] if tag not in _FRAMES else []
            steps.append(".".join([tag, *kept]).replace(".#", "#"))
            named += bool(kept)
            if self._steps and (named == self._steps or len(steps) == _MAX_STEPS):
                break
            if tag == "h1" and self._steps and not steps[0].startswith("img") and not is_section(step):
                steps = [steps[0], "h1"] if calls_otherwise(parts_of(steps[0])[1]) else ["h1"]
                break
        while len(steps) > 1 and steps[-1] in _FRAMES:
            steps.pop()
        if len(self) >= _MAX_KNOWN:
            self.clear()
        short = self[place] = intern("/".join(reversed(steps)))
        return short

"""How much of a page is template: bytes of its HTML, visible words, links to other pages.

These are the three shares of Gibson, Punera & Tomkins (WWW 2005).  Bytes are those of the page in UTF-8,
with tags, scripts, comments and white space.  A link counts by the position of its start tag.

n tokens.  Cost: O(n) beyond a separation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from templcrawl.page.separation import Separation


class Amounts(NamedTuple):
    """Bytes of HTML, visible words, and links to other pages."""

    html: int
    words: int
    links: int


def template_amounts(separation: Separation) -> tuple[Amounts, Amounts]:
    """Return (how much of a page is template, how much there is)."""
    page = separation.page
    tokens, runs, links = page.tokens, page.text_runs, page.links
    is_template = np.frombuffer(separation.content_mask, dtype=np.uint8) == 0
    of_form = np.array([len(form.encode("utf-8", "replace")) for form in tokens.forms], dtype=np.intp)
    sizes = of_form[tokens.form_array]
    opens = page.elements.open_array[np.array(links.elements, dtype=np.intp)]
    template = Amounts(
        int(sizes[is_template].sum()),
        int(runs.words[is_template[runs.positions]].sum()),
        int(is_template[opens].sum()),
    )
    return template, Amounts(int(sizes.sum()), int(runs.words.sum()), len(links))

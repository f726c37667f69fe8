"""The structure of a page as a set of 64-bit features, equal in every process.

A *feature* is a root-to-node path of tag names, or such a path with one class word, with the id, or (for
``meta``, ``link`` and ``input``) with what the element names; digits are read as ``#``.  A set, so a list of
any length looks the same.  Attributes of ``html`` and ``body`` are not read.

The *path of an anchor* is the key of such a path, each tag with all of its words: where on a page, and in
what, a link stands.

m elements of depth at most d.  Cost: O(m log d) beyond tokens and elements, in numpy.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from templcrawl.page.ancestors import MIX, Keys, distinct
from templcrawl.page.arrays import indices
from templcrawl.page.elements import Elements
from templcrawl.page.tokens import TokenStream


def structure_features(tokens: TokenStream, elements: Elements) -> Keys:
    """Return the features of a page, ascending and distinct."""
    words = tokens.tag_fields.words
    flat = np.frombuffer(b"".join(words), dtype=np.uint64)
    lengths = indices(list(map(len, words))) // flat.itemsize
    counts, firsts = elements.of_tags(lengths), elements.of_tags(lengths.cumsum() - lengths)
    ends = counts.cumsum()
    of_words = (firsts - ends + counts).repeat(counts) + np.arange(ends[-1])
    worded = (elements.paths.repeat(counts) ^ flat[of_words]) * np.uint64(MIX)
    return distinct(np.concatenate((elements.paths[1:], worded)))


def anchor_paths(tokens: TokenStream, elements: Elements, anchors: Sequence[int]) -> Keys:
    """Return anchor -> the key of its path.

    anchors  elements
    """
    if not anchors:
        return np.zeros(0, dtype=np.uint64)
    step_of = np.frombuffer(b"".join(tokens.tag_fields.whole), dtype=np.uint64)
    return elements.paths_of(step_of)[indices(anchors)]

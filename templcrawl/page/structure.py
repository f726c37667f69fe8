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
from itertools import chain

import numpy as np

from templcrawl.page.ancestors import MASK, MIX, Keys, path_keys
from templcrawl.page.elements import Elements
from templcrawl.page.tags import START, VOID
from templcrawl.page.tokens import TokenStream


def structure_features(tokens: TokenStream, elements: Elements) -> Keys:
    """Return the features of a page, ascending and distinct."""
    kinds = tokens.form_kinds
    opening = [form for form, kind in enumerate(kinds) if kind == START or kind == VOID]
    if not opening:
        return np.zeros(0, dtype=np.uint64)
    names = [tokens.form_tags[form].key for form in opening]
    words = [tokens.form_tags[form].words for form in opening]
    number = np.zeros(len(kinds), dtype=np.intp)
    number[opening] = np.arange(len(opening))
    tags = number[tokens.form_array[elements.open_array[1:]]]
    steps = np.zeros(len(elements), dtype=np.uint64)
    steps[1:] = np.array(names, dtype=np.uint64)[tags]
    paths = path_keys(steps, elements.above)[1:]
    lengths = np.array(list(map(len, words)), dtype=np.intp)
    flat = np.fromiter(chain.from_iterable(words), dtype=np.uint64, count=int(lengths.sum()))
    word_counts = lengths[tags]
    ends = np.cumsum(word_counts)
    indices = np.repeat((np.cumsum(lengths) - lengths)[tags] - (ends - word_counts), word_counts) + np.arange(
        int(word_counts.sum())
    )
    worded = (np.repeat(paths, word_counts) ^ flat[indices]) * np.uint64(MIX)
    return np.unique(np.concatenate((paths, worded)))


def anchor_paths(tokens: TokenStream, elements: Elements, anchors: Sequence[int]) -> Keys:
    """Return anchor -> the key of its path.

    anchors  elements
    """
    if not anchors:
        return np.zeros(0, dtype=np.uint64)
    step_of = np.array([(tag.key + MIX * sum(tag.words)) & MASK for tag in tokens.form_tags], dtype=np.uint64)
    steps = np.zeros(len(elements), dtype=np.uint64)
    steps[1:] = step_of[tokens.form_array[elements.open_array[1:]]]
    return path_keys(steps, elements.above)[np.array(anchors, dtype=np.intp)]

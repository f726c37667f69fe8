"""The content of a single page: no earlier page of its site is known to separate it by.

1. Logistic regression over steps gives each block its chance to be content, from its features
   (``block_features``).  A feature adds the weights of all steps that it is above.
2. Content is the set of blocks whose expected F1 against the true one, in words, is highest.  Blocks come in
   by falling chance, as long as that rises: with chances p (to the power 1.25: chances are less sure on a
   site unlike those of the training) and words w, of the k likeliest blocks

       F(k) = 2 * sum of p w over them / (sum of w over them + sum of p w over all)

   so a page of certain paragraphs leaves its doubtful rest out, one of doubtful records keeps them.

Articles, threads, products, lists, documents and services are judged by the same weights: the features hold
the differences between kinds (records, linkage, sentences, containers).

Source: Lewis, "Evaluating and optimizing autonomous text classification systems" (SIGIR 1995) for the choice;
weights fitted on 1,476 single pages of seven kinds and 547 of news, see ``lab/bench/lone_pages.py``.
b blocks, f steps.  Cost: that of the features, and O(b log b + b f).
"""

from __future__ import annotations

import numpy as np

from templcrawl.algorithms.extraction.block_features import Columns, block_features
from templcrawl.algorithms.extraction.block_weights import CONTENT, STEPS
from templcrawl.algorithms.extraction.blocks import Blocks, Flags, Floats
from templcrawl.page.page import Page

_DOUBT = 1.25
_SUMS = {name: (np.array(at), np.cumsum((0.0, *weights))) for name, (at, weights) in STEPS.items()}


def content_of_lone_page(page: Page, allowed: Flags, selected: Flags, article: Flags) -> Flags:
    """Return run -> whether it is content; the page must have a text run.

    allowed  run -> whether it can be
    selected     run -> whether the vote selects it
    article  run -> whether it is in the range of blocks that is worth most
    """
    blocks = Blocks(page)
    words = np.asarray(np.bincount(blocks.of_run, page.text_runs.words * allowed), np.float64)
    chances = block_chances(block_features(page, blocks, selected, article))
    content: Flags = likeliest(chances, words)[blocks.of_run] & allowed
    return content


def block_chances(columns: Columns) -> Floats:
    """Return block -> its chance to be content, 0 to 1.

    columns  name of a feature -> block -> its value
    """
    scores = np.array(CONTENT)
    for name, (steps, sums) in _SUMS.items():
        scores = scores + sums[steps.searchsorted(columns[name].astype(np.float64))]
    chances: Floats = 1.0 / (1.0 + np.exp(-scores))
    return chances


def likeliest(chances: Floats, words: Floats) -> Flags:
    """Return block -> whether it is in the set of highest expected F1.

    chances  block -> its chance to be content
    words    block -> its words

    >>> likeliest(np.array([0.9, 0.2, 0.8]), np.array([10.0, 10.0, 10.0])).tolist()
    [True, False, True]
    """
    order = np.argsort(-chances, kind="stable")
    expected = chances**_DOUBT * words
    gained, taken = np.cumsum(expected[order]), np.cumsum(words[order])
    total = expected.sum()
    if not total:
        return np.zeros(len(chances), dtype=bool)
    best = int(np.argmax(gained / (taken + total)))
    chosen = np.zeros(len(chances), dtype=bool)
    chosen[order[: best + 1]] = words[order[: best + 1]] > 0
    return chosen

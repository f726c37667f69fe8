"""The content of a single page, where no earlier page of its site is known: features of blocks, and a choice.

Logistic regression over steps gives each block its chance to be content, from its features.  The choice of
blocks by these chances is :func:`content_blocks`.  Every feature is a number; no word of any language is
known, only how text is punctuated, and which words the title has, too.  Shares are of the words of the page.

words, unlinked    logarithms of 1 + words, 1 + words outside links;  linkage  share of its words in links
tag, heading       kind of its tag; where the first ``h1`` is (0 nowhere, 1 before, 2 here, 3 behind it)
in <tag>           it is inside such an element;  hint  what markup claims of it (:mod:`page.vocabulary`)
any, near <name>   an element around it, or of the innermost three, is named so (:mod:`blocks`)
sentence, commas, price, notice, digits, letters  how it ends; how many; an amount of money; a notice of
                   rights; share of digits; characters a word
again, before      how often its text stands on the page; whether it does further up
at ...             share of the words, the words outside links, and those in links, before its middle
like ...           blocks of the same path of tags and classes: how many, their share, linkage, words,
                   sentences
records, of records  how many siblings of one shape the elements around it have at most; their share
next, last ...     the same of the two blocks on either side; of 5 and of 15 on both sides
kept, range ...    the vote keeps it; it is in the range that is worth most, or behind its beginning, its end;
                   the share of that range, negative outside of it
around 1, 2, 3     the elements around it: linkage, share of unlinked words and of sentences, words a block
html5, old ...     the markup is of HTML 5; the features of the range where it is not, else 0
titled ...         where the block is that is most like the title of the page, as ``heading``; logarithm of
                   the words to it, negative before it; levels shared with it, and not, as of the ``h1``
title words        share of its words that the title has; distinct  share of the title's words that it has
core               inside the smallest element that has so much of the page's sentences
beside title       levels that it shares with the ``h1``, as a share; levels of that which it does not

Source: features of blocks as of Kohlschütter, Fankhauser, Nejdl, "Boilerplate detection using shallow text
features" (WSDM 2010), and of Peters, Lecocq, "Content extraction using diverse feature sets" (WWW 2013,
dragnet), those of records and containers ours.  Weights fitted on 1,476 single pages of seven kinds and 547
of news, by ``python -m lab.bench.lone_pages --fit``. n runs, m elements of depth d, b blocks, f steps.  Cost:
O(length of the text + m log d + b log b + b f).
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt

from templcrawl.algorithms.extraction.best_range import best_range
from templcrawl.algorithms.extraction.blocks import (
    AROUND,
    BITS,
    KIND_OF,
    Blocks,
    BlockTree,
    is_html5,
    text_features,
    title_words,
)
from templcrawl.page.arrays import MIX, Flags, Floats, Indices
from templcrawl.page.page import Page
from templcrawl.page.vocabulary import ARTICLE, DIALOG, FURNITURE, NAMED, TITLE

_DOUBT = 1.25  # the power of a chance
_MIN_CHANCE = 0.3  # that makes a block worth having in a range
_PASSING_PRICE = 30.0  # words, for an element that is passed over
_MIN_INSIDE = 0.9  # of the words of the likeliest blocks


def content_of_lone_page(page: Page, allowed: Flags, selected: Flags, article: Flags) -> Flags:
    """Return run -> whether it is content; the page must have a text run.

    allowed   run -> whether it can be
    selected  run -> whether the vote selects it, by markup alone
    article   run -> whether it is in the range of blocks that is worth most (``article``)
    """
    blocks = Blocks(page)
    words = np.asarray(np.bincount(blocks.block_of_run, page.text_runs.words * allowed), np.float64)
    chances = block_chances(block_features(page, blocks, selected, article))
    return content_blocks(page, blocks, chances, words)[blocks.block_of_run] & allowed


def content_blocks(page: Page, blocks: Blocks, chances: Floats, words: Floats) -> Flags:
    """Return block -> whether it is content.

    Where nine tenths of the words of the likeliest blocks are in the range of blocks that is worth most
    (:mod:`best_range`), the page is one text, and the other blocks go; so they do on pages that are older
    than HTML 5.  A block is worth its words times (chance - 0.3), less 1.  The last ``h1`` before the range
    stays: of the likeliest blocks, on older pages any.

    chances  block -> its chance to be content
    words    block -> its words that can be content
    """
    chosen = likeliest(chances, words)
    worth = blocks.words * (chances - _MIN_CHANCE) - 1.0
    best = best_range(worth.tolist(), blocks.owners.tolist(), page.elements.parents, _PASSING_PRICE)
    inside = chosen & best.block_flags(len(blocks))
    is_old = not is_html5(page)
    if not is_old and words[inside].sum() < _MIN_INSIDE * words[chosen].sum():
        return chosen
    is_title = np.array([page.elements.names[owner] == "h1" for owner in blocks.owners.tolist()])
    titles = np.flatnonzero((is_title & (words > 0) & (chosen | is_old))[: best.start])
    inside[titles[-1:]] = True  # a short title is worth less than it costs, and belongs to its text
    return inside


@cache
def _fitted() -> tuple[float, dict[str, tuple[Floats, Floats]]]:
    """Return the constant, and feature -> (its steps, what a value above none, one, two ... of them adds)."""
    fitted = json.loads(resources.files(__package__).joinpath("block_weights.json").read_text("utf-8"))
    steps = fitted["steps"].items()
    return fitted["constant"], {name: (np.array(at), np.cumsum((0.0, *of))) for name, (at, of) in steps}


def block_chances(columns: Columns) -> Floats:
    """Return block -> its chance to be content, 0 to 1, from its features.

    A feature adds the weights of all steps that it is above (``block_weights.json``).
    """
    constant, steps_and_sums = _fitted()
    scores = np.array(constant)
    for name, (steps, sums) in steps_and_sums.items():
        scores = scores + sums[steps.searchsorted(columns[name].astype(np.float64))]
    return 1.0 / (1.0 + np.exp(-scores))


def likeliest(chances: Floats, words: Floats) -> Flags:
    """Return block -> whether it is in the set of highest expected F1.

    Blocks come in by falling chance, as long as the expected F1 against the true set, in words, rises.  With
    chances p (to the power 1.25: chances are less sure on a site unlike those of the training) and words w,
    of the k likeliest blocks

        F(k) = 2 * sum of p w over them / (sum of w over them + sum of p w over all)

    so a page of certain paragraphs leaves its doubtful rest out, one of doubtful records keeps them.  Source:
    Lewis, "Evaluating and optimizing autonomous text classification systems" (SIGIR 1995).

    chances  block -> its chance to be content
    words    block -> its words

    >>> likeliest(np.array([0.9, 0.2, 0.8]), np.array([10.0, 10.0, 10.0])).tolist()
    [True, False, True]
    """
    order = np.argsort(-chances, kind="stable")
    expected = chances**_DOUBT * words
    gained, taken = np.cumsum(expected[order]), np.cumsum(words[order])
    total, chosen = expected.sum(), np.zeros(len(chances), dtype=bool)
    if total:
        best = order[: int(np.argmax(gained / (taken + total))) + 1]
        chosen[best] = words[best] > 0
    return chosen


Columns = dict[str, npt.NDArray[Any]]

_CLAIMS = {"furniture": FURNITURE, "named": NAMED, "dialog": DIALOG, "article": ARTICLE, "title": TITLE}
_HEADINGS = (KIND_OF["h1"], KIND_OF["h2"], KIND_OF["h4"])
_MIN_LIKENESS = 0.4  # to the page's title, of a block that is taken for it
_RANGE_FEATURES = ("range", "range, from", "range, behind", "range, words")
_MIN_RECORDS = 3  # siblings of one shape
_MIN_RECORD_WORDS = 5  # of such a sibling, on average
_SENTENCE_WORDS = 8  # outside links, of a block that is a sentence
_CORES = (0.3, 0.5, 0.7, 0.9)  # shares of the page's sentences that a core has


def block_features(page: Page, blocks: Blocks, selected: Flags, article: Flags) -> Columns:
    """Return name of a feature -> block -> its value; arguments as of ``content_of_lone_page``."""
    tree = BlockTree(page)
    columns = _word_columns(blocks) | _markup_columns(tree, blocks) | text_features(page, blocks)
    columns |= _alike_columns(tree, blocks, columns["sentence"])
    columns |= _neighbour_columns(blocks, columns)
    columns |= _container_columns(tree, blocks, columns["sentence"])
    columns |= _title_columns(page, tree, blocks)
    columns |= _range_columns(blocks, selected[blocks.firsts], article[blocks.firsts])
    is_old = not is_html5(page)
    columns |= {f"old {name}": columns[name] * is_old for name in _RANGE_FEATURES}
    return columns | {"html5": np.full(len(blocks), not is_old)}


def _word_columns(blocks: Blocks) -> Columns:
    words, unlinked = blocks.words, blocks.unlinked
    columns: Columns = {
        "words": np.log1p(words),
        "unlinked": np.log1p(unlinked),
        "linkage": (words - unlinked) / np.maximum(words, 1.0),
    }
    for name, values in (("words", words), ("unlinked words", unlinked), ("linked words", words - unlinked)):
        columns[f"at {name}"] = (np.cumsum(values) - 0.5 * values) / max(1.0, values.sum())
    return columns


def _markup_columns(tree: BlockTree, blocks: Blocks) -> Columns:
    owners = blocks.owners
    kinds = tree.kinds[owners]
    titles = np.flatnonzero(kinds == KIND_OF["h1"])
    heading = np.zeros(len(blocks), dtype=np.intp)
    if len(titles):
        heading = 2 - np.sign(np.arange(len(blocks)) - titles[0])
    columns: Columns = {"tag": kinds, "heading": heading}
    hints = np.bitwise_or.reduceat(tree.runs.hints, blocks.firsts)
    columns |= {f"hint {claim}": hints & bit > 0 for claim, bit in _CLAIMS.items()}
    inside, near, named = tree.inside[owners], tree.near[owners], tree.any[owners]
    columns |= {f"in <{name}>": inside & np.uint32(1 << bit) > 0 for bit, name in enumerate(AROUND)}
    for name, bit in BITS.items():
        columns[f"any {name}"] = named & np.uint32(bit) > 0
        columns[f"near {name}"] = near & np.uint32(bit) > 0
    shared, missed = _levels(tree, owners, titles[0] if len(titles) else -1)
    return columns | {"beside title": shared, "below title": missed}


def _levels(tree: BlockTree, owners: Indices, block: int) -> tuple[Floats, Floats]:
    """Return block -> the share of the levels of another one that it is below, and how many it is not.

    block  the other one; for -1 both are -1
    """
    if block < 0:
        return np.full(len(owners), -1.0), np.full(len(owners), -1.0)
    depths = np.zeros(len(tree.parents))
    path = []
    element = int(owners[block])
    while element > 0:
        path.append(element)
        element = int(tree.parents[element])
    depths[path] = np.arange(len(path), 0, -1)
    for ancestors in tree.above:
        depths = np.maximum(depths, depths[ancestors])
    return depths[owners] / max(1, len(path)), len(path) - depths[owners]


def _title_columns(page: Page, tree: BlockTree, blocks: Blocks) -> Columns:
    likeness, share, distinct = title_words(page, blocks)
    kinds = tree.kinds[blocks.owners]
    best = likeness + 0.1 * np.isin(kinds, _HEADINGS) + 0.05 * (kinds == KIND_OF["h1"])
    title = int(np.argmax(best))
    titled, words_to = np.zeros(len(blocks)), np.full(len(blocks), -20.0)
    if likeness[title] >= _MIN_LIKENESS:
        titled = 2 - np.sign(np.arange(len(blocks)) - title)
        middles = np.cumsum(blocks.words) - 0.5 * blocks.words
        words_to = np.sign(middles - middles[title]) * np.log1p(np.abs(middles - middles[title]))
    else:
        title = -1
    shared, missed = _levels(tree, blocks.owners, title)
    return {
        "titled": titled,
        "titled, words": words_to,
        "titled, beside": shared,
        "titled, below": missed,
        "title words": share,
        "title words, distinct": distinct,
    }


def _alike_columns(tree: BlockTree, blocks: Blocks, sentence: npt.NDArray[Any]) -> Columns:
    total, unlinked_total = max(1.0, tree.words[0]), max(1.0, tree.unlinked[0])
    _, path_of_block = np.unique(tree.paths[blocks.owners], return_inverse=True)
    count = np.bincount(path_of_block)
    words, unlinked = np.bincount(path_of_block, blocks.words), np.bincount(path_of_block, blocks.unlinked)
    columns: Columns = {
        "like it": np.log(count)[path_of_block],
        "like it, words": (unlinked / unlinked_total)[path_of_block],
        "like it, linkage": ((words - unlinked) / np.maximum(words, 1.0))[path_of_block],
        "like it, length": np.log1p(unlinked / count)[path_of_block],
        "like it, sentences": (np.bincount(path_of_block, sentence) / count)[path_of_block],
    }
    siblings = tree.paths * np.uint64(MIX) ^ tree.parents.astype(np.uint64)
    _, kin = np.unique(siblings, return_inverse=True)
    members, sizes = np.bincount(kin, tree.words > 0)[kin], np.bincount(kin, tree.words)[kin]
    is_record = (members >= _MIN_RECORDS) & (sizes >= _MIN_RECORD_WORDS * members) & (tree.words > 0)
    most, share = members * is_record, sizes * is_record
    for ancestors in tree.above:
        most, share = np.maximum(most, most[ancestors]), np.maximum(share, share[ancestors])
    columns["records"] = np.log1p(most[blocks.owners])
    columns["of records"] = share[blocks.owners] / total
    return columns


def _neighbour_columns(blocks: Blocks, seen: Columns) -> Columns:
    columns: Columns = {}
    for name, outside in (("words", 0), ("linkage", 1), ("sentence", 0)):
        values = seen[name]
        row = np.concatenate(([outside] * 2, values, [outside] * 2))
        for steps, neighbour in ((-2, "last but one"), (-1, "last"), (1, "next"), (2, "next but one")):
            columns[f"{neighbour}, {name}"] = row[2 + steps : 2 + steps + len(blocks)]
    is_heading = np.concatenate(([0], np.isin(seen["tag"], _HEADINGS), [0]))
    columns["last, heading"], columns["next, heading"] = is_heading[:-2], is_heading[2:]
    words, unlinked = (np.concatenate(([0.0], np.cumsum(v))) for v in (blocks.words, blocks.unlinked))
    numbers = np.arange(len(blocks))
    for reach in (5, 15):
        start, stop = np.maximum(numbers - reach, 0), np.minimum(numbers + reach + 1, len(blocks))
        text = unlinked[stop] - unlinked[start]
        columns[f"{reach} around, length"] = np.log1p(text / (stop - start))
        columns[f"{reach} around, linkage"] = 1.0 - text / np.maximum(words[stop] - words[start], 1.0)
    return columns


def _container_columns(tree: BlockTree, blocks: Blocks, sentence: npt.NDArray[Any]) -> Columns:
    columns: Columns = {}
    is_sentence = (blocks.unlinked >= _SENTENCE_WORDS) & (sentence > 0)
    sentences = tree.block_sums(blocks, blocks.unlinked * is_sentence)
    counts = tree.block_sums(blocks, np.ones(len(blocks)))
    total, all_sentences = max(1.0, tree.unlinked[0]), max(1.0, sentences[0])
    around = blocks.owners
    columns["around 0, words"] = tree.unlinked[around] / total
    for level in (1, 2, 3):
        around = blocks.block_of_element[tree.parents[around]]
        words, unlinked = tree.words[around], tree.unlinked[around]
        columns[f"around {level}, linkage"] = 1.0 - unlinked / np.maximum(words, 1.0)
        columns[f"around {level}, words"] = unlinked / total
        columns[f"around {level}, sentences"] = sentences[around] / all_sentences
        columns[f"around {level}, length"] = np.log1p(unlinked / np.maximum(counts[around], 1.0))
    for share in _CORES:
        holds = np.flatnonzero(sentences >= share * all_sentences)
        core = holds[len(holds) - 1 - np.argmin(tree.words[holds[::-1]])] if len(holds) else 0
        start, stop = tree.starts[core], tree.stops[core]
        columns[f"core {share}"] = (blocks.firsts >= start) & (blocks.firsts < stop)
        columns[f"core {share}, size"] = np.full(len(blocks), tree.words[core] / max(1.0, tree.words[0]))
    return columns


def _range_columns(blocks: Blocks, selected: Flags, article: Flags) -> Columns:
    inside = np.flatnonzero(article)
    start, stop = (inside[0], inside[-1]) if len(inside) else (0, 0)
    numbers = np.arange(len(blocks))
    share = float(blocks.unlinked[article].sum()) / max(1.0, float(blocks.unlinked.sum()))
    return {
        "kept": selected,
        "range": article,
        "range, from": numbers >= start,
        "range, behind": numbers > stop,
        "range, words": np.where(article, share, share - 1.0),
    }

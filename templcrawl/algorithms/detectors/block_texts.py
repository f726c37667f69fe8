"""What can be seen of a block's text without knowing its language: how it is punctuated, digits, repetition.

Cost: O(length of the text); a text is read once for all pages of a process.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

from templcrawl.algorithms.detectors.blocks import Blocks
from templcrawl.page.ancestors import MIX
from templcrawl.page.memo import Memo
from templcrawl.page.page import Page

_ENDS_SENTENCE = re.compile(r"[.!?。！？…][\"'”»)\]]{0,3}\Z").search
_COMMA = re.compile(r"[,;，、；،]").findall
_AMOUNT = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:[€₽]|zł|USD|EUR|kr\b)").search
_NOTICE = re.compile(r"©|\(c\)|copyright|cookie|privacy", re.IGNORECASE).search
_DIGIT = re.compile(r"\d").findall


def _read_text(text: str) -> tuple[int, int, int, int, int, int]:
    folded = " ".join(text.split())
    return (
        _ENDS_SENTENCE(folded) is not None,
        len(_COMMA(folded)),
        _AMOUNT(folded) is not None,
        _NOTICE(folded) is not None,
        len(_DIGIT(folded)),
        len(folded),
    )


_TEXTS = Memo(_read_text)


def text_features(page: Page, blocks: Blocks) -> dict[str, npt.NDArray[Any]]:
    """Return name of a feature -> block -> its value."""
    tokens, runs = page.tokens, page.text_runs
    forms = tokens.form_array[runs.positions]
    read = np.array([_TEXTS[tokens.forms[form]] for form in forms.tolist()], dtype=np.float64)
    lasts = np.append(blocks.firsts[1:], len(runs)) - 1
    sums = np.add.reduceat(read, blocks.firsts)
    texts = np.add.reduceat(runs.texts * np.uint64(MIX), blocks.firsts)
    _, firsts, of_block, times = np.unique(texts, return_index=True, return_inverse=True, return_counts=True)
    length = np.maximum(sums[:, 5], 1.0)
    return {
        "sentence": read[lasts, 0] > 0,
        "commas": np.log1p(sums[:, 1]),
        "price": sums[:, 2] > 0,
        "notice": sums[:, 3] > 0,
        "digits": sums[:, 4] / length,
        "letters": sums[:, 5] / np.maximum(blocks.words, 1.0),
        "again": np.log(times[of_block]),
        "before": firsts[of_block] < np.arange(len(blocks)),
    }

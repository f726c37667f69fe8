"""The kind of a page by the page alone: multinomial logistic regression over what is seen of it.

The score of a kind is its constant, the weights of all words of the page (``KIND_WORDS``), and for each
number the weights of all steps that it is above (``KIND_STEPS``); chances are proportional to its
exponential.  A page that says itself that it is none is an error, whatever it looks like
(:mod:`templcrawl.algorithms.page_kinds.error_pages`).

Source: multinomial logistic regression (Hosmer, Lemeshow, Sturdivant, "Applied logistic regression", 2013);
weights fitted on 1,497 single pages of seven kinds and on pages of some 50 sites, see
``lab/papers/page_kinds.py``.
w words of a page, s steps, K kinds.  Cost: that of the evidence, and O((w + s) K).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from templcrawl.algorithms.page_kinds.error_pages import is_error_page
from templcrawl.algorithms.page_kinds.evidence import evidence_of
from templcrawl.algorithms.page_kinds.kind_weights import CONSTANTS, KIND_STEPS, KIND_WORDS
from templcrawl.algorithms.page_kinds.kinds import ERROR, KINDS, Floats, KindChances
from templcrawl.algorithms.page_kinds.words import tag_words, text_word
from templcrawl.page.memo import Memo
from templcrawl.page.separation import Separation

_HUNDREDTH = 0.01
_CERTAIN = 0.97
_ROW_OF = {word: row for row, word in enumerate(KIND_WORDS)}
_WEIGHTS = np.array([*KIND_WORDS.values()], dtype=np.float64).reshape(-1, len(KINDS)) * _HUNDREDTH
_CONSTANTS = np.array(CONSTANTS) * _HUNDREDTH
_NUMBERS = [*KIND_STEPS]
_STEP_OF = np.repeat(np.arange(len(_NUMBERS)), [len(steps) for steps, _ in KIND_STEPS.values()])
_STEP_AT = np.array([step for steps, _ in KIND_STEPS.values() for step in steps])
_STEP_WEIGHTS = (
    np.array([row for _, weights in KIND_STEPS.values() for row in weights], dtype=np.float64) * _HUNDREDTH
)


def classify_kind(separation: Separation) -> KindChances:
    """Return what is thought of the kind of a page, by its content alone."""
    evidence = evidence_of(separation.page, separation.content_mask, _of_tags, _of_texts)
    scores = _CONSTANTS.copy()
    rows = [_ROW_OF[word] for word in evidence.words if word in _ROW_OF]
    scores += _WEIGHTS[rows].sum(axis=0)
    values = np.array([evidence.numbers[name] for name in _NUMBERS])
    scores += (values[_STEP_OF] > _STEP_AT) @ _STEP_WEIGHTS
    logs: Floats = scores - scores.max()
    logs = logs - np.log(np.exp(logs).sum())
    if is_error_page(evidence, separation.voters):
        logs = logs + np.log(1.0 - _CERTAIN)
        logs[ERROR] = np.log(_CERTAIN)
        return KindChances(logs, is_error=True)
    return KindChances(logs)


def _weighted(words: Iterable[str]) -> tuple[str, ...]:
    """Return the words that have a weight."""
    return tuple(_ROW_OF.keys() & words)


_TAGS = Memo(lambda tag: _weighted(tag_words(tag)))
_TEXTS = Memo(lambda text: _weighted((text_word(text),)))


def _of_tags(tags: Iterable[str]) -> Iterable[Iterable[str]]:
    return map(_TAGS.__getitem__, tags)


def _of_texts(texts: Iterable[str]) -> Iterable[Iterable[str]]:
    return map(_TEXTS.__getitem__, texts)

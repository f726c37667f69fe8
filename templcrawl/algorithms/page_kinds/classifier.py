"""Classify a page by kind from this page alone: multinomial logistic regression over its evidence.

The score of a kind is its constant, the weights of all words of the page, and for each number the weights of
all steps that it is above; chances are proportional to its exponential.  ``kind_weights.json`` has them, in
hundredths, for each kind in the order of ``KINDS``.

Source: multinomial logistic regression (Hosmer, Lemeshow, Sturdivant, "Applied logistic regression", 2013);
weights fitted on 1,497 single pages of seven kinds and on pages of some 50 sites: ``python -m
lab.papers.page_kinds --write`` writes them. w words of a page, s steps, K kinds.  Cost: that of the evidence,
and O((w + s) K).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from importlib import resources

import numpy as np

from templcrawl.algorithms.page_kinds.evidence import Evidence, evidence_of
from templcrawl.algorithms.page_kinds.kind_chances import ERROR, KINDS, KindChances
from templcrawl.algorithms.page_kinds.words import tag_words, text_word
from templcrawl.page.arrays import Floats
from templcrawl.page.separation import Separation
from templcrawl.page.text import Memo

_CERTAIN = 0.97  # chance of an error page that says so itself
_FITTED = json.loads(resources.files(__package__).joinpath("kind_weights.json").read_text("utf-8"))
_ROW_OF = {word: row for row, word in enumerate(_FITTED["words"])}
_WEIGHTS = np.array([*_FITTED["words"].values()]).reshape(-1, len(KINDS)) * 0.01
_CONSTANTS = np.array(_FITTED["constants"]) * 0.01
_STEPS = _FITTED["steps"]
_STEP_OF = np.repeat(np.arange(len(_STEPS)), [len(steps) for steps, _ in _STEPS.values()])
_STEP_AT = np.array([step for steps, _ in _STEPS.values() for step in steps])
_STEP_WEIGHTS = np.array([row for _, weights in _STEPS.values() for row in weights]) * 0.01


def classify_kind(separation: Separation) -> KindChances:
    """Return the chances of the kinds for a page, by its content alone."""
    evidence = evidence_of(
        separation.page,
        separation.content_mask,
        read_tags=lambda tags: map(_TAGS.__getitem__, tags),
        read_texts=lambda texts: map(_TEXTS.__getitem__, texts),
    )
    scores = _CONSTANTS.copy()
    rows = [_ROW_OF[word] for word in evidence.words if word in _ROW_OF]
    scores += _WEIGHTS[rows].sum(axis=0)
    values = np.array([evidence.numbers[name] for name in _STEPS])
    scores += (values[_STEP_OF] > _STEP_AT) @ _STEP_WEIGHTS
    logs: Floats = scores - scores.max()
    logs = logs - np.log(np.exp(logs).sum())
    if is_error_page(evidence, separation.voters):
        logs = logs + np.log(1.0 - _CERTAIN)
        logs[ERROR] = np.log(_CERTAIN)
        return KindChances(logs, is_error=True)
    return KindChances(logs)


def _weighted(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(_ROW_OF.keys() & words)


_TAGS = Memo(lambda tag: _weighted(tag_words(tag)))
_TEXTS = Memo(lambda text: _weighted((text_word(text),)))


# The rules are those of ``is_error_page``.
MIN_WORDS = 4  # of a page that is one (rule 1)
MIN_KNOWN = 4  # other pages, for its content to be asked (rule 1)
_SHOWN = ("<img>", "<video>", "<iframe>")
_MAX_SENTENCES = 6  # of an error: what has as many is an article about one (rule 2)
_MAX_OF_WALL = 3  # sentences of a wall in front of a login (rule 3)
_MAX_LINKS = 12  # linked runs in its content, unless it asks for a password (rule 3)

_MISSING = re.compile(
    r"(?:^\W*|\b(?:http|error|fehler|erreur|errore|błąd|ошибка)\W{1,3})(?:404|410)\b"
    r"|(?:page|file|document|item|product|topic|thread|article|result)s?\W{0,3}(?:was |were |is |could )?"
    r"(?:not|no longer|cannot|can ?not|can't)(?: be)? (?:found|exist|available)"
    r"|(?:page|topic|article|product) (?:does ?n[o']t|does not|no longer) exist|nothing (?:was )?found"
    r"|not found\b"
    r"|no such (?:page|file|topic|product)|page unavailable"
    r"|nicht gefunden|nicht (?:mehr )?verfügbar|introuvable|n'existe (?:pas|plus)|no encontrad[ao]"
    r"|no existe|não encontrad[ao]|non trovat[ao]|niet gevonden|nie (?:została )?znalezion|не найден"
    r"|hittades inte|ikke fundet|bulunamadı|見つかりません|页面不存在|找不到|찾을 수 없",
    re.IGNORECASE,
).search
_BARRED = re.compile(
    r"\b(?:log ?in|sign ?in|log ?on)\b|\b(?:access|permission) denied|\bforbidden\b|\berror 40[13]\b"
    r"|\bunauthori[sz]ed"
    r"|not (?:logged in|authori[sz]ed)|members only|are you (?:a )?(?:human|robot)|captcha|just a moment"
    r"|anmelden|einloggen|zugriff verweigert|connexion|accès refusé|iniciar sesión|acceso denegado|entrar\b"
    r"|accedi\b|inloggen|zaloguj|logowanie|войти|вход\b|ログイン|登录|登入|로그인",
    re.IGNORECASE,
).search


def may_be_error(names: Iterable[str], words: int) -> bool:
    """Return whether a page may be an error page, by its names and the words of its content alone."""
    return words < MIN_WORDS or any(_MISSING(name) or _BARRED(name) for name in names)


def is_error_page(evidence: Evidence, known: int) -> bool:
    """Return whether a page looks like an error page.

    A page that says itself that it is none is an error, whatever it looks like and though its status is 200:
    soft 404s, walls in front of a login, empty pages.  That is where

    1. it has fewer than ``MIN_WORDS`` visible words and no image or video, or so little in its content where
       ``MIN_KNOWN`` other pages of its site say what is content, or
    2. its title or what names it on the page says so, in one of a dozen languages, and it has few sentences,
       or
    3. it asks for a password, or says that one must log in, and has next to no sentences.

    An article about "Page not found" has sentences, and is none.

    known  how many other pages of its site have voted on what is content
    """
    words, numbers, names = evidence
    if numbers["words"] < MIN_WORDS:
        return not numbers["shown"]
    if known >= MIN_KNOWN and numbers["words main"] < MIN_WORDS:
        return not any(numbers[shown] for shown in _SHOWN)
    sentences = numbers["sentences"]
    if sentences >= _MAX_SENTENCES:
        return False
    named = [name for name in names if name]
    if any(map(_MISSING, named)):
        return True
    is_wall = "input password" in words or numbers["linked runs main"] < _MAX_LINKS
    return is_wall and sentences < _MAX_OF_WALL and any(map(_BARRED, named))

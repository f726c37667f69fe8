"""Pages that are none, though their status is 200: soft 404s, walls in front of a login, empty pages.

A page is an error where

1. it has fewer than ``LEAST_WORDS`` visible words and no image or video, or so little in its content where
   ``LEAST_KNOWN`` other pages of its site say what is content, or
2. its title or what names it on the page says so, in one of a dozen languages, and it has few sentences, or
3. it asks for a password, or says that one must log in, and has next to no sentences.

An article about "Page not found" has sentences, and is none.
n characters of title and headings.  Cost: O(n).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from templcrawl.algorithms.page_kinds.evidence import Evidence

LEAST_WORDS = 4
LEAST_KNOWN = 4
_SHOWN = ("<img>", "<video>", "<iframe>")
_MOST_SENTENCES = 6
_MOST_OF_WALL = 3
_MOST_LINKS = 12

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
    """Return whether a page may be none, by its names and its number of words of content alone."""
    return words < LEAST_WORDS or any(_MISSING(name) or _BARRED(name) for name in names)


def is_error_page(evidence: Evidence, known: int) -> bool:
    """Return whether a page is none, by what is seen of it.

    known  how many other pages of its site have voted on what is content
    """
    words, numbers, names = evidence
    if numbers["words"] < LEAST_WORDS:
        return not numbers["shown"]
    if known >= LEAST_KNOWN and numbers["words main"] < LEAST_WORDS:
        return not any(numbers[shown] for shown in _SHOWN)
    sentences = numbers["sentences"]
    if sentences >= _MOST_SENTENCES:
        return False
    named = [name for name in names if name]
    if any(map(_MISSING, named)):
        return True
    is_wall = "input password" in words or numbers["linked runs main"] < _MOST_LINKS
    return is_wall and sentences < _MOST_OF_WALL and any(map(_BARRED, named))

"""Anchors of links as signs of pagination: steps, runs of page numbers, calendars.

*Steps.*  An anchor is read as a page number, an arrow, or a word like "next".

An anchor is a number if it is one, bare or in square brackets, or a range of them ("21-40", read as 21),
or a word for "page" and a number.  It is a step if all its words are words for a direction, words for a
page or what stands on it, numbers and arrows, with a direction or an arrow among them: "Next page" and
"« older posts" are, "Next steps" is not.

The words are those of some thirty languages.  An anchor of more than ``LONGEST`` characters is no sign.
Cost: O(1), and hardly anything for an anchor that was met before.

*Runs.*  The numbers of a pager differ from days of a month and from years by their position.  A run:
links whose anchors are numbers in ascending order, each within three levels of the one before it. A run
counts if two of its numbers differ by 1 or, around the page's own, by 2; unless its numbers are

* years, or a month: 20 numbers or more, the last from 28 to 31; or
* days in a calendar: numbers to 31, each in a cell of its own, of a table of three rows or more.

k numbered links, m elements.  Cost: O(k), and O(m) if there are numbers in cells.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from templcrawl.page.entities import unescape
from templcrawl.page.memo import Memo
from templcrawl.page.page import Page

LONGEST = 60
NOTHING, STEP = -2, -1
"""Readings of an anchor; one of 0 or more is the page number that it names."""

_NUMBER = re.compile(r"[\[|·-]?\s*(\d{1,6})(?:\s*[-–—]\s*\d{1,6})?\s*[\]|·.-]?").fullmatch
_ARROWS = "<>«»‹›←→⟵⟶⇐⇒⇦⇨◀▶◁▷◄►⏮⏭⏪⏩❮❯➔➜➡⬅⟨⟩〈〉《》❬❭≪≫˂˃⯇⯈❰❱🡐🡒"
_MARKS = "|.…:;,-–—·•[]()&/!\ufe0e\ufe0f"
AROUND = _ARROWS + _MARKS
"""Characters that may stand around a word."""

_DIRECTIONS = frozenset(
    """
    next nxt forward forwards prev previous back backward backwards older newer earlier later more first last
    weiter weitere vor vorwärts zurück nächste nächsten nächster folgende vorige vorherige vorheriger
    älter ältere neuere neuer letzte letzter erste erster
    suivant suivante suivantes suivants précédent précédente précédentes précédents préc prochaine
    anciens anciennes récents récentes dernière dernier première premier retour
    siguiente siguientes anterior anteriores próxima próximo adelante atrás antiguas recientes último
    última primero primera voltar seguinte antigas recentes primeira
    avanti indietro successivo successiva successivi successive precedente precedenti prossimo prossima
    seguente ultimo ultima primo prima
    volgende vorige verder terug ouder oudere nieuwer nieuwere laatste eerste
    nästa föregående tidigare äldre nyare sista första neste forrige eldre nyere siste første næste ældre
    sidste seuraava edellinen vanhemmat uudemmat viimeinen ensimmäinen
    następna następny następne dalej poprzednia poprzedni poprzednie wstecz starsze nowsze ostatnia pierwsza
    další následující předchozí zpět starší novější poslední první ďalšia ďalej predchádzajúca späť posledná
    következő előző tovább vissza régebbi újabb utolsó első
    următor următoarea următoarele următorul anterioară înainte înapoi
    sonraki önceki ileri geri eski yeni son ilk следващ следваща предишна последна първа
    следующая следующие следующий предыдущая предыдущие предыдущий вперед вперёд назад далее дальше
    последняя первая раньше позже наступна наступні попередня попередні далі остання перша
    sljedeća sljedeće sledeća sledeće prethodna prethodne naprej nazaj naslednja prejšnja dalje
    следећа претходна επόμενη επόμενο επόμενα προηγούμενη προηγούμενο προηγούμενα τελευταία πρώτη
    التالية التالي السابقة السابق الأولى الأخيرة הבא הבאה הקודם הקודמת بعدی قبلی अगला पिछला
    berikutnya selanjutnya sebelumnya kembali tiếp trước sau cuối đầu järgmine eelmine
    kitas ankstesnis nākamā iepriekšējā seterusnya ถัดไป ก่อนหน้า หน้าถัดไป
    다음 이전 다음페이지 이전페이지 처음 마지막 次 前 次へ 前へ 次のページ 前のページ 次のページへ
    前のページへ 次ページ 前ページ 最初 最後 先頭 末尾 もっと見る 下一页 上一页 下页 上页 首页 末页 尾页
    下一頁 上一頁 下頁 上頁 首頁 末頁 尾頁 最後一頁 最后一页
    """.casefold().split()
)
_PAGES = frozenset(
    """
    page pages pg seite seiten página páginas pagina pagine pagina's sida sidan side siden sivu sivut strona
    stronę strony stránka strana stránku oldal pagini sayfa sayfaya страница страницы страницу сторінка
    stranica stranicu stran σελίδα صفحة الصفحة صفحه עמוד דף पृष्ठ halaman trang lehekülg puslapis lapa laman
    หน้า 페이지 ページ 页 頁
    """.casefold().split()
)
_FILLERS = frozenset(
    """
    the to of and la les le a post posts entry entries article articles item items results stories news
    beiträge einträge artikel résultats entrada entradas artículos postagens artigos articoli berichten
    inlägg innlegg indlæg wpisy bejegyzések articole kayıtlar yazılar записи статьи άρθρα
    """.casefold().split()
)
WORDS = _DIRECTIONS | _PAGES | _FILLERS
"""An anchor with any other word, except numbers, is no sign."""


def reading(anchor: str) -> int:
    """Return the sign of an anchor: ``NOTHING``, ``STEP``, or the page number that it names.

    >>> [reading(anchor) for anchor in ("3", "[12]", "Seite 2", "Next page &raquo;", "次へ", "Next steps")]
    [3, 12, 2, -1, -1, -2]
    """
    if len(anchor) > LONGEST:
        anchor = anchor.strip()
        if len(anchor) > LONGEST:
            return NOTHING
    return _READINGS[anchor]


def _read(anchor: str) -> int:
    anchor = " ".join(unescape(anchor).split())
    number = _NUMBER(anchor)
    if number:
        return int(number[1])
    named = NOTHING
    has_direction = has_page = False
    for written in anchor.casefold().split():
        word = written.strip(AROUND)
        if word in _DIRECTIONS or (not word and written.strip(_MARKS)):
            has_direction = True
        elif word in _PAGES:
            has_page = True
        elif word.isdecimal() and len(word) <= 6:
            named = int(word) if named == NOTHING else named
        elif word and word not in _FILLERS:
            return NOTHING
    return STEP if has_direction else named if has_page else NOTHING


_READINGS = Memo(_read)


_LEVELS = 3
_FIRST_YEAR, _LAST_YEAR = 1900, 2100
_MANY_DAYS = 20
_SHORTEST_MONTH, _LAST_DAY = 28, 31
_WEEKS = 3


def runs_and_dates(page: Page, numbers: Mapping[int, int]) -> tuple[set[int], set[int]]:
    """Return the links that stand in runs, and those that are days or years.

    numbers  link -> the number that its anchor is, in document order

    >>> page = Page("<ul><li><a href=a>2</a><li><a href=b>3</a></ul>", "https://example.org/")
    >>> runs_and_dates(page, {0: 2, 1: 3}), runs_and_dates(page, {0: 2025, 1: 2026})
    (({0, 1}, set()), (set(), {0, 1}))
    """
    above = {link: _ancestors(page, link) for link in numbers}
    in_run: set[int] = set()
    dates = set(_days_in_tables(page, numbers, above))
    for run in _ascending(numbers, above):
        values = [numbers[link] for link in run]
        is_month = len(run) >= _MANY_DAYS and _SHORTEST_MONTH <= values[-1] <= _LAST_DAY
        if is_month or (values[0] >= _FIRST_YEAR and values[-1] <= _LAST_YEAR):
            dates.update(run)
        elif any(after - value <= 2 for value, after in pairwise(values)):
            in_run.update(run)
    return in_run, dates


def _ancestors(page: Page, link: int) -> list[int]:
    parents, element = page.elements.parents, page.links.elements[link]
    ancestors = []
    for _ in range(_LEVELS):
        element = max(parents[element], 0)
        ancestors.append(element)
    return ancestors


def _ascending(numbers: Mapping[int, int], above: Mapping[int, Sequence[int]]) -> Iterator[list[int]]:
    run: list[int] = []
    for link, number in numbers.items():
        if run and (number <= numbers[run[-1]] or set(above[link]).isdisjoint(above[run[-1]])):
            yield run
            run = []
        run.append(link)
    if run:
        yield run


def _days_in_tables(
    page: Page, numbers: Mapping[int, int], above: Mapping[int, Sequence[int]]
) -> Iterator[int]:
    parents, names = page.elements.parents, page.elements.names
    cells: dict[int, list[int]] = {}
    for link in numbers:
        for element in above[link]:
            if names[element] == "td":
                cells.setdefault(element, []).append(link)
    if not cells:
        return
    rows = Counter(parents[element] for element, name in enumerate(names) if name == "tr")
    for cell, inside in cells.items():
        is_alone = len(inside) == 1 and numbers[inside[0]] <= _LAST_DAY
        if is_alone and rows[parents[parents[cell]]] >= _WEEKS:
            yield inside[0]

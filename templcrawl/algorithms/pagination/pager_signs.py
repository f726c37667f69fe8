"""What an anchor and an address say of pagination: steps, runs of page numbers, calendars, pages of a list.

*Steps.*  An anchor is a number if it is one, bare or in square brackets, or a range of them ("21-40", read as
21), or a word for "page" and a number.  It is a step if all its words are words for a direction, words for a
page or what stands on it, numbers and arrows, with a direction or an arrow among them: "Next page" and "«
older posts" are, "Next steps" is not. The words are those of some thirty languages (``pager_words.json``).
An anchor of more than ``LONGEST`` characters is no sign.  Cost: O(1), and hardly anything for an anchor that
was met before.

*Runs.*  The numbers of a pager differ from days of a month and from years by their position.  A run: links
whose anchors are numbers in ascending order, each within three levels of the one before it.  A run counts if
two of its numbers differ by 1 or, around the page's own, by 2; unless its numbers are years, or a month (20
numbers or more, the last from 28 to 31), or days in a calendar (numbers to 31, each in a cell of its own, of
a table of three rows or more).  k numbered links, m elements.  Cost: O(k), and O(m) if there are numbers in
cells.

*Addresses.*  An address names a page by a parameter (``?page=2``, ``?start=20``) or a segment (``/page/2/``,
``-p2.html``).  Two addresses are of one list if they are equal once that is taken out.  Where nothing names a
page, it may be the number that the path ends with, or none: such an address stands for two lists.  Scheme,
"www.", letter case, session numbers, the order of parameters and the name of an index page do not count.
``updated-max``, by which Blogger pages, names a page and is no date.  A date: ``/2026/05``, ``?m=20260516``,
``/day/7``, ``calendar``.  Cost: O(length of the address); one of more than ``LONGEST_ADDRESS`` characters is
a list by itself.

Source: our own; names of parameters and segments are those that software for sites writes.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from itertools import pairwise
from typing import NamedTuple

from templcrawl.page.page import Page
from templcrawl.page.text import Memo, unescape

LONGEST = 60  # characters of an anchor
NOTHING, STEP = -2, -1  # readings of an anchor; one of 0 or more is the page number that it names

_NUMBER = re.compile(r"[\[|·-]?\s*(\d{1,6})(?:\s*[-–—]\s*\d{1,6})?\s*[\]|·.-]?").fullmatch
_ARROWS = "<>«»‹›←→⟵⟶⇐⇒⇦⇨◀▶◁▷◄►⏮⏭⏪⏩❮❯➔➜➡⬅⟨⟩〈〉《》❬❭≪≫˂˃⯇⯈❰❱🡐🡒"
_MARKS = "|.…:;,-–—·•[]()&/!\ufe0e\ufe0f"
AROUND = _ARROWS + _MARKS  # characters that may stand around a word
_READ = json.loads(resources.files(__package__).joinpath("pager_words.json").read_text("utf-8"))
_DIRECTIONS, _PAGES, _FILLERS = (
    frozenset(" ".join(_READ[kind]).casefold().split()) for kind in ("directions", "pages", "fillers")
)
WORDS = _DIRECTIONS | _PAGES | _FILLERS  # an anchor with any other word, except numbers, is no sign


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


_LEVELS = 3  # above a number, in which the next one of its run stands
_FIRST_YEAR, _LAST_YEAR = 1900, 2100  # of numbers that are years
_MANY_DAYS = 20  # numbers of a month
_SHORTEST_MONTH, _LAST_DAY = 28, 31  # its last number
_WEEKS = 3  # rows of a calendar


def runs_and_dates(page: Page, numbers: Mapping[int, int]) -> tuple[set[int], set[int]]:
    """Return the links that stand in runs, and those that are days or years.

    numbers  link -> the number that its anchor is, in document order

    >>> page = Page("<ul><li><a href=a>2</a><li><a href=b>3</a></ul>", "https://example.org/")
    >>> runs_and_dates(page, {0: 2, 1: 3}), runs_and_dates(page, {0: 2025, 1: 2026})
    (({0, 1}, set()), (set(), {0, 1}))
    """
    parents = page.elements.parents
    above: dict[int, list[int]] = {}
    for link in numbers:
        element = page.links.elements[link]
        above[link] = [element := max(parents[element], 0) for _ in range(_LEVELS)]
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


LONGEST_ADDRESS = 1_000  # characters

_NAMES = (
    r"(?:pages?|pag|pg|p|seite|pagina|p%c3%a1gina|strona|sayfa|sida|side|stranka|sivu|oldal|halaman|trang)"
)
_PARAMETER = re.compile(
    rf"[&;](?:amp;)?(?:(?:{_NAMES}|[a-z_-]{{0,30}}page(?:[_-]?(?:no|num|number|id|index|nr|n))?"
    r"|paged|pn|pagen_\d+|start|offset|from|skip|limitstart|str|st|o)=\d{1,6}|updated-max=[^&;]*)(?![^&;])"
)
_SEGMENT = re.compile(
    rf"/{_NAMES}[-_=/:,.]?\d{{1,6}}(?=/|\.[a-z]{{2,5}}$|$)"
    rf"|[-_,;.]{_NAMES}[-_=,]?\d{{1,6}}(?=\.[a-z]{{2,5}}$|/?$)"
)
_SESSION = re.compile(r"[&;]\w{0,20}(?:s|id)=[0-9a-z]{20,64}(?![^&;])")
_DATES = re.compile(
    r"(?:19|20)(?<!\d\d\d)\d\d(?:[/.\-_]?(?:0[1-9]|1[0-2])(?:[/.\-_]?[0-3]\d)?|[/.\-_][1-9](?:[/.\-_]\d{1,2})?)(?!\d)"
    r"|[/?&;_.-](?:day|week|month|year|date|jahr|monat|tag|woche|jour|mois|annee)[=/-]\d+"
    r"|[?&;][mdy]=\d+|calendar"
).findall
_ENDINGS = (".html", ".htm", ".php", ".aspx", ".asp")
_INDICES = ("/index", "/default")
_DIGITS = "0123456789"
_MOST_DIGITS = 5  # of a page number that a path ends with


class Address(NamedTuple):
    """An address as a sign of pagination.

    target      the address without what does not count
    names_page  whether a parameter or a segment names a page
    lists       the addresses, without their pages, of the lists that it may be a page of
    dates       the dates that it holds
    """

    host: str
    target: str
    names_page: bool
    lists: tuple[str, ...]
    dates: list[str]


def read_address(url: str) -> Address:
    """Read an address.

    >>> address = read_address("https://www.example.org/2026/05/page/3/?sort=new")
    >>> address.names_page, address.lists, address.dates
    (True, ('example.org/2026/05?&sort=new',), ['2026/05'])
    >>> read_address("https://example.org/tea/3").lists
    ('example.org/tea/3', 'example.org/tea')
    """
    if len(url) > LONGEST_ADDRESS:
        return Address(_parts(url[:LONGEST_ADDRESS])[0], url, False, (url,), [])
    host, path, query = _parts(url)
    if query:
        query = "&" + query
        if "=" in query:
            query = _SESSION.sub("", query)
    rest = _PARAMETER.sub("", query) if query else ""
    without_segment = _SEGMENT.sub("", path, count=1)
    names_page = rest != query or without_segment != path
    stem = _stem(without_segment)
    lists: tuple[str, ...] = (_join(stem, rest),)
    if not names_page:
        root = stem.rstrip(_DIGITS)
        if 0 < len(stem) - len(root) <= _MOST_DIGITS:
            lists = (lists[0], _join(_stem(root[:-1] if root[-1:] in ("-", "_", ",", "/") else root), rest))
    return Address(host, path + query, names_page, lists, _DATES(without_segment + rest))


def _parts(url: str) -> tuple[str, str, str]:
    path, _, query = url.lower().partition("?")
    path = path.partition("//")[2].removeprefix("www.")
    return path.partition("/")[0], path, query


def _stem(path: str) -> str:
    """Return a path without the name of an index page, the ending of a file and the last slash."""
    path = path.rstrip("/")
    if path.endswith(_ENDINGS):
        path = path.rpartition(".")[0]
    return path.rpartition("/")[0] if path.endswith(_INDICES) else path


def _join(path: str, query: str) -> str:
    return f"{path}?{'&'.join(sorted(query.split('&')))}" if query else path

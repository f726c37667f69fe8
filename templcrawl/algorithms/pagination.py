"""Recognise links that page through a list: "next", "2", "»".

They sit in pagelets that look like template and lead to pages that nothing else leads to, so they
are shielded from waiting as template links.

A link is pagination if its ``rel`` says next or prev; or if it is written as a number, an arrow or a
word for next and previous, and leads to the page's own address but for one page number.  Addresses
that hold a date are calendars, not lists.  Cost: O(length of the link).
"""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

from templcrawl.page.links import Link

_REL = frozenset({"next", "prev", "previous"})
_WORD = re.compile(
    r"""(?:\d{1,4}|[«»‹›<>←→⟨⟩]+|[«‹<←]?\s*(?:
    prev(?:ious)?|next|older|newer|more|page\s*\d+|
    weiter|zurück|nächste|vorherige|ältere|neuere|suivante?s?|précédente?s?|siguiente|anterior|
    próxim[ao]|successiv[ao]|precedente|volgende|vorige|nästa|föregående|neste|forrige|næste|
    następna|poprzednia|dalej|wstecz|další|předchozí|следующая|предыдущая|вперед|назад|далее|
    下一页|上一页|下一頁|上一頁|次へ|前へ|次の?ページ|前の?ページ|다음|이전|επόμενη|προηγούμενη
    )(?:\s+(?:page|posts?|entries|seite|articles?))?\s*[»›>→]?)""",
    re.IGNORECASE | re.VERBOSE,
).fullmatch
_DATE = re.compile(r"(?:19|20)\d\d[/\-.]?(?:0?[1-9]|1[0-2])(?:[/\-.]|\b)|calendar|(?:^|[?&])m=\d{6,8}")
_PAGE_PARAMETERS = frozenset({"page", "p", "paged", "pg", "start", "offset", "from", "seite", "pagina"})


def is_pagination(link: Link, page_url: str) -> bool:
    """Say whether a link on the page at ``page_url`` pages through a list.

    >>> is_pagination(Link("https://example.org/news/page/3/", "3", 0, ""), "https://example.org/news/")
    True
    >>> is_pagination(Link("https://example.org/about", "About", 0, ""), "https://example.org/news/")
    False
    """
    if _DATE.search(link.url):
        return False
    if not _REL.isdisjoint(link.rel.split()):
        return True
    return bool(_WORD(link.text)) and _without_page_number(link.url) == _without_page_number(page_url)


def _without_page_number(url: str) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    """Return an address without its page parameter and page segment: equal for all pages of a list."""
    try:
        parts = urlsplit(url)
        query = parse_qsl(parts.query, keep_blank_values=True)
    except ValueError:
        return url, "", ()
    path = re.sub(r"/(?:page|p|seite|pagina)?[-_/]?\d{1,4}(?=/|\.\w+$|$)", "", parts.path)
    path = re.sub(r"[-_]?(?:page|p)?[-_]?\d{1,4}(?=\.\w+$|/?$)", "", path)
    path = re.sub(r"/(?:index(?:\.\w+)?)?$|\.(?:html?|php|aspx?)$", "", path)
    rest = tuple(sorted((name, value) for name, value in query if name.lower() not in _PAGE_PARAMETERS))
    return parts.netloc, path.rstrip("/"), rest

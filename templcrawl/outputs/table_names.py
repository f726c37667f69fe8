"""Name tables by the declared type of their pages, or by the words of their addresses.

A table of pages is called after the type that most of them declare (``product``); else after the last folder
of their addresses that is no number and no language; else after the words that their file names share; else
``listing``, if they list records, or ``pages``.  One of records is called after these and that:
``products_of_category``; ``products`` where several page types have them.  A name that is taken gets a word
of the addresses, else what its pages list, else a number.

Cost: O(length of ``MAX_ADDRESSES`` addresses).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from urllib.parse import unquote, urlsplit

from templcrawl.algorithms.columns.names import free_name

MAX_ADDRESSES = 40  # of the pages of a type
NO_NAME = "pages"
LONGEST_NAME = 60  # characters: a file name has 255 bytes at most
_MOST = 0.6  # of the addresses that have a word
_UNSAFE = re.compile(r"[^\w\-]+")
# Names reserved by Windows and SQLite.
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)|sqlite_", re.IGNORECASE)
_FILE = re.compile(
    r"(?:index|default|home|main)?\.(?:html?|php|aspx?|jsp|xhtml|cfm)\b.*|(?:index|default)$", re.IGNORECASE
)
_LANGUAGE = re.compile(r"[a-z]{2}(?:-[a-z]{2})?", re.IGNORECASE).fullmatch
_WORD = re.compile(r"[^\W\d_]{3,}|[^\W\da-zA-Z_]{2,}")
_NUMBER = re.compile(r"_\d+$")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_KINDS = {"news_article": "article", "blog_posting": "article", "discussion_forum_posting": "thread"} | (
    dict.fromkeys(("creative_work", "web_page", "thing", "organization", "web_site"), "")  # say nothing
)


def table_name(addresses: Sequence[str], kinds: Sequence[str], lists: str, taken: Collection[str]) -> str:
    """Return the name of the table of a page type.

    addresses  of some of its pages
    kinds      what these declare, "" for those that declare nothing
    lists      name of the records that they list, "" if they list none

    >>> table_name(["http://a.example/shop/2/tea/index.html", "http://a.example/shop/3/"], ["", ""], "", ())
    'shop'
    >>> table_name(["http://a.example/kettle-4.html", "http://a.example/kettle-red.html"], ["", ""], "", ())
    'kettle'
    >>> table_name(["http://a.example/4"], [""], "Started_by", ("listing",))
    'listing_of_Started_by'
    """
    kind, count = Counter(kinds).most_common(1)[0] if kinds else ("", 0)
    words = list(dict.fromkeys(_words_of(addresses)))
    named = _CAMEL.sub("_", kind).lower()
    first = _KINDS.get(named, named) if 2 * count > len(kinds) else ""
    name = safe(first) or next(iter(words), "") or ("listing" if lists else NO_NAME)
    longer = [f"{word}_{name}" for word in words if word != name] + (
        [f"{name}_of_{_several(lists)}"] if lists else []
    )
    lower = {other.lower() for other in taken}
    return next((one for one in [name, *longer] if one.lower() not in lower), "") or free_name(
        name, "", taken
    )


def records_name(rows: str, name: str, taken: Collection[str], *, is_of_several: bool = False) -> str:
    """Return the name of the table of records.

    name           of the table of their pages, the largest of several
    is_of_several  whether several page types have them

    >>> records_name("product", "category", ()), records_name("Model_Trim", "car", ())
    ('products_of_category', 'Model_Trim_of_car')
    >>> records_name("item", "page_of_items", ()), records_name("item_2", "page", ())
    ('items_of_page', 'items_2_of_page')
    >>> records_name("post", "tag", (), is_of_several=True)
    'posts'
    """
    several = _several(rows)
    if is_of_several and several.lower() not in {other.lower() for other in taken}:
        return several
    return free_name(f"{several}_of_{name.removesuffix(f'_of_{several}')}", "", taken)


def _several(rows: str) -> str:
    """Return what several records are called: of a word its plural, of other names themselves."""
    is_word = rows.islower() and "_" not in _NUMBER.sub("", rows)
    return plural(safe(rows)) if is_word else safe(rows)


def plural(word: str) -> str:
    """Return the plural of an English word.

    >>> plural("category"), plural("posts"), plural("event_2")
    ('categories', 'posts', 'events_2')
    """
    number = match[0] if (match := _NUMBER.search(word)) else ""
    word = word.removesuffix(number)
    if word.endswith("s"):
        return f"{word}{number}"
    ending = "ies" if word.endswith("y") and word[-2:-1] not in "aeiou" else ""
    return f"{word[:-1]}{ending}{number}" if ending else f"{word}s{number}"


def safe(name: str) -> str:
    """Return a name that is safe in a file name and as a table of SQLite."""
    name = _UNSAFE.sub("_", name)[:LONGEST_NAME].strip("._-")
    return f"_{name}" if _RESERVED.match(name) else name


def _words_of(addresses: Sequence[str]) -> Iterator[str]:
    """Yield the words that most addresses have: folders, the last one first, then words of file names."""
    folders, files = Counter[str](), Counter[str]()
    for address in addresses:
        *above, last = unquote(urlsplit(address).path).strip("/").split("/")
        last = _FILE.sub("", last)
        folders.update(list(dict.fromkeys(above if last else above[:-1])))
        files.update(list(dict.fromkeys(map(str.lower, _WORD.findall(last or "".join(above[-1:]))))))
    least = _MOST * len(addresses)
    for folder in reversed(folders):
        name = safe(_FILE.sub("", folder))
        if folders[folder] >= least and _WORD.search(name) and not _LANGUAGE(name):
            yield name
    for word, count in files.items():
        if count >= least:
            yield safe(word)

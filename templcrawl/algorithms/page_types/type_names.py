"""Readable names of page types: the pattern that the addresses of a type's pages share.

Of its pages those count that have its most frequent number of path segments.  A segment that four fifths of
these share stands in the pattern, any other is ``*``; likewise the names of the query, with the value if it
is shared: ``/product/*``, ``/doku.php?do=edit&id=*``.  Where two types of a site have one pattern, the
smaller ones get a number: ``/* (2)``.

Source: our own.  n characters of ``MAX_PAGES`` addresses of a type.  Cost: O(n).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain, count
from urllib.parse import parse_qsl, urlsplit

from templcrawl.page.text import storable

MAX_PAGES = 1000  # of a type whose addresses make its name
LONGEST_NAME = 80  # characters
_SHARED = 0.8  # of a type's pages have what its name says
_HIDDEN = "_"  # with it begin names of parameters that programs give to each other
_ANY = "*"


def readable_names(addresses: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return page type -> its name, unique among the types of one site.

    addresses  page type -> addresses of its pages

    >>> readable_names({"t1": ["http://a/p/1", "http://a/p/2"], "t2": ["http://a/p/x"], "t3": ["http://a/"]})
    {'t1': '/p/*', 't2': '/p/x', 't3': '/'}
    """
    type_of: dict[str, str] = {}
    for page_type in sorted(addresses, key=lambda page_type: (-len(addresses[page_type]), page_type)):
        pattern = address_pattern(addresses[page_type])
        numbered = (f"{pattern} ({number})" for number in count(2))
        type_of[next(name for name in chain([pattern], numbered) if name not in type_of)] = page_type
    name_of = {page_type: name for name, page_type in type_of.items()}
    return {page_type: name_of[page_type] for page_type in addresses}


def address_pattern(addresses: Sequence[str]) -> str:
    """Return the pattern that most of some addresses share, of at most ``LONGEST_NAME`` characters.

    >>> address_pattern(["http://a/x?do=edit&id=1", "http://a/x?do=edit&id=2", "http://a/x?do=edit&id=3"])
    '/x?do=edit&id=*'
    >>> address_pattern(["http://a/shop/?_wpnonce=2067327f08&tab=1", "http://a/shop/?_wpnonce=2067327f08&tab=2"])
    '/shop/?tab=*'
    """
    paths: list[tuple[str, ...]] = []
    queries: list[dict[str, str]] = []
    for address in addresses[:MAX_PAGES]:
        try:
            parts = urlsplit(address)
            values = dict(parse_qsl(parts.query, keep_blank_values=True, max_num_fields=20))
        except ValueError:
            continue
        paths.append(tuple(parts.path.split("/")[1:]))
        queries.append(values)
    if not paths:
        return _ANY
    lengths = Counter(map(len, paths))
    length = min(lengths, key=lambda length: (-lengths[length], length))
    chosen = [number for number, path in enumerate(paths) if len(path) == length]
    columns = zip(*(paths[number] for number in chosen))
    path = "/" + "/".join(_shared_or_any(column, len(chosen)) for column in columns)
    named = Counter(name for number in chosen for name in queries[number])
    query = "&".join(
        f"{name}={_shared_or_any([queries[number].get(name, '') for number in chosen], len(chosen))}"
        for name, pages in sorted(named.items())
        if pages >= _SHARED * len(chosen) and not name.startswith(_HIDDEN)
    )
    pattern = storable(f"{path}?{query}" if query else path)
    return pattern if len(pattern) <= LONGEST_NAME else f"{pattern[: LONGEST_NAME - 1]}…"


def _shared_or_any(values: Sequence[str], number: int) -> str:
    value, pages = Counter(values).most_common(1)[0]
    return value if pages >= _SHARED * number else _ANY

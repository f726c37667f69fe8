"""Find the page type for a page of which the own type has no table, since it has too few pages.

A page belongs to a type if the template of the type finds what pages of it have, and these have the elements
of the page: in large part where addresses call the two the same (``_BY_ADDRESS``), nearly all elsewhere
(``_BY_PLACES``).

Source: our own.  Cost: a page is read by the templates of ``2 MAX_COMPARED`` types.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlsplit

from templcrawl.algorithms.columns.reading import read_page
from templcrawl.outputs.alike_types import first_folder
from templcrawl.outputs.read_types import MAX_COMPARED, TypeReader
from templcrawl.outputs.table_names import NO_NAME, table_name
from templcrawl.page.page import Page

# Of what a type has, found on a page; of the elements of the page, those that pages of the type have.
_BY_ADDRESS, _BY_PLACES = (0.6, 0.5), (0.8, 0.8)


class OddPages:
    """The page types with tables, for pages of types without one."""

    def __init__(self, reader: TypeReader, addresses: Mapping[str, Sequence[str]]) -> None:
        """Keep what reads pages by the templates of types.

        addresses  page type, behind its host, the largest first -> those of some of its pages
        """
        self._reader = reader
        self._of_host: defaultdict[str, list[str]] = defaultdict(list)
        self._called: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        for name, some in addresses.items():
            host, _, pattern = name.partition(" ")
            self._of_host[host].append(name)
            for called in _called(some, pattern):
                self._called[host, called].append(name)

    def type_of(self, page: Page, host: str) -> str:
        """Return the type that a page of a host belongs to, "" if it belongs to none."""
        if host not in self._of_host:
            return ""
        read = read_page(page, b"", lambda _: False, declares=False)
        called = (self._called.get((host, one), ()) for one in _called([page.url], urlsplit(page.url).path))
        alike = {name for names in called for name in names[:MAX_COMPARED]}
        found = {}
        for name in {*alike, *self._reader.nearest(read, self._of_host[host])}:
            shares = self._reader.finds(name, page), self._reader.has(name, read)
            least = _BY_ADDRESS if name in alike else _BY_PLACES
            if all(share >= enough for share, enough in zip(shares, least)):
                found[name] = sum(shares)
        return max(sorted(found), key=found.__getitem__, default="")


def _called(addresses: Sequence[str], pattern: str) -> Iterator[str]:
    """Yield what addresses call a type: their first folder, and the name of a table of them."""
    if folder := first_folder(pattern):
        yield folder
    if (name := table_name(addresses, (), "", ())) != NO_NAME:
        yield name

"""The page types of a finished crawl that may have tables: a sample of each, and the columns that it has.

Pages are read twice: to learn the page types of each site, then to sample them.  Types of which the columns
are alike are one (:mod:`templcrawl.outputs.alike_types`), and so are records, of which the columns are chosen
again from those of all of their types.  A page of a type without a table may belong to one with a table
(:mod:`templcrawl.outputs.odd_pages`).

Memory: the samples, some 5 KB a page of ``MAX_SAMPLED``; 150 bytes for the type of each page;
``MAX_TRIED_BYTES``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import chain, islice, zip_longest
from zlib import compress, decompress

from templcrawl.algorithms.columns.choice import choose_columns
from templcrawl.algorithms.columns.facts import title_of
from templcrawl.algorithms.columns.groups import records_at
from templcrawl.algorithms.columns.reading import PageUnits, pack, read_page, unpack
from templcrawl.algorithms.columns.record_tables import MAX_RECORDS
from templcrawl.memory.crawl_memory import CrawlMemory
from templcrawl.outputs.alike_types import Records, one_kind, one_type, with_all_shown
from templcrawl.outputs.odd_pages import OddPages
from templcrawl.outputs.read_types import PAGES, TypeReader
from templcrawl.outputs.table_names import MAX_ADDRESSES, table_name
from templcrawl.page.page import Page
from templcrawl.page.text import storable

MIN_PAGES, MIN_JOINED = 8, 3  # of a type that has a table, of one that may be joined with another
TRIED_PAGES = 16  # of a type, by which its selectors are found; as many more for columns that these lack
_FEW = 3  # of these: fewer fill a column that is looked for on more pages
MAX_TRIED = 1_000_000  # characters of such a page
MAX_TRIED_BYTES = 50_000_000  # of all of these
MAX_TYPES = 200  # that have tables, the largest
MAX_PAGES, MAX_SAMPLED = 128, 6_000  # in the sample of a type; in all samples
MAX_BYTES = 800_000_000  # of all samples

# Puts each page of a crawl before a function, from the first on; the text says what for.
EachPage = Callable[[Callable[[Page], object], str], object]


class SampledTypes:
    """The page types of a finished crawl.

    types      page type, behind its host -> pages
    type_of    key of a page -> its page type
    columns    page type of ``MIN_PAGES`` pages -> its columns
    addresses  page type -> those of some of its pages
    records    records of a kind, the first of them -> their page types, and the name of the records there
    samples    page type -> key of a page -> its units, packed
    tried      page type -> key of a page to find selectors by -> its address, its text, packed
    cut        pages of which the rest is unread, since they are too large
    """

    def __init__(self, each_page: EachPage, *, declares: bool) -> None:
        """Read the pages twice.

        declares  whether what pages declare is read
        """
        self._declares, self._tried_room = declares, MAX_TRIED_BYTES
        self._memory = CrawlMemory(sample_salt=0)
        self.samples: dict[str, dict[int, bytes]] = {}
        self.type_of: dict[int, str] = {}
        self.addresses: defaultdict[str, list[str]] = defaultdict(list)
        self.tried: defaultdict[str, dict[int, tuple[str, bytes]]] = defaultdict(dict)
        self._kinds: dict[int, str] = {}  # key of a page in a sample -> the kind that it declares
        self.cut = 0
        leaf_of: dict[int, str] = {}

        def learn(page: Page) -> None:
            self.cut += bool(page.truncated)
            leaf_of[page.key] = self._memory.observe(page).leaf_id

        each_page(learn, "learning, 1 of 3")
        types = {leaf.leaf_id: f"{leaf.host} {leaf.page_type}" for leaf in self._memory.page_types()}
        self._name({key: types.get(leaf_id, leaf_id) for key, leaf_id in leaf_of.items()})
        self._sample(each_page)
        self.columns = {name: choose_columns(self.sample(name)) for name in self.samples}
        self._join()
        odd_hosts = {name.partition(" ")[0] for name in self.types.keys() - self.columns.keys()}
        known = [name for name in self.ordered(self.columns) if name.partition(" ")[0] in odd_hosts]
        self._odd = OddPages(
            TypeReader({name: self.columns[name] for name in known}, self._some),
            {name: self.addresses[name] for name in known},
        )
        self.records: dict[Records, dict[str, str]] = {}
        self._join_records()

    def sample(self, name: str) -> list[PageUnits]:
        """Return some pages of a type."""
        return [unpack(packed) for _, packed in sorted(self.samples[name].items())]

    def _some(self, name: str) -> list[PageUnits]:
        """Return the first pages of the sample of a type."""
        return [unpack(packed) for _, packed in sorted(self.samples[name].items())[:PAGES]]

    def kinds(self, name: str) -> list[str]:
        """Return what these pages declare to be."""
        return [self._kinds[key] for key in sorted(self.samples[name])]

    def ordered(self, names: Iterable[str]) -> list[str]:
        """Return page types, that of most pages first."""
        return sorted(names, key=lambda name: (-self.types[name], name))

    def table_type(self, page: Page) -> str:
        """Return the type of a page, or that with a table which it belongs to: of that it is one now."""
        name = self.type_of.get(page.key, "")
        if not name or name in self.columns:
            return name
        if into := self._odd.type_of(page, name.partition(" ")[0]):
            self.type_of[page.key] = into
            self.types[into] += 1
            self.types[name] -= 1
            if not self.types[name]:
                del self.types[name]
        return into

    def _name(self, type_of: dict[int, str]) -> None:
        self.type_of, self.types = type_of, Counter(type_of.values())

    def _sample(self, each_page: EachPage) -> None:
        """Keep the units of some pages of each type: those with the smallest keys."""
        chosen = [name for name, pages in self.types.most_common(MAX_TYPES) if pages >= MIN_JOINED]
        sizes = [self.types[name] for name in chosen]
        fits = (
            most for most in range(MAX_PAGES, -1, -1) if sum(min(most, size) for size in sizes) <= MAX_SAMPLED
        )
        most = next(fits)
        keys: dict[str, list[int]] = {name: [] for name in chosen}
        for key, name in self.type_of.items():
            keys.get(name, []).append(key)
        sampled = {key for type_keys in keys.values() for key in sorted(type_keys)[:most]}
        tried = {key for type_keys in keys.values() for key in sorted(type_keys)[:TRIED_PAGES]}
        self.samples = {name: {} for name in chosen}
        room = Counter(dict.fromkeys(chosen, MAX_BYTES // max(len(chosen), 1)))

        def sample(page: Page) -> None:
            if (key := page.key) in sampled:
                name = self.type_of[key]
                mask = self._memory.observe(page).separation.content_mask
                read = read_page(page, mask, declares=self._declares)
                packed = pack(read)
                room[name] -= len(packed)
                if room[name] >= 0:
                    self.samples[name][key], self._kinds[key] = packed, read.declared.kind
                if len(self.addresses[name]) < MAX_ADDRESSES:
                    self.addresses[name].append(page.url)
                if key in tried:
                    self.keep_to_try(page)

        each_page(sample, "choosing columns, 2 of 3")

    def keep_to_try(self, page: Page) -> None:
        """Keep a page to find the selectors of its type by, if there is room."""
        if len(page.text) <= MAX_TRIED and self._tried_room > 0:
            kept = compress(storable(page.text).encode(), 1)
            self._tried_room -= len(kept)
            self.tried[self.type_of[page.key]][page.key] = page.url, kept

    def more_to_try(self, name: str, filled: Sequence[Set[Hashable]]) -> set[int]:
        """Return the keys of pages that fill columns which few pages fill that are to be tried already.

        filled  page of the sample of a type, in their order -> the columns that it fills
        """
        keys, having = sorted(self.samples[name]), Counter[Hashable]()
        more = set[int]()
        for at, (key, columns) in enumerate(zip(keys, filled)):
            if at >= TRIED_PAGES and (
                len(more) == TRIED_PAGES or all(having[one] >= _FEW for one in columns)
            ):
                continue
            having.update(columns)
            more |= {key} if at >= TRIED_PAGES else set()
        return more

    def _join(self) -> None:
        """Join page types with the same columns, and drop those that are too small."""
        order = self.ordered(self.samples)
        names, titles = dict[str, str](), dict[str, list[str]]()
        for name in order:
            names[name] = table_name(self.addresses[name], self.kinds(name), "", ())
            titles[name] = [title for page in self.sample(name) if (title := title_of(page.units))]
        merged = one_type({name: self.columns[name] for name in order}, names, titles, self._some)
        self._name({key: merged.get(name, name) for key, name in self.type_of.items()})
        for name in reversed(order):
            if (into := merged[name]) != name:
                self.samples[into] |= self.samples.pop(name)
                self.addresses[into] += self.addresses.pop(name)
                self.tried[into] |= self.tried.pop(name, {})
                del self.columns[name]
            elif self.types[name] < MIN_PAGES:
                del self.samples[name], self.columns[name]
        for name in {into for name, into in merged.items() if into != name} & self.columns.keys():
            self.samples[name] = dict(sorted(self.samples[name].items())[:MAX_PAGES])
            self.tried[name] = dict(sorted(self.tried[name].items())[:TRIED_PAGES])
            self.columns[name] = choose_columns(self.sample(name))

    def _join_records(self) -> None:
        """Join the records of one kind: their columns are chosen from those of all of their page types."""
        every = {
            (name, rows): columns
            for name in self.ordered(self.columns)
            for rows, columns in self.columns[name].rows.items()
        }
        kinds: defaultdict[Records, list[Records]] = defaultdict(list)
        for one, first in one_kind(every).items():
            kinds[first].append(one)
        for first, several in kinds.items():
            named, places = dict[str, str](), defaultdict[str, tuple[str, ...]](tuple)
            for name, rows in several:
                named.setdefault(name, rows)
                places[name] += every[name, rows].places
            self.records[first] = named
            if len(several) == 1:
                continue
            turns = chain.from_iterable(zip_longest(*(self._records(*one) for one in places.items())))
            chosen = choose_columns([*islice(filter(None, turns), MAX_RECORDS)], every[first].places[0])
            chosen = with_all_shown(chosen, [every[one] for one in several])
            for name, rows in named.items():
                left = {
                    other: columns
                    for other, columns in self.columns[name].rows.items()
                    if other == rows or (name, other) not in several
                }
                joined = {**left, rows: replace(chosen, places=places[name])}
                self.columns[name] = replace(self.columns[name], rows=joined)

    def _records(self, name: str, places: Sequence[str]) -> Iterator[PageUnits]:
        """Yield the records at some places of the sample of a type."""
        template = self.columns[name].template
        for page in self.sample(name):
            yield from map(PageUnits, records_at(page.units, places, template))

    def tried_of(self, names: Iterable[str]) -> Iterator[tuple[str, str, str]]:
        """Yield some pages of each of some types, to find selectors by: type, address, text."""
        kept = ([(name, *self.tried[name][key]) for key in sorted(self.tried[name])] for name in names)
        for page in islice(chain.from_iterable(zip_longest(*kept)), 2 * TRIED_PAGES):
            if page is not None:
                name, url, packed = page
                yield name, url, decompress(packed).decode()

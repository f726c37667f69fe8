"""The last word of a crawl on its labels: which template each leaf, and each template, has become.

A page's ``template`` is what was known when the page was seen.  When a crawl ends it writes a file of
LABELS, ``labels/RUN.parquet``, aside first: for each label of the sites that it has in memory then (500,
unless it was told otherwise) the template.  A file is whole or not there; a crawl that was killed has none,
and the crawl that goes on from its JOBDIR says what both have learned.

Crawls that share no JOBDIR know nothing of each other's names.  So of each site the crawl counts that ended
last, and only if it has a word for half of the site's pages: else what all pages say by themselves says more.

Cost: writing, O(labels); reading, O(labels) and a column of PAGES.  Memory: some 200 bytes a label.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from operator import itemgetter

from templcrawl.archive.aside import ASIDE
from templcrawl.archive.location import Location
from templcrawl.archive.parts import Archive, first_line, part_names
from templcrawl.archive.schema import LABELS, PAGES, check_schema, to_arrow
from templcrawl.arrow import load_pyarrow
from templcrawl.page.encoding import storable

_ROWS = 2**12


def write_last_words(location: Location, run: str, words: Mapping[str, str], said_at: datetime) -> None:
    """Write the file of a crawl; raises OSError, ArrowException.

    run    what its files are called after
    words  label -> label of the template that it has become
    """
    arrow, filesystem = load_pyarrow(), location.filesystem
    rows = [(storable(label), storable(template), said_at) for label, template in sorted(words.items())]
    aside = location.join(ASIDE, f"{LABELS}-{run}-000000.parquet")
    filesystem.create_dir(location.join(LABELS), recursive=True)
    try:
        arrow.parquet.write_table(to_arrow(LABELS, rows), aside, compression="zstd", filesystem=filesystem)
        filesystem.move(aside, location.join(LABELS, f"{run}.parquet"))
    except BaseException:
        with suppress(OSError, arrow.ArrowException):
            filesystem.delete_file(aside)
        raise


class LastWords:
    """What the crawls of an archive have said of their labels.

    words       label -> its template by the last word, of each site the crawl that ended last
    unreadable  (name, reason) of each file that cannot be read
    """

    def __init__(self, archive: Archive) -> None:
        """Read all files.  Raises InvalidSnapshot for one of a newer version, or of other columns."""
        self._archive = archive
        self.unreadable: list[tuple[str, str]] = []
        of_host: dict[str, dict[str, str]] = {}
        said = [self._read(name) for name in part_names(archive.location, LABELS)]
        for _, of_crawl in sorted(said, key=itemgetter(0)):
            of_host.update(of_crawl)
        self.words = {label: now for words in of_host.values() for label, now in words.items()}

    def _read(self, name: str) -> tuple[str, dict[str, dict[str, str]]]:
        """Return (when it was said, host -> label -> template) of a file."""
        arrow, location = load_pyarrow(), self._archive.location
        try:
            file = arrow.parquet.read_table(
                location.join(LABELS, name), filesystem=location.filesystem, partitioning=None
            )
        except (OSError, arrow.ArrowException) as error:
            self.unreadable.append((f"{LABELS}/{name}", first_line(error)))
            return "", {}
        check_schema(LABELS, file.schema, location.address(LABELS, name))
        of_host: dict[str, dict[str, str]] = {}
        for label, template in zip(file["label"].to_pylist(), file["template"].to_pylist()):
            of_host.setdefault(_host_of(label), {})[label] = template
        return max(map(str, file["said_at"].to_pylist()), default=""), of_host

    def of_pages(self) -> dict[str, str]:
        """Return the words on those sites of which there is one for half of the pages.

        Parts that are damaged or older say nothing.
        """
        pages, named = Counter[str](), Counter[str]()
        for part in self._archive.parts if self.words else ():
            for leaf in self._leaves(part):
                host = _host_of(leaf)
                pages[host] += 1
                named[host] += leaf in self.words
        return {
            label: now
            for label, now in self.words.items()
            if 0 < pages[_host_of(label)] <= 2 * named[_host_of(label)]
        }

    def _leaves(self, part: str) -> list[str]:
        """Return the leaves of the pages of a part."""
        leaves: list[str] = []
        with suppress(OSError, load_pyarrow().ArrowException):
            for batch in self._archive.batches(PAGES, part, ["leaf"], _ROWS):
                leaves += batch["leaf"].to_pylist() if "leaf" in batch.schema.names else []
        return leaves


def _host_of(label: str) -> str:
    return label.rpartition("#")[0]

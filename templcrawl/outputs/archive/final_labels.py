"""The final labels of a crawl: the template that each leaf, and each earlier template, belongs to at its end.

A page's ``template`` is the label at the time when the page was observed.  At its end a crawl writes a file
of LABELS, ``labels/RUN-NUMBER.parquet``: the template of each label of the sites that are in its memory, or
were evicted from it.  A crawl of very many sites writes some of them earlier.  A file is whole or missing.  A
crawl that was killed lacks the last file; the crawl that resumes from its JOBDIR writes the labels of the
sites that it observes, learned by both.

Crawls that share no JOBDIR do not share labels.  So the labels of a site are those of one crawl.  For the
pages of a site it is the last crawl that has labels for half of them.  Without one the pages are labelled
anew.

L final labels, F files of l labels.  Cost: writing, O(l); reading, O(F l) and a column of PAGES.
Memory: some 200 bytes a label, O(L + l).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from functools import cached_property
from typing import Any

from templcrawl.outputs.archive.location import ASIDE, Location
from templcrawl.outputs.archive.parts import Archive, first_line, for_each, part_names
from templcrawl.outputs.archive.schema import LABELS, PAGES, check_schema, table_schema, to_arrow
from templcrawl.outputs.arrow import load_pyarrow
from templcrawl.page.text import storable

_ROWS = 2**12


def write_final_labels(
    location: Location, run: str, labels: Mapping[str, str], written_at: datetime, *, number: int = 0
) -> None:
    """Write a file of a crawl; raises OSError, ArrowException.

    run     what its files are called after
    labels  label -> label of its template; of a site all or none
    number  how many files it has written before
    """
    arrow, filesystem = load_pyarrow(), location.filesystem
    rows = [(storable(label), storable(template), written_at) for label, template in sorted(labels.items())]
    name = f"{run}-{number:06d}.parquet"
    aside = location.join(ASIDE, f"{LABELS}-{name}")
    filesystem.create_dir(location.join(LABELS), recursive=True)
    try:
        arrow.parquet.write_table(to_arrow(LABELS, rows), aside, compression="zstd", filesystem=filesystem)
        filesystem.move(aside, location.join(LABELS, name))
    except BaseException:
        with suppress(OSError, arrow.ArrowException):
            filesystem.delete_file(aside)
        raise


class FinalLabels:
    """The final labels of the crawls of an archive.

    files       names of the files that can be read, that of the crawl that ended last first
    unreadable  (name, reason) of each file that cannot be read
    """

    def __init__(self, archive: Archive) -> None:
        """Look at all files.  Raises InvalidSnapshot for one of a newer version, or of other columns."""
        self._archive = archive
        self.unreadable: list[tuple[str, str]] = []
        written_at = for_each(part_names(archive.location, LABELS), self._written_at)
        self.files = [name for _, name in sorted(filter(None, written_at), reverse=True)]
        self.unreadable.sort()

    @cached_property
    def labels(self) -> dict[str, str]:
        """Label -> its template, of each site by the crawl that ended last."""
        of_host: dict[str, dict[str, str]] = {}
        for name in self.files:
            of_host = {**self._labels_in(name), **of_host}
        return _joined(of_host)

    def page_labels(self) -> dict[str, str]:
        """Return the labels of sites, of each by the last crawl that has one for half of the pages.

        Parts that are damaged, or without leaves, do not count.
        """
        pages = self._pages_of_leaves() if self.files else {}
        of_host: dict[str, dict[str, str]] = {}
        for name in self.files:
            if len(of_host) == len(pages):
                break
            for host, labels in self._labels_in(name).items():
                leaves = pages.get(host, Counter())
                named = sum(count for leaf, count in leaves.items() if leaf in labels)
                if host not in of_host and 0 < leaves.total() <= 2 * named:
                    of_host[host] = labels
        return _joined(of_host)

    def _pages_of_leaves(self) -> dict[str, Counter[str]]:
        """Return host -> leaf -> pages of it."""
        pages: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for part in self._archive.parts:
            with suppress(OSError, load_pyarrow().ArrowException):
                for batch in self._archive.batches(PAGES, part, ["leaf"], _ROWS):
                    batch.validate(full=True)
                    leaves = batch["leaf"].to_pylist() if "leaf" in batch.schema.names else []
                    for leaf, count in Counter(filter(None, leaves)).items():
                        pages[_host_of(leaf)][leaf] += count
        return pages

    def _written_at(self, name: str) -> tuple[datetime, str] | None:
        """Return (when the labels of a file were written, its name), None where there are none."""
        times = self._read(name, ["written_at"])
        return max(((at, name) for at in times["written_at"].unique().to_pylist()), default=None)

    def _labels_in(self, name: str) -> dict[str, dict[str, str]]:
        """Return host -> label -> template of a file."""
        table = self._read(name, ["label", "template"])
        of_host: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for label, template in zip(table["label"].to_pylist(), table["template"].to_pylist()):
            of_host[_host_of(label)][label] = template
        return of_host

    def _read(self, name: str, columns: list[str]) -> Any:
        """Return columns of a file, without rows where it is damaged.  Raises InvalidSnapshot."""
        arrow, location = load_pyarrow(), self._archive.location
        try:
            with location.filesystem.open_input_file(location.join(LABELS, name)) as source:
                file = arrow.parquet.ParquetFile(source)
                check_schema(LABELS, file.schema_arrow, location.address(LABELS, name))
                table = file.read(columns)
                table.validate(full=True)
        except (OSError, arrow.ArrowException) as error:
            damage = f"{LABELS}/{name}", first_line(error)
            if damage not in self.unreadable:
                self.unreadable.append(damage)
            return table_schema(LABELS).empty_table()
        return table


def _host_of(label: str) -> str:
    return label.rpartition("#")[0]


def _joined(of_host: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    return {label: now for labels in of_host.values() for label, now in labels.items()}

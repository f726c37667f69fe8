"""Labels that a crawl has given its pages, and the templates that they have become.

A page's ``template_id`` is what was known when the page was seen, and a ``leaf_id`` tells no template by
itself; the last word on both has the memory that the crawl has left in its JOBDIR, or its archive once it has
ended.  So what was stored early joins what was stored late, what the commands call a page type, and what
``resolve`` says in a program.

Cost: O(items), and of each site once its memory.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from templcrawl.archive.last_words import LastWords
from templcrawl.archive.parts import Archive, is_archive
from templcrawl.commands.output import write_json
from templcrawl.commands.terminal_tables import show_table
from templcrawl.errors import InvalidOption
from templcrawl.memory.learned_site import LearnedLabels
from templcrawl.readers.records import Unreadable

_is_label = re.compile(r"[^#/\s]+#[0-9a-f]{12}").fullmatch


class LabelTable:
    """The labels of a crawl's items.

    labels      label given -> items that have it
    now         label given -> its template by the last word, None where that is not known
    unreadable  lines that are no JSON object
    damaged     files of an archive's labels that cannot be read
    """

    def __init__(self, items: str, job: str) -> None:
        """Read items and resolve their labels.

        items  JSON lines, as a feed writes them: whatever value looks like a label is one
        job    the JOBDIR of their crawl, or its archive

        Raises InvalidOption, InvalidSnapshot, OSError.
        """
        self.labels: Counter[str] = Counter()
        self.unreadable = 0
        self.damaged = Unreadable()
        with Path(items).open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                self.labels.update(self._labels_of(line))
        if not self.labels:
            raise InvalidOption("INPUT", items, "items as JSON lines, with template_id or leaf_id in them")
        if is_archive(job) or "://" in job:
            last = LastWords(Archive(job))
            self.now = {label: last.words.get(label) for label in self.labels}
            for name, reason in last.unreadable:
                self.damaged.add(name, reason)
        else:
            self.now = LearnedLabels(job).now(self.labels)

    def _labels_of(self, line: str) -> Iterator[str]:
        try:
            item = json.loads(line) if line.strip() else {}
        except (ValueError, RecursionError):
            item = None
        if not isinstance(item, dict):
            self.unreadable += 1
            return
        yield from (value for value in item.values() if isinstance(value, str) and _is_label(value))

    def rows(self) -> list[dict[str, Any]]:
        """Return the labels with their templates and how many items have them, the most frequent first."""
        ordered = sorted(self.labels.items(), key=lambda entry: (-entry[1], entry[0]))
        return [{"label": label, "template_id": self.now[label], "items": count} for label, count in ordered]

    def write(self, file: str | None, top: int) -> None:
        """Show the table, or write all of it as JSON.

        file  a name, - for stdout; None: the first ``top`` rows on stdout
        """
        rows = self.rows()
        if file:
            write_json({"format": 1, "labels": rows, "unreadable": self.unreadable}, file)
            return
        cells = [[str(row["items"]), row["label"], row["template_id"] or "not known"] for row in rows[:top]]
        templates = len({*self.now.values()} - {None})
        title = f"{len(rows):,} labels of {templates:,} templates by the last word"
        show_table(title, ("items", "label", "template"), cells, numbers=1)

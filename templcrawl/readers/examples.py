"""Example pages by page type: a folder of folders, each named after a type and holding pages of it,
as in ``examples/article/one.html``, ``examples/article/two.html``, ``examples/list/news.html``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from templcrawl.errors import InvalidOption
from templcrawl.page.page import Page
from templcrawl.readers.folder import FolderReader
from templcrawl.readers.shape import Unreadable


class ExampleReader:
    """The pages of a folder of examples.

    types       names of the types, ascending
    unreadable  what could not be read
    Raises InvalidOption where the folder has no folder.
    """

    def __init__(self, folder: str | Path) -> None:
        folder = Path(folder)
        wanted = "a folder that holds a folder of pages for each page type"
        if not folder.is_dir():
            raise InvalidOption("examples", str(folder), wanted)
        self.folder = folder
        self.types = sorted(entry.name for entry in folder.iterdir() if entry.is_dir())
        self.unreadable = Unreadable()
        if not self.types:
            raise InvalidOption("examples", str(folder), wanted)

    def __iter__(self) -> Iterator[tuple[str, Page]]:
        """Yield (type, page), type by type."""
        self.unreadable = Unreadable()
        for name in self.types:
            reader = FolderReader(self.folder / name)
            for record in reader:
                yield name, record.page()
            for path, reason in reader.unreadable.first:
                self.unreadable.add(f"{name}/{path}", reason)
            self.unreadable.count += len(reader.unreadable) - len(reader.unreadable.first)

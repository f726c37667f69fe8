"""The whole texts of the pages that later pages are compared with.

A page that nearly repeats one of them, template and all, is not compared with that one, nor remembered:
what a whole page repeats says nothing about templates.  The rule is the same for every detector that
keeps pages; it looks at whole pages, since it comes before template and content are told apart.

Cost and memory: those of :class:`~templcrawl.memory.known_contents.KnownContents`.
"""

from __future__ import annotations

from typing import NamedTuple

from templcrawl.algorithms.similarity.near_duplicates import MAX_DIFFERENCE, Content, whole_text_of
from templcrawl.memory.known_contents import KnownContents
from templcrawl.page.page import Page


class WholeText(NamedTuple):
    """The whole text of a page.

    key      key of the page
    content  its words
    repeats  key of another page that it nearly repeats, or None
    """

    key: int
    content: Content
    repeats: int | None


class WholeTexts(KnownContents):
    """The whole texts of at most ``limit`` pages."""

    def __init__(self, *, limit: int) -> None:
        super().__init__(limit=limit, max_difference=MAX_DIFFERENCE)

    def read(self, key: int, page: Page) -> WholeText:
        """Return the whole text of a page, and which other page it nearly repeats.

        key  what the page is filed under
        """
        content = whole_text_of(page)
        repeated = self.find(key, content, learn=False)
        return WholeText(key, content, repeated.key if repeated else None)

    def remember(self, text: WholeText) -> None:
        """Remember a text, as that of the latest page; of one that repeats another, that stays longer."""
        if text.repeats is None:
            self.add(text.key, text.content)
        else:
            self.use(text.repeats)

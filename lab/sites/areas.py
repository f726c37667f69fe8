"""Areas of a page: HTML that is written together with the truth about it.

Whatever is said or linked through an area is noted as it is written, so nobody has to read the HTML
again to know which words and links belong to the area.
"""

from __future__ import annotations

import re

_WORD = re.compile(r"\w+")
_ENTITIES = str.maketrans(
    {
        "&": "&amp;",
        '"': "&quot;",
        "<": "&lt;",
        ">": "&gt;",
        "\n": "&#10;",
        "é": "&eacute;",
        "ê": "&#234;",
        "ç": "&#xE7;",
        "’": "&rsquo;",
        "“": "&ldquo;",
        "”": "&rdquo;",
        "—": "&mdash;",
        "©": "&copy;",
        "»": "&raquo;",
    }
)


def words_of(text: str) -> list[str]:
    """Return the words of a text as it is read on the screen, in order; case is kept.

    >>> words_of("The miller’s 2 cafés")
    ['The', 'miller', 's', '2', 'cafés']
    """
    return _WORD.findall(text)


def written(text: str) -> str:
    """Return text as HTML, with entities; it holds no line break, and fits into double quotes.

    >>> written("R&D — “café”")
    'R&amp;D &mdash; &ldquo;caf&eacute;&rdquo;'
    """
    return text.translate(_ENTITIES)


class Area:
    """A part of a page under construction.  Its methods return the area itself, to be chained.

    words  what a reader sees of it, in order
    links  where its links lead, as paths on the site, in order

    >>> area = Area().markup("<p>").say("Go to ").link("/news/", "the news").say(".")
    >>> area.html, area.words, area.links
    ('<p>Go to <a href="/news/">the news</a>.', ['Go', 'to', 'the', 'news'], ['/news/'])
    """

    def __init__(self, beside: Area | None = None) -> None:
        """Begin an area, or one that writes into the HTML of another: each notes its own words and links.

        >>> template = Area()
        >>> _ = Area(beside=template).say("Spoons")
        >>> template.html, template.words
        ('Spoons', [])
        """
        self._parts: list[str] = [] if beside is None else beside._parts
        self.words: list[str] = []
        self.links: list[str] = []

    @property
    def html(self) -> str:
        return "".join(self._parts)

    def markup(self, html: str) -> Area:
        """Write HTML that shows no words of this area."""
        self._parts.append(html)
        return self

    def say(self, text: str) -> Area:
        self.words += words_of(text)
        return self.markup(written(text))

    def element(self, start: str, text: str) -> Area:
        """Write an element that holds words; ``start`` is its start tag without the brackets."""
        return self.markup(f"<{start}>").say(text).markup(f"</{start.split()[0]}>")

    def link(self, path: str, text: str, *, attributes: str = "", href: str = "") -> Area:
        """Write a link.

        path        where it leads, on the site
        attributes  further attributes, as HTML that begins with a space
        href        how the address is written, where that is not the path itself
        """
        self.links.append(path)
        return self.markup(f'<a href="{href or path}"{attributes}>').say(text).markup("</a>")

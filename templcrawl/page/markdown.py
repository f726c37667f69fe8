"""Write HTML as Markdown, and find its sections.

A library (turbohtml) reads the tree and writes it; what it would lose is first rewritten in the tree
(:mod:`templcrawl.page.markdown_tree`).

Headings are found again in what was written by a mark in front of their words, which is taken out: a control
character, which no text has that the library is given (:mod:`templcrawl.page.markdown_sections`).

Cost: O(length of the HTML).  The library neither recurses nor indents deeper than a bound.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from templcrawl.errors import MissingExtra
from templcrawl.page.markdown_display import remove_display, rewrite_code
from templcrawl.page.markdown_emphasis import STRONG, WEAK, delimit, simplify_emphasis
from templcrawl.page.markdown_links import resolve
from templcrawl.page.markdown_sections import Heading, MarkdownSection, sections_at
from templcrawl.page.markdown_tree import FORMULA, HEADING, HEADINGS, ITEM, LESS, POWERS, outermost, rewrite
from templcrawl.page.text import storable

if TYPE_CHECKING:
    from turbohtml import Element

_HEAD = re.compile(r"(?:[>*+-] |\d+[.)] | )*#{1,6} ").fullmatch
_TAGS = dict(zip("".join(POWERS.values()), ("<sup>", "</sup>", "<sub>", "</sub>")))
_UNTAGGED = str.maketrans(dict.fromkeys(_TAGS))
_FORMULA = re.compile("{}([0-9a-f]*){}".format(*FORMULA))
_ITEM = re.compile(f"([.:;,!?]?) ?{ITEM} ?")
_IS_SEEN = re.compile(r"[^\s\u200c-\u200f\u2060]").search
_LONGEST_HEAD = 400
_LONGEST_TEXT = 200


class Markdown(NamedTuple):
    """HTML as Markdown.

    text      the Markdown
    sections  its sections in order; one begins where the one before it ends
    """

    text: str
    sections: list[MarkdownSection]


def load() -> Any:
    """Return the library; raises MissingExtra."""
    try:
        import turbohtml
    except ImportError as error:
        raise MissingExtra("Markdown", "markdown") from error
    return turbohtml


def markdown_of(html: str, base: str) -> Markdown:
    """Return HTML as Markdown, links resolved against an address; raises MissingExtra."""
    library = load()
    tree = library.parse_fragment(html, positions=False)
    resolve(library, tree, base)
    rewrite_code(library, tree)
    remove_display(library, tree)
    rewrite(library, tree)
    simplify_emphasis(library, tree)
    headings = _mark_headings(library, tree)
    options = library.Markdown(
        tables=library.Markdown.Tables(cell_blocks="text"),
        links=library.Markdown.Links(autolink=False),
        inline=library.Markdown.Inline(strong=STRONG, emphasis=WEAK),
    )
    return _cut(tree.to_markdown(options), headings)


def _mark_headings(library: Any, tree: Element) -> list[Heading]:
    """Put a mark with its number in front of each heading that has words; without a sign it is none."""
    headings: list[Heading] = []
    for element in outermost(tree, HEADINGS):
        text = " ".join(element.to_text().split())
        if not _IS_SEEN(text) and element.find("img") is None:
            element.clear()
            element.tag = "div"
        elif text:
            element.insert(0, library.Text(f"{HEADING}{len(headings)}{HEADING}"))
            words = storable(_shown(text.translate(_UNTAGGED))[:_LONGEST_TEXT])
            headings.append(Heading(int(element.tag[1]), words))
    return headings


def _cut(marked: str, headings: list[Heading]) -> Markdown:
    """Take the marks out, and cut the text at the lines that they stood at the head of."""
    if ITEM in marked:
        marked = _ITEM.sub(lambda item: f"{item[1] or ';'} ", marked)
    for mark, tag in _TAGS.items():
        marked = marked.replace(mark, tag)
    first, *pieces = marked.split(HEADING)
    parts = [_shown(delimit(first))]
    marks: list[tuple[int, Heading]] = []
    length = len(parts[0])
    for number, words in zip(pieces[::2], pieces[1::2]):
        marks.append((length, headings[int(number)]))
        parts.append(_shown(delimit(words.lstrip(" "), in_heading=True)))
        length += len(parts[-1])
    text = storable("".join(parts))
    starts = ((_line_of_heading(text, position), heading) for position, heading in marks)
    return Markdown(text, sections_at([start for start in starts if start[0] >= 0], length))


def _shown(text: str) -> str:
    """Return text with what was marked as it stands."""
    if FORMULA[0] in text:
        text = _FORMULA.sub(lambda tex: bytes.fromhex(tex[1]).decode("utf-8", "surrogatepass"), text)
    return text.replace(LESS, "<")


def _line_of_heading(text: str, position: int) -> int:
    """Return where the line begins whose heading has its words at a position, -1 if there is none."""
    searched = max(position - _LONGEST_HEAD, 0)
    start = text.rfind("\n", searched, position) + 1 or searched
    return start if _HEAD(text, start, position) else -1

r"""Cut HTML text into pieces: tags, comments and the text between them, in one pass.

How: one regular expression describes every piece that starts with ``<``; splitting the text at
it leaves the text runs between.  The pieces, joined, are the text again.

Forgiving in the way of the HTML standard's tokeniser:

- ``>`` inside a quoted attribute value does not end the tag;
- a ``<`` that starts no tag is text;
- ``<!--`` runs to ``-->`` or ``--!>``; ``<!``, ``<?`` and ``</`` before anything but a letter
  run to the next ``>`` (bogus comments);
- a raw-text element (script, style, title, textarea, ...) keeps its raw content in the piece of
  its start tag; its end tag is the next piece;
- what is never closed (a quote, a tag, a comment, a raw-text element) runs to the end of the text.

Cost: linear in the length of the text.  Every alternative accepts the end of the text as its end,
so the first way to match always succeeds and nothing is ever tried a second time; the counted
repeats (``{0,N}``) bound the matcher's own memory, and a plain run takes over above N.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import islice

RAW_TEXT_NAMES = frozenset(("script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes"))
"""Elements whose content is no markup; it stays in the piece of their start tag."""


def _either_case(name: str) -> str:
    return "".join(f"[{c}{c.upper()}]" for c in name)


# From a tag's name to its ">": a quote opens a value after "=" or white space only.
_ATTRIBUTES = (
    r"""[^>"']*(?:>|(?:(?:(?<=[=\s])(?:"[^"]*(?:"|\Z)|'[^']*(?:'|\Z))|["'])[^>"']*){0,2000}[^>]*(?:>|\Z))"""
)
_RAW_TEXT = "|".join(
    rf"{_either_case(name)}(?=[\s/>]){_ATTRIBUTES}"
    rf"(?:[^<]+|<(?!/{_either_case(name)})){{0,2000}}.*?(?=</{_either_case(name)}[\s/>]|\Z)"
    for name in sorted(RAW_TEXT_NAMES)
)
_RAW_TEXT_INITIALS = "".join(sorted({name[0] + name[0].upper() for name in RAW_TEXT_NAMES}))
_TAG = rf"/[a-zA-Z][^>]*(?:>|\Z)|(?=[{_RAW_TEXT_INITIALS}])(?:{_RAW_TEXT})|[a-zA-Z]{_ATTRIBUTES}"
_COMMENT = r"!--(?:-?>|(?:[^-]+|-(?!-!?>)){0,2000}.*?(?:--!?>|\Z))|[!?/][^>]*(?:>|\Z)"
_PIECE = re.compile(rf"(<(?:{_TAG}|{_COMMENT}))", re.DOTALL)
_NAMED_PIECE = re.compile(rf"<(?:(?=/?([a-zA-Z][^\s/>]*))(?:{_TAG})|{_COMMENT})", re.DOTALL)


def cut(text: str, *, max_tags: int = 0) -> list[str]:
    """Cut ``text`` into text runs (even places) and tags or comments (odd places).

    ``"".join(cut(text)) == text``.  With ``max_tags`` > 0 the text after so many tags stays whole
    in the last piece.

    >>> cut('a <b title="x>y">c</b> 1 < 2')
    ['a ', '<b title="x>y">', 'c', '</b>', ' 1 < 2']
    """
    return _PIECE.split(text, maxsplit=max_tags)


def is_closed(piece: str) -> bool:
    """Say whether a tag or comment ends by itself, and not for want of more text.

    >>> is_closed("<a b='>'>"), is_closed("<a b='>")
    (True, False)
    """
    return len(cut(f"{piece}<b>")) > 3


def iter_tag_names(
    text: str, *, max_characters: int = sys.maxsize, max_tags: int | None = None
) -> Iterator[str]:
    """Yield the lower-case names of the start and end tags of ``text``, lazily.

    Comments, declarations and raw text are skipped.  Nothing beyond the last name asked for is read.

    max_characters  characters that are read
    max_tags        tags and comments that are read; None: all

    >>> list(iter_tag_names("<!doctype html><P>a<br/><script>'<b>'</script></p>"))
    ['p', 'br', 'script', 'script', 'p']
    """
    for match in islice(_NAMED_PIECE.finditer(text, 0, max_characters), max_tags):
        name = match[1]
        if name is not None:
            yield name.lower()

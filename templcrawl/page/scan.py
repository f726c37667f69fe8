r"""Cut HTML text into pieces: tags, comments and the text between them, in one pass.

One regular expression describes every piece that starts with ``<``; splitting the text at it leaves the text
runs between.  The pieces, joined, are the text again.  The patterns forgive in the way of the HTML standard's
tokeniser.

Source: the HTML standard, section 13.  Cost: linear in the length of the text.  Plain tags are tried first;
a piece that is none of these is tried once more, as any piece.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from itertools import islice

from templcrawl.page.vocabulary import BREAKS_OUT, FOREIGN_ROOTS, HTML_INSIDE, KNOWN, RAW_TEXT_NAMES

TURNING = FOREIGN_ROOTS | HTML_INSIDE | {"script"}
FOLLOWED = FOREIGN_ROOTS | HTML_INSIDE | BREAKS_OUT
_CDATA_START, _CDATA_END = "<![CDATA[", "]]>"
_REACH = 64  # open elements that a search for what an end tag closes looks at: linear on any page

_FLAGS = re.DOTALL | re.ASCII  # white space is what HTML takes for it


def _either_case(name: str) -> str:
    return "".join(f"[{c}{c.upper()}]" for c in name)


def _initials(names: Iterable[str]) -> str:
    return "".join(sorted({name[0] + name[0].upper() for name in names}))


# Behind a tag's name, to its ">", attribute by attribute; a "=" where a name is expected begins that name.
# Forgiving in the way of the HTML standard's tokeniser: a quote opens an attribute value only behind ``=``;
# ``>`` inside such a value does not end the tag. A ``<`` that starts no tag is text. ``<!--`` runs to ``-->``
# or ``--!>``; ``<!``, ``<?`` and ``</`` before anything but a letter run to the next ``>`` (bogus comments).
# A raw-text element (script, style, title, textarea, ...) keeps its raw content in the piece of its start
# tag; its end tag is the next piece. What is never closed (a quote, a tag, a comment, a raw-text element)
# runs to the end of the text. Every alternative accepts the end of the text as its end, so the first way to
# match always succeeds; the counted repeats (``{0,N}``) bound the matcher's own memory, and a plain run takes
# over above N.
_QUOTED = '="[^"]*"'
_VALUE = rf"""{_QUOTED}|\s*=\s*(?:"[^"]*(?:"|\Z)|'[^']*(?:'|\Z)|[^\s>]*)|"""
_ATTRIBUTES = rf"[\s/]*(?:>|(?:[^\s/>][^\s/>=]*(?:{_VALUE})[\s/]*){{0,2000}}[^>]*(?:>|\Z))"
_RAW_TEXT = "|".join(
    rf"{_either_case(name)}(?=[\s/>]){_ATTRIBUTES}"
    rf"(?:[^<]+|<(?!/{_either_case(name)})){{0,2000}}.*?(?=</{_either_case(name)}[\s/>]|\Z)"
    for name in sorted(RAW_TEXT_NAMES)
)
_RAW_TEXT_INITIALS = _initials(RAW_TEXT_NAMES)
_BARE_TAG = rf"/?[a-zA-Z][^\s/>]*{_ATTRIBUTES}"
# A start tag of at most two attributes with values in double quotes, as most are; their names end at the "=".
_NAMED = rf"(?<![\s/]){_QUOTED}"
_PLAIN_TAG = rf"[a-zA-Z][^\s/>=]*(?:>|[\s/][^>=]*(?:>|{_NAMED}(?:>|[^>=]+(?:>|{_NAMED}[^>=]*>))))"
_TAG = rf"/[a-zA-Z][^>=]*>|(?=[{_RAW_TEXT_INITIALS}])(?:{_RAW_TEXT})|{_PLAIN_TAG}|{_BARE_TAG}"
_COMMENT = r"!--(?:-?>|(?:[^-]+|-(?!-!?>)){0,2000}.*?(?:--!?>|\Z))|(?:[!?]|/(?!\Z))[^>]*(?:>|\Z)"
_CDATA = r"!\[CDATA\[.*?(?:\]\]>|\Z)"
_PIECE = re.compile(rf"(<(?:{_TAG}|{_COMMENT}))", _FLAGS)
_NAMED_PIECE = re.compile(rf"<(?:(?=/?([a-zA-Z][^\s/>]*))(?:{_TAG})|{_COMMENT})", _FLAGS)
_FOREIGN_PIECE = re.compile(rf"<(?:(?=/?([a-zA-Z][^\s/>]*))(?:{_BARE_TAG})|{_CDATA}|{_COMMENT})", _FLAGS)
_RAW_TEXT_TAG = re.compile(
    rf"<(?:{'|'.join(map(_either_case, sorted(RAW_TEXT_NAMES)))})(?=[\s/>])", re.ASCII
).match
_WHOLE_TAG = re.compile(f"<{_BARE_TAG}", _FLAGS)
_SCRIPT = _either_case("script")
_TURNING_NAMES = FOREIGN_ROOTS | {"script"}
_TURNING_TAG = re.compile(rf"<(?:{'|'.join(map(_either_case, sorted(_TURNING_NAMES)))})(?=[\s/>])").match
_TURNING_INITIALS = _initials(_TURNING_NAMES)
_SCRIPT_TAG = re.compile(rf"</?{_SCRIPT}[\s/>]").search
_SCRIPT_MARK = re.compile(rf"<!(?=--)|-->|</?{_SCRIPT}(?=[\s/>])").finditer


def cut(text: str, *, max_tags: int = 0) -> list[str]:
    """Cut ``text`` into text runs (even indices) and tags or comments (odd indices).

    ``"".join(cut(text)) == text``.  With ``max_tags`` > 0 the text after so many tags stays whole
    in the last piece.

    >>> cut('a <b title="x>y">c</b> 1 < 2')
    ['a ', '<b title="x>y">', 'c', '</b>', ' 1 < 2']
    """
    pieces = _PIECE.split(text, maxsplit=max_tags)
    # svg or math begins with a tag that turns, or a script that holds a tag of another, or may.
    turns = any(
        tag[1] in _TURNING_INITIALS
        and _TURNING_TAG(tag)
        and (tag[1:7].lower() != "script" or _SCRIPT_TAG(tag, 1))
        for tag in pieces[1::2]
    )
    return _walked(text, max_tags) if turns else pieces


def _walked(text: str, max_tags: int) -> list[str]:
    """Cut a text with raw-text elements, one piece after the other.

    Two things depend on more than the piece itself: inside ``svg`` and ``math`` there is no raw text, and
    there are CDATA sections (their text is a run, if no markup is in it); and a script that holds ``<!--``
    and ``<script`` ends at a later end tag.
    """
    pieces: list[str] = []
    position = 0
    for start, stop, _ in islice(_walk(text), max_tags or None):
        pieces += text[position:start], text[start:stop]
        position = stop
    return [*pieces, text[position:]]


def _walk(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the pieces: (start, stop, name)."""
    open_names: list[str] = []  # of svg and math, and of HTML inside of them
    position, is_foreign, pattern = 0, False, _NAMED_PIECE
    while True:
        for match in pattern.finditer(text, position):
            start, position = match.span()
            name = (match[1] or "").lower()
            if not is_foreign and name not in TURNING:
                yield start, position, name
                continue
            if name == "script" and not is_foreign:
                if text[start + 1] != "/" and text.find("<!--", start, position) >= 0:
                    position = _end_of_script(text, start)
            elif name in FOLLOWED:
                _follow(open_names, name, text[start:position], is_foreign)
            elif (
                is_foreign
                and text.startswith(_CDATA_START, start)
                and text.find("<", start + 1, position) < 0  # there is no markup in it
            ):
                yield start, start + len(_CDATA_START), ""
                if not text.endswith(_CDATA_END, start, position):
                    return
                start = position - len(_CDATA_END)
            yield start, position, name
            turns = is_foreign != (bool(open_names) and open_names[-1] not in HTML_INSIDE)
            if turns or position != match.end():
                break
        else:
            return
        is_foreign ^= turns
        pattern = _FOREIGN_PIECE if is_foreign else _NAMED_PIECE


def _follow(open_names: list[str], name: str, tag: str, is_foreign: bool) -> None:
    """Note what a tag opens or closes: svg, math, and elements with HTML inside of them."""
    if tag[1] == "/":
        for depth in range(len(open_names) - 1, max(0, len(open_names) - _REACH) - 1, -1):
            if open_names[depth] == name:
                del open_names[depth:]
                break
    elif is_foreign and name in BREAKS_OUT:
        while open_names and open_names[-1] not in HTML_INSIDE:
            open_names.pop()
    elif not tag.endswith("/>") and (name in FOREIGN_ROOTS or is_foreign):
        open_names.append(name)


def _end_of_script(text: str, start: int) -> int:
    """Return the position of the end tag of a script, by the states that the standard calls escaped."""
    tag = _WHOLE_TAG.match(text, start)
    is_escaped = is_doubled = False
    for mark in _SCRIPT_MARK(text, tag.end() if tag else start):
        if mark[0] == "<!":
            is_escaped = True
        elif mark[0] == "-->":
            is_escaped = is_doubled = False
        elif mark[0][1] != "/":
            is_doubled = is_escaped
        elif is_doubled:
            is_doubled = False
        else:
            return mark.start()
    return len(text)


def tag_end(piece: str) -> int:
    """Return the end of a tag in its piece, which may hold raw text behind it.

    >>> tag_end("<style>p</"), tag_end("<b>")
    (7, 3)
    """
    tag = _WHOLE_TAG.match(piece)
    return tag.end() if tag else len(piece)


def add_end_tags(text: str) -> str:
    """Return a text of XHTML as HTML: an empty element that HTML would leave open has an end tag.

    >>> add_end_tags("<title/><a id='x/>'/><br/><path/><!-- <p/> -->")
    "<title></title><a id='x/>'></a><br/><path/><!-- <p/> -->"
    """

    def closed(match: re.Match[str]) -> str:
        piece, name = match[0], match[1]
        is_open = name and piece[1] != "/" and piece.endswith("/>") and name.lower() in KNOWN
        return f"{piece[:-2]}></{name}>" if is_open else piece

    return _FOREIGN_PIECE.sub(closed, text)


def is_closed(piece: str) -> bool:
    """Return whether a tag or comment is closed.

    Of a raw-text element the tag is asked, not the text.

    >>> is_closed("<a b='>'>"), is_closed("<a b='>"), is_closed("<title>a")
    (True, False, True)
    """
    raw = _RAW_TEXT_TAG(piece)
    if raw:
        piece = f"<b{piece[raw.end() : tag_end(piece)]}"
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
    for _, _, name in islice(_walk(text[:max_characters]), max_tags):
        if name:
            yield name

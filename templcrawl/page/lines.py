"""The lines of a page: the view that the sandwich paper compares pages by.

A line ends at a line feed, a carriage return or both; its end is not part of it.
Source: Rowlands, Thomas, Wan (ADCS 2009), section 3.  Cost: O(length of the text).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from templcrawl.page.tokens import TokenStream

_LINE = re.compile(r"[^\r\n]+")


def cut_lines(text: str) -> tuple[list[str], list[int]]:
    r"""Return the lines of ``text`` that are not blank, and the offset of each.

    >>> cut_lines("<p>one\n\n  \r\ntwo")
    (['<p>one', 'two'], [0, 12])
    """
    lines, starts = [], []
    for match in _LINE.finditer(text):
        line = match[0]
        if not line.isspace():
            lines.append(line)
            starts.append(match.start())
    return lines, starts


def token_spans(
    tokens: TokenStream,
    lines: Sequence[str],
    starts: Sequence[int],
    kept: Sequence[tuple[int, int]],
) -> tuple[tuple[int, int], ...]:
    """Return the spans of tokens that touch the kept lines.

    kept  half-open spans of line numbers
    """
    spans: list[tuple[int, int]] = []
    offsets = tokens.starts
    token = 0
    for first, last in kept:
        begin = starts[first]
        end = starts[last - 1] + len(lines[last - 1])
        while offsets[token + 1] <= begin:
            token += 1
        opened = token
        while token < len(tokens) and offsets[token] < end:
            token += 1
        if spans and spans[-1][1] >= opened:
            spans[-1] = (spans[-1][0], token)
        else:
            spans.append((opened, token))
        token = max(opened, token - 1)
    return tuple(spans)

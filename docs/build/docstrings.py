"""Docstrings of the house style as Markdown: columns of ``name  meaning`` as lists, doctests as code.

A docstring is blocks with blank lines between.  A block of columns opens with a line of names (with commas
between), two or more spaces and what they mean; a line that begins with spaces goes on with the meaning, and
any other line that is no such row ends the columns, as in::

    split  where a full fingerprint is cut,
           the paper's l
    Raises InvalidOption unless 0 < split < 25.

Cost: O(length of the docstring).
"""

from __future__ import annotations

import re

_ROW = re.compile(r"(\w+(?:, \w+)*) {2,}(\S.*)")
_ROLE = re.compile(r":\w+:`~?(?:[\w.]+\.)?(\w+)`")
_FENCE = "```"


def as_markdown(docstring: str) -> str:
    r"""Return a docstring as Markdown.

    >>> print(as_markdown("A :class:`~a.b.Page`.\n\nurl   its address,\n      absolute\ntext  its HTML"))
    A `Page`.
    <BLANKLINE>
    - `url`: its address, absolute
    - `text`: its HTML
    """
    blocks = (_block(block) for block in docstring.strip("\n").split("\n\n") if block != "::")
    return "\n\n".join(blocks)


def _block(block: str) -> str:
    if block.startswith(">>> "):
        return f"{_FENCE}pycon\n{block}\n{_FENCE}"
    block = _ROLE.sub(r"`\1`", block)
    lines = block.split("\n")
    return _columns(lines) if _ROW.fullmatch(lines[0]) else block


def _columns(lines: list[str]) -> str:
    """Return a block that opens with columns as a list, and what follows them as a paragraph."""
    rows: list[str] = []
    for number, line in enumerate(lines):
        if row := _ROW.fullmatch(line):
            names = ", ".join(f"`{name}`" for name in row[1].split(", "))
            rows.append(f"- {names}: {row[2]}")
        elif line.startswith(" "):
            rows[-1] += f" {line.strip()}"
        else:
            return "\n".join([*rows, "", *lines[number:]])
    return "\n".join(rows)


def folded(title: str, docstring: str) -> str:
    """Return a docstring as Markdown that is shown when its title is opened."""
    text = as_markdown(docstring).replace("\n", "\n    ").replace("\n    \n", "\n\n")
    return f'??? note "{title}"\n\n    {text}'

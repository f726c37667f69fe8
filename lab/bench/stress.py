"""Pages made harder: what a method still tells apart when a hint is taken from it.

nav    the element names and roles that say "navigation" are erased
heavy  each page begins with the same large block of plain ``div``s: 1,200 invented words in 400 runs,
       every other run a link

Cost: O(characters of the page).
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import cache

HEAVY_RUNS, HEAVY_WORDS = 400, 1_200

_NAMES = re.compile(r"(</?)(?:nav|footer|aside|header|menu)(?=[\s/>])", re.IGNORECASE)
_START_TAG = re.compile(r"<[a-z](?:\"[^\"]*\"|'[^']*'|[^'\"<>])*>", re.IGNORECASE)
_ROLE = re.compile(
    r"(?<=[\s\"'/])role\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'>]+)|(\"[^\"]*\"|'[^']*')", re.IGNORECASE
)
"""A role, or another attribute's value in quotes, which is kept."""
_BEGINS = re.compile(r"<body\b[^>]*>|</head\s*>|<html\b[^>]*>|<!doctype\b[^>]*>", re.IGNORECASE)
_SYLLABLES = (
    "bo cla dri fen gur hax jil kov lum mip nez orf pux quam rusk sle tov urb vex wym yal zed".split()
)


def without_nav(html: str) -> str:
    """Erase the names and roles of navigation.

    >>> without_nav('<nav id=a role="navigation"><b>role="x"</b></nav>')
    '<div id=a ><b>role="x"</b></div>'
    """
    return _START_TAG.sub(lambda tag: _ROLE.sub(r"\1", tag[0]), _NAMES.sub(r"\1div", html))


@cache
def heavy_block() -> str:
    """Return the block, the same on every page."""
    chance = random.Random("heavy block")
    per_run = HEAVY_WORDS // HEAVY_RUNS
    runs = []
    for number in range(HEAVY_RUNS):
        words = " ".join("".join(chance.choices(_SYLLABLES, k=3)) for _ in range(per_run))
        runs.append(
            f'<div><a href="/heavy/{number}">{words}</a></div>' if number % 2 else f"<div>{words}</div>"
        )
    return f"<div>{''.join(runs)}</div>\n"


def with_heavy_block(html: str) -> str:
    """Put the block at the start of the body, wherever that is when its tag is left out.

    >>> with_heavy_block("<title>A page</title><body class=a>B").partition(heavy_block())[::2]
    ('<title>A page</title><body class=a>', 'B')
    """
    ends: dict[str, int] = {}
    for begin in _BEGINS.finditer(html):
        ends.setdefault(begin[0][:5].lower(), begin.end())
    position = next((ends[tag] for tag in ("<body", "</hea", "<html", "<!doc") if tag in ends), 0)
    return html[:position] + heavy_block() + html[position:]


STRESSES: dict[str, Callable[[str], str]] = {"nav": without_nav, "heavy": with_heavy_block}
"""Name -> HTML -> harder HTML."""

"""Character references decoded: ``&amp;``, ``&#65;``, ``&#x41;``, in text and in the values of attributes.

The standard library reads numbers of any length digit by digit, and refuses those of more than some 4,000.
Here a number that is too long to be a character is U+FFFD, as the HTML standard has it; zeros before a
number do not count.

Cost: O(length of the text).
"""

from __future__ import annotations

import html
import re
from html.entities import html5

_MOST_DIGITS = 7
_LONG_NUMBER = re.compile(rf"&#(?:[0-9]{{{_MOST_DIGITS + 1},}}|[xX][0-9a-fA-F]{{{_MOST_DIGITS + 1},}})")
_NO_CHARACTER = "&#x110000"
_IN_ATTRIBUTE = re.compile(r"&(?:#[0-9]+;?|#[xX][0-9a-fA-F]+;?|([a-zA-Z][a-zA-Z0-9]*(?:;|(?![a-zA-Z0-9=]))))")


def unescape(text: str) -> str:
    """Return what a text run stands for.

    >>> unescape("&lt;b&gt; &#65;&#x00000041; &copy 2026"), unescape("&#" + "9" * 5_000 + ";")
    ('<b> AA © 2026', '�')
    """
    return html.unescape(_LONG_NUMBER.sub(_shortened, text)) if "&" in text else text


def attribute_text(written: str) -> str:
    """Return what the value of an attribute stands for.

    By the HTML standard's rule for attributes, a reference without ``;`` before a letter, a digit or
    ``=`` is text: the ``&reg`` in ``?a=1&region=2``.

    >>> attribute_text("?a=1&amp;b=2&region=3")
    '?a=1&b=2&region=3'
    """
    return _IN_ATTRIBUTE.sub(_decoded, written) if "&" in written else written


def _shortened(reference: re.Match[str]) -> str:
    prefix = reference[0][: 3 if reference[0][2] in "xX" else 2]
    digits = reference[0][len(prefix) :].lstrip("0") or "0"
    return prefix + digits if len(digits) <= _MOST_DIGITS else _NO_CHARACTER


def _decoded(reference: re.Match[str]) -> str:
    name = reference[1]
    return html5.get(name, reference[0]) if name else unescape(reference[0])
